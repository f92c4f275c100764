"""A study of 200 judges: every page of every report stays a page that one can read."""

import json
import re

import pytest
from django.core.cache import caches

from analysis.reports.registry import REPORTS
from judges.models import Judgment, Run
from tests import factories
from tests.analysis.small import make_rated_study

pytestmark = pytest.mark.django_db
JUDGES = 200
TALLEST = 2500  # pixels of a figure: some three screens
OF_ALL = ("correlation", "roc", "confusion", "substitution", "cost", "bias", "verdict", "overview")
HEAVIEST = 1_000_000  # characters of a page, before it is compressed
# What Python calls a number that is none, or an object: between two tags it is on the page.
NO_WORDS = re.compile(r">[^<>]*\b(?:(?:nan|None|inf)\b|Cell\()[^<>]*<")


@pytest.fixture
def many(owner):
    study = make_rated_study(owner, contents=1)
    question, items = study.questions.first(), list(study.items.all())
    for number in range(JUDGES):
        run = Run.objects.create(
            judge=factories.make_judge(study, f"judge {number}"), state="finished"
        )
        Judgment.objects.bulk_create(
            Judgment(
                run=run,
                item=item,
                question=question,
                state="done",
                value=1 + (place * (number + 3) + number // 5) % 5,
            )
            for place, item in enumerate(items)
        )
    return study


def without_scripts(text):
    return re.sub(r"<script.*?</script>", "", text, flags=re.S)


def by_the_api(client, report):
    """The rows of all judges, of JSON without NaN."""
    response = client.get(f"/api/v1/studies/films/reports/{report}/", {"draws": 10})
    assert response.status_code == 200, report
    found = json.loads(response.content, parse_constant=pytest.fail)
    assert found["rows"] or found["notes"], report
    return found["rows"]


def test_every_page_of_200_judges_can_be_read_and_the_api_has_all_of_them(many, as_owner):
    caches["reports"].clear()
    faults = []
    for report in REPORTS:
        path = f"/studies/films/analysis/{report}/"
        response = as_owner.get(path, {"draws": 10}, follow=True)
        assert response.status_code == 200, report
        text = response.content.decode()
        faults += [(report, found) for found in NO_WORDS.findall(without_scripts(text))[:2]]
        faults += [(report, len(text))] * (len(text) > HEAVIEST)
        figures = [f for *_, shown in response.context.get("groups", []) for f in shown.figures]
        heights = [figure.plot["layout"]["height"] for figure in figures]
        faults += [(report, height) for height in heights if height > TALLEST]
    assert not faults, faults
    everybody = {f"judge {number}" for number in range(JUDGES)}
    for report in OF_ALL:
        assert everybody <= {row["evaluator"] for row in by_the_api(as_owner, report)}, report
