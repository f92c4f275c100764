"""Cut texts into parts, parse statements from a reply, and locate them in the text again.

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
from judges.replies.quotes import NOTHING

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
class ParsedStatements:
    """The statements that a reply gives, and what is dropped of it.

    kept: [[statement, topic, sentiment]].
    """

    kept: list = field(default_factory=list)
    dropped: list = field(default_factory=list)


def sentences(text):
    """Return [(start, end)] of the text's sentences, which together are all of it."""
    ends = [match.end() for match in END.finditer(text)]
    ends = [end for end in ends if end < len(text)] + [len(text)]
    return list(zip([0, *ends[:-1]], ends, strict=True)) if text else []


def parts(text, most):
    """Cut a text between sentences into parts: [(start, part)], none of them blank.

    most: how many characters a part may have. A sentence that is longer is cut between words, a
    word that is longer within. Together the parts are the whole text.
    """
    cuts: list[list[int]] = []
    for start, end in _pieces(text, most):
        last = cuts[-1] if cuts else [start, start]
        is_blank = not text[start:end].strip() or not text[slice(*last)].strip()
        if cuts and (is_blank or end - last[0] <= most):
            last[1] = end
        else:
            cuts.append([start, end])
    return [(start, text[start:end]) for start, end in cuts]


def _pieces(text, most):
    """Yield sentences, and pieces of sentences that are too long."""
    for begin, end in sentences(text):
        start = begin
        while end - start > most:
            space = max(text.rfind(blank, start + 1, start + most) for blank in " \n\t")
            cut = start + most if space < 0 else space + 1
            yield start, cut
            start = cut
        yield start, end


def parse_statements(reply, topics, finish_reason="stop", most=None, rated=NOTHING):
    """Parse a reply into its statements, or the Reason why it has no list of them.

    topics: their names, whose spelling is kept. The list may be all of the reply or stand under its
    key; of one longer than `most` the rest is dropped.
    """
    entries = last_list(reply, KEY, finish_reason, rated=rated)
    if isinstance(entries, Reason):
        return entries
    parsed, seen = ParsedStatements(), set()
    spelt = {folded(name): name for name in sorted(topics)} | {name: name for name in topics}
    for entry in entries[:most]:
        _sort(entry, spelt, seen, parsed)
    for entry in entries[len(entries) if most is None else most :]:
        parsed.dropped.append(dropped(_values(entry), TOO_MANY))
    return parsed


def _values(entry):
    """Return an entry's value in each field, whatever the entry is."""
    return [entry.get(name) for name in FIELDS] if isinstance(entry, dict) else [entry, None, None]


def folded(name):
    """Fold a name: names that differ in capitals or in how letters are encoded become equal."""
    # Normalised again: folding takes some letters apart.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _sort(entry, spelt, seen, parsed):
    """Put an entry among the kept or the dropped.

    spelt: {name of a topic, as it is or folded: as it is}.
    """
    values = [_text(entry.get(name)) for name in FIELDS] if isinstance(entry, dict) else None
    if values is None or None in values or getattr(entry, "twice", ()):
        parsed.dropped.append(dropped(_values(entry), NO_TRIPLET))
        return
    statement, named, sentiment = values[0], values[1], values[2].lower()
    topic = spelt.get(named) or spelt.get(folded(named))
    if why := _wrong([statement, topic, sentiment], seen):
        parsed.dropped.append(dropped(values, why))
        return
    seen.add(alike(statement))
    parsed.kept.append([statement, topic, sentiment])


def _text(value):
    return " ".join(storable(value).split()) if isinstance(value, str) else None


def _wrong(values, seen):
    """Return why a triplet is not kept; "" if it is."""
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
    """Write a triplet that is not kept, as it stays visible."""
    shown = ["" if value is None else storable(str(value))[:SHOWN] for value in values]
    return dict(zip(FIELDS, shown, strict=True)) | {"why": why}


def alike(statement):
    """Normalise a statement: equal for two with the same words; "" without any word."""
    if not re.search(r"\w", statement):
        return ""
    words = unicodedata.normalize("NFC", " ".join(statement.split())).casefold()
    return words.lstrip(OPENS).rstrip(CLOSES)


class Places:
    """Locates statements in the text that they come from."""

    def __init__(self, text):
        self.text = text

    @cached_property
    def _sentences(self):
        """Return [(start, end, its pairs of letters)], without blanks around."""
        entries = []
        for start, end in sentences(self.text):
            words = self.text[start:end]
            begin = start + len(words) - len(words.lstrip())
            pairs = set().union(*_pairs(words).values())
            entries.append((begin, begin + len(words.strip()), pairs))
        return [entry for entry in entries if entry[2]]

    @cached_property
    def _words(self):
        """Return {pair of letters: {words with it}}, {word: numbers of the sentences with it}."""
        having, within = defaultdict(set), defaultdict(set)
        for number, (start, end, _) in enumerate(self._sentences):
            for word, pairs in _pairs(self.text[start:end]).items():
                within[word].add(number)
                for pair in pairs:
                    having[pair].add(word)
        return having, within

    def locate(self, statement):
        """Locate a statement: (start, end), or None.

        It stands word by word in the text, or comes from the sentence most like it.
        """
        return self._literal(statement) or self._likely(statement)

    def _literal(self, statement):
        """Locate it word by word; if that fails, whatever its capitals, quotes and blanks."""
        words = AROUND.sub("", statement)
        pattern = r"\s+".join(QUOTES.sub(_quote, re.escape(word)) for word in words.split())
        if not pattern:
            return None
        # Not within a word: "red" does not come from "tired".
        before = r"(?<![A-Za-z0-9])" if re.match("[A-Za-z0-9]", words) else ""
        after = r"(?![A-Za-z0-9])" if re.search("[A-Za-z0-9]$", words) else ""
        pattern = before + pattern + after
        match = re.search(pattern, self.text) or re.search(pattern, self.text, re.IGNORECASE)
        return match and match.span()

    def _likely(self, statement):
        """Locate the sentence most like it, if any has enough of its pairs of letters.

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
            by_sentence = self._like(word)
            for number, n in by_sentence.items():
                likeness[number] += n * log(1 + len(shares) / len(by_sentence))
        best = max(
            range(len(shares)),
            key=lambda place: (likeness[place], shares[place], -place),
        )
        return self._sentences[best][:2]

    def _like(self, pairs):
        """Return {number of a sentence: how many of a word's pairs its most similar word has}."""
        having, within = self._words
        shared = Counter(other for pair in pairs for other in having.get(pair, ()))
        by_sentence: Counter = Counter()
        for other, n in shared.items():
            for number in within[other] if n >= ALIKE_WORD * len(pairs) else ():
                by_sentence[number] = max(by_sentence[number], n)
        return by_sentence


def _quote(match):
    """Return a pattern of any quote of the same kind."""
    return "['‘’`]" if match.group() in "'‘’`" else '["“”]'


def _pairs(text):
    """Return {word: the pairs of neighbouring letters of it and of its ends}, in every script."""
    words = dict.fromkeys(f" {word} " for word in re.findall(r"\w+", text.casefold()))
    return {word: {word[start : start + 2] for start in range(len(word) - 1)} for word in words}


def spans(length, places):
    """Cover a text by [(start, end, numbers)]: the places [(start, end, number)] in each stretch.

    Where statements come from the same words, or from words that overlap, a span has them all.
    """
    edges = sorted({0, length, *(edge for start, end, _ in places for edge in (start, end))})
    covers: list[list] = [[] for _ in edges[1:]]
    for start, end, number in places:
        for span in range(bisect_right(edges, start) - 1, bisect_right(edges, end) - 1):
            covers[span].append(number)
    return [
        (start, end, numbers)
        for start, end, numbers in zip(edges, edges[1:], covers, strict=False)
        if end > start
    ]
