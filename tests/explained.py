"""A study of explanations by contents whose answers a test knows in plain lists.

Six surveys of twelve screens, one of each cell; two participants a survey, and two more who are
excluded. Four judges and a warm start; people follow "CF" most, "Genre-Jacc" not at all.
"""

import random
from datetime import timedelta

from django.utils import timezone

from annotate.models import Content, Item, Rater, Rating, Recipient, Session
from judges.models import Judgment, Run
from tests import factories

SCORES, LEVELS = ("cf", "cf-a", "item-sim", "genre-jacc"), ("highest", "lowest", "mean")
CELLS = [(score, level) for score in SCORES for level in LEVELS]
QUESTIONS = ("explainability", "trustworthiness", "satisfaction")
SURVEYS = 6
NAMES = {
    "cf": "CF",
    "cf-a": "CF-A",
    "cf-warm": "CF warm",
    "item-sim": "Item-Sim",
    "genre-jacc": "Genre-Jacc",
}
OUT = {"p12": "failed 1 or more attention checks", "p13": "fewer than 1 films a month"}
FILMS = [f"film-{letter}" for letter in "abcdefghi"]


class Explained:
    """study; items: [(key, survey, cell)]; scores: {kind: [value an item]}; ratings:
    {(participant, item key, question): value}, of those who count.
    """

    def __init__(self, owner=None, slug="films"):
        rng = random.Random(11)
        self.study = factories.make_study(
            slug, owner, questions={key: f"About {key}." for key in QUESTIONS}
        )
        self._contents()
        self.items = [
            (f"s{survey}-{place:02}", survey, cell)
            for survey in range(SURVEYS)
            for place, cell in enumerate(CELLS)
        ]
        self.rows = self._items(rng)
        self.scores = self._scores(rng)
        self.ratings = {}
        self._people(rng)
        for kind in NAMES:
            self._judge(kind)

    def _contents(self):
        made = [
            Content(study=self.study, key=key, title=f"{key[-1].upper()} film")
            for key in [*FILMS, "new-x", "new-y"]
        ]
        self.contents = {each.key: each for each in Content.objects.bulk_create(made)}

    def _items(self, rng):
        recipients = Recipient.objects.bulk_create(
            Recipient(study=self.study, key=f"made-up-{n}") for n in range(SURVEYS)
        )
        return Item.objects.bulk_create(
            Item(
                study=self.study,
                key=key,
                kind=Item.Kind.EXPLANATION,
                text="Because you watched …",
                recipient=recipients[survey],
                content=self.contents["new-x" if place % 2 else "new-y"],
                data={
                    "cell_score": cell[0],
                    "cell_level": cell[1],
                    "survey": str(survey),
                    "explaining_contents": "|".join(sorted(rng.sample(FILMS, 3))),
                },
            )
            for place, (key, survey, cell) in enumerate(self.items)
        )

    def _scores(self, rng):
        full = [
            {"highest": 0.5, "lowest": -0.5, "mean": 0}[level] + rng.uniform(-0.4, 0.4)
            for _, _, (_, level) in self.items
        ]
        return {
            "cf": full,
            "cf-a": [value + rng.uniform(-0.2, 0.2) for value in full],
            "cf-warm": [value + rng.uniform(-0.02, 0.02) for value in full],
            "item-sim": [0.3 * value + rng.uniform(-0.4, 0.4) for value in full],
            "genre-jacc": [rng.uniform(0, 1) for _ in full],
        }

    def _people(self, rng):
        now, found = timezone.now(), []
        questions = list(self.study.questions.all())
        for number in range(2 * SURVEYS + 2):
            name, survey = f"p{number:02}", number // 2 % SURVEYS
            session = self._session(name, OUT.get(name, ""))
            kind = rng.uniform(-0.7, 0.7)  # how kind this participant is
            for item, (key, of_survey, _), score in zip(
                self.rows, self.items, self.scores["cf"], strict=True
            ):
                for question in questions if of_survey == survey else ():
                    value = min(5, max(1, round(3.2 + 1.6 * score + kind + rng.gauss(0, 0.9))))
                    found.append(
                        Rating(
                            session=session,
                            item=item,
                            question=question,
                            value=value,
                            answered_at=now,
                        )
                    )
                    if name not in OUT:
                        self.ratings[name, key, question.key] = value
        Rating.objects.bulk_create(found)

    def _session(self, name, why):
        rater = Rater.objects.create(
            study=self.study, key=name, role=Rater.Role.THIRD_PARTY, excluded_because=why
        )
        return Session.objects.create(
            study=self.study, rater=rater, source=Session.Source.FILE, state=Session.State.COMPLETED
        )

    def _judge(self, kind):
        """A run of 72 scores in 36 seconds, beside 4 seconds of a pause; a unit an item."""
        judge = factories.make_judge(self.study, NAMES[kind], kind=kind)
        began = timezone.now() - timedelta(hours=1)
        run = Run.objects.create(
            judge=judge,
            state=Run.State.FINISHED,
            started_at=began,
            idle_seconds=4,
            frozen={"kind": kind},
        )
        Judgment.objects.bulk_create(
            Judgment(
                run=run,
                item=item,
                question=question,
                value=value,
                unit=unit,
                lead=not at,
                state=Judgment.State.DONE,
                settled_at=began + timedelta(seconds=40),
            )
            for unit, (item, value) in enumerate(zip(self.rows, self.scores[kind], strict=True))
            for at, question in enumerate(self.study.questions.all())
        )

    def means(self, question):
        """[mean rating of each item by those who count]"""
        said = [
            [v for (_, key, q), v in self.ratings.items() if (key, q) == (item, question)]
            for item, *_ in self.items
        ]
        return [sum(values) / len(values) for values in said]

    def in_cell(self, question, cell):
        """{participant: mean rating of their screens in the cell}"""
        keys = {key for key, _, found in self.items if found == cell}
        said: dict = {}
        for (name, key, q), value in self.ratings.items():
            if key in keys and q == question:
                said.setdefault(name, []).append(value)
        return {name: sum(values) / len(values) for name, values in said.items()}
