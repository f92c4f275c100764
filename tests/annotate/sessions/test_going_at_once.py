"""What goes while raters are at work: places, a rater, a study. Nobody loses what they just got."""

from threading import Thread

import pytest
from django.db import DatabaseError, connection
from django.db.models.signals import post_delete

from annotate.files.loading.practice import mark_items
from annotate.models import Place, Rater, Rating, Session, Study, Tombstone
from annotate.sessions import exclude, links
from annotate.sessions import session as sessions
from annotate.sessions.kept_places import kept_places, settle_all
from annotate.studies import delete as marking
from annotate.studies import edit
from annotate.studies.forms_study import StudyForm
from judges.studies import delete as deleting
from tests.annotate.sessions.test_save import meet, save_elsewhere
from tests.annotate.studies.test_views import SETTINGS

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
GOLD = {"gold": [{"item": "item-0", "answers": {"accuracy": 5}}]}


def elsewhere(work):
    """work() on a connection of its own, which takes care of itself."""

    def there():
        try:
            return work()
        finally:
            connection.close()

    return there


def fewer_raters(study):
    form = StudyForm(SETTINGS | {"raters_per_item": 1}, instance=Study.objects.get())
    assert form.is_valid()
    form.save()


def practise(study):
    Study.objects.update(extra={"practice": [{"item": "item-0"}]})
    mark_items(Study.objects.get())


ACTS = {
    "gold": lambda study: edit.change(study, lambda extra: extra.update(GOLD)),
    "practice": practise,
    "fewer raters": fewer_raters,
}


@pytest.mark.parametrize("act", ACTS)
def test_a_place_that_is_claimed_while_it_should_go_stays_with_its_rater(study, act):
    """The claim is under way when the open places are looked for, and ends before they go."""
    # All that are open are beyond the one rater that is asked for in the end.
    first = sessions.begin_visit(study, {}, consents=True)
    Place.objects.filter(number=1).update(state="filled", session=first, rater=first.rater)
    session = sessions.begin_visit(study, {}, consents=True)
    meet(lambda: sessions.begin(session), elsewhere(lambda: ACTS[act](study)))
    assert session.places.filter(state="held").count() == 4
    left = study.places.filter(state="open", item__key="item-0")
    assert not left.exclude(number=1).exists()


def test_nothing_is_kept_for_a_rater_who_is_being_forgotten(study, owner):
    """The sweep comes when the rater's session is gone already, and the rater not yet."""
    links.make(study, [("r1", Rater.Role.RECIPIENT, study.recipients.get(key="r1"))])
    rater = Rater.objects.get()
    Place.objects.update(kept_for=None)
    failed = []

    def sweep():
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '5s'")  # that it waits is a fault
            settle_all()
        except DatabaseError as error:
            failed.append(error)

    def beside(**_):
        thread = Thread(target=elsewhere(sweep))
        thread.start()
        thread.join()

    post_delete.connect(beside, sender=Session)
    try:
        exclude.forget(rater, owner)
    finally:
        post_delete.disconnect(beside, sender=Session)
    assert not failed and kept_places(study) == 0
    assert not Rater.objects.exists() and Tombstone.objects.count() == 1


@pytest.fixture
def at_work(study):
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    return session


def test_a_save_waits_for_the_end_of_its_session_and_writes_nothing(study, at_work):
    """The worker that deletes the study is ending its sessions when the save comes."""
    place = at_work.places.select_related("item", "session", "study").get(position=1)
    answers = {study.questions.first(): 3.0}
    with pytest.raises(sessions.NotNow):
        meet(lambda: marking.end_sessions(study.pk), lambda: save_elsewhere(place, answers))
    assert not Rating.objects.exists()


def test_a_study_goes_whatever_is_saved_meanwhile(study, at_work):
    """The save is first here: the study goes with its answer."""
    place = at_work.places.select_related("item", "session").get(position=1)
    questions = list(study.questions.all())
    answer = [sessions.SentAnswer(questions[0], 3.0)]
    meet(
        lambda: sessions.save_answers(place, questions, answer),
        elsewhere(lambda: (marking.begin(study), deleting.delete_study(study.pk))),
    )
    assert not Study.objects.exists() and not Rating.objects.exists()
