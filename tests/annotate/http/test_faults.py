"""The page of a fault: in the rater's language, without the database, with a way on."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.http import faults
from annotate.models import Study
from tests import factories

pytestmark = pytest.mark.django_db
ENGLISH, CHINESE, ARABIC = "Something went wrong here", "本页面出现故障", "حدث خطأ هنا"


@pytest.fixture
def client():
    return Client(raise_request_exception=False)


@pytest.fixture
def broken(monkeypatch):
    """Whatever fills a rater's page fails."""

    def fails(*_, **__):
        raise RuntimeError("a fault")

    monkeypatch.setattr("annotate.raters.views.render", fails)
    monkeypatch.setattr("annotate.raters.views.platform.arrival", fails)


@pytest.mark.parametrize(
    ("language", "browser", "words"),
    [("zh-hans", "ar", CHINESE), ("ar", "en", ARABIC), ("en", "en", ENGLISH), ("en", "", ENGLISH)],
)
def test_it_speaks_the_studys_language(client, study, broken, language, browser, words):
    Study.objects.update(language=language)
    session = factories.make_session(study, state="instructions", source="web")
    for path in (f"/r/{session.token}/", "/join/films/"):
        page = client.get(path, headers={"Accept-Language": browser})
        assert page.status_code == 500 and words in page.content.decode()
        assert f'lang="{language}"' in page.content.decode()
        assert page.headers["Cache-Control"] == "no-store"
        assert page.headers["Referrer-Policy"] == "no-referrer"


def test_trying_again_leads_to_the_session_or_to_the_same_address(client, study, broken):
    session = factories.make_session(study, state="instructions", source="web")
    page = client.get(f"/r/{session.token}/").content.decode()
    assert f'href="/r/{session.token}/"' in page
    page = client.get("/join/films/?PROLIFIC_PID=%22%3E&SESSION_ID=1").content.decode()
    assert 'href="/join/films/?PROLIFIC_PID=%22%3E&amp;SESSION_ID=1"' in page


@pytest.mark.parametrize(
    ("browser", "words"), [("zh-CN,zh;q=0.9", CHINESE), ("ar-EG", ARABIC), ("fr", ENGLISH)]
)
def test_without_the_database_it_speaks_the_browsers(rf, browser, words):
    request = rf.get("/r/some-token/item/2/", headers={"Accept-Language": browser})
    with CaptureQueriesContext(connection) as queries:
        page = faults.server_error(request)
    assert page.status_code == 500 and words in page.content.decode()
    assert 'href="/r/some-token/"' in page.content.decode() and len(queries) == 0


def test_researchers_keep_their_own_page(rf):
    page = faults.server_error(rf.get("/studies/films/", headers={"Accept-Language": "ar"}))
    assert "To the studies" in page.content.decode()
