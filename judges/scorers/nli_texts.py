"""Split an item's two sides into the parts that an NLI judge compares."""

import re

from judges.models import Grain, Side
from judges.statements.counts import WORDS, StatementSets, counted, made_of, statement_texts

# A sentence ends with its line, or at its mark where a space follows; after 。！？ without one.
SENTENCE = re.compile(
    r"""\S.*?(?:(?<![.!?…।؟۔])[.!?…।؟۔]+["'”’)\]]*(?=\s|$)|[。！？]+[”’」』）]*|$)""", re.M
)
CHUNK_WORDS = 350


def sentences(text):
    """Split a text into sentences, by their marks and its lines."""
    return [sentence.strip() for sentence in SENTENCE.findall(text)]


def chunks(text, most=CHUNK_WORDS):
    """Join whole sentences up to `most` words; a longer sentence is a chunk of its own."""
    together: list[list[str]] = []
    words = 0
    for sentence in sentences(text):
        n = len(sentence.split())
        if not together or words + n > most:
            together.append([])
            words = 0
        together[-1].append(sentence)
        words += n
    return [" ".join(some) for some in together]


class Parts:
    """The parts of both sides of items, and why some items are not compared.

    by_item: {item: (generated parts, reference parts)}. Statements are those of the statement items
    that belong to the item, in their wording.
    """

    def __init__(self, items, grain):
        self.by_item, self.reasons = {}, {}
        if grain == Grain.STATEMENT:
            self._read_statements(items)
        else:
            cut = chunks if grain == Grain.CHUNK else sentences
            self.by_item = {item.pk: (sentences(item.text), cut(item.reference)) for item in items}

    def _read_statements(self, items):
        if not items:
            return
        study = items[0].study_id
        texts = statement_texts(study, [item.key for item in items])
        sets = StatementSets(study, [item.pk for item in items])
        made = made_of(study) if any(len(own) == 1 for own in texts.values()) else WORDS
        for item in items:
            own = texts[item.key]
            statement_set = sets.count_sides(item.pk, counted(own), made)
            if statement_set.sizes is None:
                self.reasons[item.pk] = statement_set.reason
            elif all(statement_set.sizes):
                self.by_item[item.pk] = own[Side.GENERATED], own[Side.REFERENCE]
            else:  # nothing is compared, so that only their numbers matter
                self.by_item[item.pk] = tuple([""] * size for size in statement_set.sizes)
