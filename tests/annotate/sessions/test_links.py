"""Personal links: one a rater, bound to a recipient where they rate their own recommendations."""

import csv
import io
from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.models import Item, Place, Rater, Recipient, Session
from annotate.sessions import links
from tests import factories
from tests.annotate.design.test_platform_links import on

pytestmark = pytest.mark.django_db
PAGE = "/studies/films/raters/links/"


def make(client, **data):
    return client.post(PAGE, {"role": "third_party"} | data)


def test_a_number_of_links_is_made_each_with_an_address_of_its_own(as_owner, study):
    assert make(as_owner, how="count", count=12).status_code == 302
    made = Session.objects.filter(source="link", state="consent")
    assert made.count() == 12 and len(set(made.values_list("token", flat=True))) == 12
    page = as_owner.get(PAGE).content.decode()
    assert all(f"http://testserver/r/{session.token}/" in page for session in made)
    assert page.count("not used yet") == 12


def test_a_list_of_names_makes_experts(as_owner, study):
    make(as_owner, how="names", names="P01\n\n P02 \r\nP03", role="expert")
    assert list(Rater.objects.values_list("key", "role")) == [
        ("P01", "expert"),
        ("P02", "expert"),
        ("P03", "expert"),
    ]


def test_a_visit_by_a_link_begins_when_it_is_consented_to_not_when_the_link_was_made(
    client, as_owner, study
):
    make(as_owner, how="count", count=1)
    made = timezone.now() - timedelta(days=3)
    Session.objects.update(started_at=made, last_seen_at=made)
    client.post(f"/r/{Session.objects.get().token}/consent/", {"consent": "yes"})
    assert timezone.now() - Session.objects.get().started_at < timedelta(hours=1)
    (paid,) = csv.DictReader(
        io.StringIO(as_owner.get("/studies/films/raters/pay/payments/").content.decode())
    )
    assert float(paid["minutes"]) < 60


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"how": "names", "names": " \n"}, "The list is empty"),
        ({"how": "names", "names": "a\nb\na"}, "Twice in the list: “a”"),
        ({"how": "names", "names": "known\nnew"}, "Raters of this study already: “known”"),
        ({"how": "names", "names": "x" * 201}, "Longer than 200"),
        ({"how": "names", "names": "P01\nP\u200b02"}, "U+200B (ZERO WIDTH SPACE)"),
        ({"how": "names", "names": "<b>", "role": "recipient"}, "called “&lt;b&gt;”"),
        ({"how": "names", "names": "\n".join(map(str, range(1001)))}, "at most 1,000"),
        ({"how": "count", "count": ""}, "How many"),
        ({"how": "count", "count": "1001"}, "less than or equal to 1000"),
        ({"how": "count", "count": "2", "role": "recipient"}, "A recipient has a name"),
        ({"how": "names", "names": "a\0b"}, "Null characters are not allowed"),
        ({"how": "elsewhere"}, "not one of the available choices"),
    ],
)
def test_what_cannot_be_made_is_said_and_none_is_made(as_owner, study, data, words):
    factories.make_session(study, "known")
    response = make(as_owner, **data)
    assert response.status_code == 422 and words in response.content.decode()
    assert Rater.objects.count() == 1


def test_each_recipient_with_items_gets_one_link_only(as_owner, study):
    factories.make_item(study, "other", recipient="r2")
    Recipient.objects.create(study=study, key="r-without-items")
    factories.make_session(study, "r2")  # somebody is called so already
    assert make(as_owner, how="recipients").status_code == 302
    found = Rater.objects.filter(role="recipient").order_by("recipient__key")
    assert [rater.recipient.key for rater in found] == ["r1", "r2"]
    assert found[0].key == "r1" and found[1].key.startswith("r2-")
    assert (
        "Every recipient with items has a link" in make(as_owner, how="recipients").content.decode()
    )


def test_a_recipient_rates_their_own_items_only(client, as_owner, study):
    for number in range(3):
        factories.make_item(study, f"of-r2-{number}", recipient="r2")
    make(as_owner, how="names", names="r2", role="recipient")
    token = Session.objects.get().token
    assert "I agree" in client.get(f"/r/{token}/").content.decode()
    client.post(f"/r/{token}/consent/", {"consent": "yes"})
    client.post(f"/r/{token}/begin/")
    claimed = Item.objects.filter(places__session__token=token)
    assert {item.recipient.key for item in claimed} == {"r2"} and claimed.count() == 3
    assert not client.cookies


def test_a_link_works_where_the_open_link_is_off(client, study):
    on(study, "none", open_link=False)
    links.make(study, [("P01", "expert", None)])
    token = Session.objects.get().token
    client.post(f"/r/{token}/consent/", {"consent": "yes"})
    client.post(f"/r/{token}/begin/")
    assert Place.objects.filter(session__token=token, state="held").count() == 4


def test_the_end_of_a_personal_link_leads_to_no_platform(client, study):
    on(study, "prolific")
    session = factories.make_session(study, state="completed", source="link")
    page = client.get(f"/r/{session.token}/").content.decode()
    assert study.completion_code in page and "Back to Prolific" not in page
    assert client.post(f"/r/{session.token}/leave/")["Location"] == f"/r/{session.token}/"


def test_the_file_of_links_guards_formulas(as_owner, study):
    links.make(study, [("=HYPERLINK(1)", "expert", None), ("P02", "expert", None)])
    response = as_owner.get("/studies/films/raters/links.csv")
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [row["rater"] for row in rows] == ["'=HYPERLINK(1)", "P02"]
    tokens = Session.objects.order_by("pk").values_list("token", flat=True)
    assert [row["link"] for row in rows] == [f"http://testserver/r/{one}/" for one in tokens]
    assert response.headers["Cache-Control"] == "no-store"


def test_a_link_is_withdrawn_until_somebody_uses_it(client, as_owner, study):
    links.make(study, [("P01", "expert", None), ("P02", "expert", None)])
    unused, used = Session.objects.order_by("pk")
    client.post(f"/r/{used.token}/consent/", {"consent": "yes"})
    for session in (unused, used):
        as_owner.post(f"{PAGE}{session.pk}/withdraw/")
    assert client.get(f"/r/{unused.token}/").status_code == 404
    assert client.get(f"/r/{used.token}/").status_code == 200
    assert list(Rater.objects.values_list("key", flat=True)) == ["P02"]


def test_links_that_nobody_used_are_no_sessions_yet(as_owner, study):
    links.make(study, [("invited-one", "expert", None)])  # longer than what a token has by chance
    assert "invited-one" not in as_owner.get("/studies/films/raters/").content.decode()
    assert "0 ratings by 0 raters" in as_owner.get("/studies/films/").content.decode()


def test_links_of_another_study_cannot_be_withdrawn(as_owner, study):
    other = factories.make_study("other")
    links.make(other, [("P01", "expert", None)])
    assert as_owner.post(f"{PAGE}{Session.objects.get().pk}/withdraw/").status_code == 404


def test_the_page_needs_few_queries(as_owner, study, django_assert_max_num_queries):
    links.make(study, [(f"P{number}", "expert", None) for number in range(60)])
    with django_assert_max_num_queries(9):
        assert as_owner.get(PAGE).content.decode().count("not used yet") == 50
