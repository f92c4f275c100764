"""How far raters agree, in one sentence."""

from dataclasses import replace
from math import nan

import pytest

from analysis.reports.base import Report
from analysis.results.people import say_people, words_of


def report(*rows):
    made = Report("agreement", "films", {})
    for raters, question, measure, value in rows:
        low, high = value - 0.1, value + 0.1
        row = {"raters": raters, "question": question, "measure": measure}
        made.add(row | {"value": value, "low": low, "high": high})
    return made


@pytest.mark.parametrize(
    ("alpha", "words"),
    [
        (0.8, "agree well"),
        (0.7, "agree fairly well"),
        (0.66, "agree moderately"),
        (0.39, "agree weakly"),
        (0.19, "hardly agree"),
        (-0.4, "hardly agree"),
    ],
)
def test_words_of_alpha(alpha, words):
    assert words_of(alpha) == words


def test_questions_on_one_scale_are_said_together():
    found = report(
        ("humans", "a", "alpha_ordinal", 0.1),
        ("humans", "b", "alpha_ordinal", 0.9),
        ("humans", "pooled", "alpha_ordinal", 0.52),
        ("humans", "pooled", "alpha_interval", 0.99),
    )
    words = "Raters agree moderately (Krippendorff’s α .52 [.42, .62])."
    assert say_people(found, "third_party", ["a", "b"]) == words


def test_a_pool_of_some_questions_does_not_speak_for_the_others():
    found = report(
        ("humans", "a", "alpha_ordinal", 0.1),
        ("humans", "yes or no", "alpha_nominal", 0.9),
        ("humans", "pooled", "alpha_ordinal", 0.02),
    )
    words = "Raters hardly agree to well, by question (Krippendorff’s α .10 to .90)."
    assert say_people(found, "third_party", ["a", "b"]) == words


def test_without_a_common_scale_the_span_is_said():
    found = report(
        ("humans", "a", "alpha_ordinal", 0.1),
        ("humans", "b", "alpha_nominal", 0.85),
        ("humans", "c", "alpha_ordinal", nan),
    )
    words = "Raters hardly agree to well, by question (Krippendorff’s α .10 to .85)."
    assert say_people(found, "third_party") == words


def test_the_role_that_judges_are_compared_with_is_meant():
    found = report(
        ("humans", "a", "alpha_ordinal", 0.1),
        ("humans (expert)", "a", "alpha_ordinal", 0.7),
    )
    words = "Raters (expert) agree fairly well (Krippendorff’s α .70 [.60, .80])."
    assert say_people(found, "expert", several="expert") == words


def test_why_there_is_no_number_is_said():
    found = report(("humans", "a", "alpha_ordinal", nan))
    found.entries[0] = replace(found.entries[0], reason="all answers are equal")
    words = "How far raters agree has no number: all answers are equal."
    assert say_people(found, "expert") == words
    words = "How far raters agree has no number: nobody has rated a question."
    assert say_people(report(), "expert") == words
