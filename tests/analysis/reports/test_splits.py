"""Every report of a part is that of a study with these items alone; a locked test part is shown
to nobody, on no page, in no file.
"""

import csv
import hashlib
import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from analysis.answers import frame
from analysis.reports.registry import REPORTS
from analysis.serving.grouping import computed
from annotate.design import splits
from annotate.models import Membership, Study
from judges.files.study_file import study_yaml
from judges.models import Call, Judge, Run
from judges.runs.progress import failures, latest
from tests import factories
from tests.analysis.small import make_rated_study, options_of, row_of, timeless
from tests.analysis.test_export_import import exported as files_of
from tests.analysis.test_export_import import load_by_command
from tests.api.conftest import api, at, program  # noqa: F401

pytestmark = pytest.mark.django_db
SEED, SHARE = 7, 0.4
# By printf 7:rN | sha256sum as a fraction of 2^256, less than .4.
IN_TEST = {
    f"r{n}"
    for n in range(10)
    if int(hashlib.sha256(f"{SEED}:r{n}".encode()).hexdigest(), 16) < 0.4 * 2**256
}
# Their items are chosen on a part of their own, or they look at all that a rater did.
CHOSEN_ELSEWHERE = {"thresholds", "ensembles", "bias", "overview"}
WHOLE_RATERS = {"exclusions"}


@pytest.fixture
def owner():
    return factories.make_user("owner")


@pytest.fixture
def study(owner):
    study = make_rated_study(owner, recipients=10, contents=1, systems=2)
    assert 2 <= len(IN_TEST) <= 7
    return study


@pytest.fixture
def locked(study):
    splits.lock(study, SEED, SHARE, "owner")
    return study


@pytest.fixture
def opened(locked):
    splits.unlock(locked, "owner", "the prompt is final")
    return locked


def report_of(name, part, slug="films", **options):
    study = Study.objects.get(slug=slug)
    answers = frame.read_answers(study, part=part)
    chosen = options_of(answers, name, **{"draws": 20, "part": part} | options)
    return computed(REPORTS[name], answers, chosen)


def rows(name, part):
    return json.dumps(report_of(name, part).as_dict()["rows"])


@pytest.mark.parametrize("part", ["choose", "test"])
def test_a_part_is_a_study_with_its_items_alone(opened, part):
    names = [name for name in REPORTS if name not in WHOLE_RATERS]
    if part == "test":
        names = [name for name in names if name not in CHOSEN_ELSEWHERE]
    found = {name: rows(name, part) for name in names}
    others = opened.items.filter(recipient__key__in=IN_TEST)
    if part == "test":
        others = opened.items.exclude(recipient__key__in=IN_TEST)
    assert others.exists()
    others.delete()
    Study.objects.filter(pk=opened.pk).update(split={})
    wrong = [name for name in names if found[name] != rows(name, "all")]
    assert wrong == []
    assert sum(found[name] != "[]" for name in names) >= 12


def test_each_report_says_which_part_it_is_of(opened):
    for name in REPORTS:
        notes = report_of(name, "choose").notes
        assert notes[0].startswith("Choose part: without the test part, 40 % of the recipients")
    for part in ("test", "all"):
        notes = "\n".join(report_of("raters", part).notes)
        assert "unlocked on" in notes and "by owner" in notes and "the prompt is final" in notes
        assert "seed 7, share 0.4" in notes


def test_a_new_lock_does_not_hide_that_it_was_opened(opened):
    splits.lock(opened, 9, 0.5, "owner")
    splits.unlock(opened, "owner", "again")
    notes = "\n".join(report_of("raters", "test").notes)
    assert "the prompt is final" in notes and "again" in notes


def test_answers_that_were_there_at_the_lock_are_told(client, study, owner):
    client.force_login(owner)
    client.post(reverse("lock_split", args=["films"]), {"seed": SEED, "share": SHARE})
    n = 2 * len(IN_TEST) * 4  # items of two systems, four questions
    seen = splits.split_of(Study.objects.get()).seen
    assert (seen.ratings, seen.judgments) == (3 * n, 2 * n)
    page = client.get(reverse("split", args=["films"])).content.decode()
    assert f"{3 * n} ratings and {2 * n} judgments of its items existed" in page


# What is chosen on data is chosen on the choose part


def in_test(study):
    return study.items.filter(recipient__key__in=IN_TEST)


@pytest.fixture
def turned(study):
    """People like items with r0, r1, …: a judge is right on the choose part, upside down on test.

    "right" says 5 or 1 as people on the choose part, the reverse on the test part; "left" is the
    reverse of it.
    """
    Judge.objects.all().delete()
    session = factories.make_session(study, "dan", "expert")
    question = study.questions.first()
    values = {"right": {}, "left": {}}
    for number, item in enumerate(study.items.select_related("recipient")):
        said = 5 if number % 2 else 1
        factories.make_rating(session, item, question, said)
        is_test = item.recipient.key in IN_TEST
        values["right"][item, question] = 6 - said if is_test else said
        values["left"][item, question] = said if is_test else 6 - said
    for name, given in values.items():
        factories.make_judgments(factories.make_judge(study, name), given)
    splits.lock(study, SEED, SHARE, "owner")
    splits.unlock(study, "owner", "done")
    return study


def test_a_threshold_is_chosen_on_the_rest(turned):
    report = report_of("thresholds", "test", reference="expert", draws=0)
    key = turned.questions.first().key
    found = row_of(report, evaluator="right", question=key, measure="sensitivity")
    # From 5 on, where it is right; on the test part it calls every bad item good.
    assert found["chosen_on"] == "choose" and found["threshold"] == 5
    assert (found["value"], found["in_sample"]) == (0, 1)
    assert found["n"] == len(IN_TEST)
    halves = report_of("thresholds", "choose", reference="expert", draws=0)
    assert {row["chosen_on"] for row in halves.rows} == {"A", "B"}


def test_the_best_judge_is_chosen_on_the_rest(turned):
    report = report_of("ensembles", "test", reference="expert", draws=0)
    one = {"question": "average", "level": "dataset", "coefficient": "pearson"}
    best = row_of(report, kind="best_single", **one)
    assert best["members"] == "right"
    assert best["value"] == pytest.approx(-1) and best["cross_validated"] == best["value"]
    own = row_of(report_of("ensembles", "choose", reference="expert"), kind="best_single", **one)
    assert own["members"] == "right" and own["value"] == pytest.approx(1)


def test_the_map_of_calibration_is_made_on_the_rest(turned):
    report = report_of("bias", "test", reference="expert", draws=0)
    key = turned.questions.first().key
    same = {"bias": "calibration", "evaluator": "right", "question": key}
    # The map leaves its 1 and 5 as they are; on the test part each is 4 off.
    assert row_of(report, measure="mae_after", **same)["value"] == pytest.approx(4)
    assert report.curves["right", key] == {"judge": [1, 5], "human": [1, 5]}


def test_weights_are_learned_on_the_rest(turned):
    """On the choose part people say what "right" says, so it has all of the weight."""
    for number in range(10, 26):  # enough recipients to learn from
        item = factories.make_item(turned, f"more-{number}", f"r{number}")
        session, question = turned.sessions.get(rater__key="dan"), turned.questions.first()
        factories.make_rating(session, item, question, said := 1 + 4 * (number % 2))
        run = Run.objects.get(judge__key="right")
        is_test = splits.split_of(turned).side(f"r{number}") == "test"
        for one, value in ((run, said), (Run.objects.get(judge__key="left"), 6 - said)):
            one.judgments.create(
                item=item,
                question=question,
                state="done",
                unit=100 + number,
                value=6 - value if is_test else value,
            )
    both = factories.make_judge(turned, "both", kind="ensemble", rule="learned")
    both.members.set(Judge.objects.filter(key__in=["right", "left"]))
    report = report_of("correlation", "test", reference="expert", draws=0)
    key = turned.questions.first().key
    one = {"evaluator": "both", "question": key, "level": "dataset", "coefficient": "pearson"}
    assert row_of(report, **one)["value"] == pytest.approx(-1)
    notes = "\n".join(report.notes)
    assert f"both, {key}: right 1 (1 to 1), left 0 (0 to 0)" in notes
    assert "all of the choose part" in notes


# While it is locked


def test_another_part_is_refused_at_page_file_api_and_command(client, locked, owner, api, at):  # noqa: F811
    client.force_login(owner)
    for part in ("test", "all", "x"):
        page = client.get(reverse("report", args=["films", "raters"]), {"part": part})
        assert page.status_code == 400
        assert "locked since" in page.content.decode()
        for name, args in (
            ("report_rows", ["films", "raters", "json"]),
            ("paper_file", ["films", "html"]),
        ):
            answer = client.get(reverse(name, args=args), {"part": part})
            assert (answer.status_code, "locked since" in answer.content.decode()) == (400, True)
        for name in ("disagreements", "paper"):
            assert client.get(reverse(name, args=["films"]), {"part": part}).status_code == 400
        answer = api.get(at("reports/raters/"), {"part": part})
        assert answer.status_code == 409 and "locked since" in str(answer.json())
        for command in (["analyse", "films", "raters"], ["report", "films", "-o", "x.html"]):
            with pytest.raises(CommandError, match="part: Found .* locked since"):
                call_command(*command, "--part", part, stdout=io.StringIO())


def test_the_usual_part_is_choose_everywhere(client, locked, owner, api, at):  # noqa: F811
    client.force_login(owner)
    expected = report_of("correlation", "choose").as_dict()
    asked = {"draws": 20}
    assert api.get(at("reports/correlation/"), asked).json() == expected
    out = io.StringIO()
    call_command("analyse", "films", "correlation", "--draws", "20", format="json", stdout=out)
    assert json.loads(out.getvalue()) == expected
    page = client.get(reverse("report_rows", args=["films", "correlation", "json"]), asked).json()
    assert page["options"]["part"] == "choose" and page["notes"][0] == expected["notes"][0]
    assert "part=choose" in client.get(reverse("report", args=["films", "raters"])).content.decode()


def test_a_study_without_a_split_has_one_part(client, study, owner):
    client.force_login(owner)
    page = client.get(reverse("report", args=["films", "raters"]))
    assert "Part of the test split" not in page.content.decode()
    page = client.get(reverse("report", args=["films", "raters"]), {"part": "test"})
    assert page.status_code == 400 and "no test split" in page.content.decode()


def test_the_cards_are_those_of_the_choose_part(client, opened, owner):
    client.force_login(owner)
    address = reverse("headlines", args=["films"])
    page = timeless(client.get(address))
    in_test(opened).delete()
    Study.objects.filter(pk=opened.pk).update(split={})
    assert timeless(client.get(address)) == page


def exported(table):
    out = io.StringIO()
    call_command("export", "films", table, stdout=out)
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def test_exports_name_the_part_and_leave_judges_of_a_locked_one_out(locked):
    side = {row["item"]: row["split_part"] for row in exported("items")}
    expected = {
        item.key: "test" if item.recipient.key in IN_TEST else "choose"
        for item in locked.items.select_related("recipient")
    }
    assert side == expected
    scores = exported("scores")
    assert all(row["split_part"] == expected[row["item"]] for row in scores)
    n = 20 * 4
    assert sum(row["source"] == "human" for row in scores) == 3 * n
    for rows_ in (scores, exported("judgments"), exported("samples")):
        judged = {row["item"] for row in rows_ if row["judge"]}
        assert judged == {item for item, part in expected.items() if part == "choose"}
    splits.unlock(locked, "owner", "done")
    for table in ("scores", "judgments", "samples"):
        assert {row["item"] for row in exported(table) if row["judge"]} == expected.keys()


def test_a_study_without_a_split_has_a_blank_column(study):
    assert {row["split_part"] for row in [*exported("items"), *exported("scores")]} == {""}


def test_pages_and_api_withhold_what_judges_said_of_it(client, locked, owner, api, at):  # noqa: F811
    client.force_login(owner)
    hidden = in_test(locked).first()
    shown = locked.items.exclude(pk__in=in_test(locked)).first()
    page = client.get(reverse("item", args=["films", hidden.pk])).content.decode()
    assert "withheld" in page and ">close<" not in page and ">ann<" in page
    assert ">close<" in client.get(reverse("item", args=["films", shown.pk])).content.decode()
    for item in (hidden, shown):
        for row in api.get(at("judgments/"), {"item": item.key}).json()["results"]:
            assert (row["value"] is None) == (item == hidden)
            assert ("withheld" in row["reason"]) == (item == hidden)
    export = client.get(reverse("export", args=["films"])).content.decode()
    assert "leave out what judges said" in export


def test_a_run_s_page_withholds_it(locked):
    hidden = set(in_test(locked).values_list("pk", flat=True))
    run = Run.objects.order_by("pk").first()
    run.judgments.update(rationale="because")
    seen = [judgment for _, some in latest(run, most=100) for judgment in some]
    assert {judgment.item_id for judgment in seen} > hidden
    for judgment in seen:
        assert (judgment.value is None) == (judgment.item_id in hidden)
        assert (judgment.rationale == "") == (judgment.item_id in hidden)
    call = factories.make_call(run)
    run.judgments.filter(item__in=hidden).update(
        state="refused", reason="no", call=call, value=None
    )
    (failed,) = failures(run)
    assert failed["call"] is None and Call.objects.count() == 1
    splits.unlock(locked, "owner", "done")
    assert failures(Run.objects.get(pk=run.pk))[0]["call"] == call


@pytest.mark.parametrize("is_open", [False, True])
def test_a_copy_has_the_same_split_locked_and_the_same_numbers(locked, tmp_path, is_open):
    if is_open:
        splits.unlock(locked, "owner", "done")
    load_by_command(paths := files_of("films", tmp_path))
    copy = Study.objects.get(slug="copy")
    split = splits.split_of(copy)
    assert (split.seed, split.share, split.since.by) == (SEED, SHARE, splits.FILE)
    assert split.is_locked and "split:" in paths["study"].read_text()
    assert study_yaml(copy).replace("study: copy", "study: films") == study_yaml(locked)
    assert not any("split_part" in item.data for item in copy.items.all())
    load_by_command(paths)
    assert splits.split_of(Study.objects.get(slug="copy")) == split
    for part in ("choose", "test") if is_open else ("choose",):
        if part == "test":
            splits.unlock(copy, "owner", "done")
        for name in ("correlation", "agreement", "thresholds", "ensembles", "prediction_powered"):
            one, other = (
                report_of(name, part, slug=slug).as_dict()["rows"] for slug in ("films", "copy")
            )
            assert one == other and one


# Who may do what


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_only_an_owner_locks_and_unlocks(client, study, role):
    somebody = factories.make_user("somebody")
    Membership.objects.create(study=study, user=somebody, role=role)
    client.force_login(somebody)
    data = {"seed": SEED, "share": SHARE, "reason": "I want to"}
    assert client.post(reverse("lock_split", args=["films"]), data).status_code == 404
    splits.lock(study, SEED, SHARE, "owner")
    assert client.post(reverse("unlock_split", args=["films"]), data).status_code == 404
    page = client.get(reverse("split", args=["films"]))
    assert page.status_code == 200 and b"Only an owner" in page.content
    study.refresh_from_db()
    assert splits.is_locked(study)


def test_an_owner_makes_unlocks_and_locks_again(client, study, owner):
    client.force_login(owner)
    page = reverse("split", args=["films"])
    assert b"no test split" in client.get(page).content
    wrong = client.post(reverse("lock_split", args=["films"]), {"seed": SEED, "share": 1})
    assert wrong.status_code == 422
    client.post(reverse("lock_split", args=["films"]), {"seed": SEED, "share": SHARE})
    text = client.get(page).content.decode()
    assert ">locked<" in text and f'<td class="num">{len(IN_TEST)}</td>' in text
    assert client.post(reverse("unlock_split", args=["films"]), {}).status_code == 422
    client.post(reverse("unlock_split", args=["films"]), {"reason": "final"}, follow=True)
    assert "by owner (seed 7, share 0.4): “final”." in client.get(page).content.decode()
    client.post(reverse("lock_split", args=["films"]), {"seed": 1, "share": 0.5})
    text = client.get(page).content.decode()
    assert ">locked<" in text and ": “final”." in text


def test_a_page_of_it_takes_few_queries(client, locked, owner, django_assert_max_num_queries):
    client.force_login(owner)
    for name, most in (("split", 12), ("analysis", 20)):  # Results reads what it shows, too
        with django_assert_max_num_queries(most):
            assert client.get(reverse(name, args=["films"])).status_code == 200
    with django_assert_max_num_queries(12):
        client.get(reverse("report", args=["films", "raters"]))
