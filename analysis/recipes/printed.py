"""Read the numbers that a paper prints from the file of its recipe."""

import csv

from analysis.recipes.base import Published


def printed_in(path):
    """Return the Published of a file: table, row, column, value, sd; each as it is printed.

    A standard deviation is a number of its own, in the column "… SD".
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return tuple(
        Published(row["table"], row["row"], column, float(text), digits_of(text))
        for row in rows
        for column, text in ((row["column"], row["value"]), (f"{row['column']} SD", row["sd"]))
        if text
    )


def digits_of(text):
    """Return how many digits stand behind the point."""
    return len(text.partition(".")[2])
