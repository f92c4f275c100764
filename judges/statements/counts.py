"""Count the statements of each side of an item where known; zero statements is a count too.

Statement items say it, where an item has any, of the sides that the study has such items of.
Where a run or people made statements, both sides have to have been read; one without any text need
not be. Of an item without any text at all it is enough that a run came by.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass

from django.db.models import CharField, Count, Value

from annotate.models import Item
from annotate.values.texts import BLANK
from judges.models import Extraction, Side, Statement
from judges.statements.items import DIRECTION, DIRECTIONS, EXPLANATION, current

READ, SAID, BARE = "read", "said", "bare"
TRIED = "tried"  # by a run that asked nobody, as there is no text
SIDES = {direction: str(side) for side, direction in DIRECTIONS.items()}
NOT_READ = "no statements of the {} are known"
NOT_MADE = "its statement items have not been made yet"
WORDS = {str(Side.GENERATED): "generated text", str(Side.REFERENCE): "reference"}


@dataclass(frozen=True)
class SideCounts:
    """Numbers of an item's (generated, reference) statements; None with the reason if unknown."""

    sizes: tuple | None
    reason: str = ""

    @property
    def is_stated(self):
        """Whether both sides are known, or only their items are missing yet."""
        return self.sizes is not None or self.reason == NOT_MADE


class StatementSets:
    """Statements of a study's items from runs and people, read in one query.

    items: of these only. study: None where it is known that there are no statements.
    """

    def __init__(self, study, items=None):
        self.counts_by_item: dict = defaultdict(dict)
        if study is not None:
            self._read(study, items)

    def _read(self, study, items):
        read = Extraction.objects.speaking(study).filter(part=0)
        rows = Statement.objects.speaking(study)
        blank = Item.objects.filter(study=study)
        blank = (
            blank.filter(text__regex=BLANK).values_list("pk").annotate(side=_words(Side.GENERATED))
        )
        bare = Item.objects.filter(study=study, review__regex=BLANK, reference__regex=BLANK)
        tried = Extraction.objects.filter(
            item__in=bare.filter(text__regex=BLANK).values("pk"), part=0, text=""
        )
        bare = bare.values_list("pk").annotate(side=_words(Side.REFERENCE))
        if items is not None:
            read, rows = read.filter(item__in=items), rows.filter(item__in=items)
            blank, bare = blank.filter(pk__in=items), bare.filter(pk__in=items)
            tried = tried.filter(item__in=items)
        parts = [
            query.annotate(what=_words(what), n=Count("pk"))
            for query, what in (
                (read.order_by().values_list("item", "side"), READ),
                (rows.order_by().values_list("item", "side"), SAID),
                (tried.order_by().values_list("item", "side"), TRIED),
                (blank.order_by(), BARE),
                (bare.order_by(), BARE),
            )
        ]
        for item, side, what, n in parts[0].union(*parts[1:], all=True):
            self.counts_by_item[item][what, side] = n

    def count_sides(self, item, checked, made=tuple(WORDS)):
        """Return the SideCounts of an item.

        checked: {side: its statement items}, as far as it has any. made: the sides that the study
        has statement items of.
        """
        own = self.counts_by_item.get(item, {})
        from_runs = any(what != BARE for what, _ in own)
        sizes, unread = [], []
        for side, words in WORDS.items():
            n, stated = checked.get(side, 0), own.get((SAID, side), 0)
            sizes.append(n or stated)
            is_known = n or stated or (READ, side) in own or (BARE, side) in own
            if not is_known and (from_runs or side not in made or not any(checked.values())):
                unread.append(words)
        if unread or not (from_runs or any(checked.values())):
            return SideCounts(None, NOT_READ.format(unread[0] if unread else WORDS[Side.GENERATED]))
        if all(sizes) and not all(checked.get(side) for side in WORDS):
            return SideCounts(None, NOT_MADE)
        return SideCounts(tuple(sizes))


def _words(text):
    return Value(str(text), CharField())


def statement_texts(study, keys):
    """Return {explanation: {side: [text]}} of the explanations' statement items, by their ids."""
    rows = current(study).filter(**{f"data__{EXPLANATION}__in": list(keys)}).order_by("pk")
    texts: dict = defaultdict(lambda: defaultdict(list))
    for text, data in rows.values_list("text", "data"):
        if side := SIDES.get(data[DIRECTION]):
            texts[data[EXPLANATION]][side].append(text)
    return texts


def made_of(study):
    """Return the sides that the study has current statement items of."""
    directions = current(study).order_by().values_list(f"data__{DIRECTION}", flat=True).distinct()
    return {SIDES[direction] for direction in directions if direction in SIDES}


def counted(texts):
    """Return {side: how many texts}."""
    return Counter({side: len(some) for side, some in texts.items()})
