"""How many statements each side of an item has, where that is known: none found is a finding too.

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
class Found:
    """What is known of one item: (generated, reference) statements; None, and why, if nothing."""

    sizes: tuple | None
    reason: str = ""

    @property
    def is_stated(self):
        """Whether both sides are known, or only their items are missing yet."""
        return self.sizes is not None or self.reason == NOT_MADE


class StatementSets:
    """What runs and people said of a study's items, read in one query; items: of these only.

    study: None where it is known that they said nothing.
    """

    def __init__(self, study, items=None):
        self.found: dict = defaultdict(dict)
        if study is not None:
            self._read(study, items)

    def _read(self, study, items):
        read = Extraction.objects.speaking(study).filter(part=0)
        said = Statement.objects.speaking(study)
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
            read, said = read.filter(item__in=items), said.filter(item__in=items)
            blank, bare = blank.filter(pk__in=items), bare.filter(pk__in=items)
            tried = tried.filter(item__in=items)
        parts = [
            query.annotate(what=_words(what), n=Count("pk"))
            for query, what in (
                (read.order_by().values_list("item", "side"), READ),
                (said.order_by().values_list("item", "side"), SAID),
                (tried.order_by().values_list("item", "side"), TRIED),
                (blank.order_by(), BARE),
                (bare.order_by(), BARE),
            )
        ]
        for item, side, what, n in parts[0].union(*parts[1:], all=True):
            self.found[item][what, side] = n

    def of(self, item, checked, made=tuple(WORDS)):
        """What is Found of an item; checked: {side: its statement items}, as far as it has any;
        made: the sides that the study has statement items of.
        """
        own = self.found.get(item, {})
        from_runs = any(what != BARE for what, _ in own)
        sizes, unread = [], []
        for side, words in WORDS.items():
            n, said = checked.get(side, 0), own.get((SAID, side), 0)
            sizes.append(n or said)
            known = n or said or (READ, side) in own or (BARE, side) in own
            if not known and (from_runs or side not in made or not any(checked.values())):
                unread.append(words)
        if unread or not (from_runs or any(checked.values())):
            return Found(None, NOT_READ.format(unread[0] if unread else WORDS[Side.GENERATED]))
        if all(sizes) and not all(checked.get(side) for side in WORDS):
            return Found(None, NOT_MADE)
        return Found(tuple(sizes))


def _words(text):
    return Value(str(text), CharField())


def statement_texts(study, keys):
    """{explanation: {side: [text]}} of the statement items of these explanations, by their ids."""
    rows = current(study).filter(**{f"data__{EXPLANATION}__in": list(keys)}).order_by("pk")
    texts: dict = defaultdict(lambda: defaultdict(list))
    for text, data in rows.values_list("text", "data"):
        if side := SIDES.get(data[DIRECTION]):
            texts[data[EXPLANATION]][side].append(text)
    return texts


def made_of(study):
    """The sides that a study has statement items of, other than earlier ones."""
    directions = current(study).order_by().values_list(f"data__{DIRECTION}", flat=True).distinct()
    return {SIDES[direction] for direction in directions if direction in SIDES}


def counted(texts):
    """{side: how many texts}."""
    return Counter({side: len(some) for side, some in texts.items()})
