"""One sentence says who may compare systems, and none is said where there are no two."""

import pytest

from analysis.reports.verdict.sentences import say_systems

USE = "Comparing systems in place of people"


def row(answer, reason, judge="J"):
    return {"evaluator": judge, "question": "q", "answer": answer, "verdict": reason}


NO, YES = ("no", "favours"), ("yes", "may")
NOT_YET, NO_PAIR = ("not_yet", "too_few"), ("not_testable", "not_comparable")


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ([], ""),
        ([NO_PAIR], ""),
        ([NO, NO], f"{USE}: no judge may."),
        ([NO, NO_PAIR], f"{USE}: no judge may."),
        ([NO, NOT_YET], f"{USE} cannot be decided yet."),
        (
            [NO, YES, NOT_YET],
            f"{USE}: “J” (“q”), for these systems only; a new system is untested.",
        ),
        (
            [YES] * 4,
            f"{USE}: “J” (“q”), “J” (“q”), “J” (“q”) and others, for these systems only; a new "
            "system is untested.",
        ),
    ],
)
def test_the_sentence_follows_from_the_answers(answers, sentence):
    assert say_systems([row(*answer) for answer in answers]) == sentence
