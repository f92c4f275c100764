"""Texts and their statements: cut into parts, read from a reply, found in the text again.

All places are counted in characters of the text.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from math import log

from judges.replies.parse import Reason, last_list, storable

KEY = "statements"
FIELDS = ("statement", "topic", "sentiment")
SENTIMENTS = ("positive", "negative", "neutral")
LONGEST = 1000  # characters of a statement
SHOWN = 300  # characters kept of what is dropped
NO_TRIPLET = "not a statement with a topic and a sentiment"
EMPTY = "empty statement"
TOO_LONG = f"statement longer than {LONGEST:,} characters"
OTHER_TOPIC = "topic outside the list"
OTHER_SENTIMENT = "sentiment outside positive, negative, neutral"
TWICE = "the same statement again"
TOO_MANY = "more statements than allowed"
# An end of a sentence: where Latin, Arabic or Indic script ends one there is a space behind it.
# Only the first mark of several begins one: else a row of thousands would be read from each.
END = re.compile(r"(?<![.!?…।؟۔])[.!?…।؟۔]+[\"'”’)\]]*(?=\s)|[。！？!?]+[”’」』)]*|\n+")
ALIKE = 0.5  # of a statement's pairs of letters, in the sentence that it comes from
ALIKE_WORD = 0.6  # of a word's, in one of the sentence's words
AROUND = re.compile(r"^[\s.!?।؟۔。！？!?]+|[\s.!?।؟۔。！？!?]+$")
# Around a statement's words, where they say nothing; a sign before a number does.
OPENS = " \"'‘’“”«»([¿¡*"
CLOSES = " \"'‘’“”«»)]*.,;:!?…。，；：！？،؛؟।۔"
QUOTES = re.compile("['‘’`]|[\"“”]")


@dataclass
class Read:
    """What a reply says: [[statement, topic, sentiment]] that are kept, and what is dropped."""

    kept: list = field(default_factory=list)
    dropped: list = field(default_factory=list)


def sentences(text):
    """[(start, end)] of the text's sentences, which together are all of it."""
    ends = [match.end() for match in END.finditer(text)]
    ends = [end for end in ends if end < len(text)] + [len(text)]
    return list(zip([0, *ends[:-1]], ends, strict=True)) if text else []


def parts(text, most):
    """[(start, part)] of at most so many characters each, cut between sentences; no part is blank.

    A sentence that is longer is cut between words, a word that is longer within. Together the parts
    are the whole text.
    """
    found: list[list[int]] = []
    for start, end in _pieces(text, most):
        last = found[-1] if found else [start, start]
        is_blank = not text[start:end].strip() or not text[slice(*last)].strip()
        if found and (is_blank or end - last[0] <= most):
            last[1] = end
        else:
            found.append([start, end])
    return [(start, text[start:end]) for start, end in found]


def _pieces(text, most):
    """Sentences, and pieces of those that are too long."""
    for begin, end in sentences(text):
        start = begin
        while end - start > most:
            space = max(text.rfind(blank, start + 1, start + most) for blank in " \n\t")
            cut = start + most if space < 0 else space + 1
            yield start, cut
            start = cut
        yield start, end


def read(reply, topics, finish_reason="stop", most=None):
    """The Read of a reply, or the Reason why it has no list of statements.

    topics: their names, whose spelling is kept. The list may be all of the reply or stand under its
    key; of one longer than `most` the rest is dropped.
    """
    entries = last_list(reply, KEY, finish_reason)
    if isinstance(entries, Reason):
        return entries
    found, seen = Read(), set()
    spelt = {folded(name): name for name in sorted(topics)} | {name: name for name in topics}
    for entry in entries[:most]:
        _sort(entry, spelt, seen, found)
    for entry in entries[len(entries) if most is None else most :]:
        found.dropped.append(dropped(_values(entry), TOO_MANY))
    return found


def _values(entry):
    """What an entry has in each field, whatever it is."""
    return [entry.get(name) for name in FIELDS] if isinstance(entry, dict) else [entry, None, None]


def folded(name):
    """The same for names that differ in capitals or in how their letters are encoded."""
    # Normalised again: folding takes some letters apart.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _sort(entry, spelt, seen, found):
    """spelt: {name of a topic, as it is or folded: as it is}."""
    values = [_text(entry.get(name)) for name in FIELDS] if isinstance(entry, dict) else None
    if values is None or None in values or getattr(entry, "twice", ()):
        found.dropped.append(dropped(_values(entry), NO_TRIPLET))
        return
    statement, said, sentiment = values[0], values[1], values[2].lower()
    topic = spelt.get(said) or spelt.get(folded(said))
    if why := _wrong([statement, topic, sentiment], seen):
        found.dropped.append(dropped(values, why))
        return
    seen.add(alike(statement))
    found.kept.append([statement, topic, sentiment])


def _text(value):
    return " ".join(storable(value).split()) if isinstance(value, str) else None


def _wrong(values, seen):
    """Why a triplet is not kept; "" if it is."""
    statement, topic, sentiment = values
    if not alike(statement):
        return EMPTY
    if len(statement) > LONGEST:
        return TOO_LONG
    if topic is None:
        return OTHER_TOPIC
    if sentiment not in SENTIMENTS:
        return OTHER_SENTIMENT
    return TWICE if alike(statement) in seen else ""


def dropped(values, why):
    """A triplet that is not kept, as it stays visible."""
    shown = ["" if value is None else storable(str(value))[:SHOWN] for value in values]
    return dict(zip(FIELDS, shown, strict=True)) | {"why": why}


def alike(statement):
    """The same for two statements that say the same in the same words; "" without any."""
    if not re.search(r"\w", statement):
        return ""
    said = unicodedata.normalize("NFC", " ".join(statement.split())).casefold()
    return said.lstrip(OPENS).rstrip(CLOSES)


class Places:
    """Finds where in one text statements come from."""

    def __init__(self, text):
        self.text = text

    @cached_property
    def _sentences(self):
        """[(start, end, its pairs of letters)], without blanks around."""
        found = []
        for start, end in sentences(self.text):
            words = self.text[start:end]
            begin = start + len(words) - len(words.lstrip())
            pairs = set().union(*_pairs(words).values())
            found.append((begin, begin + len(words.strip()), pairs))
        return [each for each in found if each[2]]

    @cached_property
    def _words(self):
        """{pair of letters: {words with it}}, {word: numbers of the sentences with it}."""
        having, within = defaultdict(set), defaultdict(set)
        for number, (start, end, _) in enumerate(self._sentences):
            for word, pairs in _pairs(self.text[start:end]).items():
                within[word].add(number)
                for pair in pairs:
                    having[pair].add(word)
        return having, within

    def of(self, statement):
        """(start, end): where it stands word by word, else the sentence most like it, else None."""
        return self._literal(statement) or self._likely(statement)

    def _literal(self, statement):
        """Word by word; if nowhere, whatever its capitals, quotes and blanks."""
        words = AROUND.sub("", statement)
        pattern = r"\s+".join(QUOTES.sub(_quote, re.escape(word)) for word in words.split())
        if not pattern:
            return None
        # Not within a word: "red" does not come from "tired".
        before = r"(?<![A-Za-z0-9])" if re.match("[A-Za-z0-9]", words) else ""
        after = r"(?![A-Za-z0-9])" if re.search("[A-Za-z0-9]$", words) else ""
        pattern = before + pattern + after
        found = re.search(pattern, self.text) or re.search(pattern, self.text, re.IGNORECASE)
        return found and found.span()

    def _likely(self, statement):
        """The sentence most like it, if there are enough of its pairs of letters in any.

        Most like it is the one with most of its words, or words much like them; those of a few
        sentences count for more than those of many, and all pairs where words do not tell.
        """
        wanted = _pairs(statement)
        pairs = set().union(*wanted.values())
        shares = [len(pairs & own) / max(len(pairs), 1) for *_, own in self._sentences]
        if max(shares, default=0) < ALIKE:
            return None
        likeness: Counter = Counter()
        for word in wanted.values():
            found = self._like(word)
            for number, n in found.items():
                likeness[number] += n * log(1 + len(shares) / len(found))
        best = max(range(len(shares)), key=lambda at: (likeness[at], shares[at], -at))
        return self._sentences[best][:2]

    def _like(self, pairs):
        """{number of a sentence: how many of a word's pairs the word most like it has}."""
        having, within = self._words
        shared = Counter(other for pair in pairs for other in having.get(pair, ()))
        found: Counter = Counter()
        for other, n in shared.items():
            for number in within[other] if n >= ALIKE_WORD * len(pairs) else ():
                found[number] = max(found[number], n)
        return found


def _quote(match):
    """Any quote stands for any other of its kind."""
    return "['‘’`]" if match.group() in "'‘’`" else '["“”]'


def _pairs(text):
    """{word: the pairs of neighbouring letters of it and of its ends}: for every script."""
    words = dict.fromkeys(f" {word} " for word in re.findall(r"\w+", text.casefold()))
    return {word: {word[at : at + 2] for at in range(len(word) - 1)} for word in words}


def spans(length, places):
    """[(start, end, numbers)] that cover a text: which of [(start, end, number)] are about each.

    Where statements come from the same words, or from words that overlap, a span has them all.
    """
    edges = sorted({0, length, *(at for start, end, _ in places for at in (start, end))})
    covers: list[list] = [[] for _ in edges[1:]]
    for start, end, number in places:
        for at in range(bisect_right(edges, start) - 1, bisect_right(edges, end) - 1):
            covers[at].append(number)
    return [
        (start, end, numbers)
        for start, end, numbers in zip(edges, edges[1:], covers, strict=False)
        if end > start
    ]
