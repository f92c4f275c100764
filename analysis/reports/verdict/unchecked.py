"""Say which checks could not be made: a judge that knows only what they ask about would pass."""

from analysis.stats.validation.answers import Answer
from analysis.stats.validation.beyond import FEW_A_GROUP, LENGTH

UNCHECKED = "unchecked"  # the warning of a yes without some check; its `why` names them
# Of checks that a study's data leave out: (what is not checked, why).
ABSENT = {
    LENGTH: ("text length", "no texts are loaded"),
    "system": ("the system", "items name none"),
}


def names_unchecked(evidence):
    """Return the names of the features that could not be made."""
    return [*names_absent(evidence), *_names_of_few(evidence)]


def names_absent(evidence):
    """Return the names of the features for which no item has the data: texts, or a system."""
    beyond = evidence.beyond
    present = {*beyond.names, *beyond.skipped, *(name for name, _ in beyond.parts)}
    return [name for name in ABSENT if name not in present]


def _names_of_few(evidence):
    return [name for name, why in evidence.beyond.skipped.items() if why == FEW_A_GROUP]


def unchecked(evidence):
    """Say in the words of a yes which checks could not be made."""
    absent = [f"{what} ({why})" for what, why in map(ABSENT.get, names_absent(evidence))]
    words = f" Not checked: {' and '.join(absent)}." if absent else ""
    names = _names_of_few(evidence)
    if not names:
        return words
    only = " or the ".join(names)
    return (
        f"{words} Not checked: whether it only knows the {only} of an item. That takes five rated "
        "items of each, or several of each that belong to one recipient."
    )


def mark_unchecked(row, evidence):
    """Add to a row with a yes the warning, and which checks could not be made."""
    names = names_unchecked(evidence)
    if row["answer"] == Answer.YES and names:
        row["why"] = ", ".join(names)
        row["warnings"] = " ".join(filter(None, (row["warnings"], UNCHECKED)))


def names_of(row):
    """Return the names of the checks that a row with a yes was spared."""
    return row["why"].split(", ") if UNCHECKED in row["warnings"].split() else []


def unchecked_in_short(row):
    """Write "content not checked" of a row with a yes; blank where all was checked."""
    names = names_of(row)
    return f"{' and '.join(names)} not checked" if names else ""
