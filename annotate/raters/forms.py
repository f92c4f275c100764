"""Parse the answers that a rater's page sends, at the border: domain values, or the problems."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import groupby

from django.utils.translation import gettext

from annotate.models import Question
from annotate.raters.option_keys import choose_keys
from annotate.sessions.session import SentAnswer, is_missing
from annotate.values.texts import one_line_ends

LONGEST_TEXT = 10_000  # characters
# Five options stand side by side on a phone where their words fit into a fifth of it.
MOST_ON_A_PHONE, LONGEST_LABEL, LONGEST_WORD = 5, 20, 9
# In the right part of a grid stand so many, five of them with words of so many letters.
MOST_IN_A_GRID, LONGEST_IN_A_GRID = 7, 12
# Signs between which a line breaks without a space: Chinese and Japanese.
UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True)
class Spot:
    """A question about the item of a page, or about a part of it."""

    question: Question
    item_id: int
    is_part: bool = False

    @property
    def name(self):
        """Return the name of its field on the page."""
        part = f"i{self.item_id}" if self.is_part else ""
        return f"q{self.question.pk}{part}"

    @property
    def why_name(self):
        """Return the name of the field for the reason."""
        return f"{self.name}why"

    @property
    def key(self):
        return self.item_id, self.question.pk


def read_answer(spot, raw, why=""):
    """Parse an answer; return None if it is blank. ValueError says what is allowed.

    why: the reason, which is dropped where the question does not ask for one.
    """
    raw, question = raw.replace("\0", "").strip(), spot.question
    if not raw:
        return None
    reason = _text(why) if question.why else ""
    if question.scale.has_values:
        number = _number(question.scale, raw)
        return SentAnswer(question, number, item_id=spot.item_id, reason=reason)
    return SentAnswer(question, None, _text(raw), spot.item_id, reason)


def _text(raw):
    raw = one_line_ends(raw.replace("\0", "")).strip()
    if len(raw) > LONGEST_TEXT:
        words = gettext("Your text has %(length)s characters; at most %(most)s can be stored.")
        raise ValueError(words % {"length": f"{len(raw):,}", "most": f"{LONGEST_TEXT:,}"})
    return raw


def _number(scale, raw):
    try:
        return scale.parse_value(raw)
    except ValueError:
        words = gettext("Please give %(allowed)s; this was “%(given)s”.")
        raise ValueError(words % {"allowed": scale.allowed, "given": raw[:40]}) from None


def read_shown_at(raw):
    """Parse when the page was shown (milliseconds since 1970); None if it is no time."""
    try:
        return datetime.fromtimestamp(int(raw) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None


class ItemForm:
    """All answers about an item as a page without JavaScript sends them."""

    def __init__(self, spots, data):
        self.spots = spots
        self.raw = {spot.key: data.get(spot.name, "") for spot in spots}
        self.why = {spot.key: data.get(spot.why_name, "") for spot in spots if spot.question.why}
        self.answers, self.emptied, self.problems = [], [], {}
        for spot in spots:
            self._read(spot, data)
        self.shown_at = read_shown_at(data.get("shown", ""))

    def _read(self, spot, data):
        try:
            answer = read_answer(spot, self.raw[spot.key], self.why.get(spot.key, ""))
        except ValueError as error:
            self.problems[spot.key] = str(error)
            return
        if answer:
            self.answers.append(answer)
        elif not spot.question.scale.has_points:
            self.emptied.append((spot.item_id, spot.question))

    def only_why(self):
        """List (item id, question) where a reason was given without an answer: it would be lost."""
        answered = {(answer.item_id, answer.question.pk) for answer in self.answers}
        return [
            (spot.item_id, spot.question)
            for spot in self.spots
            if spot.key not in answered and self.why.get(spot.key, "").strip()
        ]

    @cached_property
    def gaps(self):
        """List (item id, question) where the page lacks a required answer or reason."""
        answered: dict = {}
        for answer in self.answers:
            answered.setdefault(answer.item_id, {})[answer.question.pk] = bool(answer.reason)
        lacking = [
            (spot.item_id, spot.question)
            for spot in self.spots
            if is_missing(spot.question, answered.get(spot.item_id, {}))
        ]
        return lacking + [gap for gap in self.only_why() if gap not in lacking]

    @property
    def is_whole(self):
        """Tell whether the page has all required answers, and none that cannot be used."""
        return not (self.problems or self.gaps)


@dataclass
class Asked:
    """A question on the page: with its answer by now, and with its problem.

    first_side: of a pair of lists, the side that stands first; about: what part it is about.
    """

    spot: Spot
    number: int
    about: str = ""
    first_side: str = ""
    raw: str = ""
    why: str = ""
    problem: str = ""
    is_saved: bool = False
    is_missing: bool = False
    is_first_gap: bool = False
    stem: str = ""  # the beginning that it shares with its neighbours, said once above the first
    says_stem: bool = False
    is_in_grid: bool = False
    heads_grid: bool = False  # above it stand the options of the rows of its grid
    is_several = False  # of options any number can be chosen

    def __post_init__(self):
        self.question, self.item_id = self.spot.question, self.spot.item_id
        self.scale, self.name = self.question.scale, self.spot.name
        self.why_name = self.spot.why_name
        self.needs_why = self.question.why == Question.Why.REQUIRED

    @property
    def is_done(self):
        """Tell whether its answer is stored, with the reason if it needs one."""
        return self.is_saved and not (self.needs_why and not self.why.strip())

    @property
    def lacks_why(self):
        """Tell whether it has an answer but lacks the required reason."""
        return self.is_missing and bool(self.raw.strip())

    @property
    def rest(self):
        """Return the question's text without the stem that stands above it."""
        return self.question.text.removeprefix(self.stem).lstrip()

    @property
    def id(self):
        return f"question-{self.name[1:]}"

    @property
    def widget(self):
        """Return the name of its control: a template in templates/annotate/scales/."""
        return self.scale.widget

    @property
    def template(self):
        return f"annotate/scales/{self.widget}.html"

    @property
    def has_radios(self):
        return self.widget == "radios"

    @property
    def has_ends(self):
        """Tell whether only the two ends have words and the points between are numbers."""
        return len(self.scale.labels) == 2 < len(self.scale.points)

    @property
    def options(self):
        """Return the radio inputs, each with the keys that choose it."""
        points, labels = self.scale.points, self.scale.labels
        is_about_lists = bool(self.first_side) and self.scale.is_about_sides
        if is_about_lists:
            points = self.scale.shown_sides(self.first_side)
        ends = {points[0][0]: labels[0], points[-1][0]: labels[-1]} if self.has_ends else {}
        options = [(value, value if self.has_ends else label) for value, label in points]
        keys = choose_keys(self.scale, options, is_about_lists)
        return [
            option_on_page(value, label, own, str(value) == self.raw, ends.get(value, ""))
            for (value, label), own in zip(options, keys, strict=True)
        ]

    @property
    def saves_on(self):
        """Return the events that save: a choice at once, typed words also when the typing rests."""
        if not self.has_radios:
            return "change, input delay:1s"
        return "change, input delay:1s from:find textarea" if self.question.why else "change"

    @property
    def sends(self):
        """Return the names of the fields that are sent with the answer."""
        names = [self.name, *([self.why_name] if self.question.why else []), "shown"]
        return ",".join(names)

    @property
    def row_class(self):
        """Return the classes of options in a row; numbers and short words stand so on a phone too.

        Empty for options in words of the researcher, which stand as wide as their words are.
        """
        if self.scale.is_worded:
            return ""
        labels = [str(option["label"]) for option in self.options]
        if all(label.removeprefix("-").isdigit() for label in labels):
            return " row numbers"
        is_short = len(labels) <= MOST_ON_A_PHONE and all(map(_is_short, labels))
        return " row tight" if is_short else " row"

    @property
    def ends(self):
        """Return the meaning of the ends of a scale that is asked for as a number."""
        if not self.scale.ends:
            return ""
        (low, first), (high, last) = self.scale.ends
        ends = {"low": low, "first": first, "high": high, "last": last}
        return gettext("%(low)s = %(first)s, %(high)s = %(last)s") % ends


def share_stem(rows, stem):
    """Let neighbouring rows whose texts begin with the stem have it said once above them."""
    for is_sharing, group in groupby(rows, lambda row: _begins_with(row, stem)):
        neighbours = list(group)
        if is_sharing and len(neighbours) > 1:
            neighbours[0].says_stem = True
            for row in neighbours:
                row.stem = stem


def put_in_grid(rows):
    """Let neighbouring rows with the same options be rows of a grid, whose head has the options."""
    for options, group in groupby(rows, _grid_options):
        neighbours = list(group)
        if options and len(neighbours) > 1:
            neighbours[0].heads_grid = True
            for row in neighbours:
                row.is_in_grid = True


def _grid_options(row):
    """Return what a row's options say, or an empty tuple if it cannot stand in a grid."""
    if not row.has_radios or row.is_several or row.question.why:
        return ()
    options = tuple((option["value"], str(option["label"])) for option in row.options)
    words = [word for text in [*row.scale.labels, *dict(options).values()] for word in text.split()]
    longest = LONGEST_WORD if len(options) > MOST_ON_A_PHONE else LONGEST_IN_A_GRID
    is_narrow = all(len(word) <= longest or UNSPACED.search(word) for word in words)
    fits = is_narrow and len(options) <= MOST_IN_A_GRID
    return options + tuple(row.scale.labels) if fits else ()


def _begins_with(row, stem):
    """Tell whether a row's text begins with the stem, cuts no word, and says more."""
    text = row.question.text
    rest = text.removeprefix(stem)
    if not stem or row.spot.is_part or rest == text or not any(map(str.isalnum, rest)):
        return False
    is_inside = stem[-1].isalnum() and rest[0].isalnum() and not UNSPACED.search(rest[0])
    return not is_inside


def _is_short(label):
    """Tell whether a label fits into a fifth of a phone's width; Chinese breaks between signs."""
    words = [word for word in label.split() if not UNSPACED.search(word)]
    return len(label) <= LONGEST_LABEL and all(len(word) <= LONGEST_WORD for word in words)


def option_on_page(value, label, keys, is_checked, end=""):
    """Return an option's context; its key is printed unless its label is the key.

    keys: those that choose it, the printed one first.
    """
    printed = keys[0] if keys and keys[0] != str(label) else ""
    return {
        "value": value,
        "label": label,
        "end": end,
        "keys": " ".join(keys),
        "printed_key": printed,
        "checked": is_checked,
    }


def asked(spots, stored, form=None, gaps=(), about=None, first_side="", row_class=Asked):
    """Return the Asked rows of a page: with what was typed, else with what is stored.

    stored: {key of a spot: answer}; gaps: (item id, question) of those left out; about: {id of a
    part: its name}; row_class: Asked, or a kind of it.
    """
    rows = [
        row_class(
            spot,
            number,
            about=about[spot.item_id] if spot.is_part else "",
            first_side="" if spot.is_part else first_side,
            raw=form.raw[spot.key] if form else as_typed(stored.get(spot.key)),
            why=_why(spot, stored.get(spot.key), form),
            problem=form.problems.get(spot.key, "") if form else "",
            is_saved=spot.key in stored,
            is_missing=(spot.item_id, spot.question) in gaps,
        )
        for number, spot in enumerate(spots, start=1)
    ]
    for row in [row for row in rows if row.is_missing or row.problem][:1]:
        row.is_first_gap = True
    return rows


def _why(spot, rating, form):
    if form:
        return form.why.get(spot.key, "")
    return rating.reason if rating else ""


def as_typed(rating):
    """Return a stored answer as it was typed or chosen; blank without one."""
    if rating is None:
        return ""
    return rating.text if rating.value is None else f"{rating.value:.15g}"
