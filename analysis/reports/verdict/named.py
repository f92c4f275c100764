"""Tell which judge was named beforehand, and when, so that no family corrects it."""

from judges.runs.naming import words_of

UNPROVEN_NAME = "unproven_name"  # the warning that marks a yes by such a name
OF_QUESTIONS = " On several questions it is tested on each, without a correction for their number."
UNPROVEN = "as if {} had been named beforehand, for which there is no proof"


def named_of(answers, options):
    """Return the name of the judge that is tested alone; blank where none was named."""
    return options.named or (answers.named[0] if answers.named else "")


def say_unproven(name, scores):
    """Return what a yes says beside a judge that an option names, and the study did not in time."""
    stored = scores.answers.named
    if name != scores.options.named or stored and stored[0] == name:
        return ""
    return f" This is {UNPROVEN.format(name)}."


def repeat_unproven(entries):
    """Return what a summary says beside these entries where one of them rests on such a name."""
    clauses = [(UNPROVEN.format(entry.judge), entry.reason) for entry in entries]
    return next((f", {clause}" for clause, reason in clauses if clause in reason), "")


def named_note(answers, options):
    """Yield when the judge that is tested alone was named; its option has no time that proves it.

    A name that the study keeps was refused once the judge had judgments (judges/runs/naming.py).
    """
    name = named_of(answers, options)
    if not name:
        return
    if answers.named and answers.named[0] == name:
        when = words_of(answers.named[1])
        yield (
            f"Named beforehand on {when}, before it had judged anything, and tested alone: {name}."
            f"{OF_QUESTIONS}"
        )
    else:
        yield (
            f"Tested alone, as named beforehand: {name}. No time is stored for this name: it is "
            f"the reader's who asked for this report.{OF_QUESTIONS}"
        )
