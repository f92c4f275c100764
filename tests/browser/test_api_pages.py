"""The page of tokens and the API's documentation, under the strict policy of all pages."""

import pytest
from playwright.sync_api import expect

from annotate.models import ApiToken
from tests import factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def study(owner):
    return factories.make_study(owner=owner, items=2)


def assert_fits(page):
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


@pytest.mark.parametrize("script", [True, False], ids=["JavaScript", "no JavaScript"])
@pytest.mark.parametrize("width", [1200, 360], ids=["desktop", "phone"])
def test_a_token_is_made_used_and_revoked(new_page, owner, study, width, script):
    page = new_page(width=width, login=owner, java_script_enabled=script)
    page.goto("/")
    page.get_by_role("link", name="API tokens").click()
    page.get_by_label("Name").fill("notebook")
    page.get_by_label("the studies chosen below").check()
    page.get_by_label("Films").check()
    page.get_by_role("button", name="Make a token").click()
    secret = page.get_by_label("Token", exact=True).input_value()
    if script:
        assert_fits(page)
    answer = page.request.get("/api/v1/studies/", headers={"Authorization": f"Bearer {secret}"})
    assert answer.json()["results"][0]["study"] == "films"
    page.goto("/accounts/tokens/")
    expect(page.get_by_text(secret)).to_have_count(0)
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("was revoked")).to_be_visible()
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize("width", [1200, 360], ids=["desktop", "phone"])
def test_an_operation_is_opened_and_tried_with_a_token(new_page, owner, study, width):
    _, secret = ApiToken.objects.issue(owner, 1, name="docs")
    page = new_page(width=width)
    page.goto("/api/docs/")
    page.get_by_role("button", name="Authorize").click()
    page.locator("#auth-bearer-value").fill(secret)
    page.locator(".auth-btn-wrapper button[type=submit]").click()
    page.locator(".auth-btn-wrapper .btn-done").click()
    page.locator("#operations-studies-list_studies .opblock-summary-control").click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    expect(page.locator(".live-responses-table tbody .response-col_status").first).to_contain_text(
        "200"
    )
    expect(page.locator(".live-responses-table")).to_contain_text("films")
    assert_fits(page)
