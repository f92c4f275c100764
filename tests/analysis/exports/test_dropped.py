"""The export of what judges that extract statements said and what was not kept."""

import csv
from io import StringIO

import pytest
from django.core.management import call_command

from annotate.design import splits
from judges.methods.extract import triplets
from tests import factories
from tests.extracting import SMALL, extract, make_item, reply

pytestmark = pytest.mark.django_db
ODD = [["=1+1", "scent", "neutral"], ["is ok", "fit", "mixed"], SMALL]


@pytest.fixture
def study(owner):
    return factories.make_study("clothes", owner, kind="factuality")


def exported(study):
    out = StringIO()
    call_command("export", study.slug, "dropped", stdout=out)
    return list(csv.DictReader(StringIO(out.getvalue())))


def test_each_triplet_that_was_not_kept_is_a_row_with_why(study):
    make_item(study)
    run, _ = extract(study, lambda *_: reply(SMALL, *ODD), sides="reference")
    about = {
        "item": "a",
        "side": "reference",
        "part": "1",
        "judge": "extractor",
        "run": str(run.pk),
    }
    assert exported(study) == [
        {
            **about,
            "statement": "'=1+1",
            "topic": "scent",
            "sentiment": "neutral",
            "reason": triplets.OTHER_TOPIC,
        },
        {
            **about,
            "statement": "is ok",
            "topic": "fit",
            "sentiment": "mixed",
            "reason": triplets.OTHER_SENTIMENT,
        },
        {**about, **dict(zip(triplets.FIELDS, SMALL, strict=True)), "reason": triplets.TWICE},
    ]
    extract(study, lambda *_: reply(SMALL), sides="reference", key="better")
    assert exported(study) == [], "of runs that speak for the study"


def test_of_a_locked_test_part_there_is_none(study):
    make_item(study)
    extract(study, lambda *_: reply(*ODD), sides="reference")
    assert len(exported(study)) == 2
    splits.lock(study, 3, 0.99, "owner")
    assert splits.withheld(study) and exported(study) == []


def test_the_page_of_statements_leads_to_it(study, as_owner):
    make_item(study)
    extract(study, lambda *_: reply(*ODD), sides="reference")
    page = as_owner.get("/studies/clothes/statements/").content.decode()
    assert "/studies/clothes/export/dropped.csv" in page
    file = as_owner.get("/studies/clothes/export/dropped.csv")
    assert b"is ok,fit,mixed" in b"".join(file.streaming_content)
