"""A researcher has topics proposed by a real worker, and makes a list of them."""

import pytest
from playwright.sync_api import expect

from judges.models import Judge, Run
from tests import factories
from tests.browser import axe
from tests.browser.judging import choose
from tests.proposing import make_reviews, reply, shown
from tests.scripted_server import ScriptedServer, chat

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def script(_number, request):
    """Three topics of each sample; of the one with review 0 only prose."""
    reviews = shown(request)
    if "Review number 0." in reviews:
        return chat("They speak of fit and price.")
    return reply("Fit", "Price ", reviews[0][-2:])


def test_from_reviews_to_a_list_of_topics(new_page, worker):
    researcher = factories.make_user("owner")
    study = factories.make_study("clothes", researcher)
    make_reviews(study)
    with ScriptedServer(script) as server:
        factories.make_endpoint(server.url, key="scripted", price_in=1, price_out=2)
        page = new_page(login=researcher)
        page.goto(f"/studies/{study.slug}/judges/new/")
        choose(page, "A language model: propose topics")
        expect(page.get_by_text("Shows an LLM samples")).to_be_visible()
        page.get_by_label("Name").fill("proposer")
        page.get_by_label("Endpoint").select_option(label="scripted (test-model)")
        page.get_by_text("More settings").click()
        page.get_by_label("Reviews of a sample").fill("2")
        page.get_by_label("Topics asked for").fill("3")
        page.get_by_role("button", name="Make the judge").click()
        expect(page.locator("#preview")).to_contain_text("For sample 1: 1 call")
        expect(page.locator("#preview")).to_contain_text("1. Review number")
        page.get_by_role("button", name="Run", exact=True).click()
        page.locator("#progress .badge", has_text="Finished").wait_for()
    run = Run.objects.get(judge__key="proposer")
    proposed = page.locator("#shortlist")
    failed = run.judgments.filter(state="unparsable").count()
    read = 5 - failed
    assert 1 <= failed <= 2, (
        "of five samples of six reviews two turns are dealt, the second in part"
    )
    expect(page.get_by_role("row", name="no JSON in the reply Reply not")).to_be_visible()
    for place, name in enumerate(["fit", "price"], 1):
        cells = proposed.get_by_role("row").nth(place).get_by_role("cell")
        expect(cells).to_have_text([name, f"{read} of {read}"])
    assert axe.violations(page) == []
    proposed.get_by_role("link", name="Use these topics").click()
    make_a_list(page, run)


def make_a_list(page, run):
    """The form is filled in, and made only as it was changed."""
    expect(page.get_by_label("List of topics")).to_have_value("own")
    own = page.get_by_label("Your own topics")
    first, second, third = own.input_value().splitlines()
    assert (first, second) == ("fit", "price") and third[0].isdigit()
    expect(page.locator("main")).to_contain_text(f"run {run.pk}, as a model proposed them")
    assert axe.violations(page) == []
    assert not Judge.objects.filter(method="extraction").exists()
    own.fill("fit: size and length\nprice")
    page.get_by_label("Name").fill("extractor")
    page.get_by_label("Endpoint").select_option(label="scripted (test-model)")
    page.get_by_role("button", name="Make the judge").click()
    page.get_by_text("The judge extractor was made.").wait_for()
    topics = Judge.objects.get(key="extractor").settings.topics
    assert topics == [["fit", "size and length"], ["price", ""]]
