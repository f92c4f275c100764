"""Answer scales: what each offers, what it takes for an answer, and which scales there are."""

import contextlib
import math
import unicodedata

import numpy as np
import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from annotate.values.scales import NAMED, parse_scale, spec_of
from annotate.values.scales.binary import Binary
from annotate.values.scales.choice import Choice
from annotate.values.scales.likert import Likert
from annotate.values.scales.number import Number

LIKERT, BINARY, NUMBER, TEXT = (NAMED[name] for name in ("likert5", "binary", "number", "text"))
CHOICE = Choice(1, 3, ["A", "tie", "B"])
TENTHS = Number(0, 10)


@pytest.mark.parametrize(
    ("scale", "allowed", "refused"),
    [
        (LIKERT, [1, 2, 3, 4, 5, 3.0], [0, 6, 2.5, -1, 1e10]),
        (BINARY, [0, 1], [-1, 2, 0.5]),
        (CHOICE, [1, 2, 3], [0, 4, 1.5]),
        (Likert(-2, 2), [-2, 0, 2], [-3, 3]),
        (NUMBER, [0, -3.25, 1e9, -1e9], [1.1e9, -1.1e9]),
        (TENTHS, [0, 0.1, 10], [-0.1, 10.1]),
    ],
)
def test_a_value_is_a_point_of_its_scale(scale, allowed, refused):
    assert [value for value in allowed if not scale.allows(value)] == []
    assert [value for value in refused if scale.allows(value)] == []


@pytest.mark.parametrize("scale", [LIKERT, BINARY, CHOICE, NUMBER, TENTHS])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_on_no_scale(scale, value):
    assert not scale.allows(value)
    with pytest.raises(ValueError, match=rf"found '{value}'; allowed is "):
        scale.parse(value)


@pytest.mark.parametrize(
    ("scale", "raw", "value"),
    [
        (LIKERT, "4", 4),
        (LIKERT, " 4.0 ", 4),
        (LIKERT, 4, 4),
        (NUMBER, "-2.5", -2.5),
        (NUMBER, "1e3", 1000),
        (CHOICE, "A", 1),
        (CHOICE, "tie", 2),
        (CHOICE, " B ", 3),
        (CHOICE, "3", 3),
        (Choice(1, 2, ["2", "1"]), "2", 1),  # a label, never a place
        (Choice(1, 2, ["2", "1"]), 1.0, 2),  # as pandas writes 1 in a column with gaps
        (Choice(1, 2, ["07", "1"]), "7", 1),
        (Choice(1, 2, ["7", "07"]), "07", 2),
        (Choice(1, 2, ["B ", "a"]), "B", 1),
        (Choice(1, 2, ["B", "B "]), "B ", 2),
        (Choice(1, 2, ["cafe\u0301", "tea"]), "caf\u00e9", 1),
    ],
)
def test_an_answer_is_read_as_a_number(scale, raw, value):
    assert scale.parse(raw) == value


@pytest.mark.parametrize(
    ("labels", "raw"),
    [
        (["3", "2"], "1"),  # the place of 3, and no label
        (["7", "07"], "7.0"),  # either
        (["1", "none"], "2"),
        (["A", "B"], "3"),
    ],
)
def test_a_number_that_is_no_label_is_no_answer_where_labels_are_numbers(labels, raw):
    with pytest.raises(ValueError, match=f"allowed is one of {', '.join(labels)}$"):
        Choice(1, len(labels), labels).parse(raw)


@pytest.mark.parametrize(
    ("scale", "written"),
    [
        (LIKERT, {4.0: 4}),
        (Binary(0, 1, ["1", "0"]), {1.0: 1}),
        (NUMBER, {0.25: 0.25, -3.0: -3}),
        (CHOICE, {1.0: "A", 3.0: "B", 0.5: 0.5, 7.0: 7}),
        (Choice(1, 2, ["0", "1"]), {1.0: "0", 2.0: "1"}),
    ],
)
def test_a_value_is_written_as_it_is_read(scale, written):
    assert {value: scale.written(value) for value in written} == written
    assert [type(scale.written(value)) for value in written] == [*map(type, written.values())]
    assert scale.written(None) is None


def test_a_page_sends_values_and_never_labels():
    assert Choice(1, 2, ["2", "1"]).parse_value("2") == 2
    with pytest.raises(ValueError, match="found 'tie'; allowed is one of A, tie, B"):
        CHOICE.parse_value("tie")


@pytest.mark.parametrize("raw", ["", "four", "1_0", "４", "0x4", "4,5", "true", None, "a", "tie "])
def test_what_nobody_means_is_refused(raw):
    with pytest.raises(ValueError, match="allowed is a number from 0 to 10$"):
        TENTHS.parse(raw)


TRUTHS = Choice(1, 3, ["false", "unknown", "true"])


@pytest.mark.parametrize(("scale", "values"), [(BINARY, [1, 0]), (TRUTHS, [3, 1])])
def test_true_and_false_are_no_and_yes_and_labels_that_say_so(scale, values):
    assert [scale.parse(True), scale.parse(False)] == values
    assert TRUTHS.parse("true") == 3


@pytest.mark.parametrize("scale", [LIKERT, CHOICE, NUMBER, TEXT, Choice(1, 2, ["0", "1"])])
def test_they_are_no_other_answers(scale):
    words = f"^found true; allowed is {scale.allowed}: without quotation marks true and false "
    with pytest.raises(ValueError, match=words):
        scale.parse(True)


@pytest.mark.parametrize(
    ("scale", "allowed", "summary"),
    [
        (LIKERT, "a whole number from 1 to 5", "1 to 5: Strongly disagree … Strongly agree"),
        (Likert(0, 9), "a whole number from 0 to 9", "0 to 9"),
        (BINARY, "a whole number from 0 to 1", "No / Yes"),
        (CHOICE, "one of A, tie, B", "A / tie / B"),
        (NUMBER, "a number", "a number"),
        (TENTHS, "a number from 0 to 10", "a number"),
        (TEXT, "any text", "free text"),
    ],
)
def test_a_scale_says_in_words_what_it_takes(scale, allowed, summary):
    assert (scale.allowed, scale.summary) == (allowed, summary)


@pytest.mark.parametrize(
    ("scale", "points"),
    [
        (BINARY, [(0, "No"), (1, "Yes")]),
        (CHOICE, [(1, "A"), (2, "tie"), (3, "B")]),
        (Likert(-1, 1), [(-1, "-1"), (0, "0"), (1, "1")]),
        (Likert(1, 4, ["bad", "good"]), [(1, "bad"), (2, "2"), (3, "3"), (4, "good")]),
        (NUMBER, []),
        (TENTHS, []),
        (TEXT, []),
    ],
)
def test_points_have_a_value_and_a_label(scale, points):
    assert scale.points == points


@pytest.mark.parametrize(
    ("spec", "has_ends", "cut", "off"),
    [
        ("likert5", True, 4, [0.99, 5.01]),
        ({"min": 1, "max": 6}, True, 4, [0, 7]),
        ({"min": -3, "max": 2}, True, 0, [-3.5, 2.5]),
        ("binary", True, 0.5, [-1, 2]),
        ("slider", True, 51, [-1, 100.5]),
        ("number", False, None, []),
        ("text", False, None, []),
    ],
)
def test_a_scale_answers_for_its_ends_and_its_cut_whether_it_has_points_or_not(
    spec, has_ends, cut, off
):
    scale = parse_scale(spec)
    assert (scale.has_ends, scale.cut) == (has_ends, cut)
    inside = [scale.low, scale.high] if has_ends else [-1e9, 1e9]
    expected = [True] * len(off) + [False] * 3
    assert scale.is_off(np.array([*off, *inside, math.nan])).tolist() == expected


def test_raters_read_list_1_and_list_2_and_the_value_stays_that_of_the_side():
    assert CHOICE.shown_sides("A") == [(1, "List 1"), (2, "Both fit equally well"), (3, "List 2")]
    assert CHOICE.shown_sides("B") == [(3, "List 1"), (2, "Both fit equally well"), (1, "List 2")]
    own = Choice(1, 4, ["neither", "A", " TIE ", "B"])
    assert own.shown_sides("B") == [
        (1, "Neither"),
        (4, "List 1"),
        (3, "Both fit equally well"),
        (2, "List 2"),
    ]


@pytest.mark.parametrize(
    ("scale", "is_about_sides"),
    [
        (CHOICE, True),
        (Choice(1, 2, ["B", "A"]), True),
        (Choice(1, 2, ["A", "tie"]), False),
        (Binary(0, 1, ["A", "B"]), False),
        (LIKERT, False),
    ],
)
def test_a_choice_between_a_and_b_is_about_sides(scale, is_about_sides):
    assert scale.is_about_sides is is_about_sides


@pytest.mark.parametrize(
    ("spec", "scale"),
    [
        ("likert7", Likert(1, 7, NAMED["likert7"].labels)),
        ("number", Number()),
        ({"choice": ["A", 2]}, Choice(1, 2, ["A", "2"])),
        (
            {"binary": ["Not supported", "Supported"]},
            Binary(0, 1, ["Not supported", "Supported"]),
        ),
        ({"min": 0, "max": 10}, Likert(0, 10)),
        ({"min": -1, "max": 1, "labels": ["a", "b", "c"]}, Likert(-1, 1, ["a", "b", "c"])),
        (
            {"min": 1, "max": 101, "labels": ["low", "high"]},
            Likert(1, 101, ["low", "high"]),
        ),
        ({"min": -1_000_000, "max": -999_999}, Likert(-1_000_000, -999_999)),
        ({"min": 999_999, "max": 1_000_000}, Likert(999_999, 1_000_000)),
    ],
)
def test_a_scale_of_study_yaml_and_back(spec, scale):
    assert parse_scale(spec) == scale
    assert parse_scale(spec_of(scale)) == scale


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("likert6", "found scale 'likert6'; allowed is likert5"),
        (None, "found scale null"),
        ({"min": 1}, "found scale"),
        ({"min": 1, "max": 5, "step": 1}, "found scale"),
        ({"choice": ["A", "B"], "min": 1}, "found scale"),
        ({"choice": ["A"]}, "without two or more different labels"),
        ({"choice": ["A", "A"]}, "without two or more different labels"),
        ({"choice": [1, "1"]}, "without two or more different labels"),
        ({"choice": "AB"}, "without two or more different labels"),
        ({"choice": ["A", ""]}, "found a blank label"),
        ({"choice": ["\u00a0", "A"]}, "found a blank label"),
        ({"choice": ["A", True]}, "found the label true; allowed are texts and numbers"),
        ({"choice": ["A", None]}, "found the label null; allowed are texts and numbers"),
        ({"binary": ["A", "B", "C"]}, "without two different labels"),
        ({"binary": ["A", "A"]}, "without two different labels"),
        ({"binary": "AB"}, "without two different labels"),
        ({"min": 1, "max": 1}, "found min 1, max 1; allowed are whole numbers"),
        ({"min": 5, "max": 1}, "found min 5, max 1"),
        ({"min": 0, "max": 101}, "at most 100 apart"),
        ({"min": 0.0, "max": 5}, "found min 0.0, max 5"),
        ({"min": False, "max": True}, "found min false, max true"),
        ({"min": 1_000_000, "max": 1_000_001}, "from -1000000 to 1000000"),
        ({"min": -1_000_001, "max": -1_000_000}, "from -1000000 to 1000000"),
        ({"min": 1, "max": 5, "labels": ["a", "b", "c"]}, "name both ends"),
        ({"min": 1, "max": 5, "labels": "ab"}, "name both ends"),
        ({"min": 1, "max": 5, "labels": ["a"]}, "name both ends"),
    ],
)
def test_what_is_no_scale_is_refused_with_what_is_wrong(spec, message):
    with pytest.raises(ValueError, match=message):
        parse_scale(spec)


def test_a_study_in_another_language_has_its_words():
    chinese = parse_scale("binary", "zh-hans")
    assert chinese.labels == ["否", "是"] and (chinese.low, chinese.high) == (0, 1)
    assert spec_of(chinese, "zh-hans") == "binary" and spec_of(chinese) == {"binary": ["否", "是"]}
    with translation.override("zh-hans"):
        assert parse_scale("binary").labels == ["No", "Yes"], "the study's language, not the page's"


def test_scales_without_a_name_are_written_as_they_are():
    assert spec_of(Likert(1, 3)) == {"min": 1, "max": 3}
    assert spec_of(Likert(1, 3, ["low", "high"])) == {
        "min": 1,
        "max": 3,
        "labels": ["low", "high"],
    }
    assert spec_of(CHOICE) == {"choice": ["A", "tie", "B"]}
    assert spec_of(LIKERT) == "likert5"


LABELS = st.lists(
    st.text("0123456789٣３½三 abAB.,#-", min_size=1, max_size=6).filter(str.strip),
    min_size=2,
    max_size=5,
    unique_by=lambda label: label.strip(),
)


@given(labels=LABELS, number=st.integers(0, 12))
def test_a_label_is_itself_and_no_number_is_the_place_of_a_label_with_another(labels, number):
    scale = parse_scale({"choice": labels})
    for place, label in enumerate(labels, 1):
        assert scale.parse(label) == place and scale.parse(scale.written(place)) == place
    with contextlib.suppress(ValueError):
        place = scale.parse(str(number))
        label = labels[int(place) - 1].strip()
        signs = [s for s in label if s.isnumeric() and (s != "三" or s == label)]
        others = {*map(unicodedata.numeric, signs)} - {place}
        assert not others or float(label) == number
