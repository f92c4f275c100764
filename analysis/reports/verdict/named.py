"""Tell which judge was named beforehand, and when, so that no family corrects it."""

from judges.runs.naming import words_of


def named_of(answers, options):
    """Return the name of the judge that is tested alone; blank where none was named."""
    return options.named or (answers.named[0] if answers.named else "")


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
        )
    else:
        yield (
            f"Tested alone, as named beforehand: {name}. No time is stored for this name: it is "
            "the reader's who asked for this report."
        )
