"""Small ways in and out: the icon that browsers ask for, the API's page, its README example."""

import re
from pathlib import Path

import pytest

from analysis.demo import preparing
from annotate.accounts.forms import TokenForm

pytestmark = pytest.mark.django_db
README = Path(__file__).parent.parent.parent.parent / "README.md"


def test_a_browser_that_asks_for_favicon_ico_is_led_to_the_icon(client):
    answer = client.get("/favicon.ico")
    assert answer.status_code == 302
    assert answer["Location"].startswith("/static/icon") and answer["Location"].endswith(".svg")


def test_the_pages_of_the_api_lead_back_to_the_studies(client):
    assert '<a href="/">Back to the studies</a>' in client.get("/api/docs/").content.decode()


def test_the_example_of_the_readme_reads_a_study_of_the_demo():
    (slug,) = re.findall(r"/api/v1/studies/([a-z-]+)/ratings", README.read_text())
    assert slug in preparing.STUDIES


def test_no_reach_of_a_token_is_chosen_beforehand(owner):
    """“The studies chosen below” stood chosen, with none chosen below."""
    assert "checked" not in str(TokenForm(owner)["reach"])
