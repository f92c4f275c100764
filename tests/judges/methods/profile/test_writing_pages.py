"""The writer of profiles on pages and in study.yaml, and what leaves its runs out."""

import pytest
from django.urls import reverse

from annotate.models import Content, Interaction, Recipient
from judges.files import check_files, load_files
from judges.files.study_file import study_yaml
from judges.models import Judge, Judgment, Writing
from tests import factories
from tests.judges.methods.profile.test_write import NEWEST, contents_of, listen, make_writer, write
from tests.podcasts import make_podcasts

pytestmark = pytest.mark.django_db


@pytest.fixture
def podcasts(owner):
    return make_podcasts(owner, pairs=1)


FILE = """\
study: podcasts
questions:
  - {key: fits, text: It fits., scale: likert5, applies_to: [profile, recommendation]}
judges:
  - {judge: writer, endpoint: local, method: profile, episodes: [20, 5], days: 30, pick: newest,
     transcript_length: 500, temperature: 0.5, max_tokens: 999}
  - {judge: all, endpoint: local, method: profile}
  - {judge: fits, endpoint: local, method: fit, profile_episodes: 5}
  - {judge: history, endpoint: local, method: fit, context: history, transcript_length: 70}
"""


def test_it_is_made_on_the_page_with_a_range_of_numbers(podcasts, as_owner):
    endpoint = factories.make_endpoint()
    sent = {
        "key": "writer",
        "endpoint": endpoint.pk,
        "prompt": "write-profile.v1",
        "days": "0",
        "episodes": "5-7, 20",
        "pick": "newest",
        "transcript_length": "",
        "temperature": "0",
        "max_tokens": "900",
    }
    new = reverse("judge_new", args=[podcasts.slug]) + "?kind=llm&method=profile"
    assert "seven keys" in as_owner.get(new).content.decode()
    assert as_owner.post(new, sent).status_code == 302
    judge = Judge.objects.get()
    settings = judge.settings
    assert (judge.method, settings.days, settings.episodes) == (
        "profile",
        0,
        [5, 6, 7, 20],
    )
    settings = judge.settings
    assert (settings.pick, settings.transcript_length, settings.max_tokens) == (
        "newest",
        0,
        900,
    )
    for wrong in ("five", "5-", "20-5, 5, 5", "0", "501", "1-60", "5-6-7"):
        page = as_owner.post(new, sent | {"key": "other", "episodes": wrong})
        assert page.status_code == 422, wrong


def test_the_page_previews_a_recipient_and_the_run_page_shows_the_profiles(podcasts, as_owner):
    listen(podcasts, "r1", 1, 1)
    listen(podcasts, "r2")
    run, _ = write(podcasts, episodes=[1, 2])
    page = reverse("judge", args=[podcasts.slug, run.judge_id])
    text = as_owner.get(page).content.decode()
    assert "The call about 2 episodes" in text
    assert "r1-e0" in text
    assert "First recipients only" in text
    assert "no interactions" in as_owner.get(page, {"item": "r2"}).content.decode()
    assert (
        "There is no recipient “nobody”." in as_owner.get(page, {"item": "nobody"}).content.decode()
    )
    shown = as_owner.get(run.get_absolute_url()).content.decode()
    assert f"profile-r1-2-run{run.pk}" in shown
    assert "Listening habits: because" in shown
    assert run.settings_hash[:12] in shown
    item = run.writings.get(recipient__key="r1", wanted=1).item
    made_of = as_owner.get(item.get_absolute_url()).content.decode()
    for part in (run.get_absolute_url(), "write-profile.v1", "r1-e0 (of the show Talk; 100%"):
        assert part in made_of, part


def test_a_prompt_of_the_study_s_own_is_made_and_tried_on_a_recipient(podcasts, as_owner):
    listen(podcasts, "r1", 1)
    factories.make_endpoint()
    text = "In JSON, briefly.\n<<<HISTORY\n$listening\nHISTORY>>>"
    sent = {"name": "brief", "method": "profile", "text": text}
    new = reverse("prompt_new", args=[podcasts.slug])
    assert "what the recipient listened to" in as_owner.get(new, {"method": "profile"}).text
    wrong = as_owner.post(new, sent | {"text": "JSON $listening"})
    assert "$listening has to stand alone" in wrong.text
    page = as_owner.post(new, sent, follow=True).text
    assert "Try it on a recipient" in page
    assert "In JSON, briefly.\n&lt;&lt;&lt;HISTORY\nEpisodes:\n- r1-e0" in page
    there = reverse("prompt", args=[podcasts.slug, "brief"])
    assert "There is no recipient “nobody”" in as_owner.get(there, {"item": "nobody"}).text


def test_no_file_says_what_a_writer_judged(owner, podcasts, tmp_path):
    make_writer(podcasts)
    study = tmp_path / "study.yaml"
    study.write_text(study_yaml(podcasts))
    path = tmp_path / "judgments.csv"
    path.write_text("item,judge,question,value\npair-1-A-1,writer,episode-fit,5\n")
    (problem,) = load_files(study, {"judgments": path}, owner=owner).problems.shown
    assert "judgments of a file need another judge" in str(problem)


def test_analysis_exports_and_api_know_no_answers_of_it(podcasts, as_owner):
    listen(podcasts, "r1", 1)
    run, _ = write(podcasts)
    factories.make_judgments(
        factories.make_judge(podcasts, "other"),
        {(podcasts.items.get(key="pair-1-A-1"), podcasts.questions.get(key="episode-fit")): 5},
    )
    for name in ("samples", "judgments", "scores", "items"):
        export = reverse("export_table", args=[podcasts.slug, name, "jsonl"])
        page = as_owner.get(export)
        body = b"".join(page.streaming_content).decode()
        assert ("writer" in body) == (name == "items"), name
    for report in ("cost", "bias", "profile"):
        page = as_owner.get(reverse("report", args=[podcasts.slug, report]))
        assert page.status_code == 200
    assert Judgment.objects.judging().filter(run=run).count() == 0
    assert Writing.objects.count() == 1


def test_a_study_file_comes_out_as_it_went_in(owner, tmp_path):
    factories.make_endpoint()
    path = tmp_path / "study.yaml"
    path.write_text(FILE)
    assert not load_files(path, {}, owner=owner).problems.shown
    writer, every, fits, history = Judge.objects.order_by("pk")
    assert (writer.method, writer.prompt) == ("profile", "write-profile.v1")
    assert (writer.settings.episodes, writer.settings.days, writer.settings.pick) == (
        [20, 5],
        30,
        "newest",
    )
    assert (
        writer.settings.transcript_length,
        writer.settings.temperature,
        writer.settings.max_tokens,
    ) == (500, 0.5, 999)
    usual = {"episodes": [], "days": 90, "pick": "listened", "max_tokens": 2000}
    assert usual.items() <= every.settings.stored.items()
    assert (fits.settings.profile_episodes, history.settings.transcript_length) == (5, 70)
    text = study_yaml(writer.study)
    path.write_text(text)
    loading = check_files(path, {})
    assert loading.counts["judges"].unchanged == 4
    load_files(path, {}, owner=owner)
    assert study_yaml(writer.study) == text


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ("method: profile, episodes: [5, 5]", "judges.episodes"),
        ("method: profile, episodes: [0]", "judges.episodes"),
        ("method: profile, episodes: [true]", "judges.episodes"),
        ("method: profile, episodes: 5", "judges.episodes"),
        ("method: profile, days: 4000", "judges.days"),
        ("method: profile, pick: best", "judges.pick"),
        ("method: profile, context: history", "judges.context"),
        ("method: profile, prompt: fit.v1", "judges.prompt"),
        ("method: fit, prompt: write-profile.v1", "judges.prompt"),
        ("method: fit, context: history, profile_episodes: 5", "judges.profile_episodes"),
        ("method: fit, transcript_length: 5", "judges.transcript_length"),
        ("method: fit, days: 5", "judges.days"),
    ],
)
def test_what_does_not_go_together_is_refused_where_it_stands(owner, tmp_path, entry, found):
    factories.make_endpoint()
    path = tmp_path / "study.yaml"
    path.write_text(FILE + f"  - {{judge: wrong, endpoint: local, {entry}}}\n")
    problems = [str(problem) for problem in load_files(path, {}, owner=owner).problems.shown]
    assert len(problems) == 1
    assert found in problems[0]
    assert problems[0].startswith("study.yaml, line 10")


def test_an_ensemble_has_no_writer_among_its_members(owner, tmp_path):
    factories.make_endpoint()
    path = tmp_path / "study.yaml"
    path.write_text(FILE + "  - {judge: all of them, kind: ensemble, members: [writer, fits]}\n")
    (problem,) = load_files(path, {}, owner=owner).problems.shown
    assert "found 'writer'" in str(problem)


def test_what_is_recommended_to_a_recipient_is_not_told_by_their_profile(podcasts):
    """In a list or alone: a judge that reads the profile would read what they thought of it."""
    listen(podcasts, "r1", 0.9, 0.8)
    recipient = Recipient.objects.get(key="r1")
    heard = Content.objects.filter(key__in=["r1-e0", "pair-1-A-1"])
    alone = factories.make_item(podcasts, "alone", recipient="r1", content="r1-e0", text="x")
    assert alone.content.key == "r1-e0" and len(heard) == 2
    in_list = Content.objects.get(key="pair-1-A-1")
    Interaction.objects.create(
        study=podcasts, recipient=recipient, content=in_list, rating=5, at=NEWEST
    )
    run, _ = write(podcasts, days=0)
    assert contents_of(run, recipient=recipient) == ["r1-e1"]
