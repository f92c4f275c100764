"""A stopping plan's clusters get complete in its order, not all at the end."""

import pytest

from annotate.files.loading.placing import draw
from annotate.models import Place, Session
from annotate.sessions import session as sessions
from annotate.stopping.plan import fix_plan
from tests import factories
from tests.annotate.sessions.test_places import begin_in_processes

pytestmark = pytest.mark.django_db
CLUSTERS, PER_CLUSTER, RATINGS, PER_SESSION = 100, 2, 2, 10


@pytest.fixture
def study():
    study = factories.make_study(
        owner=factories.make_user(), raters_per_item=RATINGS, items_per_session=PER_SESSION
    )
    for number in range(CLUSTERS * PER_CLUSTER):
        name = f"c{number // PER_CLUSTER}"
        item = factories.make_item(study, f"i{number}", None, name)
        item.places.update(shuffle=draw(study.slug, item.key))
    return study


def fix(study):
    sizes = {"planned": 60, "alpha": 0.05, "decisions": 1, "exclusions": []}
    return fix_plan(study, study.members.get(), role="third_party", **sizes)


def complete(plan):
    """Return how many clusters from the start of the order have no open place."""
    waiting = set(Place.objects.filter(state="open").values_list("item", flat=True))
    flags = [bool(waiting & set(items)) for items in plan.items]
    return flags.index(True) if True in flags else len(flags)


def begin(study, number):
    rater = study.raters.create(key=f"r{number}")
    session = Session.objects.create(study=study, rater=rater, state=Session.State.INSTRUCTIONS)
    sessions.begin(session)
    return session


def test_half_of_the_last_ratings_complete_the_first_half_of_the_order(study):
    """400 places in sessions of ten: 20 give every item its first rating, then 10 half a second."""
    plan, counts = fix(study), []
    for number in range(40):
        begin(study, number)
        counts.append(complete(plan))
    assert counts[19] == 0, "every item has its first rating before any has its last"
    assert counts[29] == 50 and counts[39] == 100
    assert counts == sorted(counts)
    assert {item.places.count() for item in study.items.all()} == {RATINGS}


def test_a_session_holds_items_of_many_clusters(study):
    fix(study)
    session = begin(study, 0)
    assert session.places.count() == PER_SESSION
    assert session.places.values("item__content").distinct().count() >= 7


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_processes_that_claim_at_once_complete_the_order_from_its_start(study):
    """30 of 40 sessions, by 8 processes; in their race the order is kept only roughly."""
    plan = fix(study)
    begin_in_processes(study, raters=30)
    pairs = list(study.places.filter(state="held").values_list("rater", "item"))
    assert len(pairs) == len(set(pairs)) == 300
    assert complete(plan) >= 25
