"""Draw agreement of judges with people as a forest plot for print: a panel for each question.

The figure is a list of shapes, in points, which is written as SVG or PDF: of other figures a page
has Plotly's, which cannot be drawn without a browser.
"""

from dataclasses import dataclass
from math import ceil, floor, isnan

POINTS_OF_CM = 72 / 2.54
INK, SOFT, LINE = "#1d1f23", "#5b606b", "#c9c6bf"
ROW, HEAD, FOOT, GAP = 12.0, 18.0, 20.0, 10.0
SIZE = 8.0  # of letters
LETTER = 0.5  # width of a letter, as a share of its size
NARROWEST = 42.0  # of a panel
APART = 18.0  # of the numbers below an axis, at least
MOST_OF_NAMES = 0.3  # of the figure's width
MOST_ROWS = 30


@dataclass(frozen=True)
class Dot:
    """A judge's number on one question with its interval; NaN where it is undefined."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Forest:
    """What is drawn: names with (is_judge, {question: Dot}); marks: where a rater stands."""

    key: str
    caption: str
    axis: str
    questions: list
    rows: list
    marks: dict


@dataclass(frozen=True)
class Stroke:
    """A line from one point to another."""

    x1: float
    y1: float
    x2: float
    y2: float
    colour: str = LINE
    width: float = 0.6
    is_dashed: bool = False


@dataclass(frozen=True)
class Disc:
    """A filled circle."""

    x: float
    y: float
    radius: float
    colour: str


@dataclass(frozen=True)
class Label:
    """A text that begins at a point; x is where its letters begin."""

    x: float
    y: float
    text: str
    colour: str = INK
    size: float = SIZE


@dataclass(frozen=True)
class Drawing:
    """Shapes on a ground of a width and height in points."""

    width: float
    height: float
    shapes: list


def draw(forest, width_cm):
    """Return the Drawing of a Forest, as wide as asked for."""
    width = width_cm * POINTS_OF_CM
    rows = forest.rows[:MOST_ROWS]
    longest = max((len(name) for name, *_ in rows), default=0)
    names_end = min(longest * SIZE * LETTER + 8, width * MOST_OF_NAMES)
    most = max(1, int((width - names_end) // (NARROWEST + GAP)))
    bands = ceil(len(forest.questions) / most)
    columns = ceil(len(forest.questions) / max(bands, 1))
    panel = (width - names_end - GAP * columns) / columns
    ticks = ticks_of(forest)
    band = HEAD + ROW * len(rows) + FOOT
    shapes = []
    for place, question in enumerate(forest.questions):
        down, across = divmod(place, columns)
        left, top = names_end + across * (panel + GAP), down * band
        if across == 0:
            shapes += _names(rows, top, names_end)
        shapes += _panel(forest, question, rows, ticks, left, top, panel)
    height = band * bands + HEAD
    shapes.append(Label(names_end, height - 4, forest.axis, SOFT))
    return Drawing(width, height, shapes)


def ticks_of(forest):
    """Return the ticks of the axis: steps of .2 or .5 that hold every interval, mark and 0."""
    dots = [dot for *_, dots in forest.rows for dot in dots.values()]
    ends = [end for dot in dots for end in (dot.low, dot.value, dot.high)]
    defined = [end for end in (*ends, *forest.marks.values()) if not isnan(end)]
    low, high = min([0.0, *defined]), max([0.2, *defined])
    step = 0.2 if high - low <= 1 else 0.5
    return [n * step for n in range(floor(low / step), ceil(high / step) + 1)]


def _names(rows, top, width):
    most = int((width - 8) / (SIZE * LETTER))
    for place, (name, is_judge, _) in enumerate(rows):
        text = name if len(name) <= most else f"{name[: most - 1]}…"
        yield Label(0, _middle(top, place) + SIZE / 3, text, INK if is_judge else SOFT)


def _middle(top, place):
    return top + HEAD + ROW * (place + 0.5)


def _panel(forest, question, rows, ticks, left, top, width):
    """Yield the shapes of one question's panel."""

    def x_of(value):
        return left + width * (value - ticks[0]) / (ticks[-1] - ticks[0])

    bottom = top + HEAD + ROW * len(rows)
    most = int(width / (SIZE * LETTER))
    title = question if len(question) <= most else f"{question[: most - 1]}…"
    yield Label(left, top + HEAD - 6, title)
    every = ceil(APART * (len(ticks) - 1) / width)
    zero = next(place for place, tick in enumerate(ticks) if not tick)
    for place, tick in enumerate(ticks):
        yield Stroke(x_of(tick), top + HEAD, x_of(tick), bottom, LINE, 0.8 if not tick else 0.3)
        if (place - zero) % every == 0:
            text = _number(tick)
            start = x_of(tick) - len(text) * SIZE * LETTER * 0.4
            yield Label(start, bottom + 9, text, SOFT, SIZE - 1)
    mark = forest.marks[question]
    if not isnan(mark):
        yield Stroke(x_of(mark), top + HEAD, x_of(mark), bottom, INK, 0.8, is_dashed=True)
    for place, (_, is_judge, dots) in enumerate(rows):
        dot, y = dots.get(question), _middle(top, place)
        if dot is None or isnan(dot.value):
            continue
        colour = INK if is_judge else SOFT
        if not isnan(dot.low):
            yield Stroke(x_of(dot.low), y, x_of(dot.high), y, colour, 0.9)
        yield Disc(x_of(dot.value), y, 2.2, colour)


def _number(value):
    text = f"{value:.1f}".replace("-", "−")
    return "0" if not float(f"{value:.1f}") else text.replace("0.", ".", 1)
