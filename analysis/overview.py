"""What the overview and the item pages say, in few queries."""

from collections import defaultdict
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Count, Max, Q
from django.urls import reverse

from annotate.models import Item, Place, Rating, Session
from judges.models import Heartbeat, Judge, Judgment, Material, Run


@dataclass(frozen=True)
class Step:
    """One of the four things a study needs; url leads to what is missing, if one may go."""

    title: str
    text: str
    done: bool
    url: str
    button: str


def summary(study):
    """Counts, the four steps and what needs attention."""
    places = _counts(study.places, "state")
    sessions = _counts(study.sessions.begun(), "state")
    judgments = _counts(Judgment.objects.filter(run__judge__study=study), "state")
    facts = {
        "item_count": study.items.count(),
        "rating_count": Rating.objects.filter(item__study=study).count(),
        "rater_count": study.sessions.begun().values("rater").distinct().count(),
        "judge_count": Judge.objects.filter(study=study).count(),
        "filled": places[Place.State.FILLED],
        "held": places[Place.State.HELD],
        "open_places": places[Place.State.OPEN],
        "place_count": sum(places.values()),
        "judged": judgments[Judgment.State.DONE],
        "last_rating": Rating.objects.filter(item__study=study).aggregate(at=Max("answered_at"))[
            "at"
        ],
    }
    return facts | {
        "steps": (steps := _steps(study, facts)),
        "next_step": next((step for step in steps if not step.done), None),
        "attention": _attention(study, judgments, sessions),
        "sessions": [(label, sessions[s]) for s, label in Session.State.choices if sessions[s]],
    }


def _counts(rows, field):
    counted = rows.order_by().values_list(field).annotate(n=Count("pk"))
    return defaultdict(int, dict(counted))


def _steps(study, facts):
    def url(name):
        return reverse(name, args=[study.slug])

    return [
        *_questions_step(study, url),
        Step("Load items", f"{facts['item_count']:,} items",
             facts["item_count"] > 0, url("load") if study.may_edit else "", "Load files"),
        Step("Invite raters", f"{facts['rating_count']:,} ratings by {facts['rater_count']} raters",
             facts["rating_count"] > 0, url("raters"), "Get the link"),
        Step("Run judges", f"{facts['judged']:,} judgments by {facts['judge_count']} judges",
             facts["judged"] > 0, url("judges"), "Choose a judge"),
        Step("Read the analysis", "Agreement, correlation, ROC-AUC, confusion matrices",
             facts["rating_count"] > 0 and facts["judged"] > 0, url("analysis"), "Open"),
    ]  # fmt: skip


def _questions_step(study, url):
    """Comes first while there are no questions."""
    if study.questions.exists():
        return []
    there = url("questionnaire") if study.may_edit else ""
    words = "Without one nobody can begin"
    return [Step("Write questions", words, False, there, "Write questions")]


def _attention(study, judgments, sessions):
    """(sentence, address) of what a researcher should look at."""
    runs = reverse("runs", args=[study.slug])
    found = []
    active = Run.objects.filter(judge__study=study, state=Run.State.ACTIVE).exists()
    if active and not Heartbeat.objects.alive().exists():
        found.append(("A run waits, but no worker is alive", runs))
    for state, label in Judgment.State.choices:
        if judgments[state] and state in Judgment.NO_VALUE:
            found.append((f"{judgments[state]:,} judgments: {label.lower()}", runs))
    if sessions[Session.State.ABANDONED]:
        raters = reverse("raters", args=[study.slug])
        found.append((f"{sessions[Session.State.ABANDONED]} sessions stopped half-way", raters))
    return found


class ItemFilter:
    """Which items the address asks for; unknown values match nothing rather than everything."""

    FIELDS = {"kind": "kind", "system": "system__key", "recipient": "recipient__key"}

    def __init__(self, study, query):
        self.study = study
        self.chosen = {name: query.get(name, "") for name in self.FIELDS}
        self.words = query.get("q", "").replace("\x00", "")[:200]

    def items(self):
        rows = self.study.items.select_related("recipient", "content", "system")
        for name, lookup in self.FIELDS.items():
            if self.chosen[name]:
                rows = rows.filter(**{lookup: self.chosen[name].replace("\x00", "")})
        if self.words:
            words = Q(key__icontains=self.words) | Q(text__icontains=self.words)
            rows = rows.filter(words | Q(content__title__icontains=self.words))
        return rows

    def choices(self):
        """(name, label, values, chosen) of each filter that has something to choose from."""
        kinds = [kind for kind in Item.Kind.values if kind in self._kinds()]
        lists = {
            "kind": kinds,
            "system": list(self.study.systems.order_by("key").values_list("key", flat=True)[:200]),
            "recipient": list(
                self.study.recipients.order_by("key").values_list("key", flat=True)[:500]
            ),
        }
        return [
            (name, name.capitalize(), values, self.chosen[name])
            for name, values in lists.items()
            if len(values) > 1
        ]

    def _kinds(self):
        return set(self.study.items.order_by().values_list("kind", flat=True).distinct())

    def query_string(self):
        given = {**self.chosen, "q": self.words}
        return urlencode({name: value for name, value in given.items() if value})


def item_rows(items):
    """The items of one page, each with its numbers of raters and of judges."""
    pks = [item.pk for item in items]
    people = _by_item(Rating.objects.for_analysis().filter(item__in=pks), "session__rater")
    judges = _by_item(
        Judgment.objects.filter(item__in=pks, state=Judgment.State.DONE), "run__judge"
    )
    return [(item, people[item.pk], judges[item.pk]) for item in items]


def _by_item(rows, source):
    counted = rows.order_by().values_list("item").annotate(n=Count(source, distinct=True))
    return defaultdict(int, dict(counted))


def answers_of(item):
    """Tables of ratings and of judgments: a row a source, a column a question."""
    questions = [q for q in item.study.questions.all() if q.applies_to_kind(item.kind)]
    columns = {question.pk: index for index, question in enumerate(questions)}
    ratings = item.ratings.select_related("session__rater").order_by("session", "id")
    judgments = (
        Judgment.objects.filter(item=item)
        .select_related("run__judge", "call")
        .order_by("run__judge_id", "-run_id", "sample", "order")
    )
    shown = Material.objects.filter(item=item, example__isnull=False)
    return {
        "questions": questions,
        "examples": shown.select_related("run__judge", "example", "rater").order_by("run"),
        "rating_rows": _table(ratings, lambda r: r.session, columns),
        "judgment_rows": _table(judgments, lambda j: (j.run, j.sample, j.order), columns),
    }


def _table(answers, source, columns):
    rows: dict = {}
    for answer in answers:
        row = rows.setdefault(source(answer), [None] * len(columns))
        if answer.question_id in columns:
            row[columns[answer.question_id]] = answer
    return list(rows.items())
