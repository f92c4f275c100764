"""Lists for raters who bring their own taste: a single set, whoever is killed or withdraws."""

import csv
import io
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotate.models import (
    Erasure,
    Interaction,
    Item,
    Making,
    Pick,
    Place,
    Rater,
    Rating,
    Recipient,
    Session,
)
from annotate.sessions import exclude, links, places
from annotate.sessions import session as sessions
from annotate.sessions.withdraw import withdraw
from annotate.taste import lists as tastes
from annotate.taste.study import is_asked
from judges.models import Call, Judgment, Material, Run, Writing
from judges.removal import quotes
from judges.runs.making import make as making
from tests import factories
from tests.picking import make_taste_study

pytestmark = pytest.mark.django_db
State = Session.State


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch):
    monkeypatch.setattr(making.nudge, "send", lambda task, pk: None)


@pytest.fixture
def study(owner):
    return make_taste_study(owner)


def wanted(study, *keys):
    """A set of lists that is wanted for a new session, which picked these contents."""
    session = sessions.begin_visit(study, {}, consents=True)
    for content in study.contents.filter(key__in=keys or ("alien", "jaws")):
        tastes.pick(session, content)
    assert tastes.want(session, sessions.lead_on)
    return Making.objects.get(session=session)


def lose(pk):
    """The worker that took the set is dead for longer than its lease."""
    Making.objects.filter(pk=pk).update(taken_at=timezone.now() - timedelta(minutes=2))


def state_of(pk):
    return Making.objects.get(pk=pk).state


class Killed(BaseException):
    pass


@pytest.mark.parametrize("step", ["write_history", "write_list", "write_items"])
@pytest.mark.parametrize("is_after", [False, True])
def test_a_killed_worker_s_set_is_gone_on_with_and_nothing_is_made_twice(
    study, monkeypatch, step, is_after
):
    pk = wanted(study).pk
    whole, asked, recommend = getattr(making, step), [], making.recommend

    def killed(*args):
        if is_after:
            whole(*args)
        raise Killed

    def counted(row, source):
        asked.append(source.system)
        return recommend(row, source)

    monkeypatch.setattr(making, "recommend", counted)
    monkeypatch.setattr(making, step, killed)
    with pytest.raises(Killed):
        making.make(pk)
    monkeypatch.setattr(making, step, whole)
    if Making.objects.get(pk=pk).state == Making.State.WANTED:
        making.make(pk)  # the lease has not run out
        assert state_of(pk) == Making.State.WANTED and making.find_waiting() == []
        lose(pk)
        assert making.find_waiting() == [pk]
    making.make(pk)
    assert state_of(pk) == Making.State.MADE and making.find_waiting() == []
    assert asked == ["near", "chance"]
    assert Recipient.objects.count() == 1 and Interaction.objects.count() == 2
    assert Item.objects.filter(parent=None).count() == 1 and Item.objects.count() == 5


def test_a_step_that_is_killed_half_way_leaves_nothing(study, monkeypatch):
    pk = wanted(study).pk

    def killed(pk):
        raise Killed

    monkeypatch.setattr(making.tastes, "finish", killed)
    with pytest.raises(Killed):
        making.make(pk)
    assert not Item.objects.exists()


def test_what_was_picked_is_in_no_list_and_a_rater_s_draw_is_their_own(study):
    for keys in (("alien", "jaws"), ("alien", "jaws"), ("heat", "psycho")):
        making.make(wanted(study, *keys).pk)
    lists = [set(row.lists["chance"]) for row in Making.objects.all()]
    assert all(len(keys) == 2 for keys in lists)
    for row in Making.objects.all():
        picked = {pick.content.key for pick in row.session.picks.all()}
        assert not picked & {key for keys in row.lists.values() for key in keys}
    again = Making.objects.first()
    near = next(source for source in tastes.taste_of(study).sources if source.system == "near")
    assert making.recommend(again, near) == again.lists["near"]


def test_late_sets_fail_though_nobody_looks(study):
    pk = wanted(study).pk
    Making.objects.update(wanted_at=timezone.now() - timedelta(minutes=11))
    assert making.find_waiting() == [] and state_of(pk) == Making.State.FAILED
    assert Making.objects.get().why == tastes.LATE


def rate(pk):
    """The session of a set that is made, with an answer about its pair."""
    session = Making.objects.get(pk=pk).session
    sessions.begin(session)
    session.refresh_from_db()
    assert session.state == State.RATING
    question = session.study.questions.get(key="better")
    factories.make_rating(session, session.places.get().item, question, 1.0)
    return Session.objects.select_related("rater__study").get(pk=session.pk)


def judged(item, **fields):
    """An LLM's judgment of the item, with the call that showed it."""
    judge = factories.make_judge(item.study, "llm", factories.make_endpoint())
    run = factories.make_judgments(judge, {(item, item.study.questions.first()): 1.0})
    Judgment.objects.filter(run=run).update(**fields)
    call = factories.make_call(run, 0, messages=[{"content": "Alien, Jaws"}], reply="Alien")
    Material.objects.create(run=run, item=item, context="Alien, Jaws")
    return call


def left():
    models = (Pick, Making, Interaction, Item, Place, Rating, Recipient, Judgment)
    return [model.__name__ for model in models if model.objects.exists()]


def test_a_withdrawal_takes_what_was_brought_and_made_along(study):
    making.make(wanted(study).pk)
    session = rate(Making.objects.get().pk)
    call = judged(session.places.get().item)
    withdraw(session)
    assert left() == ["Item", "Recipient", "Judgment"]
    quotes.remove_due()
    assert left() == []
    kept = Session.objects.get()
    assert kept.state == State.WITHDRAWN and kept.rater.recipient is None
    call = Call.objects.get(pk=call.pk)
    assert call.messages == [] and call.reply == ""


def test_a_deleted_rater_takes_them_along_too(study, owner):
    making.make(wanted(study).pk)
    session = rate(Making.objects.get().pk)
    exclude.forget(session.rater, owner)
    quotes.remove_due()
    assert left() == [] and not Rater.objects.exists()


def test_a_profile_that_was_written_of_them_goes_with_its_prompt(study):
    making.make(wanted(study).pk)
    session = rate(Making.objects.get().pk)
    judge = factories.make_judge(study, "writer", factories.make_endpoint())
    run = Run.objects.create(judge=judge)
    Judgment.objects.create(run=run, unit=7, state=Judgment.State.LEASED, rationale="Likes Alien")
    Writing.objects.create(run=run, unit=7, recipient=session.rater.recipient, wanted=0)
    call = factories.make_call(run, 7, messages=[{"content": "Alien"}], reply="Likes Alien")
    withdraw(session)
    quotes.remove_due()
    assert "Recipient" in left()  # a reply is on its way
    Judgment.objects.update(state=Judgment.State.DONE, value=1.0)
    quotes.remove_due()
    assert not Recipient.objects.exists() and not Writing.objects.exists()
    call = Call.objects.get(pk=call.pk)
    assert call.messages == [] and call.reply == ""
    assert Judgment.objects.get().rationale == ""


def test_what_they_rated_in_a_prompt_on_its_way_is_found_at_the_next_time(study):
    making.make(wanted(study).pk)
    making.make(wanted(study).pk)
    first, second = (Session.objects.get(makings=row) for row in Making.objects.all())
    session, other = rate(first.makings.get().pk), rate(second.makings.get().pk)
    call = judged(other.places.get().item, state=Judgment.State.LEASED, value=None)
    shown = session.places.get().item
    Material.objects.update(example=shown, rater=session.rater, ratings={"better": 1})
    withdraw(session)
    quotes.remove_due()
    assert Call.objects.get(pk=call.pk).messages
    Judgment.objects.update(state=Judgment.State.DONE, value=1.0)
    quotes.remove_due()
    assert Call.objects.get(pk=call.pk).messages == []
    assert Material.objects.get().ratings == {} and not Item.objects.filter(pk=shown.pk).exists()


def test_what_a_judge_waits_for_goes_with_its_reply(study):
    making.make(wanted(study).pk)
    session = rate(Making.objects.get().pk)
    judged(session.places.get().item, state=Judgment.State.LEASED, value=None)
    withdraw(session)
    quotes.remove_due()
    assert "Item" in left() and Erasure.objects.filter(removed_at=None).exists()
    Judgment.objects.update(state=Judgment.State.DONE, value=1.0)
    quotes.remove_due()
    assert left() == []


def test_others_keep_what_they_brought(study):
    for _ in range(2):
        making.make(wanted(study).pk)
    first, second = Making.objects.all()
    withdraw(rate(first.pk))
    quotes.remove_due()
    assert [recipient.pk for recipient in Recipient.objects.all()] == [second.recipient_id]
    assert Item.objects.filter(parent=None).count() == 1


def test_who_withdraws_while_they_wait_gets_no_lists(study):
    row = wanted(study)
    withdraw(row.session)
    making.make(row.pk)
    assert left() == []


def test_who_withdraws_between_two_steps_gets_no_lists(study):
    row = wanted(study)
    making.write_history(row.pk)
    withdraw(Session.objects.select_related("rater__study").get(pk=row.session_id))
    with pytest.raises(making.Gone):
        making.write_items(row.pk)
    quotes.remove_due()
    assert left() == []


@pytest.mark.parametrize("is_asked", [True, False])
def test_nobody_else_is_given_what_was_made_whatever_becomes_of_its_rater(study, is_asked):
    making.make(wanted(study).pk)
    session = rate(Making.objects.get().pk)
    item = session.places.get().item
    assert links.for_recipients(study) == [] and places.add(study, [item.pk], 1) == []
    places.release([session.pk])  # as an exclusion does
    assert item.places.get().state == Place.State.OPEN
    if not is_asked:
        study.extra["taste"] = {}
        study.save()
    stranger = factories.make_session(study, "stranger", state=State.INSTRUCTIONS)
    assert not places.any_open(study, ["list_pair"], stranger.rater)
    assert places.claim(stranger, ["list_pair"], 1) == []


def test_who_has_lists_rates_them_although_no_taste_is_asked_any_more(study):
    row = wanted(study)
    making.make(row.pk)
    study.extra["taste"] = {}
    study.save()
    session = Session.objects.get(pk=row.session_id)
    assert sessions.begin(session) and Session.objects.get().state == State.RATING
    late = Making.objects.create(session=factories.make_session(study, "late", state=State.WAITING))
    making.make(late.pk)
    assert state_of(late.pk) == Making.State.FAILED


def test_what_was_made_for_a_visit_that_ended_early_has_no_place_left(study):
    making.make(wanted(study).pk)
    session = rate(Making.objects.get().pk)
    sessions.end_early(session, State.RETURNED)
    assert not Place.objects.exists()


def test_sources_that_changed_between_two_steps_are_told(study):
    row = wanted(study)
    making.write_history(row.pk)
    with pytest.raises(making.CannotMake, match="near found nothing"):
        making.write_items(row.pk)
    Recipient.objects.update(key="other")
    loaded = wanted(study)
    factories.make_item(
        study, "loaded", recipient=f"own-{loaded.session.rater.key}", kind="profile"
    )
    making.make(loaded.pk)
    assert state_of(loaded.pk) == Making.State.MADE


def test_experts_with_a_link_stay_experts(study):
    links.make(study, [("expert", Rater.Role.EXPERT, None)])
    expert = Rater.objects.get(key="expert")
    assert not is_asked(study, expert) and is_asked(study)


def test_the_overview_counts_the_sets(study, as_owner):
    making.make(wanted(study).pk)
    tastes.fail(wanted(study).pk, "The source near found nothing for these picks.")
    page = " ".join(as_owner.get("/studies/films/live/").content.decode().split())
    assert '<dt>Made</dt><dd class="num">1</dd>' in page
    assert '<dt>Could not be made</dt><dd class="num">1</dd>' in page
    assert "The last that failed: The source near found nothing" in page


def test_the_exports_say_what_was_brought_and_which_source_made_which_list(study):
    making.make(wanted(study).pk)
    session = rate(Making.objects.get().pk)
    Session.objects.update(state=State.COMPLETED)
    recipient = f"own-{session.rater.key}"

    def exported(table):
        out = io.StringIO()
        call_command("export", study.slug, table, stdout=out)
        return list(csv.DictReader(io.StringIO(out.getvalue())))

    parts = [row for row in exported("items") if row["parent"]]
    assert [(row["side"], row["system"], row["recipient"]) for row in parts] == [
        (side, system, recipient)
        for side, system in (("A", "near"), ("A", "near"), ("B", "chance"), ("B", "chance"))
    ]
    assert {row["made_in_session"].lower() for row in parts} == {"true"}
    (rating,) = exported("ratings")
    assert rating["item"] == f"{recipient}-pair" and rating["role"] == "recipient"
