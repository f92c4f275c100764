"""A slider from 0 to 100: in files, in prompts and replies, and as an ordered number in reports."""

import pytest

from analysis.exports.codebook import question_meaning
from annotate.models import Question
from annotate.studies.forms_question import as_typed, typed_spec
from annotate.values.scales import parse_scale, spec_of
from annotate.values.scales.slider import Slider
from judges.replies.parse import Reason, parse, reply_schema
from tests.analysis.reports.raters.test_agreement import CANONICAL, make_table
from tests.analysis.small import add_judge, build, row_of
from tests.judges.prompting.test_fill import question, sent

BARE, WORDED = Slider(0, 100), Slider(0, 100, ["not at all", "fully"])


@pytest.mark.parametrize(
    ("spec", "scale"), [("slider", BARE), ({"slider": ["not at all", "fully"]}, WORDED)]
)
def test_a_slider_of_study_yaml_and_back(spec, scale):
    assert parse_scale(spec) == scale
    assert spec_of(scale) == spec


@pytest.mark.parametrize("labels", [[], ["left"], ["a", "b", "c"], "ab", None])
def test_a_slider_has_words_for_both_ends_or_none(labels):
    with pytest.raises(ValueError, match="found a slider without two labels"):
        parse_scale({"slider": labels})


def test_a_slider_takes_whole_numbers_from_0_to_100():
    assert [value for value in (-1, 0, 37, 37.5, 100, 101) if BARE.allows(value)] == [0, 37, 100]
    assert BARE.allowed == "a whole number from 0 to 100"
    assert (BARE.summary, WORDED.summary) == ("0 to 100", "0 to 100: not at all … fully")
    assert WORDED.points == [] and WORDED.ends == [(0, "not at all"), (100, "fully")]


def test_the_page_of_a_question_takes_a_slider_with_words_and_without():
    for spec in ("slider", {"slider": ["not at all", "fully"]}):
        assert typed_spec({"labels": "", "low": None, "high": None} | as_typed(spec)) == spec


def test_a_judge_reads_what_a_slider_allows_and_replies_with_a_whole_number():
    worded, bare = ({"slider": ["Not at all", "Fully"]}, "slider")
    assert (
        "Assess it with integers between 0-100, where 0 indicates not at all and 100 indicates "
        "fully." in sent(questions=[question(scale=worded)])
    )
    assert "Assess it with integers between 0-100." in sent(questions=[question(scale=bare)])
    schema = reply_schema({"q": BARE}, rationale=False)["properties"]["q"]
    assert schema == {"type": "integer", "minimum": 0, "maximum": 100}
    assert parse('{"q": 63}', {"q": BARE}).values == {"q": 63}
    assert parse('{"q": 63.5}', {"q": BARE}).reasons == {"q": Reason.NOT_WHOLE}
    assert parse('{"q": 101}', {"q": BARE}).reasons == {"q": Reason.OFF_SCALE}


@pytest.mark.django_db
def test_reports_take_a_slider_as_a_number_with_an_order():
    """Krippendorff (2011): a factor of 20 leaves the interval α of his data alone."""
    study = make_table(CANONICAL * 20, "slider")
    rows = build(study, "agreement").rows
    row = row_of(build(study, "agreement"), raters="humans", measure="alpha_interval")
    assert row["value"] == pytest.approx(0.849107, abs=5e-7)
    assert not {row["measure"] for row in rows} & {"alpha_nominal", "percent", "kappa"}
    add_judge(study, "guess", lambda item: 20.0 * (1 + item.pk % 5))
    for report in ("correlation", "verdict", "substitution"):
        assert {row["question"] for row in build(study, report).rows} >= {"q"}


def test_the_codebook_says_what_a_slider_means():
    asked = Question(text="Trust?", scale_spec=WORDED.as_dict())
    assert question_meaning(asked) == (
        "Question: Trust? Scale: a whole number from 0 to 100; 0 = not at all; 100 = fully."
    )
