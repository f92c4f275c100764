"""Titles that a recommender names, matched to the contents of a catalogue. Never a guess."""

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass

from rapidfuzz import fuzz, process

YEAR = re.compile(r"[(\[（]\s*((?:18|19|20)\d\d)(?:\s*[-–—]\s*(?:(?:18|19|20)?\d\d)?)?\s*[)\]）]")
ARTICLES = (
    "the",
    "a",
    "an",
    "le",
    "la",
    "les",
    "un",
    "une",
    "el",
    "los",
    "las",
    "il",
    "lo",
    "gli",
    "i",
    "der",
    "die",
    "das",
    "ein",
    "eine",
    "de",
    "den",
    "det",
    "en",
    "het",
    "o",
    "os",
    "as",
)
# Only of English may one side leave it out: "O" and "I" begin other titles.
DROPPED = ("the", "a", "an")
MOVED = re.compile(rf"^(.+), ({'|'.join(ARTICLES)}|l['’])$", re.IGNORECASE)
IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
ALSO = re.compile(r"^(?:a\.?k\.?a\.?|also known as)\s+", re.IGNORECASE)
NUMBER = re.compile(r"^(?:\d+|[ivx]+)$")
# Of 100, by rapidfuzz's ratio of the normalised names.
SAME_YEAR, WITHOUT_YEAR = 90, 95
SHORTEST = 10  # letters of a name without a year: "Alien" is not "Aliens"
EXACT, NORMALISED, FUZZY = "exact", "normalised", "fuzzy"


@dataclass(frozen=True)
class Name:
    """A title's name without case, accents, punctuation and article; and its year, if it says one.

    others: further names that stand in brackets: "(a.k.a. Se7en)".
    """

    name: str
    year: str = ""
    others: tuple = ()

    @property
    def text(self):
        """As one text, by which two titles that are in no catalogue are the same or not."""
        return f"{self.name} ({self.year})" if self.year else self.name


def named(title):
    """The Name of a title, as a catalogue or a reply writes it."""
    years = YEAR.findall(title)
    rest = YEAR.sub(" ", title)
    outside = IN_BRACKETS.sub(" ", rest)
    names = [plain(outside), *(plain(ALSO.sub("", each)) for each in IN_BRACKETS.findall(rest))]
    names = [each for each in names if each]
    if not names:
        return Name(" ".join(title.casefold().split()))
    return Name(names[0], years[-1] if years else "", tuple(names[1:]))


def plain(name):
    """A name in lower case, without accents, punctuation and article, "&" as "and"."""
    name = " ".join(name.split()).strip(" ,;:-–—")
    if moved := MOVED.match(name):
        article = moved[2] if moved[2][-1] in "'’" else f"{moved[2]} "
        name = article + moved[1]
    name = unicodedata.normalize("NFKD", name.replace("&", " and ")).casefold()
    letters = (each for each in name if not unicodedata.combining(each))
    name = re.sub(r"['’`´]", "", "".join(letters))
    words = re.findall(r"\w+", name.replace("_", " "))
    return " ".join(words[1:] if len(words) > 1 and words[0] in DROPPED else words)


def identity(entry):
    """What two entries of lists are the same by: their content, else their normalised text."""
    return entry["content"] or f"“{named(entry['said']).text}”"


class Catalogue:
    """The contents that can be recommended: {key: title}."""

    def __init__(self, titles):
        self.exact, self.by_name = defaultdict(set), defaultdict(set)
        self.by_year = defaultdict(dict)
        for key, title in titles.items():
            self.exact[" ".join(title.split())].add(key)
            found = named(title)
            for name in (found.name, *found.others):
                self.by_name[name].add((found.year, key))
                self.by_year[found.year].setdefault(name, set()).add(key)

    def match(self, said):
        """(the content's key, how it was found), or (None, "") where none or several could be."""
        wanted = named(said)
        if exact := self._exactly(said):
            return exact, EXACT
        if found := self._same_name(wanted):
            return (next(iter(found)), NORMALISED) if len(found) == 1 else (None, "")
        found = self._alike(wanted)
        return (next(iter(found)), FUZZY) if len(found) == 1 else (None, "")

    def _exactly(self, said):
        """The key of the only content with this title to the letter, or None."""
        found = self.exact.get(" ".join(said.split()), ())
        return next(iter(found)) if len(found) == 1 else None

    def _same_name(self, wanted):
        """Contents of the name. Where both say a year it has to be the same: else it is a remake,
        which nothing else may stand for.
        """
        named_so = self.by_name.get(wanted.name, ())
        return {key for year, key in named_so if not (year and wanted.year) or year == wanted.year}

    def _alike(self, wanted):
        """Contents of nearly the name with the same numbers: the likest of the same year, or where
        the reply says no year all of whatever year.
        """
        if not wanted.year:
            near = self._near(wanted.name, self.by_name, WITHOUT_YEAR)
            return {key for name, _ in near for _, key in self.by_name[name]}
        names = self.by_year.get(wanted.year, {})
        near = self._near(wanted.name, names, SAME_YEAR)
        best = max((score for _, score in near), default=0)
        return set().union(*(names[name] for name, score in near if score == best))

    def _near(self, wanted, names, cutoff):
        """[(name, score)] of the names at least so alike, with the same numbers."""
        if cutoff == WITHOUT_YEAR and len(wanted) < SHORTEST:
            return []
        near = process.extract(
            wanted, names.keys(), scorer=fuzz.ratio, score_cutoff=cutoff, limit=None
        )
        return [(name, score) for name, score, _ in near if _numbers(name) == _numbers(wanted)]


def _numbers(name):
    return [word for word in name.split() if NUMBER.match(word)]
