"""Every report of every kind of scale: numbers or a stated reason, and its page asks the same."""

from io import StringIO

import pytest
from django.core.management import call_command

from analysis.answers import frame
from analysis.figures.looks import Looks
from analysis.reports.registry import REPORTS, takers
from analysis.serving.grouping import computed
from annotate.values.scales import SCALES
from judges.models import Judge
from tests import factories
from tests.analysis.reports.edge_studies import CHOICE, make
from tests.analysis.reports.test_edge_studies import USUAL, of_no_width, silent
from tests.analysis.small import build, options_of, row_of

pytestmark = pytest.mark.django_db
SPECS = {kind: kind for kind in SCALES} | {"likert": "likert5", "choice": CHOICE}
CUTS = {"binary": 0.5, "number": 0.5, "slider": 40}


@pytest.mark.parametrize("kind", SCALES)
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_gives_numbers_or_reasons_whatever_the_scale(name, kind):
    report, study = REPORTS[name], make(None, scales=(SPECS[kind],), judges=("warm",))
    answers = frame.read_answers(study)
    given = [{}]
    if name in takers("threshold"):
        given.append({"threshold": CUTS.get(kind, 2)})
    for options in (options_of(answers, name, draws=0, **one) for one in given):
        whole = check(report, answers, options)
        shown = report.list_parts(answers.questions)
        offered = [part for part, _ in shown.choices]
        if shown.name == "question":
            assert {row["question"] for row in whole.rows} & {"q0"} <= {*offered}
        for part in offered[:1]:
            of_part = computed(report, answers, options, [part])
            report.layout(of_part, part, Looks(["warm"]))
            report.find(of_part, part)
        _, missing = report.headline(answers, options, answers.judges)
        if name in takers("threshold") and any(entry.judge for entry in whole.entries):
            assert not missing.startswith("no question has")


def check(report, answers, options):
    """Return the whole report, which has rows or says why not, each with a number or a reason."""
    whole = computed(report, answers, options)
    said = [note for note in [*whole.verdict, *whole.notes] if not note.startswith(USUAL)]
    assert whole.rows or said
    assert [*silent(whole), *of_no_width(whole)] == []
    return whole


@pytest.mark.parametrize("kind", ["likert", "slider", "number"])
def test_a_judge_with_a_scale_of_its_own_is_on_none_of_them(kind):
    """What it says is no answer to the question, whichever ends the question's scale has."""
    study = make(None, scales=(SPECS[kind],), judges=("warm",))
    Judge.objects.update(kind=Judge.Kind.ROUGE_L)
    assert build(study, "verdict").curves["own scale"] == {("warm", "q0")}
    tested = [row for row in build(study, "substitution").rows if row["evaluator"] == "warm"]
    assert tested == []


def test_misjudged_and_calibration_take_the_ends_and_the_cut_of_a_slider():
    """Means of people 15, 75, 45, 92.5 and a judge's 15, 60, 70, 99; the slider's cut is 51."""
    study = factories.make_study("edge", questions={})
    good = factories.make_question(study, "good", "slider")
    factories.make_items(study, 4)
    items = list(study.items.order_by("pk"))
    for name, values in (("ann", (10, 80, 30, 90)), ("bob", (20, 70, 60, 95))):
        answers = [(item, good, value) for item, value in zip(items, values, strict=True)]
        factories.make_ratings(factories.make_session(study, name), answers)
    values = {(item, good): value for item, value in zip(items, (15, 60, 70, 99), strict=True)}
    factories.make_judgments(factories.make_judge(study, "gpt"), values)

    wrong = row_of(build(study, "misjudged"), evaluator="gpt", kind="false positive")
    assert (wrong["item"], wrong["people"], wrong["judge"]) == ("item-2", 45, 70)
    assert (wrong["threshold"], wrong["of"]) == (51, 4)
    # |0 − .15|, |1 − .6|, |0 − .7| and |1 − .99|, each value being a bin of its own
    error = row_of(build(study, "calibration"), evaluator="gpt", part="error")
    assert error["value"] == pytest.approx((0.15 + 0.4 + 0.7 + 0.01) / 4)


@pytest.mark.parametrize("scales", [("slider",), ("likert5", "slider")])
def test_the_paper_of_a_study_with_a_slider_is_made(scales, tmp_path):
    make(None, scales=scales, judges=("warm",))
    file = tmp_path / "paper.html"
    call_command("report", "edge", output=file, stdout=StringIO())
    assert "warm" in file.read_text()
