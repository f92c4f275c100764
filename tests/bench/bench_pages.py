"""Pages of a large study: a visit, and of reports the first one and once their results are kept.

Usage: python -m tests.bench.bench_pages [ratings]. Uses DATABASE_URL's server, SQLite without it.
No worker is alive, so that a page computes its report itself; three judges have scored all items.
"""

import sys
import time
from datetime import UTC, datetime

from tests.bench.scratch import Scratch, peak_mb

QUESTIONS, RATERS_OF_ITEM, RATERS, JUDGES = 4, 4, 200, 3
PAGES = [
    "",
    "live/",
    "items/",
    "items/500/",
    "raters/",
    "raters/1/",
    "quality/",
    "more/",
    "coding/",
    "judges/",
    "judges/1/",
    "runs/",
    "runs/1/",
    "questions/",
    "settings/",
    "export/",
]
REPORTS = ["correlation", "agreement", "roc", "cost", "raters", "exclusions"]
AT = datetime(2026, 1, 1, tzinfo=UTC)


def make_study(ratings):
    """A study of so many ratings, and its owner."""
    from tests import factories

    user = factories.make_user("owner")
    study = factories.make_study("films", user)
    questions = list(study.questions.values_list("pk", flat=True))
    assert len(questions) == QUESTIONS
    items = _items(study, ratings // (QUESTIONS * RATERS_OF_ITEM))
    _ratings(study, items, questions)
    for number in range(JUDGES):
        _judgments(factories.make_judge(study, f"judge-{number}"), items, questions, number)
    return user


def _items(study, count):
    from annotate.db import bulk
    from annotate.models import Item, Recipient, System

    recipients = Recipient.objects.bulk_create(
        Recipient(study=study, key=f"r{n}") for n in range(max(count // 32, 1))
    )
    systems = System.objects.bulk_create(System(study=study, key=f"s{n}") for n in range(8))
    names = ["study_id", "key", "kind", "text", "recipient_id", "system_id"]
    rows = (
        (
            study.pk,
            f"i{n}",
            "explanation",
            "A text.",
            recipients[n % len(recipients)].pk,
            systems[n % 8].pk,
        )
        for n in range(count)
    )
    bulk.insert(Item, names, rows)
    return list(Item.objects.filter(study=study).order_by("pk").values_list("pk", flat=True))


def _value(place, salt):
    return (place * 7 + place // 5 + salt * (place % 11)) % 5 + 1


def _ratings(study, items, questions):
    from annotate.db import bulk
    from annotate.models import Rating
    from tests import factories

    sessions = [factories.make_session(study, f"rater-{n}").pk for n in range(RATERS)]
    names = ["session_id", "item_id", "question_id", "value", "seconds", "answered_at"]
    rows = (
        (sessions[(place + 7 * k) % RATERS], item, question, _value(place, k), 9.5, AT)
        for place, item in enumerate(items)
        for k in range(RATERS_OF_ITEM)
        for question in questions
    )
    bulk.insert(Rating, names, rows)


def _judgments(judge, items, questions, salt):
    from annotate.db import bulk
    from judges.models import Judgment
    from tests import factories

    some = factories.make_judgments(judge, {})
    names = ["run_id", "item_id", "question_id", "unit", "lead", "state", "value", "settled_at"]
    rows = (
        (some.pk, item, question, place, not at, Judgment.State.DONE, _value(place, salt), AT)
        for place, item in enumerate(items)
        for at, question in enumerate(questions)
    )
    bulk.insert(Judgment, names, rows)


def visit(client, path):
    """(seconds, queries) of one visit."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        start = time.perf_counter()
        response = client.get(path, {"draws": 200})
        seconds = time.perf_counter() - start
    assert response.status_code == 200
    return seconds, len(queries)


def main(ratings):
    with Scratch():
        from django.conf import settings
        from django.db import connection, transaction
        from django.test import Client
        from django.test.utils import setup_test_environment

        from tests import shipped

        setup_test_environment()
        shipped.collect_files()
        shipped.apply(settings)
        with transaction.atomic():
            user = make_study(ratings)
        judged = JUDGES * ratings // RATERS_OF_ITEM
        print(f"database: {connection.vendor}; {ratings:,} ratings, {judged:,} judgments")
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        for name in PAGES:
            path = f"/studies/films/{name}"
            best = min(visit(client, path) for _ in range(3))
            print(
                f"{name or 'overview':13} {1000 * best[0]:5.0f} ms, {best[1]:2} queries", flush=True
            )
        for name in ["", *(f"{report}/" for report in REPORTS)]:
            path = f"/studies/films/analysis/{name}"
            first, again = visit(client, path), min(visit(client, path) for _ in range(3))
            print(
                f"{name or 'index':13} first {first[0]:6.2f} s, {first[1]:2} queries; "
                f"kept {1000 * again[0]:5.0f} ms, {again[1]:2} queries",
                flush=True,
            )
        print(f"memory, most {peak_mb():,.0f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
