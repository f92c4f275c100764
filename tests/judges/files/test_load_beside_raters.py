"""A load checks without a lock; what changed until it writes is seen all the same."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from annotate.models import Item, Place, Rating, Session, Study
from annotate.sessions import places
from annotate.sessions import session as sessions
from judges.files import load as files
from judges.files import load_files, write_files
from judges.models import Judge, Judgment
from tests import factories
from tests.annotate.sessions.test_save import PATIENCE, meet
from tests.files import ITEMS, JUDGMENTS, RATINGS, STUDY, check, load, messages, write

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(tmp_path):
    load(tmp_path, items=ITEMS)
    return Study.objects.get()


def answer(study, item="e1", rater="carl"):
    """Somebody answers on the web pages."""
    session = factories.make_session(study, rater, source=Session.Source.WEB)
    item, question = study.items.get(key=item), study.questions.get(key="persuasiveness")
    return factories.make_rating(session, item, question, 3)


def write_now(loading):
    """Writes what was checked before."""
    assert messages(loading) == []
    with transaction.atomic():
        return write_files(loading)


def test_an_item_that_was_answered_since_the_check_is_not_changed(study, tmp_path):
    loading = check(tmp_path, items=ITEMS.replace("Because you", "As you"))
    answer(study)
    loading = write_now(loading)
    assert "line 2, column text: item 'e1' has answers already" in messages(loading)[0]
    assert Item.objects.get(key="e1").text == "Because you like films."


def test_an_item_that_was_judged_since_the_check_is_not_changed(study, tmp_path):
    judge = factories.make_judge(study, endpoint=factories.make_endpoint())
    loading = check(tmp_path, items=ITEMS.replace("Because you", "As you"))
    question = study.questions.get(key="persuasiveness")
    factories.make_judgments(judge, {(study.items.get(key="e1"), question): 1})
    assert "has answers already" in messages(write_now(loading))[0]


def test_an_item_that_a_judge_is_asked_about_is_not_changed(study, tmp_path):
    judge = factories.make_judge(study, endpoint=factories.make_endpoint())
    question = study.questions.get(key="persuasiveness")
    factories.make_judgments(judge, {(study.items.get(key="e1"), question): 1})
    changed = {"items": ITEMS.replace("Because you", "As you")}
    Judgment.objects.update(state=Judgment.State.PENDING, value=None)
    assert messages(check(tmp_path, **changed)) == []
    Judgment.objects.update(state=Judgment.State.LEASED)
    assert "has answers already" in messages(check(tmp_path, **changed))[0]


def test_a_questionnaire_that_was_answered_since_the_check_is_not_changed(study, tmp_path):
    loading = check(tmp_path, study=STUDY.replace("convincing", "clear"))
    answer(study)
    assert "the questionnaire is frozen" in messages(write_now(loading))[0]
    assert "convincing" in study.questions.get(key="persuasiveness").text


def test_a_rater_of_the_file_who_came_to_the_pages_since_the_check_is_refused(study, tmp_path):
    loading = check(tmp_path, items=ITEMS, ratings=RATINGS)
    factories.make_session(study, "ann", source=Session.Source.WEB)
    assert "rater 'ann' answered on the web pages" in messages(write_now(loading))[0]
    assert not Rating.objects.exists()


def test_a_known_rater_who_came_to_the_pages_since_the_check_is_refused(study, tmp_path):
    load(tmp_path, items=ITEMS, ratings=RATINGS)
    loading = check(tmp_path, ratings=RATINGS + "e2,bob,third_party,persuasiveness,1\n")
    factories.make_session(study, "bob", source=Session.Source.WEB)
    assert "rater 'bob' answered on the web pages" in messages(write_now(loading))[0]


def test_what_another_load_wrote_since_the_check_is_compared_with(study, tmp_path):
    mine = check(tmp_path, items=ITEMS + "e3,anna,film-1,personal,Third.,long\n")
    other = tmp_path / "other"
    other.mkdir()
    changed = ITEMS.replace("Because you", "As you") + "e3,anna,film-1,personal,Theirs.,long\n"
    assert messages(load(other, items=changed)) == []
    loading = write_now(mine)
    counts = loading.counts["items"]
    assert (counts.new, counts.changed, counts.unchanged) == (0, 2, 1)
    assert Item.objects.get(key="e1").text == "Because you like films."
    assert Item.objects.get(key="e3").text == "Third."


def test_judgments_that_another_load_wrote_since_the_check_are_compared_with(study, tmp_path):
    mine = check(tmp_path, judgments=JUDGMENTS)
    other = tmp_path / "other"
    other.mkdir()
    load(other, judgments=JUDGMENTS.replace("3.25", "3.75"))
    assert "found 3.25, but this judgment is 3.75 already" in messages(write_now(mine))[0]
    assert Judgment.objects.count() == 2


def test_a_judge_of_that_name_since_the_check_is_compared_with(study, tmp_path):
    mine = check(tmp_path, judgments=JUDGMENTS)
    factories.make_judge(study, "BLEU", endpoint=factories.make_endpoint())
    assert "is a judge of this study that is not imported" in messages(write_now(mine))[0]
    assert Judge.objects.count() == 1


def test_a_study_made_by_somebody_since_the_check_is_compared_with(tmp_path):
    mine = check(tmp_path, items=ITEMS)
    other = tmp_path / "other"
    other.mkdir()
    load(other, items=ITEMS)
    loading = write_now(mine)
    assert not loading.changes
    assert (Study.objects.count(), Item.objects.count()) == (1, 2)


def test_settings_changed_on_a_page_since_the_check_stay(study, tmp_path):
    mine = check(tmp_path, study=STUDY + "instructions: Read.\n")
    Study.objects.update(consent="I agree.", state=Study.State.CLOSED)
    write_now(mine)
    study.refresh_from_db()
    assert (study.instructions, study.consent, study.state) == ("Read.", "I agree.", "closed")


def test_answers_that_a_load_has_no_part_in_cost_no_second_check(study, tmp_path):
    more = ITEMS.replace("Slow", "Fast") + "e3,anna,film-1,personal,Third.,long\n"
    mine = check(tmp_path, items=more, ratings=RATINGS.replace("e2,ann", "e3,ann"))
    answer(study, "e1", "carl")
    assert write_now(mine) is mine
    assert set(Item.objects.values_list("text", flat=True)) == {
        "Because you like films.",
        "Fast, and quiet.",
        "Third.",
    }
    assert Place.objects.filter(state="filled").count() == 3


def test_the_same_files_again_leave_the_number_of_loads_as_it_was(study, tmp_path):
    load(tmp_path, items=ITEMS)
    study.refresh_from_db()
    assert study.loads == 1


@pytest.mark.django_db(transaction=True)
def test_the_check_runs_outside_the_transaction_that_writes(tmp_path, monkeypatch):
    held = []

    def spy(name):
        real = getattr(files, name)

        def called(loading):
            held.append((name, connection.in_atomic_block))
            return real(loading)

        monkeypatch.setattr(files, name, called)

    spy("check_tables")
    spy("write_tables")
    load_files(*write(tmp_path, items=ITEMS))
    assert held == [("check_tables", False), ("write_tables", True)]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "changed",
    [{"items": ITEMS.replace("Because", "As")}, {"study": STUDY.replace("convincing", "clear")}],
)
def test_a_save_waits_for_a_load_that_changes_what_it_answers(study, tmp_path, changed):
    """On SQLite every write waits for the load."""

    session = factories.make_session(study, "carl", source=Session.Source.WEB)
    item, question = study.items.get(key="e1"), study.questions.get(key="persuasiveness")

    def answer_elsewhere():
        try:
            return factories.make_rating(session, item, question, 3)
        finally:
            connection.close()

    loading = check(tmp_path, **changed)
    meet(lambda: write_files(loading), answer_elsewhere)
    assert loading.problems.total == 0


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_load_fills_no_place_that_is_claimed_meanwhile(study, tmp_path):
    session = factories.make_session(study, "carl", state="instructions", source="web")
    item = study.items.get(key="e1")

    def load_elsewhere():
        try:
            return messages(load(tmp_path, items=ITEMS, ratings=RATINGS))
        finally:
            connection.close()

    assert meet(lambda: places.claim_again(session, [item.pk]), load_elsewhere) == []
    held = session.places.get()
    assert (held.item_id, held.state) == (item.pk, Place.State.HELD)
    assert item.places.filter(state="filled").count() == 2


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_nobody_is_sent_away_while_a_load_asks_for_more_raters(study, tmp_path):
    """What is open is not held back by the load that makes more of it."""
    session = factories.make_session(study, "carl", state="instructions", source="web")

    def begin_elsewhere():
        try:
            return sessions.begin(session)
        finally:
            connection.close()

    loading = check(tmp_path, study=STUDY.replace("raters_per_item: 2", "raters_per_item: 4"))
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        write_files(loading)
        assert pool.submit(begin_elsewhere).result(PATIENCE)
    assert session.places.count() == 2
    assert study.places.count() == 2 * 4


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_raters_join_while_a_load_writes(study, tmp_path):
    def join_elsewhere():
        try:
            return sessions.begin_visit(study, {}, consents=True)
        finally:
            connection.close()

    loading = check(tmp_path, items=ITEMS + "e3,anna,film-1,personal,Third.,long\n")
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        write_files(loading)
        assert pool.submit(join_elsewhere).result(PATIENCE).pk


@pytest.mark.django_db(transaction=True)
def test_of_two_first_loads_of_one_name_the_second_finds_the_study(tmp_path):
    first, second = check(tmp_path, items=ITEMS), check(tmp_path, items=ITEMS)

    def write_elsewhere():
        try:
            return write_now(second)
        finally:
            connection.close()

    loading = meet(lambda: write_files(first), write_elsewhere)
    assert (messages(loading), loading.counts["items"].unchanged) == ([], 2)
    assert Study.objects.count() == 1
