"""Items that an option leaves out count in no report: as if they had never been in the study."""

import pytest
from django.core.cache import caches

from analysis.reports.registry import REPORTS
from annotate.models import Rating
from judges.models import Judgment
from tests.analysis.reports.edge_studies import much_is_missing
from tests.analysis.small import build

pytestmark = pytest.mark.django_db


# A rule looks at all that a rater did, whatever items are left in; the report says so.
WHOLE = ("exclusions",)


def rows_of(study, report, **options):
    return build(study, report, **options).as_dict()["rows"]


@pytest.mark.parametrize("report", [report for report in REPORTS if report not in WHOLE])
def test_items_that_are_left_out_count_in_no_report(report, owner):
    caches["reports"].clear()
    study = much_is_missing(owner)
    for place, rating in enumerate(Rating.objects.order_by("pk")):
        Rating.objects.filter(pk=rating.pk).update(seconds=3 + place % 7, reason="Because.")
    found = rows_of(study, report, only=["genre=drama"], exclude=["recipient=r0"])
    study.items.exclude(data__genre="drama").delete()
    study.items.filter(recipient__key="r0").delete()
    assert study.items.count() == 4
    assert found == rows_of(study, report)


@pytest.mark.parametrize("report", [report for report in REPORTS if report not in WHOLE])
@pytest.mark.parametrize("model", [Rating, Judgment])
def test_answers_that_are_left_out_by_their_own_columns_count_in_none(report, model, owner):
    caches["reports"].clear()
    study = much_is_missing(owner)
    for place, answer in enumerate(model.objects.order_by("pk")):
        answer.data = {"device": ["phone", "desktop", "phone"][place % 3], "place": place}
        answer.save()
    found = rows_of(study, report, only=["device=phone"], exclude=["place=0"])
    model.objects.filter(data__device="desktop").delete()
    model.objects.filter(data__place=0).delete()
    left, rest = (
        [row for row in rows if row.get("bias") != "failures"]
        for rows in (found, rows_of(study, report))
    )
    assert left == rest  # how often a judge failed is told of all its judgments, as notes say
