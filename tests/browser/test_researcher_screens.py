"""Researchers' pages for everybody: axe-core on each of them, light and dark, wide and narrow."""

import pytest
from django.utils import timezone

from analysis.reports.registry import REPORTS
from annotate.models import (
    Answer,
    ItemTime,
    MissingMedia,
    Screen,
    Study,
)
from judges.models import Judgment, Run
from tests import factories
from tests.analysis.small import make_rated_study
from tests.annotate.sessions.test_screens import BOTH
from tests.annotate.sessions.test_steps import CHECK, EXIT
from tests.browser import axe
from tests.browser.test_analysis import PAGES, shoot

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LOOKS = (("light", 1280), ("dark", 360))


@pytest.fixture
def researcher(transactional_db):
    return factories.make_user("owner", is_staff=True)


def add_everything(study, owner):
    """What stands around and between the items, with answers; uploads; a visit that stopped; a
    check for drift.
    """
    session = study.sessions.first()
    now = timezone.now()
    study.extra = {
        "attention": [BOTH],
        "gold": [{"item": "item-0", "answers": {"accuracy": 5}}],
        "gold_per_session": 1,
        "repeats": 1,
        "comprehension": CHECK,
        "exit": EXIT,
        "practice": [{"item": "item-1", "answers": {"accuracy": 4}}],
    }
    study.save()
    for key, state in (("dan", "abandoned"), ("eve", "completed")):
        factories.make_session(study, key, state=state, source="web", ended_at=now)
    check = Screen.objects.create(
        session=session, kind="attention", key="both", position=9, spec=BOTH, passed=False
    )
    Answer.objects.create(screen=check, key="both", text="A | B", answered_at=now, passed=False)
    factories.make_attempt(session, 1, False, ("How many?", "2", False))
    factories.make_about(session, "gender", value=1, text="woman")
    ItemTime.objects.create(
        session=session, item=study.items.first(), active_seconds=9, idle_seconds=2
    )
    add_media(study, owner)
    add_drift(Run.objects.select_related("judge").first())


def add_media(study, owner):
    fields = {"kind": "image", "content_type": "image/png", "size": 2048, "by": owner}
    study.media_files.create(name="cover.png", **fields)
    content, now = study.contents.first(), timezone.now()
    study.contents.update(image_url="upload:none.png", audio_url="upload:none.mp3")
    MissingMedia.objects.create(
        study=study,
        content=content,
        kind="image",
        first_at=now,
        address="upload:none.png",
        last_at=now,
    )


def add_drift(run):
    again = Run.objects.create(
        judge=run.judge, checked=run, state=run.state, frozen={"drift": {"items": 5, "seed": 1}}
    )
    rows = list(run.judgments.all()[:20])
    for number, row in enumerate(rows):
        row.pk, row.run, row.value = None, again, row.value + number % 2
    Judgment.objects.bulk_create(rows)


def addresses(study):
    """The main pages of a study; a new page of researchers is one more line."""
    item, question, rater = study.items.first(), study.questions.first(), study.raters.first()
    run, drift = Run.objects.judging().first(), Run.objects.checks().first()
    own = (
        "",
        "items/",
        f"items/{item.pk}/",
        "raters/",
        f"raters/{rater.pk}/",
        "raters/links/",
        "raters/pay/",
        "quality/",
        "judges/",
        "judges/new/",
        f"judges/{run.judge.pk}/",
        "runs/",
        f"runs/{run.pk}/",
        "settings/",
        "settings/platform/",
        "export/",
        "questions/",
        f"questions/{question.pk}/",
        "questions/new/",
        "load/",
        "copy/",
        "delete/",
        "preview/",
        "settings/sessions/",
        "settings/sessions/?check=both",
        "settings/steps/check/",
        "settings/steps/practice/",
        "settings/steps/exit/",
        "media/",
        "items/?places=open",
        f"media/{study.media_files.first().pk}/delete/",
        f"runs/{drift.pk}/",
    )
    reports = [f"analysis/{path}" for path in (*PAGES, "ensembles/")]
    of_study = (f"/studies/{study.slug}/{path}" for path in (*own, *reports))
    return ["/", "/studies/new/", "/studies/new/ratings/", *of_study]


def faults(page, path):
    """{(path, scheme, width): what axe-core finds}, of both looks."""
    page.goto(path)
    if page.locator("[data-figure]").count():
        folded = "document.querySelectorAll('details:has([data-figure])')"
        page.evaluate(f"{folded}.forEach(part => part.open = true)")
        page.locator("[data-figure]").first.scroll_into_view_if_needed()
        page.locator(".plot .main-svg").first.wait_for()
    found = {}
    for scheme, width in LOOKS:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        found[path, scheme, width] = axe.violations(page)
        shoot(page, f"{path.strip('/').replace('/', '-') or 'studies'}-{scheme}-{width}")
    return found


def test_no_page_of_a_study_breaks_wcag(new_page, researcher):
    study = make_rated_study(researcher, recipients=16, contents=1, systems=2)
    add_everything(study, researcher)
    page = new_page(login=researcher, reduced_motion="reduce")
    found = {}
    for path in addresses(study):
        found |= faults(page, path)
    assert axe.report(found) == ""


def test_no_other_report_breaks_wcag(new_page, researcher):
    study = make_rated_study(researcher, recipients=16, contents=1, systems=2)
    page = new_page(login=researcher, reduced_motion="reduce")
    found = {}
    for report in [name for name in REPORTS if f"{name}/" not in (*PAGES, "ensembles/")]:
        found |= faults(page, f"/studies/{study.slug}/analysis/{report}/?draws=50")
    assert axe.report(found) == ""


def test_no_page_of_an_empty_study_breaks_wcag(new_page, researcher):
    factories.make_study(owner=researcher)
    page = new_page(login=researcher, reduced_motion="reduce")
    found = faults(page, "/studies/films/")
    for path in (
        "items/",
        "raters/",
        "judges/",
        "runs/",
        "export/",
        "quality/",
        "media/",
        "settings/sessions/",
        "settings/steps/exit/",
    ):
        found |= faults(page, f"/studies/films/{path}")
    Study.objects.all().delete()
    assert axe.report(found | faults(page, "/")) == ""


def test_no_page_before_the_login_breaks_wcag(new_page, db):
    page = new_page(reduced_motion="reduce")
    assert axe.report(faults(page, "/accounts/login/")) == ""
