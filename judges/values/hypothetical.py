"""Tell recipients that were made up for a survey by the extra column of their interactions."""

# What the extra column `hypothetical` of interactions.csv may say for yes.
YES = ("1", "true", "yes")


def is_hypothetical(value):
    """Whether the column's value says that the recipient was made up."""
    return str(value).strip().lower() in YES
