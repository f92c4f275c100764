"""Suggest a scale for a question from the values that a table has of it."""

from dataclasses import dataclass, field

from annotate.values.numbers import parse_number

MOST_WORDS = 30
POINTS, NUMBER, ORDERED, OPTIONS, WORDS = "points", "number", "ordered", "options", "text"
KINDS = {
    POINTS: "Points from … to …",
    NUMBER: "Any number",
    ORDERED: "Words in an order, the first is 1",
    OPTIONS: "One of several words, without an order",
    WORDS: "Text in the rater’s words",
}
USUAL = ((0, 1), (1, 3), (1, 4), (1, 5), (1, 6), (1, 7), (0, 10), (1, 10), (0, 100))
LISTS = tuple(
    tuple(words.split("|"))
    for words in (
        "strongly disagree|disagree|neutral|agree|strongly agree",
        "strongly disagree|disagree|neither agree nor disagree|agree|strongly agree",
        "strongly disagree|disagree|agree|strongly agree",
        "strongly disagree|disagree|somewhat disagree|neutral|somewhat agree|agree|strongly agree",
        "strongly disagree|disagree|somewhat disagree|neither agree nor disagree|somewhat agree|"
        "agree|strongly agree",
        "never|rarely|sometimes|often|always",
        "very poor|poor|fair|good|excellent",
        "very poor|poor|average|good|very good",
        "very bad|bad|neutral|good|very good",
        "very dissatisfied|dissatisfied|neutral|satisfied|very satisfied",
        "very unlikely|unlikely|neutral|likely|very likely",
        "not at all|slightly|moderately|very|extremely",
        "low|medium|high",
        "none|some|all",
    )
)


@dataclass
class Seen:
    """The values of one question: the range of its numbers, and its words."""

    name: str
    count: int = 0
    low: float | None = None
    high: float | None = None
    whole: bool = True
    words: list[str] = field(default_factory=list)
    too_many: bool = False
    different: dict[str, None] = field(default_factory=dict)  # cells, with one more than is used

    def note(self, cell):
        """Take one answer into account."""
        self.count += 1
        if len(self.different) <= MOST_WORDS:
            self.different[cell] = None
        try:
            value = parse_number(cell)
        except ValueError:
            if cell not in self.words and not self.too_many:
                self.words.append(cell)
                self.too_many = len(self.words) > MOST_WORDS or len(cell) > 200
            return
        self.low = value if self.low is None else min(self.low, value)
        self.high = value if self.high is None else max(self.high, value)
        self.whole = self.whole and value.is_integer()

    def suggestion(self):
        """Return {"kind", "low", "high", "words", "guess"}; guess says what is uncertain."""
        if self.too_many:
            return _suggest(WORDS)
        if self.words and self.low is None:
            return _of_words(self.words)
        if self.words or self.low is None or self.high is None:
            return self._of_numbers_and_words()
        if not self.whole:
            return _suggest(NUMBER)
        return _of_points(int(self.low), int(self.high))

    def _of_numbers_and_words(self):
        if len(self.different) > MOST_WORDS:
            return _suggest(WORDS)
        numbers = sorted(self.different.keys() - set(self.words), key=float)
        return _suggest(OPTIONS, words=[*numbers, *sorted(self.words)])


def suggest_together(seen):
    """Return the suggestion of each question; those of one table often share their scale.

    A question takes a wider scale of another one where its own answers fit.
    """
    alone = {key: values.suggestion() for key, values in seen.items()}
    points = [(s["low"], s["high"]) for s in alone.values() if s["kind"] == POINTS]
    widest = max(points, key=lambda ends: ends[1] - ends[0], default=None)
    for suggestion in alone.values():
        if suggestion["kind"] == POINTS and suggestion["low"] == widest[0]:
            is_narrower = (suggestion["low"], suggestion["high"]) not in ((0, 1), widest)
            if is_narrower and widest[1] <= 10:
                suggestion["low"], suggestion["high"] = widest
    return alone


def _suggest(kind, low=None, high=None, words=(), guess=""):
    return {"kind": kind, "low": low, "high": high, "words": [*words], "guess": guess}


def _of_points(low, high):
    fits = (ends for ends in USUAL if ends[0] <= low and high <= ends[1])
    ends = next(fits, None)
    if ends is None:
        return _suggest(POINTS, low, max(high, low + 1)) if high - low <= 100 else _suggest(NUMBER)
    uncertain = ends != (low, high) or high in (3, 4, 5, 6)
    words = f"the file has values from {low} to {high}; the scale may have more points"
    return _suggest(POINTS, *ends, guess=words if uncertain else "")


def _of_words(words):
    lower = {word.lower(): word for word in words}
    for listed in LISTS:
        if lower.keys() <= set(listed) and len(lower) > 1:
            labels = [lower.get(word, word.capitalize()) for word in listed]
            missing = [word for word in listed if word not in lower]
            note = f"nobody answered {', '.join(missing)}" if missing else ""
            return _suggest(ORDERED, words=labels, guess=note)
    return _suggest(OPTIONS, words=sorted(words))
