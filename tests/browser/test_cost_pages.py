"""The reports of cost, bias, variance and profiles in Chromium: drawn, and whole on a phone."""

from decimal import Decimal

import pytest
from playwright.sync_api import expect

from annotate.models import Item, Study
from tests import factories
from tests.analysis.reports.cost.test_report import add_calling_judge
from tests.analysis.reports.profile.test_report import add_profiles
from tests.analysis.reports.raters.test_variance import repeat
from tests.analysis.small import make_rated_study
from tests.browser.test_analysis import assert_whole, shoot

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
FIGURES = {"cost": 1, "bias": 3, "variance": 2, "profile": 2}


@pytest.fixture
def researcher(transactional_db):
    return factories.make_user("owner")


@pytest.fixture
def rich(researcher):
    """A study in which each of these reports has something to show."""
    study = make_rated_study(researcher, recipients=8)
    for place, item in enumerate(study.items.all()):
        Item.objects.filter(pk=item.pk).update(text="word " * (10 + place * 7 % 90))
    endpoint = factories.make_endpoint()
    add_calling_judge(study, "small (S)", "single", Decimal("0.0004"), endpoint)
    add_calling_judge(study, "small (M)", "multiple", Decimal("0.0005"), endpoint)
    for number, cost in ((5, "0.001"), (10, "0.002"), (20, "0.004")):
        add_calling_judge(
            study,
            f"history {number}",
            "multiple",
            Decimal(cost),
            endpoint,
            context="history",
            history_length=number,
        )
    add_profiles(study, r0=5, r1=10)
    session, question = study.sessions.first(), study.questions.first()
    for item, value in zip(study.items.filter(kind="profile"), (2, 5), strict=True):
        factories.make_rating(session, item, question, value)
    repeat(study, [0, 1, 0, 0, -1, 0])
    Study.objects.update(extra={"pays_per_session": 2.5})
    return study


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_figures_are_drawn_whole(new_page, rich, researcher, width, scheme):
    page = new_page(width=width, login=researcher, color_scheme=scheme)
    for report, count in FIGURES.items():
        page.goto(f"/studies/films/analysis/{report}/?draws=200")
        expect(page.locator(".plot .main-svg").first).to_be_visible()
        assert page.locator("[data-figure]").count() >= count
        shoot(page, f"{report}-{scheme}")
        assert_whole(page)
