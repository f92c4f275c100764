"""How long a session takes: an estimate of what there is, then the median of what was timed."""

from statistics import median

import pytest
from django.core.cache import cache
from django.utils import timezone

from annotate.design.access import make_owner
from annotate.design.minutes import effort_of, minutes_left, minutes_of_session, pace_of
from annotate.models import ItemTime, Rater, Session, Study
from tests import factories
from tests.annotate.raters.test_views import begin
from tests.picking import PAIR, make_taste_study
from tests.podcasts import make_podcasts

pytestmark = pytest.mark.django_db


@pytest.fixture
def films():
    """Four items of 400 signs and two questions of five points, of which one needs a reason."""
    study = factories.make_study(items=4, questions={})
    factories.make_question(study, "good")
    factories.make_question(study, "true", why="required", position=1)
    study.items.update(text="x" * 400)
    return study


def time(study, seconds, version=1):
    session = factories.make_session(study, items_done_at=timezone.now(), version=version)
    for item, spent in zip(study.items.all(), seconds, strict=False):
        ItemTime.objects.create(session=session, item=item, active_seconds=spent, idle_seconds=0)
    cache.clear()


def test_an_estimate_is_of_what_there_is_to_read_and_to_answer(films):
    # 400 signs at 20 a second, two answers of 6 s, a reason of 15 s: 47 s a page, 188 s for four.
    assert pace_of(films).seconds == 47 and pace_of(films).pages == 0
    assert minutes_of_session(films) == 4
    assert minutes_left(films, 1) == 1 and minutes_left(films, 0) == 1
    films.extra = {"exit": ["age", "comments"]}  # 20 s each
    assert minutes_left(films, 2) == 3  # 134 s


def test_twenty_timed_pages_replace_the_estimate_by_their_median(films):
    seconds = [5, 90, 31, 33, *range(40, 56)]
    time(films, seconds[:4])
    assert pace_of(films).seconds == 47
    for start in range(4, 20, 4):
        time(films, seconds[start : start + 4])
    assert pace_of(films).seconds == median(seconds) and pace_of(films).pages == 20
    films.questionnaire_version = 2  # whose pages nobody was timed on
    assert pace_of(films).pages == 0


def test_pages_of_a_visit_that_was_broken_off_do_not_count(films):
    for _ in range(5):
        time(films, [2, 2, 2, 2])
    assert pace_of(films).pages == 20
    Session.objects.update(items_done_at=None)
    cache.clear()
    assert pace_of(films).pages == 0


def test_a_session_is_of_what_its_rater_can_be_given(films):
    ann = films.items.first().recipient
    other = factories.make_item(films, "own", recipient="r2", text="x" * 400)
    session = factories.make_session(films)
    assert minutes_of_session(films, session) == 4  # four of five items
    Rater.objects.update(recipient=other.recipient)
    session = Session.objects.get()
    assert ann != other.recipient and minutes_of_session(films, session) == 1
    films.items.exclude(key="own").update(is_practice=True)
    cache.clear()
    assert minutes_of_session(films) == 1


def test_the_consent_the_instructions_and_the_check_take_time_too(films):
    films.consent, films.instructions = "x" * 600, "x" * 600  # a minute to read
    asked = [{"text": "t", "options": ["a", "b"], "answer": "a"}] * 2  # 12 s
    films.extra = {"comprehension": {"attempts": 2, "questions": asked}}
    assert minutes_of_session(films) == 5  # 188 + 72 = 260 s


def test_of_a_list_its_parts_are_read_too(owner):
    study = make_podcasts(owner)
    parts = study.items.filter(parent__isnull=False)
    pairs = set(parts.values_list("parent", flat=True))
    study.items.filter(parent=None).exclude(pk__in=pairs).delete()
    parts.update(text="")
    cache.clear()
    blank = pace_of(study).seconds
    parts.update(text="y" * 2000)  # 100 s each
    cache.clear()
    assert pace_of(study).seconds - blank == pytest.approx(100 * parts.count() / len(pairs))


def test_without_items_nothing_is_said(client):
    study = factories.make_study()
    assert minutes_of_session(study) is None and effort_of(study) is None
    assert "min." not in client.get(f"/join/{study.slug}/").content.decode()


def test_raters_read_the_minutes_and_the_pay_only_where_the_study_tells_it(client, films):
    Study.objects.update(extra={"pays_per_session": 2.5, "pay_currency": "EUR"})
    page = client.get("/join/films/").content.decode()
    assert "Time: about 4 min." in page and "2.50" not in page
    Study.objects.update(extra={"pays_per_session": 2.5, "pay_currency": "EUR", "tell_pay": True})
    page = client.get("/join/films/").content.decode()
    assert "Time: about 4 min. Pay: 2.50 EUR." in page
    token = begin(client, films)
    page = client.get(f"/r/{token}/item/1/").content.decode()
    assert "about 4 min left" in page and "Pay: 2.50 EUR." in page  # in the instructions
    assert "about 1 min left" in client.get(f"/r/{token}/item/4/").content.decode()


def test_a_check_among_the_items_says_them_too(client, films):
    check = {"key": "look", "text": "Choose b.", "options": ["a", "b"], "right": ["b"], "after": 1}
    Study.objects.update(extra={"attention": [check]})
    token = begin(client, films)
    pages = [client.get(f"/r/{token}/item/{n}/").content.decode() for n in (1, 2, 3)]
    assert all("min left" in page for page in pages)


def test_own_answers_that_are_asked_again_take_time_of_recipients_alone(films):
    """Two of four items again are six pages of 47 s; by `repeats`, which others have, five."""
    films.extra = {"repeat_share": 0.5, "repeats": 1}
    own = factories.make_session(films, "own", Rater.Role.RECIPIENT)
    assert minutes_of_session(films) == minutes_of_session(films, own) == 5  # 282 s
    assert minutes_of_session(films, factories.make_session(films)) == 4  # 235 s
    films.extra = {"repeat_share": 0.1}
    assert minutes_of_session(films, own) == 4  # one again, 235 s
    films.items.exclude(key="item-0").delete()
    cache.clear()
    assert minutes_of_session(films, own) == 1  # a single item is not asked again


def test_of_lists_that_are_made_what_they_will_ask_is_estimated(as_owner, owner):
    """Two picks of 26 s and a minute of waiting come before the page."""
    study = make_taste_study(owner)
    study.contents.update(description="x" * 400)
    # A pair of lists of two: one answer on the pair, four on its contents of 20 s reading each.
    assert pace_of(study).seconds == 5 * 6 + 4 * 20
    assert minutes_of_session(study) == 4  # 110 + 112 = 222 s
    study.extra = {"pays_per_session": 0.4, "taste": PAIR | {"sources": PAIR["sources"][:1]}}
    study.extra |= {"repeat_share": 0.5}
    cache.clear()
    assert pace_of(study).seconds == 26  # a content by itself
    assert effort_of(study).hourly == pytest.approx(0.4 * 3600 / (2 * 26 + 26 + 112))
    study.save()
    page = as_owner.get(f"/studies/{study.slug}/preview/").content.decode()
    assert "<strong>about 4 min</strong>" in page and "an hour" in page


def test_experts_of_a_study_of_taste_pick_nothing(owner):
    study = make_taste_study(owner)
    factories.make_item(study, "loaded", None, "alien", None, kind="recommendation")
    expert = factories.make_session(study, "eve", Rater.Role.EXPERT)
    assert minutes_of_session(study, expert) == 1
    assert minutes_of_session(study) == minutes_of_session(study, factories.make_session(study))
    assert minutes_of_session(study) == 3  # 30 + 112 s


def test_lists_about_which_nothing_is_asked_take_no_time(owner):
    study = make_taste_study(owner)
    study.questions.all().delete()
    assert minutes_of_session(study) is None and effort_of(study) is None


def test_the_preview_says_what_an_hour_pays_and_warns_below_the_platforms_least(
    as_owner, films, owner
):
    make_owner(films, owner)
    address = "/studies/films/preview/"
    page = as_owner.get(address).content.decode()
    assert "<strong>about 4 min</strong>" in page and "an hour" not in page
    pay = {"pays_per_session": 0.4, "platform": {"name": "prolific"}}
    Study.objects.update(extra=pay)
    page = as_owner.get(address).content.decode()
    assert "0.40 USD a session is 7.66 USD an hour; the platform asks for at least 8.00" in page
    assert "less than the platform allows" in page
    Study.objects.update(extra=pay | {"pays_per_session": 0.42})
    assert "less than the platform allows" not in as_owner.get(address).content.decode()
    Study.objects.update(extra=pay | {"pay_currency": "CHF"})
    page = as_owner.get(address).content.decode()
    assert "7.66 CHF an hour." in page and "less than the platform" not in page
