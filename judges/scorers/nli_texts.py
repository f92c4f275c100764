"""The parts of an item's two sides that an NLI judge compares: statements, sentences, chunks."""

import re

from judges.models import Grain, Side
from judges.statements.counts import WORDS, StatementSets, counted, made_of, statement_texts

# A sentence ends with its line, or at its mark where a space follows; after 。！？ without one.
SENTENCE = re.compile(
    r"""\S.*?(?:(?<![.!?…।؟۔])[.!?…।؟۔]+["'”’)\]]*(?=\s|$)|[。！？]+[”’」』）]*|$)""", re.M
)
CHUNK_WORDS = 350


def sentences(text):
    """The sentences of a text, by their marks and its lines."""
    return [found.strip() for found in SENTENCE.findall(text)]


def chunks(text, most=CHUNK_WORDS):
    """Whole sentences together, up to so many words; a longer sentence is a chunk of its own."""
    found: list[list[str]] = []
    words = 0
    for sentence in sentences(text):
        n = len(sentence.split())
        if not found or words + n > most:
            found.append([])
            words = 0
        found[-1].append(sentence)
        words += n
    return [" ".join(some) for some in found]


class Parts:
    """{item: (generated parts, reference parts)} of items, and why some have none.

    Statements are those of the statement items that belong to the item, in their wording.
    """

    def __init__(self, items, grain):
        self.of, self.reasons = {}, {}
        if grain == Grain.STATEMENT:
            self._read_statements(items)
        else:
            cut = chunks if grain == Grain.CHUNK else sentences
            self.of = {item.pk: (sentences(item.text), cut(item.reference)) for item in items}

    def _read_statements(self, items):
        if not items:
            return
        study = items[0].study_id
        texts = statement_texts(study, [item.key for item in items])
        sets = StatementSets(study, [item.pk for item in items])
        made = made_of(study) if any(len(own) == 1 for own in texts.values()) else WORDS
        for item in items:
            own = texts[item.key]
            found = sets.of(item.pk, counted(own), made)
            if found.sizes is None:
                self.reasons[item.pk] = found.reason
            elif all(found.sizes):
                self.of[item.pk] = own[Side.GENERATED], own[Side.REFERENCE]
            else:  # nothing is compared, so that only their numbers matter
                self.of[item.pk] = tuple([""] * size for size in found.sizes)
