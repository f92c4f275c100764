"""Hold the texts of the verdict, as `texts.yaml` has them, and the uses that they speak of."""

from pathlib import Path

import yaml

from analysis.stats.validation.decision import Answer, Reason

TEXTS = yaml.safe_load((Path(__file__).parent / "texts.yaml").read_text(encoding="utf-8"))
PARTS, NOTES = TEXTS["parts"], TEXTS["notes"]
RATE, COMPARE = "rate_items", "compare_systems"
USES = {RATE: TEXTS["uses_of_rating"], COMPARE: TEXTS["uses_of_systems"]}
ORDER = (Reason.LEVEL_OFF, Reason.ORDER_ONLY)  # which leave the order of items to be used
A_RATER, OWN_ANSWER = "a rater", "a recipient's own answer"
ANSWERS = {
    Answer.YES: "yes",
    Answer.NOT_YET: "not yet",
    Answer.NO: "no",
    Answer.PEOPLE_DISAGREE: "people disagree",
    Answer.NOT_TESTABLE: "cannot be tested",
}


def use_of(use, answer, reason):
    """Return the text on what a judge may not be used for, by its answer on a use."""
    return USES[use]["order" if reason in ORDER else answer]


def note(name, **things):
    """Return a note of the report."""
    return NOTES[name].format(**things)
