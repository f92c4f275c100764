"""Recognise recipients who were made up for a survey, by a column of their interactions."""

# What the extra column `hypothetical` of interactions.csv may say for yes.
YES = ("1", "true", "yes")


def is_hypothetical(value):
    """Return whether the column's value marks the recipient as made up."""
    return str(value).strip().lower() in YES
