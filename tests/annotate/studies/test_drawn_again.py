"""A long list on a page that is drawn again after a refused form: its pages stay within reach."""

import re

import pytest
from django.urls import reverse

from annotate.models import QualityStep
from tests import factories

pytestmark = pytest.mark.django_db


def next_page(response):
    """Where the button under the list leads."""
    return re.search(r'href="([^"]*)">Next</a>', response.content.decode()).group(1)


@pytest.fixture
def study(client):
    owner = factories.make_user()
    study = factories.make_study(owner=owner, items=101)
    client.force_login(owner)
    return study


def test_a_raters_answers_after_a_refused_reason(client, study):
    session = factories.make_session(study)
    question = study.questions.first()
    factories.make_ratings(session, [(item, question, 3) for item in study.items.all()])
    answer = client.post(reverse("exclude_rater", args=["films", session.rater_id]), {})
    assert answer.status_code == 422
    following = next_page(answer)
    assert following == f"/studies/films/raters/{session.rater_id}/?page=2"
    assert client.get(following).status_code == 200


def test_the_log_of_exclusions_after_a_refused_rule(client, study):
    factories.make_session(study)
    QualityStep.objects.bulk_create(
        QualityStep(study=study, rule="by_hand", words="late", by_name="owner") for _ in range(51)
    )
    answer = client.post(reverse("apply_rule", args=["films", "straight_lining"]), {})
    assert answer.status_code == 422
    assert next_page(answer) == "/studies/films/quality/?page=2"
    assert "Back" in client.get(next_page(answer)).content.decode()
