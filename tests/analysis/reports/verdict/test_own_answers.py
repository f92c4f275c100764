"""Judges of recipients' own ratings, compared with their second answers; numbers by loops."""

import csv
import math
from io import StringIO
from math import nan, sqrt
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone
from scipy.stats import t

from analysis.reports.verdict.baselines import BASELINE
from analysis.reports.verdict.candidates import JUDGE
from analysis.reports.verdict.sentences import RATE
from annotate.models import Answer, Item, Place, Rater, Rating, Recipient, Screen, Session
from judges.models import Judgment
from tests import factories
from tests.analysis.reports.verdict.test_report import add_judge, rows_of
from tests.analysis.small import build

pytestmark = pytest.mark.django_db
RETEST, OF_RECIPIENT = 0.6, 0.4


def make_answers(recipients, items, share, seed=5):
    """Return quality, what recipients carry of it, first and second answers, and whose they are."""
    rng = np.random.default_rng(seed)
    whose = np.repeat(np.arange(recipients), items)
    by_recipient = rng.normal(size=recipients)[whose]
    quality = sqrt(OF_RECIPIENT) * by_recipient
    quality += sqrt(1 - OF_RECIPIENT) * rng.normal(size=len(whose))

    def answer():
        latent = sqrt(RETEST) * quality + sqrt(1 - RETEST) * rng.normal(size=len(whose))
        return np.clip(np.round(3 + latent), 1, 5)

    first, second, third = answer(), answer(), answer()
    again = rng.random((recipients, items)).argsort(axis=1) < round(share * items)
    return by_recipient, first, np.where(again.ravel(), second, nan), third, whose


def make_study(first, second, whose, scale="likert5", slug="own"):
    """Each recipient rates their own items; second answers to some are kept apart."""
    study = factories.make_study(slug, questions={}, raters_per_item=1)
    question = factories.make_question(study, "q", scale=scale)
    recipients = Recipient.objects.bulk_create(
        Recipient(study=study, key=f"p{n}") for n in range(whose.max() + 1)
    )
    items = Item.objects.bulk_create(
        Item(
            study=study, key=f"i{n}", kind="explanation", text="A text.", recipient=recipients[who]
        )
        for n, who in enumerate(whose)
    )
    sessions = [factories.make_session(study, row.key, Rater.Role.RECIPIENT) for row in recipients]
    rated = [
        (items[n], sessions[who], value)
        for n, (who, value) in enumerate(zip(whose, first, strict=True))
    ]
    now = timezone.now()
    Rating.objects.bulk_create(
        Rating(session=session, item=item, question=question, value=value, answered_at=now)
        for item, session, value in rated
    )
    twice = np.flatnonzero(~np.isnan(second))
    extras = Screen.objects.bulk_create(
        Screen(
            session=sessions[whose[n]], item=items[n], kind="repeat", position=n + 1, is_whole=True
        )
        for n in twice
    )
    Answer.objects.bulk_create(
        Answer(screen=extra, item=extra.item, question=question, value=second[n], answered_at=now)
        for n, extra in zip(twice, extras, strict=True)
    )
    return study


@pytest.fixture
def own():
    """60 recipients with 20 items each, a fifth asked again, and judges whose answers are known."""
    by_recipient, first, second, third, whose = make_answers(60, 20, 0.2)
    study = make_study(first, second, whose)
    rng = np.random.default_rng(3)
    means = np.bincount(whose, first) / 20
    add_judge(study, "second", third)
    add_judge(study, "constant", np.full(len(first), 3.0))
    add_judge(study, "recipient", np.clip(3 + 0.8 * by_recipient, 1, 5))
    add_judge(study, "means", means[whose])
    add_judge(study, "coin", rng.integers(1, 6, len(first)).astype(float))
    add_judge(study, "high", np.clip(third + 0.9, 1, 5))
    return study


def test_a_second_answer_passes_and_what_knows_only_the_recipient_never(own):
    report = build(own, "verdict")
    rows = {name: row for (name, _), row in rows_of(report).items()}
    assert {name: (row["answer"], row["verdict"]) for name, row in rows.items()} == {
        "second": ("yes", "may"),
        "constant": ("no", "says_nothing"),
        "recipient": ("no", "known_features"),
        "means": ("no", "known_features"),
        "coin": ("no", "may_not"),
        "high": ("no", "level_off"),
    }
    assert rows["means"]["why"] == rows["recipient"]["why"] == "judge"
    assert {row["family"] for row in rows.values()} == {6}
    assert {(row["items"], row["clusters"], row["raters"]) for row in rows.values()} == {
        (240, 60, 60)
    }
    for row in rows.values():  # items name no system, so that a yes is not checked for it
        spared = ["unchecked"] if row["answer"] == "yes" else []
        assert row["warnings"].split() == ["own_answers", *spared]
    reasons = {e.row["evaluator"]: e.reason for e in report.entries if e.kind == JUDGE}
    assert (
        "tells at least two thirds of what the recipient's own second answer tells, worth at least"
        in reasons["second"]
    )
    least = math.floor(10 * rows["second"]["worth_low"]) / 10
    assert f"at least {least:.1f} own answer" in reasons["second"]
    assert reasons["high"].startswith("“high” orders items well enough, but its scores are ")
    assert "strict, never lax" in " ".join(report.notes)
    assert "may stand in for a recipient's own answer: “second”" in report.verdict[0]
    raters = [reason for reason in reasons.values() if "rater" in reason]
    assert raters == []


def notes_of(study):
    return " ".join(build(study, "verdict").notes)


def test_what_was_simulated_of_raters_is_not_said_of_recipients(own):
    """The figures are those of the table of docs/CALIBRATION.md."""
    notes = notes_of(own)
    assert "not where recipients rate their own items" in notes
    assert "two, four or eleven systems" not in notes and "30 clusters or more" not in notes
    assert "know only the length, the system or the content were not simulated there" in notes
    page = (Path(settings.BASE_DIR) / "docs" / "CALIBRATION.md").read_text()
    part = page.split("### Judges of recipients' own ratings")[1].split("###")[0]
    lines = (line.split(" | ") for line in part.splitlines() if "(." in line)
    shares = {line[0].strip("| "): [float(cell.split()[0]) for cell in line[1:6]] for line in lines}
    never = ("constant", "coin", "recipient", "people's own recipient means")
    assert max(max(shares[name]) for name in never) == 0 and "got no yes" in notes
    passed = shares["theta > 0 at theta = 0"]
    assert f"in {min(passed):.2f} to {max(passed):.2f}".replace("0.", ".") in notes
    covered = shares["covers rho"] + shares["covers theta"]
    assert 0.915 < min(covered) < max(covered) < 0.965 and ".92 to .96 of studies" in notes


def test_a_short_session_is_said_to_leave_few_pages_between_both_answers():
    _, first, second, third, whose = make_answers(12, 5, 0.4)
    study = make_study(first, second, whose)
    add_judge(study, "second", third)
    assert "other pages between" not in notes_of(study)  # loaded: no page is known
    extras = list(Screen.objects.order_by("pk"))
    for number, extra in enumerate(extras):  # 5 to 9 pages, then 20
        between = 5 + number % 5 if number < 20 else 20
        seen = {"state": Place.State.FILLED, "rater": extra.session.rater, "session": extra.session}
        seen |= {"position": 99 + number - between, "number": 1, "shuffle": 0}
        Place.objects.create(study=study, item=extra.item, **seen)
        Screen.objects.filter(pk=extra.pk).update(position=100 + number)
    assert len(extras) == 24
    words = "Of 24 items answered twice, 20 had only 5 to 9 other pages between both answers"
    assert words in notes_of(study)
    Place.objects.filter(study=study).update(position=F("position") - 20)
    assert "other pages between" not in notes_of(study)


def test_a_judge_that_rounded_gives_one_answer_may_order_only(own):
    second = Judgment.objects.filter(run__judge__key="second").order_by("item__pk")
    values = np.array(second.values_list("value", flat=True))
    add_judge(own, "hardly moves", 3 + 0.01 * (values - 3))
    row = rows_of(build(own, "verdict"))["hardly moves", "q"]
    assert (row["answer"], row["verdict"], row["why"]) == ("not_yet", "order_only", "points")


def test_what_no_insight_gives_stands_beside_and_never_passes(own):
    rows = {name: row for (name, _), row in rows_of(build(own, "verdict"), RATE, BASELINE).items()}
    assert "people's mean of each recipient" in rows and "always the question's mean" in rows
    assert {row["answer"] for row in rows.values()} <= {"no", "not_yet", "people_disagree"}
    assert {row["family"] for row in rows.values()} == {0}


def export(study, table):
    out = StringIO()
    call_command("export", study.slug, table, stdout=out)
    return list(csv.DictReader(StringIO(out.getvalue())))


def test_the_numbers_follow_from_the_exported_first_and_second_answers():
    """By loops over the export: ratings has the first answers, checks the second ones."""
    _, first, second, third, whose = make_answers(20, 10, 0.3)
    study = make_study(first, second, whose)
    add_judge(study, "second", third)
    row = rows_of(build(study, "verdict"))["second", "q"]
    ratings, judge = export(study, "ratings"), third
    y1 = {(r["rater"], r["item"]): float(r["value"]) for r in ratings}
    y2 = {}
    for line in export(study, "checks"):
        assert line["kind"] == "repeat" and line["question"] == "q"
        key = line["rater"], line["item"]
        assert float(line["expected"]) == y1[key]  # the first answer stands beside the second
        y2[key] = float(line["given"])
    assert len(y1) == 200 and len(y2) == 60
    f = {key: judge[int(key[1][1:])] for key in y1}
    mu, centre = sum(y1.values()) / 200, sum(f.values()) / 200
    v1 = sum((y - mu) ** 2 for y in y1.values()) / 200
    vf = sum((value - centre) ** 2 for value in f.values()) / 200
    r = sum((f[key] - centre) * (y1[key] - mu) for key in y1) / 200 / sqrt(v1 * vf)
    a = {key: ((y1[key] - mu) ** 2 + (y2[key] - mu) ** 2) / 2 for key in y2}
    c = {key: (y1[key] - mu) * (y2[key] - mu) for key in y2}
    rho = sum(c.values()) / sum(a.values())
    sums = {}
    for key, y in y1.items():
        part = (f[key] - centre) * (y - mu) / sqrt(v1 * vf)
        part -= r / 2 * ((f[key] - centre) ** 2 / vf + (y - mu) ** 2 / v1)
        part /= 200
        if key in y2:
            part -= 2 / 3 * (c[key] - rho * a[key]) / sum(a.values())
        sums[key[0]] = sums.get(key[0], 0) + part
    error = sqrt(20 / 19 * sum(part**2 for part in sums.values()))
    theta = r - 2 / 3 * rho
    assert row["rho"] == pytest.approx(rho) and row["agreement"] == pytest.approx(r)
    assert row["retention"] == pytest.approx(theta)
    assert row["retention_p"] == pytest.approx(t.sf(theta / error, 19))
    assert row["worth"] == pytest.approx(r**2 / rho * (1 - rho) / (rho * (1 - r**2 / rho)))
    assert row["level"] == pytest.approx(sum(f[key] - y1[key] for key in y1) / 200)
    assert (row["items"], row["clusters"]) == (60, 20)


def words_of(study, name="second"):
    """What the report says and advises of one judge."""
    (entry,) = [e for e in build(study, "verdict").entries if e.row["evaluator"] == name]
    return entry.row["verdict"], entry.reason, entry.row["next"]


def test_without_second_answers_the_next_step_is_to_ask_again():
    _, first, second, third, whose = make_answers(12, 5, 0.2)
    study = make_study(first, np.full(60, nan), whose)
    add_judge(study, "second", third)
    verdict, reason, next_step = words_of(study)
    assert verdict == "not_comparable" and "none has a second answer by that recipient" in reason
    assert "repeat_share" in next_step and "Order and checks" in next_step


def test_few_second_answers_are_too_few():
    _, first, second, third, whose = make_answers(12, 5, 0.2)
    study = make_study(first, second, whose)
    add_judge(study, "second", third)
    verdict, reason, next_step = words_of(study)
    assert verdict == "too_few" and "12 were answered twice, by 12 recipients;" in reason
    assert "raise repeat_share" in next_step


def test_recipients_who_do_not_repeat_themselves_validate_no_judge():
    _, first, _, third, whose = make_answers(40, 10, 0.5)
    rng = np.random.default_rng(4)
    study = make_study(first, rng.permutation(first), whose)
    add_judge(study, "second", third)
    verdict, reason, _ = words_of(study)
    assert verdict == "raters_disagree"
    assert "A recipient's two answers to one item agree by" in reason


def test_an_uncertain_agreement_is_not_known_yet():
    _, first, second, third, whose = make_answers(12, 5, 0.6)
    rng = np.random.default_rng(8)
    by_chance = np.where(rng.random(60) < 0.6, rng.integers(1, 6, 60), second)
    study = make_study(first, np.where(np.isnan(second), nan, by_chance), whose)
    add_judge(study, "second", third)
    verdict, reason, next_step = words_of(study)
    assert verdict == "people_unsure" and "whether recipients repeat their answers" in reason
    assert "rater" not in reason + next_step


@pytest.mark.parametrize(
    ("noise", "advice"),
    [
        (0.2, "more items that recipients answer twice"),
        (0.35, "More items would not change this"),
    ],
)
def test_a_judge_between_is_told_how_much_it_keeps(noise, advice):
    _, first, second, third, whose = make_answers(40, 5, 0.2)
    rng = np.random.default_rng(1)
    study = make_study(first, second, whose)
    noisy = np.where(rng.random(200) < noise, rng.permutation(third), third)
    add_judge(study, "second", noisy)
    verdict, reason, next_step = words_of(study)
    assert verdict == "undecided"
    tells = "tell two thirds of what the recipient's own second answer tells on “q”: so far only"
    assert tells in reason
    assert advice in next_step


def test_answers_of_who_is_excluded_or_not_done_do_not_count():
    _, first, second, third, whose = make_answers(20, 10, 0.3)
    study = make_study(first, second, whose)
    add_judge(study, "second", third)
    Rater.objects.filter(study=study, key="p0").update(excluded_because="by hand")
    Session.objects.filter(rater__key="p1").update(state=Session.State.ABANDONED)
    row = rows_of(build(study, "verdict"))["second", "q"]
    assert (row["items"], row["clusters"]) == (54, 18)


def test_two_recipients_of_an_item_are_two_raters():
    """Where an item has two ratings the usual yardstick is used."""
    _, first, second, third, whose = make_answers(12, 5, 0.2)
    study = make_study(first, second, whose)
    add_judge(study, "second", third)
    other = factories.make_session(study, "guest", Rater.Role.RECIPIENT)
    factories.make_rating(other, study.items.first(), study.questions.get(), 3)
    row = rows_of(build(study, "verdict"))["second", "q"]
    assert row["items"] == 1 and "own_answers" not in row["warnings"].split()


def test_a_rare_answer_is_printed_with_what_the_judge_finds():
    _, first, second, third, whose = make_answers(60, 20, 0.2)
    study = make_study(first >= 5, np.where(np.isnan(second), nan, second >= 5), whose, "binary")
    marks = np.where(np.random.default_rng(1).random(1200) < 0.6, first, third) >= 5
    add_judge(study, "second", marks.astype(float))
    report = build(study, "verdict", named="second")
    (reason,) = [e.reason for e in report.entries if e.kind == JUDGE]
    recall = (marks & (first >= 5)).sum() / (first >= 5).sum()
    assert f"the rarer answer the judge finds {100 * recall:.0f} % [" in reason, reason


def test_the_page_says_whom_the_lines_are_of(own, as_owner, owner):
    factories.make_owner(own, owner)
    page = as_owner.get("/studies/own/analysis/verdict/").content.decode()
    assert "own second answer" in page and "Agreement r with a recipient" in page
    assert "“one rater”" not in page and "second answers tell their first" in page


def test_a_report_asks_once_for_the_second_answers(own, django_assert_max_num_queries):
    factories.make_question(own, "other")
    with django_assert_max_num_queries(25):
        build(own, "verdict")
