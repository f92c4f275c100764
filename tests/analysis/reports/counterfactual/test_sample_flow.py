"""A sample as in Yao, Wang & Li (2022), section 4.4: 400 asked, 384 kept, by the page's rules."""

import pytest
from django.utils import timezone

from annotate.models import (
    Answer,
    Place,
    Rater,
    Rating,
    Screen,
    Session,
)
from annotate.quality import rules
from annotate.sessions.exclude import exclude
from annotate.studies.templates import make_study, study_templates
from tests import factories
from tests.analysis.small import build

pytestmark = pytest.mark.django_db
# Whom each rule excludes when the rules are applied in this order; the last is met by two more,
# who are excluded already.
BAD = {
    "attention_checks": range(5),
    "few_movies": range(5, 9),
    "unfamiliar": range(9, 12),
    "approval_rate": range(12, 14),
    "task_count": range(12, 16),
}


@pytest.fixture
def asked(owner):
    """A study of the template, 400 people who rated one explanation each; nobody is excluded."""
    study = make_study(study_templates()["explanations-seven"], "p4", "P4", owner)
    item = factories.make_item(study, "survey-1-1", data={"cell_score": "cf", "cell_level": "mean"})
    now = timezone.now()
    raters = Rater.objects.bulk_create(
        Rater(
            study=study,
            key=f"P{number}",
            platform_ids={
                "approval_rate": 79 if number in BAD["approval_rate"] else 80,
                "task_count": 49 if number in BAD["task_count"] else 50,
            },
        )
        for number in range(400)
    )
    sessions = Session.objects.bulk_create(
        Session(study=study, rater=rater, token=f"t{rater.key}", state="completed", source="web")
        for rater in raters
    )
    question = study.questions.first()
    Rating.objects.bulk_create(
        Rating(session=session, item=item, question=question, value=3, answered_at=now)
        for session in sessions
    )
    study.places.all().delete()
    Place.objects.bulk_create(
        Place(
            study=study,
            item=item,
            number=number,
            shuffle=1,
            state=Place.State.FILLED,
            rater=session.rater,
            session=session,
            position=1,
        )
        for number, session in enumerate(sessions, 1)
    )
    checks = Screen.objects.bulk_create(
        Screen(session=session, position=7, kind="attention", key="both", is_whole=True)
        for session in sessions
    )
    Answer.objects.bulk_create(
        Answer(
            screen=check,
            key="both",
            value=1,
            passed=number not in BAD["attention_checks"],
            answered_at=now,
        )
        for number, check in enumerate(checks)
    )
    exits = Screen.objects.bulk_create(Screen(session=session, kind="exit") for session in sessions)
    Answer.objects.bulk_create(
        Answer(
            screen=screen,
            key=key,
            value=low if number in BAD[rule] else enough,
            answered_at=now,
        )
        for number, screen in enumerate(exits)
        for key, rule, low, enough in (
            ("movies_per_month", "few_movies", 0, 1),
            ("familiarity", "unfamiliar", 50, 60),
        )
    )
    return study


def test_400_asked_16_excluded_384_kept(asked, owner, as_owner):
    assert "400 raters asked, 0 excluded, 400 kept." in build(asked, "counterfactual").verdict
    for rule in BAD:
        given = {one.name: one.default for one in rules.RULES[rule].parameters}
        seen = rules.preview(asked, rules.RULES[rule], given)
        measured = {rater.pk: value for rater, value in seen.out}
        exclude(asked, owner, rule, seen.reason, measured, given)
    assert asked.places.filter(state=Place.State.OPEN).count() == 16
    report = build(asked, "counterfactual")
    assert "400 raters asked, 16 excluded, 384 kept." in report.verdict
    rows = [row for row in report.rows if row["part"] == "exclusions"]
    # In the order of the rules on the page; before, excluded by it.
    assert [(row["rule"], row["n"], row["value"]) for row in rows] == [
        ("", 400, 400),
        ("failed 1 or more attention checks", 400, 5),
        ("approval rate on the platform under 80 %", 395, 2),
        ("fewer than 50 tasks done on the platform", 393, 2),
        ("fewer than 1 films a month", 391, 4),
        ("familiar with less than 60 % of the films", 387, 3),
        ("", 400, 384),
    ]
    assert not any(note.startswith("Of the paper's rules") for note in report.notes)
    page = as_owner.get("/studies/p4/analysis/counterfactual/").content.decode()
    assert "400 raters asked, 16 excluded, 384 kept." in page
    assert "failed 1 or more attention checks" in page
