"""Pages of statements send the items of a locked test part as one value, however many they are."""

import pytest
from django.db import connection
from django.urls import reverse

from annotate.design import splits
from tests import factories
from tests.stated import GENERATED, make_factuality, read, state

pytestmark = pytest.mark.django_db
SEED = 7  # at .5 the recipient r1 is in the test part and r2 is not, see test_locked_part.py
WARM = ("it is warm", "comfort", "positive")
SECRET = "SECRET"


def study_of(owner, slug, hidden):
    """So many items in the test part, and two beside it of which one was not read."""
    study = make_factuality(owner, slug)
    run = read(study)
    for key in (*(f"h{number}" for number in range(hidden)), "a", "b"):
        is_hidden = key.startswith("h")
        item = factories.make_item(study, key, "r1" if is_hidden else "r2")
        rows = [(SECRET, "care", "neutral")] if is_hidden else [WARM]
        if key != "b":
            state(run, item, GENERATED, rows)
    splits.lock(study, SEED, 0.5, "owner")
    return study


def values_sent(client, address):
    """(page, the most values that one query has)"""
    most = []

    def count(execute, sql, params, many, context):
        most.append(len(params or ()))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(count):
        return client.get(address).text, max(most)


@pytest.mark.parametrize(
    ("name", "args"),
    [("statements", ()), ("without_statements", ("generated",))],
)
def test_no_query_has_more_values_for_more_items_withheld(as_owner, owner, name, args):
    pages = []
    for slug, hidden in (("few", 3), ("many", 30)):
        study = study_of(owner, slug, hidden)
        assert len(splits.withheld(study)) == hidden
        address = reverse(name, args=[study.slug, *args])
        pages.append(values_sent(as_owner, address))
    (few, least), (many, most) = pages
    assert SECRET not in few + many
    assert most == least
