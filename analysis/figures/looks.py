"""Give every evaluator the same colour, dashes and marker in every figure and on every page.

Colours are Okabe and Ito's, and a brown: grey is of what no insight would give. People have one
hue, judges the others. Five colours, five dashes and fourteen markers change at different steps, so
that 42 judges differ in grey too.
"""

JUDGE_COLOURS = ["#e69f00", "#009e73", "#d55e00", "#cc79a7", "#8c6d31"]
SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon"]
JUDGE_SYMBOLS = [*SYMBOLS[:7], *(f"{symbol}-open" for symbol in SYMBOLS[:7])]
PEOPLE_SYMBOLS = [
    "pentagon",
    "hourglass",
    "bowtie",
    "hexagram",
    "star-diamond",
    "diamond-tall",
    "star-square",
    "octagon",
]
PEOPLE = "var(--people)"
DASHES = ["solid", "dash", "dot", "dashdot", "longdash"]


class Looks:
    """Colour, dashes and marker of every evaluator of a study."""

    def __init__(self, judges):
        self.place = {judge: place for place, judge in enumerate(judges)}
        self.people: dict = {}

    def colour(self, judge):
        """Return the colour of a judge, or of people where the judge is blank."""
        place = self.place.get(judge)
        return PEOPLE if place is None else JUDGE_COLOURS[place % len(JUDGE_COLOURS)]

    def dash(self, judge, name):
        """Return the line style: tells neighbours apart in grey, and judges of one colour."""
        if judge in self.place:
            place = self.place[judge]
            return DASHES[(place + place // len(JUDGE_COLOURS)) % len(DASHES)]
        return DASHES[self._person(name) % len(DASHES)]

    def symbol(self, judge, name):
        """Return the marker: unique with the dashes for 42 judges, with the colour for 70."""
        if judge in self.place:
            return JUDGE_SYMBOLS[self.place[judge] % len(JUDGE_SYMBOLS)]
        return PEOPLE_SYMBOLS[self._person(name) % len(PEOPLE_SYMBOLS)]

    def marks(self, judge, name):
        """Return a few marks for a line, as dashes repeat and grey has no hue."""
        marker = {"symbol": self.symbol(judge, name), "size": 8, "maxdisplayed": 10}
        return {"mode": "lines+markers", "marker": marker}

    def _person(self, name):
        return self.people.setdefault(name, len(self.people))
