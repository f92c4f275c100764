"""What raters, researchers and judges can type that once broke a page or a number."""

import csv
import io

import pytest

from annotate.models import Rating
from annotate.values.scales import parse_scale
from tests import factories

pytestmark = pytest.mark.django_db


def rated(study):
    """Four items with different answers by two raters."""
    question = study.questions.first()
    for key, shift in (("ann", 0), ("bob", 1)):
        session = factories.make_session(study, key=key)
        for number, item in enumerate(study.items.all()):
            factories.make_rating(session, item, question, 1 + (number + shift) % 5)


@pytest.mark.parametrize("raw", ["1e308", "-1e10", "1_0", "٣", "nan", "inf"])
def test_a_number_that_nobody_means_is_refused(raw):
    with pytest.raises(ValueError, match="allowed is a number"):
        parse_scale("number").parse(raw)


@pytest.mark.parametrize("report", ["correlation", "agreement", "roc", "confusion"])
@pytest.mark.parametrize("number", ["1e200", "-1e308", "1e10"])
def test_an_absurd_number_for_the_missing_is_refused(as_owner, study, report, number):
    rated(study)
    page = as_owner.get(f"/studies/films/analysis/{report}/?missing_reference={number}")
    assert page.status_code in (200, 400)
    assert report == "agreement" or page.status_code == 400


def test_options_keep_every_digit(as_owner, study):
    rated(study)
    for threshold in ("3.6666664", "3.6666668"):
        rows = as_owner.get(
            "/studies/films/analysis/roc/rows.json",
            {"question": "persuasiveness", "draws": 0, "reference": "all", "threshold": threshold},
        ).json()
        assert rows["options"]["threshold"] == float(threshold)


def test_a_lone_carriage_return_stays_in_its_cell(as_owner, study):
    why = factories.make_question(study, "why", scale="text")
    session = factories.make_session(study)
    Rating.objects.create(
        session=session, item=study.items.first(), question=why, text="fine\r=cmd()"
    )
    body = b"".join(as_owner.get("/studies/films/export/ratings.csv").streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(body, newline="")))
    assert [row["value"] for row in rows] == ["fine\r'=cmd()"]  # no formula of a row of its own
    assert '"fine\r\'=cmd()"' in body
