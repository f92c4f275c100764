"""Draw where a session's checks, gold items and repeats stand among its items.

The screens of a session have one row of positions, shared by its places and these screens. What was
answered stays answered, however often the session is drawn again.
"""

from collections.abc import Sequence
from random import Random

from django.db.models import Count, Exists, F, IntegerField, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce

from annotate.design import checks, versions
from annotate.flow import own_answers
from annotate.models import Answer, Item, Place, Rater, Screen, Session
from annotate.sessions.order import drawn_side, seeded

Kind = Screen.Kind
APART = 3  # other screens between an item and its repeat, where there are so many
# A repeat stands among the last fourth of the screens.
LATE = 4
AWAY = 20_000  # beyond every position: rows change places there without meeting


def arrange(session: Session, order: Sequence[int], start: int) -> dict[int, int]:
    """Draw and store the screens among the session's items; return {item id: its position}.

    The first `start` items of the order are answered already. Items keep their order, screens
    stand between them.
    """
    settings = checks.settings_of(session.study)
    stored = {screen.name: screen for screen in _with_state(session)}
    if not stored and not settings.adds_screens:
        return {item: position for position, item in enumerate(order, start=1)}
    screens = _Screens(session, order, start, stored)
    screens.add_attention(settings.attention)
    screens.add_gold(settings)
    if settings.repeat_share and session.rater.role == Rater.Role.RECIPIENT:
        screens.add_own_answers(settings)
    else:
        screens.add_repeats(settings.repeats)
    places = list(enumerate(screens.all, start=1))
    _write(session, [(screen, number) for number, screen in places if isinstance(screen, Screen)])
    return {item: number for number, item in places if not isinstance(item, Screen)}


def _with_state(session):
    answered = Answer.objects.filter(screen=OuterRef("pk"))
    return session.screens.among_items().annotate(is_answered=Exists(answered)).order_by("position")


class _Screens:
    """The screens of a session while they are put together: ids of items, and Screen objects."""

    def __init__(self, session, order, start, stored):
        self.session, self.order, self.known = session, list(order), stored
        self.done = [screen for screen in stored.values() if screen.is_answered]
        self.all = [*order[:start], *self.done, *order[start:]]
        self.front = start + len(self.done)
        self.start = start
        self.kinds = dict(Item.objects.filter(pk__in=order).values_list("pk", "kind"))

    def random(self, what) -> Random:
        return seeded(self.session, what)

    def screen(self, kind, item_id=None, key="", spec=None):
        """Return the stored screen of this kind, item and check, else a new one."""
        stored = self.known.get((str(kind), item_id, key))
        return stored or Screen(
            session=self.session, kind=kind, item_id=item_id, key=key, spec=spec or {}
        )

    def is_done(self, kind, item_id=None, key=""):
        return (str(kind), item_id, key) in {screen.name for screen in self.done}

    def add_attention(self, every):
        """Insert each check after its item; checks after the same item keep their order."""
        for check in every:
            if self.is_done(Kind.ATTENTION, key=check.key):
                continue
            after = self._slot(check)
            before = self.order[after - 1] if after > self.start else None
            position = self.all.index(before) + 1 if before else self.front
            while position < len(self.all) and isinstance(self.all[position], Screen):
                position += 1
            self.all.insert(
                position, self.screen(Kind.ATTENTION, key=check.key, spec=check.as_data())
            )

    def _slot(self, check):
        """Return the number of items after which a check stands."""
        count = len(self.order)
        if check.after == checks.MIDDLE:
            return (count + 1) // 2
        if check.after == checks.RANDOM:
            # Between two items, where there are two.
            return self.random(f"attention {check.key}").randint(1, max(count - 1, 1))
        return min(check.after, count)

    def add_gold(self, settings):
        """Insert gold items at places drawn at random, never before a profile."""
        chosen = [screen for screen in self.done if screen.kind == Kind.GOLD]
        wanted = settings.gold_per_session - len(chosen)
        gold = {item_gold.item: item_gold for item_gold in settings.gold} if wanted > 0 else {}
        random = self.random("gold")
        items = gold_items(self.session, gold)
        random.shuffle(items)
        first = max(self.front, sum(kind == Item.Kind.PROFILE for kind in self.kinds.values()))
        new = [item for item in items if not self.is_done(Kind.GOLD, item.pk)]
        for item in new[: max(wanted, 0)]:
            spec = {"answers": dict(gold[item.key].answers), "tolerance": gold[item.key].tolerance}
            screen = self.screen(Kind.GOLD, item.pk, spec=spec)
            screen.first_side = self._side(item.pk, item.kind)
            self.all.insert(random.randint(min(first, len(self.all)), len(self.all)), screen)

    def add_repeats(self, count):
        """Repeat items of the session near its end, with other screens in between.

        What was drawn stays drawn: a rater who comes back late may just have answered it.
        """
        done, items = self._repeated(), self._repeatable()
        random, size = self.random("repeat"), len(self.all)
        far = [item for item in items if self.all.index(item) + APART < size]
        random.shuffle(far)
        # In a short session the earliest ones; none right after itself.
        near = [item for item in items if item not in far and self.all.index(item) + 1 < size]
        chosen = sorted([*far, *near], key=lambda item: not self._is_drawn(item))
        for item in chosen[: max(count - len(done), 0)]:
            self._repeat(item, self.all.index(item) + 1 + APART, random)

    def _is_drawn(self, item):
        return (str(Kind.REPEAT), item, "") in self.known

    def add_own_answers(self, settings):
        """Ask a recipient about some of their own items again; what was drawn stays drawn."""
        done, items = self._repeated(), self._repeatable()
        count = own_answers.count_repeats(settings, self.session.rater.role, len(items) + len(done))
        drawn = [item for item in items if self._is_drawn(item)]
        random = self.random("own answers")
        more = [item for item in self._early(items, count, random) if item not in drawn]
        for item in [*drawn, *more][: max(count - len(done), 0)]:
            self._repeat(item, self._after_items(item, own_answers.APART), random)

    def _repeated(self):
        """Return the items of which a repeat is answered."""
        return {screen.item_id for screen in self.done if screen.kind == Kind.REPEAT}

    def _repeatable(self):
        done = self._repeated()
        return [
            item
            for item in self.order
            if item not in done and self.kinds[item] != Item.Kind.PROFILE
        ]

    def _early(self, items, count, random):
        """Shuffle the items that enough others follow, else the first half of all."""
        end = len(self.all)
        early = [item for item in items if self._follow(item) >= own_answers.APART]
        if len(early) < count:
            early = items[: max(count, (len(items) + 1) // 2)]
        # None right after itself.
        early = [item for item in early if self.all.index(item) + 1 < end]
        random.shuffle(early)
        return early

    def _follow(self, item):
        """Count the item screens after an item."""
        return sum(not _is_check(screen) for screen in self.all[self.all.index(item) + 1 :])

    def _after_items(self, item, count):
        """Return the first position with so many item screens after an item, else the end."""
        others = 0
        for position in range(self.all.index(item) + 1, len(self.all)):
            if others == count:
                return position
            others += not _is_check(self.all[position])
        return len(self.all)

    def _repeat(self, item, earliest, random):
        """Insert the repeat of an item among the last fourth, from the earliest position on."""
        screen = self.screen(Kind.REPEAT, item)
        screen.first_side = self._side(item, self.kinds[item])
        size = len(self.all)
        first = max(earliest, size - size // LATE, self.front)
        self.all.insert(random.randint(min(first, size), size), screen)

    def _side(self, item_id, kind):
        return drawn_side(self.session, item_id) if kind == Item.Kind.LIST_PAIR else ""


def _is_check(screen):
    return isinstance(screen, Screen) and screen.kind == Kind.ATTENTION


def gold_items(session: Session, gold) -> list[Item]:
    """Return the items of gold {id: Gold} that the session may show: asked about, not its own.

    Each has a right answer to at least one question of the session's version.
    """
    if not gold:
        return []
    questions = versions.asked(session.study_id, session.version)
    asked = {
        kind
        for kind in Item.Kind.values
        for question in questions
        if question.applies_to_kind(kind)
    }
    question_keys = {question.key for question in questions}
    keys = [key for key, item_gold in gold.items() if question_keys & item_gold.answers.keys()]
    items = session.study.items.filter(key__in=keys, parent=None, kind__in=asked)
    items = items.exclude(places__rater=session.rater_id).order_by("pk")
    whose = session.rater.recipient_id
    return [item for item in items if whose is None or item.recipient_id in (None, whose)]


def _write(session, placed):
    """Store the screens at their positions, and delete those that are no longer wanted."""
    stay = [screen.pk for screen, _ in placed if screen.pk]
    session.screens.among_items().exclude(pk__in=stay).delete()
    session.screens.among_items().update(position=F("position") + AWAY)
    for screen, position in placed:
        screen.position = position
    Screen.objects.bulk_update([e for e, _ in placed if e.pk], ["position"])
    Screen.objects.bulk_create([e for e, _ in placed if not e.pk])


def count_of(session: Session) -> int:
    """Count the session's items, and its checks, gold items and repeats, in one query."""
    counts = Session.objects.filter(pk=session.pk).values_list(
        _rows(Place.objects) + _rows(Screen.objects.filter(position__isnull=False))
    )
    return counts.get()[0]


def _rows(rows):
    """Return an expression that counts the session's rows of a table, 0 where it has none."""
    rows = rows.filter(session=OuterRef("pk")).order_by().values("session")
    counted = Subquery(rows.annotate(n=Count("pk")).values("n"), output_field=IntegerField())
    return Coalesce(counted, Value(0))


def first_gap(session: Session) -> int | None:
    """Return the position of the first check, gold item or repeat without an answer, or None."""
    gaps = session.screens.among_items().filter(is_whole=False).order_by("position")
    return gaps.values_list("position", flat=True).first()
