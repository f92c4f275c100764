"""The consent page names the programs that are shown what its reader gives, and no other."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.design import disclosure
from annotate.models import Recipient, Session, Study
from judges.models import Judge
from tests import factories
from tests.annotate.design.test_ethics import load
from tests.annotate.design.test_payment import SETTINGS
from tests.annotate.raters.test_preview import open_preview
from tests.picking import make_taste_study

pytestmark = pytest.mark.django_db
OPENAI, HERE = "https://api.openai.com/v1", "http://127.0.0.1:9/v1"
EXAMPLES = {"shots": "one", "example_role": "third_party"}


def judge(study, key="judge", url=OPENAI, **fields):
    return factories.make_judge(study, key, factories.make_endpoint(url, key=key), **fields)


def mark(page):
    """What the form sends back, as a browser would."""
    return {"told": told[1]} if (told := re.search('name="told" value="([^"]+)"', page)) else {}


def read(client, path="/join/films/"):
    return client.get(path).content.decode()


@pytest.fixture
def study(owner):
    return factories.make_study("films", owner, items=3)


def test_a_study_whose_judges_show_nothing_of_people_names_no_program(client, study):
    judge(study)
    assert "program" not in read(client)
    client.post("/join/films/", {"consent": "yes"})
    assert Session.objects.get().told_endpoints == {}


def test_who_will_bring_their_own_taste_reads_who_is_shown_a_history(client, owner):
    study = make_taste_study(owner)
    judge(study, context="history")
    Study.objects.update(extra={})
    factories.make_item(study, kind="list_pair")
    assert "program" not in read(client)
    Study.objects.update(extra=study.extra)
    page = read(client)
    assert "A program of api.openai.com (test-model) is shown: your history, such as" in page
    client.post("/join/films/", {"consent": "yes", **mark(page)})
    assert Session.objects.get().told_endpoints == {"api.openai.com": ["history"]}


def test_what_is_said_is_kept_with_the_session(client, study):
    judge(study, **EXAMPLES)
    judge(study, "here", HERE, **EXAMPLES)
    page = read(client)
    assert "A program of api.openai.com (test-model) is shown: some of your answers" in page
    assert "on the researchers’ own computers (test-model) is shown:" in page
    client.post("/join/films/", {"consent": "yes", **mark(page)})
    told = {"api.openai.com": ["answers"], "127.0.0.1": ["answers"]}
    assert Session.objects.get().told_endpoints == told


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"context": "history"}, "your history, such as"),
        ({"context": "profile"}, "the profile that was written about you"),
        ({"method": "profile", "prompt": "write-profile.v1"}, "your history, such as"),
        ({"method": "recommender", "prompt": "recommend.v1"}, "your history, such as"),
        ({"method": "extraction", "prompt": "extract.v1"}, "the reviews that you wrote"),
        ({"method": "topics", "prompt": "topics.v1"}, "the reviews that you wrote"),
    ],
)
def test_recipients_read_that_theirs_is_shown_and_others_do_not(client, study, fields, words):
    judge(study, **fields)
    link = factories.make_session(study, "eve", state="consent", source="link")
    link.rater.recipient = Recipient.objects.get()
    link.rater.save()
    assert words in read(client, f"/r/{link.token}/")
    assert "program" not in read(client)
    page = read(client, f"/r/{link.token}/")
    client.post(f"/r/{link.token}/consent/", {"consent": "yes", **mark(page)})
    ((host, _),) = Session.objects.get().told_endpoints.items()
    assert host == "api.openai.com"


def test_profiles_that_are_judged_themselves_are_named(client, study):
    profile = factories.make_item(study, "p", kind="profile", content=None, system=None)
    judge(study)
    link = factories.make_session(study, "eve", state="consent", source="link")
    link.rater.recipient = profile.recipient
    link.rater.save()
    assert "the profile that was written about you" in read(client, f"/r/{link.token}/")


def test_examples_of_other_roles_are_not_theirs(client, study):
    judge(study, shots="one", example_role="expert")
    assert "program" not in read(client)


def test_archived_and_deleted_judges_are_not_named(client, study):
    judge(study, **EXAMPLES)
    Judge.objects.update(archived_at="2026-01-01T00:00Z")
    assert "program" not in read(client)


def test_who_agrees_to_a_page_that_says_less_than_now_reads_it_anew(client, study):
    judge(study, **EXAMPLES)
    old = read(client)
    judge(study, "other", "https://openrouter.ai/api/v1", **EXAMPLES)
    answer = client.post("/join/films/", {"consent": "yes", **mark(old)})
    assert answer.status_code == 200 and "openrouter.ai" in answer.content.decode()
    assert "This page has changed since you opened it" in answer.content.decode()
    assert "This page has changed" not in read(client)
    assert not Session.objects.exists()
    assert client.post("/join/films/", {"consent": "yes"}).status_code == 200
    link = factories.make_session(study, "eve", state="consent", source="link")
    sent = {"consent": "yes", **mark(old)}
    answer = client.post(f"/r/{link.token}/consent/", sent, follow=True)
    assert "This page has changed since you opened it" in answer.content.decode()
    assert Session.objects.get().state == "consent"
    # A no needs no page that says all.
    assert client.post("/join/films/", {"consent": "no", **mark(old)}).status_code == 303
    client.post("/join/films/", {"consent": "yes", **mark(read(client))})
    assert Session.objects.filter(state="instructions").count() == 1


def test_more_judges_cost_the_page_of_consent_no_more_queries(client, study):
    def queries():
        with CaptureQueriesContext(connection) as captured:
            read(client)
        return len(captured)

    judge(study, **EXAMPLES)
    read(client)
    before = queries()
    for number in range(5):
        judge(study, f"more-{number}", **EXAMPLES)
    assert queries() == before


def test_the_preview_says_the_same(as_owner, study):
    judge(study, **EXAMPLES)
    assert "api.openai.com" in read(as_owner, open_preview(as_owner, "show=consent"))


def test_the_name_of_a_model_is_text(client, study):
    made = judge(study, **EXAMPLES)
    made.endpoint.model = "<b>x</b>"
    made.endpoint.save()
    assert "&lt;b&gt;x" in read(client)


def test_hosts_that_the_own_text_names_come_from_file_and_page(tmp_path, owner, as_owner):
    study = load(tmp_path, "consent_covers: [API.openai.com, '127.0.0.1']\n")
    assert study.extra == {"consent_covers": ["api.openai.com", "127.0.0.1"]}
    factories.make_study("films", owner)
    settings = SETTINGS | {"consent_covers": "Api.openai.com\nllm"}
    assert as_owner.post("/studies/films/settings/", settings).status_code == 302
    assert Study.objects.get(slug="films").extra == {"consent_covers": ["api.openai.com", "llm"]}
    assert "api.openai.com\nllm</textarea>" in read(as_owner, "/studies/films/settings/")
    as_owner.post("/studies/films/settings/", SETTINGS)
    assert Study.objects.get(slug="films").extra == {}
    wrong = SETTINGS | {"consent_covers": "https://api.openai.com"}
    assert as_owner.post("/studies/films/settings/", wrong).status_code == 422


@pytest.mark.parametrize("hosts", ["a", [1], ["https://a"], ["a b"], [""], ["x" * 254], ["a/b"]])
def test_a_wrong_host_is_refused(hosts):
    with pytest.raises(ValueError, match="allowed is"):
        disclosure.check_covered(hosts)
