"""The verdict of a study as large as HANNA, with all baselines, and of a million ratings.

Usage: python -m tests.bench.bench_verdict [ratings]. Uses DATABASE_URL's server, SQLite without it.
The first has 21 judges, 6 questions and 1,056 items by 11 systems about 96 contents, three ratings
each; the second three judges of items with four ratings. CPU beside wall time: others may work too.
"""

import sys
import time
from dataclasses import dataclass

import numpy as np

from tests.bench.scratch import Scratch, peak_mb


@dataclass(frozen=True)
class Shape:
    """How large a study is: items are systems x contents, raters a panel or a crowd."""

    slug: str
    contents: int
    systems: int
    questions: int
    raters: int
    ratings_of_item: int
    judges: int

    @property
    def ratings(self):
        return self.contents * self.systems * self.questions * self.ratings_of_item


HANNA = Shape("hanna", 96, 11, 6, 3, 3, 21)


def of_crowd(ratings):
    """The Shape of three judges and so many ratings: 8 systems, 4 questions, 4 ratings per item."""
    return Shape("crowd", ratings // (8 * 4 * 4), 8, 4, 200, 4, 3)


def make_study(shape):
    """A study of this shape, in which raters and judges see part of the items' quality."""
    from tests import factories

    rng = np.random.default_rng(1)
    names = {f"q{n}": f"Question {n}." for n in range(shape.questions)}
    study = factories.make_study(shape.slug, questions=names)
    questions = list(study.questions.order_by("pk").values_list("pk", flat=True))
    items = make_items(study, shape)
    quality = rng.normal(0, 1, (len(items), shape.questions))
    make_ratings(study, shape, items, questions, quality, rng)
    for number in range(shape.judges):
        judge = factories.make_judge(study, f"judge-{number}")
        given = points(quality * 0.7 + rng.normal(0, 1, quality.shape))
        make_judgments(judge, items, questions, given)
    return study


def points(values):
    return np.clip(np.round(3 + values), 1, 5)


def make_items(study, shape):
    from annotate.db import bulk
    from annotate.models import Content, Item, System

    contents, systems = (
        model.objects.bulk_create(model(study=study, key=f"{letter}{n}") for n in range(count))
        for model, letter, count in ((Content, "c", shape.contents), (System, "s", shape.systems))
    )
    names = ["study_id", "key", "kind", "text", "content_id", "system_id"]
    rows = (
        (study.pk, f"{c.key}-{s.key}", "explanation", f"A text {'x' * (n % 90)}.", c.pk, s.pk)
        for n, (c, s) in enumerate((c, s) for c in contents for s in systems)
    )
    bulk.insert(Item, names, rows)
    return list(Item.objects.filter(study=study).order_by("pk").values_list("pk", flat=True))


def make_ratings(study, shape, items, questions, quality, rng):
    from annotate.db import bulk
    from annotate.models import Rating
    from tests import factories
    from tests.bench.bench_pages import AT

    sessions = [factories.make_session(study, f"rater-{n}").pk for n in range(shape.raters)]
    size = (shape.ratings_of_item, *quality.shape)
    given = points(quality + rng.normal(0, 1.2, size))
    names = ["session_id", "item_id", "question_id", "value", "seconds", "answered_at"]
    rows = (
        (sessions[(n + 7 * k) % shape.raters], item, question, float(given[k, n, q]), 9.5, AT)
        for n, item in enumerate(items)
        for k in range(shape.ratings_of_item)
        for q, question in enumerate(questions)
    )
    bulk.insert(Rating, names, rows)


def make_judgments(judge, items, questions, given):
    from annotate.db import bulk
    from judges.models import Judgment
    from tests import factories
    from tests.bench.bench_pages import AT

    run = factories.make_judgments(judge, {})
    names = ["run_id", "item_id", "question_id", "unit", "lead", "state", "value", "settled_at"]
    rows = (
        (run.pk, item, question, n, not q, Judgment.State.DONE, float(given[n, q]), AT)
        for n, item in enumerate(items)
        for q, question in enumerate(questions)
    )
    bulk.insert(Judgment, names, rows)


def timed(work):
    """(the result, wall seconds, CPU seconds) of one call."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - wall, time.process_time() - cpu


def measure(shape):
    """Print how long the answers take to be read, and the verdict of them to be computed."""
    from django.db import transaction

    from analysis.answers import frame
    from analysis.options.choices import Choices
    from analysis.options.form import OptionsForm, query
    from analysis.reports.registry import EVERY_OPTION, REPORTS

    with transaction.atomic():  # else each row is a commit
        study = make_study(shape)
    verdict = REPORTS["verdict"]
    answers, read, read_cpu = timed(lambda: frame.read_answers(study))
    form = OptionsForm(query({}), Choices.from_answers(answers), EVERY_OPTION)
    assert form.is_valid(), form.errors
    options = form.options(verdict.options)
    report, wall, cpu = min(
        (timed(lambda: verdict.build(answers, options)) for _ in range(3)), key=lambda run: run[2]
    )
    baselines = sum(entry.kind == "baseline" for entry in report.entries)
    print(
        f"{shape.slug}: {shape.ratings:,} ratings, {shape.judges} judges x {shape.questions} "
        f"questions x {shape.contents * shape.systems:,} items, {baselines} baselines\n"
        f"  reading  {read:6.2f} s, CPU {read_cpu:6.2f} s\n"
        f"  verdict  {wall:6.2f} s, CPU {cpu:6.2f} s: {cpu / read_cpu:.2f} of reading"
    )


def main(ratings=1_000_000):
    with Scratch():
        measure(HANNA)
        measure(of_crowd(ratings))
        print(f"peak memory {peak_mb():,.0f} MB")


if __name__ == "__main__":
    main(*(int(argument.replace("_", "")) for argument in sys.argv[1:]))
