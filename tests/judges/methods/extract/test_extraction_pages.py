"""Pages of a judge that extracts statements."""

import pytest
from django.urls import reverse

from judges.methods.extract import topics
from judges.models import Judge
from tests import factories
from tests.extracting import make_extractor, make_item

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(owner):
    return factories.make_study("clothes", owner)


def test_a_judge_is_made_by_the_form_with_a_ready_made_list_or_with_its_own(as_owner, study):
    endpoint = factories.make_endpoint()
    new = reverse("judge_new", args=[study.slug]) + "?kind=llm&method=extraction"
    page = as_owner.get(new).text
    assert "Your own, below" in page and "Extract statements from texts, or propose topics" in page
    sent = {
        "key": "clothes",
        "endpoint": endpoint.pk,
        "prompt": "extract.v1",
        "sides": "both",
        "topic_list": "clothes",
        "topics": "ignored: yes",
        "part_length": 4000,
        "temperature": 0,
        "max_tokens": 4000,
        "most_statements": 100,
    }
    assert as_owner.post(new, sent).status_code == 302
    assert Judge.objects.get(key="clothes").settings.topics == topics.ready()["clothes"]
    own = sent | {"key": "films", "topic_list": "own", "topics": "plot: What happens\r\nlength"}
    assert as_owner.post(new, own).status_code == 302
    judge = Judge.objects.get(key="films")
    assert judge.settings.topics == [["plot", "What happens"], ["length", ""]]
    page = as_owner.get(reverse("judge", args=[study.slug, judge.pk])).text
    assert "plot: What happens\nlength</textarea>" in page
    edit = reverse("judge_edit", args=[study.slug, judge.pk])
    as_owner.post(edit, own | {"topics": "plot", "sides": "generated"})
    judge.refresh_from_db()
    settings = judge.settings
    assert (settings.topics, settings.sides) == ([["plot", ""]], "generated")
    for wrong in ("", "Plot: x", "plot\nplot", "x" * 61):
        page = as_owner.post(new, own | {"key": "w", "topics": wrong})
        assert page.status_code == 422
        assert "Allowed are 1 to 50 different topics" in page.text


def test_the_judge_s_page_shows_what_is_sent_of_each_side(as_owner, study):
    item = make_item(study)
    judge = make_extractor(study)
    page = as_owner.get(reverse("judge", args=[study.slug, judge.pk])).text
    assert "The call about the generated text" in page and "The call about the reference" in page
    assert "It runs small. I love it!" in page and "- fit: Size against" in page
    make_item(study, "empty", text="", review="")
    page = as_owner.get(reverse("judge", args=[study.slug, judge.pk]) + "?item=empty").text
    assert "Nothing is sent for" in page
    assert item.key == "a"
