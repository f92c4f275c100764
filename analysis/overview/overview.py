"""Collect what the overview and the item pages show, in few queries."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse

from analysis.answers.counting import number_of
from annotate.design.splits import as_seen, withheld, withheld_statements
from annotate.models import Item, Place, Rating, Study
from annotate.values.texts import count_of
from judges.models import Flag, Judge, Judgment, Material, Writing
from judges.prompting.flags import named


@dataclass(frozen=True)
class Step:
    """One of the four things a study needs; url leads to what is missing, if the user may go."""

    title: str
    text: str
    done: bool
    url: str
    button: str


def summary(study):
    """Return counts and the four steps; live.py has what changes while raters are at work."""
    done = Judgment.objects.judging().filter(state=Judgment.State.DONE)
    facts = Study.objects.filter(pk=study.pk).values(
        question_count=number_of(study.questions),
        item_count=number_of(study.items),
        rating_count=number_of(Rating.objects.filter(session__study=study)),
        rater_count=number_of(study.sessions.with_any_answer(), Count("rater", distinct=True)),
        judge_count=number_of(Judge.objects.current().filter(study=study)),
        judged=number_of(done.filter(run__judge__study=study)),
    )
    facts = facts.get()
    steps = _steps(study, facts)
    next_step = next((step for step in steps if not step.done), None)
    return facts | {"steps": steps, "next_step": next_step}


def _steps(study, facts):
    def url(name):
        return reverse(name, args=[study.slug])

    return [
        *([] if facts["question_count"] else _questions_step(study, url)),
        Step(
            "Load items",
            count_of(facts["item_count"], "item"),
            facts["item_count"] > 0,
            url("load") if study.may_edit else "",
            "Load files",
        ),
        Step(
            "Invite raters",
            f"{count_of(facts['rating_count'], 'rating')} by "
            f"{count_of(facts['rater_count'], 'rater')}",
            facts["rating_count"] > 0,
            url("raters") if study.may_edit else "",
            "Get the link",
        ),
        Step(
            "Run judges",
            f"{count_of(facts['judged'], 'judgment')} by {count_of(facts['judge_count'], 'judge')}",
            facts["judged"] > 0,
            url("judges") if study.may_edit else "",
            "Choose a judge",
        ),
        Step(
            "Read the results",
            "The answer, judges by rank, where they err, what they cost",
            facts["rating_count"] > 0 and facts["judged"] > 0,
            url("analysis"),
            "Open",
        ),
    ]


def _questions_step(study, url):
    """Return the step that comes first while there are no questions."""
    there = url("questionnaire") if study.may_edit else ""
    words = "Without one nobody can begin"
    return [Step("Write questions", words, False, there, "Write questions")]


class ItemFilter:
    """A filter of items by the address; unknown values match nothing rather than everything."""

    ORDERS = {"most open": "-open_count", "most filled": "-filled_count"}
    FIELDS = {"kind": "kind", "system": "system__key", "recipient": "recipient__key"}

    def __init__(self, study, query):
        self.study = study
        self.chosen = {name: query.get(name, "") for name in self.FIELDS}
        self.places = query.get("places", "")
        self.order = query.get("order", "")
        self.words = query.get("q", "").replace("\x00", "")[:200]

    def items(self):
        rows = self.study.items.select_related("recipient", "content", "system")
        for name, lookup in self.FIELDS.items():
            if self.chosen[name]:
                rows = rows.filter(**{lookup: self.chosen[name].replace("\x00", "")})
        if self.words:
            words = Q(key__icontains=self.words) | Q(content__title__icontains=self.words)
            rows = rows.filter(words | self._by_text())
        return self._ordered(self._by_places(rows))

    def _by_text(self):
        """Return the condition on texts, without texts that the page may not show."""
        matches = Q(text__icontains=self.words)
        hidden = withheld_statements(self.study)
        return matches & ~Q(pk__in=hidden) if hidden else matches

    def _by_places(self, rows):
        """Keep items with all places filled, or with any place that is held or open."""
        if not self.places:
            return rows
        own = Place.objects.filter(item=OuterRef("pk"))
        if self.places == Place.State.FILLED:
            return rows.filter(Exists(own), ~Exists(own.exclude(state=Place.State.FILLED)))
        return rows.filter(Exists(own.filter(state=self.places.replace("\x00", ""))))

    def _ordered(self, rows):
        """Order items as they were loaded, unless an order is chosen."""
        if self.order not in self.ORDERS:
            return rows
        field = self.ORDERS[self.order]
        state = field.removeprefix("-").removesuffix("_count")
        own = Place.objects.filter(item=OuterRef("pk"), state=state).order_by().values("item")
        count = Coalesce(Subquery(own.annotate(n=Count("pk")).values("n")), 0)
        return rows.annotate(**{field[1:]: count}).order_by(field, "pk")

    def choices(self):
        """Return (name, label, values, chosen) of each filter that has something to choose from."""
        there = set(self.study.items.order_by().values_list("kind", flat=True).distinct())
        kinds = [kind for kind in Item.Kind.values if kind in there]
        lists = {
            "kind": kinds,
            "system": list(self.study.systems.order_by("key").values_list("key", flat=True)[:200]),
            "recipient": list(
                self.study.recipients.order_by("key").values_list("key", flat=True)[:500]
            ),
        }
        filters = [
            (name, name.capitalize(), values, self.chosen[name])
            for name, values in lists.items()
            if len(values) > 1
        ]
        places = ("places", "Places", Place.State.values, self.places)
        return [*filters, places, ("order", "Order", list(self.ORDERS), self.order)]

    def query_string(self):
        given = {**self.chosen, "places": self.places, "order": self.order, "q": self.words}
        return urlencode({name: value for name, value in given.items() if value})


def item_rows(study, items):
    """Return a page's items as they are seen, with numbers of raters, judges and places.

    A row is (item, raters, judges, {state: places}).
    """
    items = as_seen(study, list(items))
    add_lists(items)
    pks = [item.pk for item in items]
    people = _by_item(Rating.objects.for_analysis().filter(item__in=pks), "session__rater")
    judges = _by_item(
        Judgment.objects.judging().filter(item__in=pks, state=Judgment.State.DONE), "run__judge"
    )
    places: dict = defaultdict(lambda: dict.fromkeys(Place.State.values, 0))
    rows = Place.objects.filter(item__in=pks).order_by().values_list("item", "state")
    for item, state, count in rows.annotate(n=Count("pk")):
        places[item][state] = count
    return [(item, people[item.pk], judges[item.pk], places.get(item.pk)) for item in items]


def add_lists(items):
    """Give each pair of lists its `lists`: {side: [its recommendations in order]}."""
    pairs = {item.pk: item for item in items if item.kind == Item.Kind.LIST_PAIR}
    parts = Item.objects.filter(parent__in=pairs).exclude(side="") if pairs else []
    for pair in pairs.values():
        pair.lists = {}
    for part in parts and parts.select_related("content", "system").order_by("side", "position"):
        pairs[part.parent_id].lists.setdefault(part.side, []).append(part)


def _by_item(rows, source):
    counted = rows.order_by().values_list("item").annotate(n=Count(source, distinct=True))
    return defaultdict(int, dict(counted))


def answers_of(item):
    """Return tables of ratings and judgments, a row per source and a column per question."""
    ratings = list(
        item.ratings.select_related("session__rater", "question").order_by("session", "id")
    )
    hidden = item.pk in withheld(item.study, pk=item.pk)
    judged = Judgment.objects.none() if hidden else Judgment.objects.judging().filter(item=item)
    judgments = list(
        judged.select_related("run__judge", "call__reused_from").order_by(
            "run__judge_id", "-run_id", "sample", "order"
        )
    )
    answered = {answer.question_id for answer in (*ratings, *judgments)}
    questions = [
        question
        for question in item.study.questions.all()
        if question.applies_to_kind(item.kind) and not question.retired or question.pk in answered
    ]
    columns = {question.pk: index for index, question in enumerate(questions)}
    own = {"run__checked": None, "run__judge__deleted_at": None}
    shown = Material.objects.filter(item=item, example__isnull=False, **own)
    states = Counter(item.places.values_list("state", flat=True))
    places = {str(state): states[state] for state in Place.State}
    flags = Flag.objects.filter(item=item, **own)
    return {
        "withheld": hidden,
        "flags": named([item.text, item.content.title if item.content else ""]),
        "flagged_in": dict(flags.values_list("run", "rules")),
        "questions": questions,
        "place_states": states and places | {"many": sum(states.values())},
        **_writing(item),
        "examples": shown.select_related("run__judge", "example", "rater").order_by("run"),
        "any_weighted": any(judgment.weighted_value is not None for judgment in judgments),
        "rating_rows": _table(ratings, lambda r: r.session, columns),
        "judgment_rows": _table(judgments, lambda j: (j.run, j.sample, j.order), columns),
    }


def _writing(item):
    """Return what a written profile was made of, and its flags; nothing for other items."""
    if item.kind != Item.Kind.PROFILE:
        return {}
    writing = Writing.objects.filter(item=item).select_related("run__judge__study").first()
    return {
        "writing": writing,
        "source_flags": named([writing.text]) if writing and writing.rules else [],
    }


def _table(answers, source, columns):
    rows: dict = {}
    for answer in answers:
        row = rows.setdefault(source(answer), [None] * len(columns))
        if answer.question_id in columns:
            row[columns[answer.question_id]] = answer
    return list(rows.items())
