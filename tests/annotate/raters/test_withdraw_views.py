"""Raters stop and withdraw: asked once, done by a POST, and told with the platform's code."""

import csv
import io

import pytest
from django.test import Client

from annotate.models import Rating, Session, Study
from tests import factories
from tests.annotate.raters.test_preview import open_preview
from tests.annotate.raters.test_views import answers, begin, join, post_item
from tests.rater_screens import SCREENS
from tests.rater_screens.making import MTURK, PROLIFIC, query

pytestmark = pytest.mark.django_db
# Before the consent and after a withdrawal there is nothing to withdraw.
WITHOUT = {
    "consent",
    "consent_with_programs",
    "own_consent",
    "consent_by_link",
    "declined",
    "declined_by_link",
}
WITHOUT |= {"withdrawn", "withdraw", "withdraw_from_prolific"}
# The pages of raters who have no session.
WITHOUT |= {"task_preview", "closed", "full", "finished", "unready", "by_invitation"}
WITHOUT |= {"from_the_platform_only", "incomplete_address", "twice"}


@pytest.mark.parametrize("name", SCREENS)
def test_every_page_from_the_instructions_on_leads_there(client, name):
    made = SCREENS[name]("en")
    answer = client.get(made.path) if made.data is None else client.post(made.path, made.data)
    foot = answer.content.decode().partition("</main>")[2]
    assert ("Stop and withdraw</a>" in foot) == (name not in WITHOUT)


def test_the_instructions_of_an_item_lead_there_too(client, study):
    token = begin(client, study)
    page = client.get(f"/r/{token}/item/1/").content.decode()
    dialog = page.partition('<dialog id="instructions"')[2].partition("</dialog>")[0]
    assert f'href="/r/{token}/withdraw/"' in dialog


def test_opening_the_page_withdraws_nothing_and_goes_back(client, study):
    token = begin(client, study)
    post_item(client, token, 1, answers(study))
    page = client.get(f"/r/{token}/withdraw/").content.decode()
    assert "cannot be undone" in page and "Go on rating" in page
    assert f'href="/r/{token}/"' in page
    assert Rating.objects.count() == 4
    assert client.get(f"/r/{token}/")["Location"] == f"/r/{token}/item/2/"


def test_a_post_deletes_the_answers_and_says_so(client, study):
    study.extra = {"withdrawal_pay": "You get 1 € <in any case>."}
    study.save()
    token = begin(client, study)
    post_item(client, token, 1, answers(study))
    assert "You get 1 € &lt;in" in client.get(f"/r/{token}/withdraw/").content.decode()
    answer = client.post(f"/r/{token}/withdraw/")
    assert (answer.status_code, answer["Location"]) == (303, f"/r/{token}/")
    assert not Rating.objects.exists()
    page = client.get(f"/r/{token}/").content.decode()
    assert "You have withdrawn" in page and "You get 1 € &lt;in" in page
    for path in ("item/1/", "exit/", "check/", "withdraw/"):
        assert client.get(f"/r/{token}/{path}")["Location"] == f"/r/{token}/"
    assert client.post(f"/r/{token}/withdraw/").status_code == 303
    assert client.post(f"/r/{token}/begin/").status_code == 303
    assert Session.objects.get().state == "withdrawn"
    late = client.post(f"/r/{token}/item/1/", {"item": study.items.first().pk})
    assert late["Location"] == f"/r/{token}/"


def test_who_has_finished_may_withdraw_from_the_last_page(client, study):
    token = begin(client, study)
    for position in range(1, 5):
        post_item(client, token, position, answers(study))
    assert "Stop and withdraw" in client.get(f"/r/{token}/").content.decode()
    assert "Keep my answers" in client.get(f"/r/{token}/withdraw/").content.decode()
    client.post(f"/r/{token}/withdraw/")
    page = client.get(f"/r/{token}/").content.decode()
    assert "You have withdrawn" in page
    assert study.completion_code not in page


def test_before_consent_and_after_a_no_there_is_nothing_to_withdraw(client, study):
    link = factories.make_session(study, "eve", state="consent", source="link")
    token = join(client, study, choice="no")
    for path in (f"/r/{link.token}/", f"/r/{token}/"):
        assert client.get(f"{path}withdraw/")["Location"] == path
        assert client.post(f"{path}withdraw/")["Location"] == path
    assert set(Session.objects.values_list("state", flat=True)) == {"consent", "declined"}


def test_the_page_says_what_stays_of_a_participant_of_a_platform(client, study):
    Study.objects.update(extra={"platform": "prolific"})
    token = begin(client, study, query(PROLIFIC))
    page = client.get(f"/r/{token}/withdraw/").content.decode()
    assert "on how many pages you had answered (the number alone), and your numbers" in page


@pytest.mark.parametrize(("codes", "way"), [({"withdrawn": "GONE5"}, "GONE5"), ({}, "return the")])
def test_the_platforms_code_is_shown_or_that_the_study_is_to_be_returned(client, study, codes, way):
    Study.objects.update(extra={"platform": {"name": "prolific", "codes": codes}})
    token = begin(client, study, query(PROLIFIC))
    client.post(f"/r/{token}/withdraw/")
    assert way in client.get(f"/r/{token}/").content.decode()
    # The same visit again leads to the same page, and notes nothing of the browser.
    assert client.get(f"/join/films/{query(PROLIFIC)}")["Location"] == f"/r/{token}/"
    client.post(f"/join/films/{query(PROLIFIC)}", {"consent": "yes"})
    assert Session.objects.get().browser == ""
    led = client.post(f"/r/{token}/leave/")["Location"]
    assert led == (
        f"https://app.prolific.com/submissions/complete?cc={way}" if codes else f"/r/{token}/"
    )


def test_a_task_of_mturk_is_submitted_whatever_the_codes(client, study):
    Study.objects.update(extra={"platform": "mturk"})
    token = begin(client, study, query(MTURK))
    answer = client.get(f"/r/{token}/withdraw/")
    assert "mturk.com" in answer["Content-Security-Policy"]
    client.post(f"/r/{token}/withdraw/")
    page = client.get(f"/r/{token}/").content.decode()
    assert 'name="outcome" value="withdrawn"' in page


def test_researchers_see_that_somebody_withdrew_and_no_answers(client, as_owner, study):
    Study.objects.update(extra={"platform": "prolific"})
    token = begin(client, study, query(PROLIFIC))
    post_item(client, token, 1, answers(study))
    client.post(f"/r/{token}/withdraw/")
    raters = as_owner.get("/studies/films/raters/").content.decode()
    assert "Withdrew: 1" in raters and ">Withdrew</td>" in raters
    paid = as_owner.get("/studies/films/raters/pay/payments/").content.decode()
    (row,) = csv.DictReader(io.StringIO(paid))
    assert (row["participant"], row["outcome"]) == ("p1", "withdrawn")
    assert (row["items"], row["answers"]) == ("1", "0")
    page = as_owner.get("/studies/films/raters/pay/").content.decode()
    assert '<td>p1</td><td class="num">0.0</td><td class="num">1</td>' in page
    for name in ("prolific-approve", "prolific-return"):
        assert "p1" not in as_owner.get(f"/studies/films/raters/pay/{name}/").content.decode()
    live = as_owner.get("/studies/films/live/").content.decode()
    assert "<dt>Withdrew</dt>" in live and "<td>Withdrew</td>" in live
    pk = Session.objects.get().rater_id
    assert "Withdrew" in as_owner.get(f"/studies/films/raters/{pk}/").content.decode()


def test_the_preview_shows_the_page_and_withdraws(as_owner, study):
    address = open_preview(as_owner, "show=withdraw")
    assert "cannot be undone" in as_owner.get(address).content.decode()
    answer = as_owner.post(address, follow=True)
    assert "You have withdrawn" in answer.content.decode()
    assert not Session.objects.filter(study=study).exists()


def test_a_wrong_token_leads_nowhere(client, study):
    assert client.get("/r/none/withdraw/").status_code == 404
    assert client.post("/r/none/withdraw/").status_code == 404


def test_the_page_works_without_a_token_against_forged_requests(study):
    """As all pages of raters: the address is the authority, and no cookie is set."""
    strict = Client(enforce_csrf_checks=True)
    token = begin(strict, study)
    answer = strict.post(f"/r/{token}/withdraw/")
    assert answer.status_code == 303 and not answer.cookies
