"""Pages on which researchers meet statement items of a locked test part: without their wording."""

from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.design import splits
from annotate.design.splits import WITHHELD
from annotate.models import Item
from judges.models import Judge, Judgment, Run
from judges.runs import drive
from judges.runs.plan import plan
from judges.statements.items import make
from tests import factories
from tests.scripted_server import ScriptedServer, chat
from tests.stated import make_explained, make_factuality

pytestmark = pytest.mark.django_db
SEED = 7  # at .5 the recipient r1 is in the test part and r2 is not, see test_locked_part.py
SECRET = ("it keeps the wind out", "functionality", "positive")
OPEN = ("it is blue", "look", "neutral")
WORDS = ("keeps the wind out", "functionality")


@pytest.fixture
def study(owner):
    study = make_factuality(owner)
    make_explained(study, "hidden", [SECRET], [SECRET], recipient="r1")
    make_explained(study, "shown", [OPEN], [OPEN], recipient="r2")
    make(study)
    splits.lock(study, SEED, 0.5, "owner")
    return study


def stated(study, recipient):
    """A statement item about the recipient's explanation."""
    return study.items.filter(kind=Item.Kind.STATEMENT, recipient__key=recipient).first()


def says(page):
    """Which of the words that are withheld the page says."""
    return [words for words in WORDS if words in page]


def supporter(study):
    fields = {"method": Judge.Method.SUPPORT, "prompt": "support.v1", "question": "supported"}
    return factories.make_judge(study, "support", factories.make_endpoint(), **fields)


def preview(client, judge, item):
    address = reverse("judge", args=[judge.study.slug, judge.pk])
    return client.get(f"{address}?item={quote(item.key)}").text


def test_the_list_of_items(as_owner, study):
    page = as_owner.get(reverse("items", args=[study.slug])).text
    assert not says(page) and page.count(WITHHELD) == 2
    assert "it is blue" in page and "Text of hidden." in page
    splits.unlock(study, "owner", "done")
    assert says(as_owner.get(reverse("items", args=[study.slug])).text) == [WORDS[0]]


@pytest.mark.parametrize("words", ["wind", "it is blue", "Text of hidden"])
def test_the_search_finds_nothing_by_what_is_withheld(as_owner, study, words):
    page = as_owner.get(reverse("items", args=[study.slug]), {"q": words}).text
    found = {item.key for item in study.items.all() if f">{item.key}</a>" in page}
    keys = {item.key for item in study.items.all() if words in item.text}
    hidden = {item.key for item in study.items.filter(kind="statement", recipient__key="r1")}
    assert found == keys - hidden


def test_the_search_finds_it_by_its_id_and_once_it_is_open_by_its_words(as_owner, study):
    item, address = stated(study, "r1"), reverse("items", args=[study.slug])
    assert f">{item.key}</a>" in as_owner.get(address, {"q": item.key}).text
    splits.unlock(study, "owner", "done")
    assert f">{item.key}</a>" in as_owner.get(address, {"q": "wind"}).text


def test_the_page_of_one_item(as_owner, study):
    page = as_owner.get(stated(study, "r1").get_absolute_url()).text
    assert not says(page) and page.count(WITHHELD) == 4  # text, reference, topic, feeling
    assert "look" in as_owner.get(stated(study, "r2").get_absolute_url()).text


def test_what_a_judge_would_be_sent(as_owner, study):
    judge = supporter(study)
    page = preview(as_owner, judge, stated(study, "r1"))
    assert not says(page) and WITHHELD in page
    assert "it is blue" in preview(as_owner, judge, stated(study, "r2"))
    splits.unlock(study, "owner", "done")
    assert WORDS[0] in preview(as_owner, judge, stated(study, "r1"))


def test_the_first_item_of_a_preview_is_one_that_may_be_read(as_owner, study):
    judge = supporter(study)
    page = as_owner.get(reverse("judge", args=[study.slug, judge.pk])).text
    assert not says(page) and "it is blue" in page


def test_the_latest_judgments_of_a_run_that_calls_nobody(as_owner, study):
    judge = factories.make_judge(study, "bleu", kind=Judge.Kind.BLEU_1)
    run = Run.objects.create(judge=judge, state=Run.State.FINISHED)
    question = study.questions.get()
    for unit, item in enumerate(study.items.filter(kind="statement").order_by("pk")):
        Judgment.objects.create(
            run=run, item=item, question=question, unit=unit, value=1, state=Judgment.State.DONE
        )
    page = as_owner.get(run.get_absolute_url()).text
    assert not says(page)
    assert "it is blue" in page and WITHHELD in page


def test_the_pages_of_raters_as_researchers_preview_them(as_owner, study):
    outer = f"/studies/{study.slug}/preview/"
    chosen = as_owner.post(outer, {"item": stated(study, "r1").key}).context["address"]
    page = as_owner.get(chosen, follow=True).text
    assert not says(page) and page.count(WITHHELD) == 2
    first = as_owner.get(as_owner.post(outer).context["address"], follow=True).text
    assert not says(first) and "it is blue" in first


def test_practice_as_researchers_preview_it(as_owner, study):
    item = stated(study, "r1")
    study.extra = {"practice": [{"item": item.key, "answers": {"supported": 1}}]}
    study.save()
    outer = as_owner.post(f"/studies/{study.slug}/preview/", {"show": "practice"})
    page = as_owner.get(outer.context["address"], follow=True).text
    assert not says(page) and page.count(WITHHELD) == 2


def test_what_a_test_of_robustness_would_send(as_owner, study):
    judge, item = supporter(study), stated(study, "r1")
    with ScriptedServer(lambda number, request: chat("1")) as server:
        judge.endpoint.base_url = server.url
        judge.endpoint.save()
        run = plan(judge)
        drive.work_through(run.pk)
    run.judgments.exclude(item=item).delete()
    address = reverse("judge_robustness", args=[study.slug, judge.pk])
    asked = {"items": 1, "repeats": 1, "seed": 1, "politeness": "on"}
    page = as_owner.post(address, asked).text
    assert not says(page) and WITHHELD in page


def queries_of(client, address):
    with CaptureQueriesContext(connection) as found:
        client.get(address)
    return len(found)


@pytest.mark.parametrize(("asked", "more"), [("", 1), ("?q=hidden", 2)])
def test_a_study_that_is_not_locked_pays_no_query_for_it(as_owner, study, asked, more):
    address = reverse("items", args=[study.slug]) + asked
    locked = queries_of(as_owner, address)
    splits.unlock(study, "owner", "done")
    assert queries_of(as_owner, address) == locked - more


def test_a_rater_sees_the_statement(client, study):
    item = stated(study, "r1")
    study.places.exclude(item=item).delete()
    session = factories.make_session(study, "ann", state="rating")
    study.places.filter(item=item).update(session=session, state="held", position=1)
    session.places.filter(number__gt=1).delete()
    page = client.get(reverse("session_item", args=[session.token, 1])).text
    assert WORDS[0] in page
