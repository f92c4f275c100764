"""A session's items of several kinds: in proportion to what is open, also with raters at once."""

from collections import Counter

import pytest
from django.contrib.auth import get_user_model
from django.db import connection

from analysis.demo import preparing
from annotate.models import Item, Place, Study
from annotate.sessions import mix as mixing
from annotate.sessions import places
from annotate.sessions import session as sessions
from tests import factories
from tests.annotate.sessions.test_places import begin_in_processes

KIND = Item.Kind
KINDS = (KIND.EXPLANATION, KIND.STATEMENT)


def make_mixed(explanations, statements, items_per_session):
    """Explanations with two open places; statements with one, the other filled by a file."""
    study = factories.make_study(
        questions={}, raters_per_item=2, items_per_session=items_per_session
    )
    factories.make_question(study, "convincing", applies_to=[KIND.EXPLANATION])
    factories.make_question(study, "supported", scale="binary", applies_to=[KIND.STATEMENT])
    author = factories.make_session(study, "author", source="file")
    for number in range(explanations):
        factories.make_item(study, f"e-{number}")
    for number in range(statements):
        factories.make_item(study, f"s-{number}", kind=KIND.STATEMENT)
    labelled = study.places.filter(item__kind=KIND.STATEMENT, number=1)
    labelled.update(state=Place.State.FILLED, rater=author.rater, session=author)
    return study


def kinds_by_session(study):
    """One Counter of kinds for each session on the web."""
    mixes: dict = {}
    held = study.places.filter(session__source="web").values_list("session", "item__kind")
    for session, kind in held:
        mixes.setdefault(session, Counter())[kind] += 1
    return [mixes[session] for session in sorted(mixes)]


def begin_some(study, raters, name="new"):
    for number in range(raters):
        rater = f"{name}-{number}"
        session = factories.make_session(study, rater, state="instructions", source="web")
        sessions.begin(session)
    return kinds_by_session(study)


@pytest.mark.django_db
def test_the_first_sessions_of_the_demo_have_statements_and_explanations():
    preparing._endpoint(8001)  # which a judge of the study names
    get_user_model().objects.create_user(preparing.USERNAME)
    preparing._load(preparing.FOLDER / "factuality")
    # Open are 195 places of statements and 80 of explanations: of ten items about seven and three.
    mixes = begin_some(Study.objects.get(slug="factuality-demo"), 8)
    assert mixes == [{"statement": 7, "explanation": 3}] * 8


@pytest.mark.django_db
def test_a_study_of_few_statements_gives_them_out_in_the_end():
    mixes = begin_some(make_mixed(explanations=20, statements=3, items_per_session=5), 9)
    assert sum(mixes, Counter()) == {KIND.EXPLANATION: 40, KIND.STATEMENT: 3}
    assert {mix.total() for mix in mixes[:8]} == {5}


def assert_mixed_at_once(raters, items):
    """Every place is used once, every session is full and has both kinds until few are left."""
    study = make_mixed(explanations=items, statements=2 * items, items_per_session=6)
    begin_in_processes(study, raters)
    mixes = kinds_by_session(study)
    assert not study.places.filter(state=Place.State.OPEN).exists()
    assert sum(mix.total() for mix in mixes) == 4 * items
    assert max(mix.total() for mix in mixes) == 6
    pairs = list(study.places.filter(session__source="web").values_list("rater", "item"))
    assert len(pairs) == len(set(pairs))
    apart = [mix for mix in mixes if mix.total() == 6 and min(mix[k] for k in KINDS) < 2]
    assert len(apart) <= len(mixes) // 5, mixes


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_80_raters_at_once_use_every_place_once_and_have_both_kinds():
    assert_mixed_at_once(raters=80, items=90)


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_20_raters_at_once_use_every_place_once_and_have_both_kinds():
    assert_mixed_at_once(raters=20, items=24)


@pytest.mark.django_db
def test_a_study_of_one_kind_is_asked_once(django_assert_num_queries):
    study = factories.make_study(items=5)
    session = factories.make_session(study, "ann", state="instructions", source="web")
    with django_assert_num_queries(1):
        assert len(places.claim(session, [KIND.EXPLANATION], 4)) == 4


@pytest.mark.django_db
def test_of_a_question_about_all_kinds_places_are_counted_only_where_there_are_several(
    django_assert_num_queries,
):
    study = factories.make_study(items=5)
    kinds = places.kinds_asked(study.questions.all())
    assert len(kinds) > 2
    session = factories.make_session(study, "ann", state="instructions", source="web")
    with django_assert_num_queries(2) as queries:
        assert len(places.claim(session, kinds, 4)) == 4
    assert not [query for query in queries if "COUNT(*)" in query["sql"]]


@pytest.mark.django_db
def test_kinds_are_looked_up_by_their_index_and_of_many_places_the_count_is_kept(monkeypatch):
    study = make_mixed(explanations=4, statements=4, items_per_session=4)
    monkeypatch.setattr(mixing, "MANY", 3)
    assert begin_some(study, 1) == [{"explanation": 3, "statement": 1}]
    study.places.filter(item__kind=KIND.STATEMENT, state="open").update(state="filled")
    # Where nothing of a kind is left, others fill the session.
    assert begin_some(study, 1, "later")[1] == {"explanation": 4}
    how = "EXPLAIN " if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN "
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(how + mixing.HAS_KIND, ["text", study.pk, "text"])
        assert "item_kind" in str(cursor.fetchall())


@pytest.mark.parametrize(
    "count, available, shares",
    [
        (10, {"a": 80, "b": 195}, {"a": 3, "b": 7}),
        (3, {"a": 1, "b": 1}, {"a": 2, "b": 1}),
        (4, {"a": 5}, {"a": 4}),
        (2, {"a": 1, "b": 99}, {"a": 0, "b": 2}),
        (4, {}, {}),
    ],
)
def test_shares_add_up_and_follow_what_is_open(count, available, shares):
    assert mixing.share_out(count, available) == shares
