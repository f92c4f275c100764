"""Match titles that a recommender names to the contents of a catalogue. Never a guess."""

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
    """A title's normalised name (no case, accents, punctuation or article), and its year if given.

    others: further names that stand in brackets: "(a.k.a. Se7en)".
    """

    name: str
    year: str = ""
    others: tuple = ()

    @property
    def text(self):
        """Return name and year as one text, which identifies titles outside the catalogue."""
        return f"{self.name} ({self.year})" if self.year else self.name


def named(title):
    """Normalise a title from a catalogue or a reply into its Name."""
    years = YEAR.findall(title)
    rest = YEAR.sub(" ", title)
    outside = IN_BRACKETS.sub(" ", rest)
    names = [plain(outside), *(plain(ALSO.sub("", name)) for name in IN_BRACKETS.findall(rest))]
    names = [name for name in names if name]
    if not names:
        return Name(" ".join(title.casefold().split()))
    return Name(names[0], years[-1] if years else "", tuple(names[1:]))


def plain(name):
    """Normalise a name: lower case, no accents, punctuation or article, "&" as "and"."""
    name = " ".join(name.split()).strip(" ,;:-–—")
    if moved := MOVED.match(name):
        article = moved[2] if moved[2][-1] in "'’" else f"{moved[2]} "
        name = article + moved[1]
    name = unicodedata.normalize("NFKD", name.replace("&", " and ")).casefold()
    letters = (letter for letter in name if not unicodedata.combining(letter))
    name = re.sub(r"['’`´]", "", "".join(letters))
    words = re.findall(r"\w+", name.replace("_", " "))
    return " ".join(words[1:] if len(words) > 1 and words[0] in DROPPED else words)


def identity(entry):
    """Return what makes two list entries equal: their content, else their normalised text."""
    return entry["content"] or f"“{named(entry['said']).text}”"


class Catalogue:
    """Look up contents that can be recommended by title; made from {key: title}."""

    def __init__(self, titles):
        self.exact, self.by_name = defaultdict(set), defaultdict(set)
        self.by_year = defaultdict(dict)
        for key, title in titles.items():
            self.exact[" ".join(title.split())].add(key)
            parsed = named(title)
            for name in (parsed.name, *parsed.others):
                self.by_name[name].add((parsed.year, key))
                self.by_year[parsed.year].setdefault(name, set()).add(key)

    def match(self, title):
        """Find the content of a title: (its key, how it matched).

        (None, "") where nothing matches or several contents do.
        """
        wanted = named(title)
        if exact := self._exactly(title):
            return exact, EXACT
        if keys := self._same_name(wanted):
            return (next(iter(keys)), NORMALISED) if len(keys) == 1 else (None, "")
        keys = self._alike(wanted)
        return (next(iter(keys)), FUZZY) if len(keys) == 1 else (None, "")

    def _exactly(self, title):
        """Return the key of the only content with exactly this title, or None."""
        keys = self.exact.get(" ".join(title.split()), ())
        return next(iter(keys)) if len(keys) == 1 else None

    def _same_name(self, wanted):
        """Return the contents with the same name.

        Where both titles give a year, the years have to be equal: a remake is another content.
        """
        named_so = self.by_name.get(wanted.name, ())
        return {key for year, key in named_so if not (year and wanted.year) or year == wanted.year}

    def _alike(self, wanted):
        """Return contents with nearly the same name and the same numbers.

        With a year in the reply: the most similar of that year. Without: all of any year.
        """
        if not wanted.year:
            near = self._near(wanted.name, self.by_name, WITHOUT_YEAR)
            return {key for name, _ in near for _, key in self.by_name[name]}
        names = self.by_year.get(wanted.year, {})
        near = self._near(wanted.name, names, SAME_YEAR)
        best = max((score for _, score in near), default=0)
        return set().union(*(names[name] for name, score in near if score == best))

    def _near(self, wanted, names, cutoff):
        """Return [(name, score)] of the names above the cutoff that have the same numbers."""
        if cutoff == WITHOUT_YEAR and len(wanted) < SHORTEST:
            return []
        near = process.extract(
            wanted, names.keys(), scorer=fuzz.ratio, score_cutoff=cutoff, limit=None
        )
        return [(name, score) for name, score, _ in near if _numbers(name) == _numbers(wanted)]


def _numbers(name):
    return [word for word in name.split() if NUMBER.match(word)]
