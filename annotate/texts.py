"""Texts that researchers write on pages."""

LONGEST = 100_000  # characters of a text, as in study.yaml


def one_line_ends(text):
    """Lines end as they do in a file: browsers send carriage returns too."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
