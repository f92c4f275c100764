"""Break names in figures into lines, never cut, and compute the room that the lines need."""

import re
from itertools import accumulate
from math import ceil

from annotate.templatetags.concord import called

ROW, LINE_HEIGHT = 26, 16  # pixels for one evaluator, and for a line of its name
MOST_HEADING = 8  # lines of a heading, which may not run into its neighbour


def wrapped(name, length=28, most=3):
    """Break a name into lines that fit beside a figure; nothing of it is cut.

    Lines end at blanks and marks where there are any. They become longer than `length` where a
    name would otherwise need more than about `most` of them.
    """
    name = called(name).removeprefix("humans ") if name.startswith("humans + ") else name
    length = max(length, ceil(len(name) / most))
    lines = [""]
    for part in re.findall(r"[^\s_/|:,.-]*[\s_/|:,.-]*", name):
        if len((lines[-1] + part).rstrip()) > length and lines[-1]:
            lines.append("")
        lines[-1] += part
        while len(lines[-1].rstrip()) > length:
            lines[-1:] = [lines[-1][:length], lines[-1][length:]]
    return "<br>".join(line.strip() for line in lines)


def height_of(names, least=ROW):
    """Return the row height in pixels that fits the longest of these wrapped names."""
    return max(least, 4 + LINE_HEIGHT * max((lines_of(name) for name in names), default=1))


def lines_below(labels, row):
    """Lay wrapped names out below each other: their centres and the end, in rows of `row` pixels.

    The first row's centre is 0 and its height 1, so that names of one line stand at 0, 1, 2.
    """
    heights = [max(1, (4 + LINE_HEIGHT * lines_of(label)) / row) for label in labels]
    ends = list(accumulate(heights))
    return [end - (height + 1) / 2 for end, height in zip(ends, heights, strict=True)], sum(heights)


def lines_of(name):
    """Count the lines of a wrapped name."""
    return name.count("<br>") + 1


def headroom(names):
    """Return a layout's top margin with room for the wrapped headings of its first panels."""
    return {"t": 14 + LINE_HEIGHT * max((lines_of(name) for name in names), default=1)}
