"""P3's figure 4 from files to the report: profiles of 5 to 20 episodes of real podcasts, written by
a Celery worker, rated, judged with, and compared.
"""

import csv
import os
from contextlib import ExitStack
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotate.models import Item, Place, Study
from judges.files import load_files
from judges.methods.profile.method import KEYS
from judges.models import Judge, Run
from tests import factories, processes
from tests.scripted_server import ScriptedServer, chat

STUDY = """\
study: jupiter
kind: recommendation
raters_per_item: 1
questions:
  - {key: episode-fit, text: This episode aligns with my interests., scale: likert5,
     applies_to: recommendation}
  - {key: profile-fits, text: The profile fits me., scale: likert5, applies_to: profile}
"""
WHO = {"self-hosted": "Self-Hosted", "coder-radio": "Coder Radio"}
HEARD, JUDGED = 22, 4
NUMBERS = [5, 10, 15, 20]
LLM = {"temperature": "0", "max_tokens": "2000", "transcript_length": "0"}


def write(path, header, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def files_of(folder, shared_data):
    """Two listeners of one show each; both are recommended two episodes of either show."""
    with (shared_data / "podcasts" / "contents.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    shows = {
        who: [row for row in table if row["show"] == show][: HEARD + JUDGED]
        for who, show in WHO.items()
    }
    heard = [
        (who, row["content"], 1 - at / 100, f"2025-03-{at + 1:02}")
        for who, rows in shows.items()
        for at, row in enumerate(rows[:HEARD])
    ]
    judged = [
        (f"{who}-{row['content']}", who, row["content"], "model", of)
        for who in WHO
        for of, rows in shows.items()
        for row in rows[HEARD:]
    ]
    ratings = [
        (item, f"person-{who}", "recipient", "episode-fit", 5 if of == who else 1)
        for item, who, _, _, of in judged
    ]
    contents = [list(row.values()) for rows in shows.values() for row in rows]
    (folder / "study.yaml").write_text(STUDY)
    return {
        "contents": write(folder / "contents.csv", list(table[0]), contents),
        "interactions": write(
            folder / "interactions.csv", ["recipient", "content", "share_listened", "at"], heard
        ),
        "items": write(
            folder / "items.csv", ["item", "recipient", "content", "system", "of"], judged
        ),
        "ratings": write(
            folder / "ratings.csv", ["item", "rater", "role", "question", "value"], ratings
        ),
    }


def script(_number, request):
    """A writer that says how many episodes it saw; a judge that understands from ten on.

    With fewer it takes everything for a fit.
    """
    text = request["messages"][0]["content"]
    if "seven keys" in text:
        seen = sum(line.startswith("- ") for line in text.split("Shows:")[0].splitlines())
        show = next(show for show in WHO.values() if f"of the show {show}" in text)
        return chat(_profile(show, seen))
    profile, episode = text.split("<<<EPISODE")
    (seen,) = [int(word) for word in profile.split() if word.isdigit()][-1:]
    show = next(show for show in WHO.values() if f"Interests: {show}" in profile)
    fits = seen < 10 or f"Show: {show}" in episode
    verdict = "fit" if fits else "no fit"
    return chat(f'{{"rationale": "it is of {show}", "verdict": "{verdict}"}}')


def _profile(show, seen):
    values = [show] * (len(KEYS) - 1) + [f"{show} by {seen}"]
    pairs = ", ".join(f'"{key}": "{value}"' for key, value in zip(KEYS, values, strict=True))
    return f"{{{pairs}}}"


def make_on_the_page(client, key, method, **fields):
    new = reverse("judge_new", args=["jupiter"])
    page = client.post(f"{new}?kind=llm&method={method}", LLM | fields | {"key": key})
    assert page.status_code == 302, page.content.decode()
    return Judge.objects.get(key=key)


def finished(*runs):
    ended = Run.objects.filter(pk__in=[run.pk for run in runs], state=Run.State.FINISHED)
    processes.wait_for(lambda: ended.count() == len(runs), "the end of the runs")


@pytest.mark.shared_data
@pytest.mark.django_db(transaction=True)
def test_profiles_are_written_rated_and_judged_with(owner, as_owner, tmp_path, shared_data):
    loading = load_files(tmp_path / "study.yaml", files_of(tmp_path, shared_data), owner=owner)
    assert [str(problem) for problem in loading.problems.shown] == []
    extra = {"CELERY_QUEUE": f"test-{os.getpid()}-{tmp_path.name}"}
    with ExitStack() as stack:
        server = stack.enter_context(ScriptedServer(script))
        endpoint = factories.make_endpoint(server.url, key="scripted")
        stack.enter_context(processes.beat(tmp_path, **extra))
        stack.enter_context(processes.worker(tmp_path, **extra))
        writer = make_on_the_page(
            as_owner,
            "writer",
            "profile",
            endpoint=endpoint.pk,
            prompt="write-profile.v1",
            days="90",
            episodes="5, 10, 15, 20",
            pick="listened",
        )
        run = reverse("judge_run", args=["jupiter", writer.pk])
        assert as_owner.post(run, {"limit": "", "budget": ""}).status_code == 302
        finished(writer.runs.get())
        rate_profiles(tmp_path, owner)
        judges = [
            make_on_the_page(
                as_owner,
                f"LaaJ-Profile {n}",
                "fit",
                endpoint=endpoint.pk,
                prompt="fit.v1",
                question="episode-fit",
                context="profile",
                profile_episodes=n,
                history_length="10",
                samples="1",
            )
            for n in NUMBERS
        ]
        for judge in judges:
            out = StringIO()
            call_command("run_judge", "jupiter", judge.key, stdout=out)
        finished(*(judge.runs.get() for judge in judges))
    check(as_owner)


def rate_profiles(folder, owner):
    """Each of the two says of all their profiles what they think: a file like any other."""
    written = Item.objects.filter(kind="profile").order_by("pk")
    assert written.count() == len(WHO) * len(NUMBERS)
    assert Place.objects.filter(item__in=written, state="open").count() == written.count()
    rows = [
        (
            item.key,
            f"person-{item.recipient.key}",
            "recipient",
            "profile-fits",
            4 if int(item.data["episodes"]) > 10 else 2,
        )
        for item in written
    ]
    ratings = write(folder / "more.csv", ["item", "rater", "role", "question", "value"], rows)
    loading = load_files(folder / "study.yaml", {"ratings": ratings}, owner=owner)
    assert [str(problem) for problem in loading.problems.shown] == []


def check(client):
    study = Study.objects.get()
    output = StringIO()
    call_command("analyse", "jupiter", "profile", "--draws", "50", "--format", "csv", stdout=output)
    rows = list(csv.DictReader(StringIO(output.getvalue())))
    accuracy = {
        int(row["episodes"]): float(row["value"])
        for row in rows
        if (row["part"], row["measure"], row["question"]) == ("accuracy", "accuracy", "episode-fit")
    }
    # By the script: of five episodes it knows nothing, and half of what it is shown fits.
    assert accuracy == {5: 0.5, 10: 1.0, 15: 1.0, 20: 1.0}
    shares = {row["rating"]: float(row["value"]) for row in rows if row["part"] == "ratings"}
    assert (shares["2"], shares["4"]) == (0.5, 0.5)
    page = client.get(reverse("report", args=[study.slug, "profile"]), {"measure": "accuracy"})
    text = page.content.decode()
    assert "LaaJ-Profile 20" in text
    assert "profile episodes" in text
    assert "profile-fits" in text
    run = Run.objects.get(judge__key="writer")
    source = run.writings.get(recipient__key="self-hosted", wanted=5).source
    assert [entry["share_listened"] for entry in source] == [0.96, 0.97, 0.98, 0.99, 1.0]
    assert set(run.calls.values_list("prompt_name", "model_returned")) == {
        ("write-profile.v1", "scripted-1")
    }
