"""Small ways in and out: the icon that browsers ask for, the page of the API, its example."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from analysis.demo import preparing
from annotate.accounts.forms import TokenForm

pytestmark = pytest.mark.django_db
DOCS = Path(settings.BASE_DIR) / "docs" / "API.md"


def test_a_browser_that_asks_for_favicon_ico_is_led_to_the_icon(client):
    answer = client.get("/favicon.ico")
    assert answer.status_code == 302
    assert answer["Location"].startswith("/static/icon") and answer["Location"].endswith(".svg")


def test_the_pages_of_the_api_lead_back_to_the_studies(client):
    assert '<a href="/">Back to the studies</a>' in client.get("/api/docs/").content.decode()


def test_the_example_in_python_reads_a_study_of_the_demo():
    (slug,) = re.findall(r"\{site\}/api/v1/studies/([a-z-]+)/ratings", DOCS.read_text())
    assert slug in preparing.STUDIES


def test_no_reach_of_a_token_is_chosen_beforehand(owner):
    """“The studies chosen below” stood chosen, with none chosen below."""
    assert "checked" not in str(TokenForm(owner)["reach"])
