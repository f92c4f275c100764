"""What a session pays: read from study.yaml and the settings page, and refused in words."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotate.design.payment import Pay, pay_of
from annotate.models import Study
from tests import factories

pytestmark = pytest.mark.django_db
SETTINGS = {
    "title": "T",
    "state": "open",
    "items_per_session": 5,
    "hold_minutes": 30,
    "completion_code": "no",
}


@pytest.fixture
def study(owner):
    return factories.make_study("films", owner)


def load(tmp_path, text):
    file = tmp_path / "study.yaml"
    file.write_text(
        "study: paid\ntitle: T\nquestions:\n  - {key: a, text: A, scale: likert5}\n" + text
    )
    call_command("load_study", str(file), stdout=StringIO())
    return Study.objects.get(slug="paid")


def test_the_file_says_what_a_session_pays(tmp_path):
    assert pay_of(load(tmp_path, "pays_per_session: 3\n")) == Pay(3, "USD")
    assert pay_of(load(tmp_path, "pays_per_session: 3.5\npay_currency: EUR\n")) == Pay(3.5, "EUR")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pays_per_session: -1\n", "allowed is a number from 0 to 100,000"),
        ("pays_per_session: yes\n", "allowed is a number"),
        ("pays_per_session: .nan\n", "allowed is a finite number"),
        ("pay_currency: euro\n", "the three letters of a currency, such as USD"),
        ("pay_currency: 978\n", "the three letters of a currency"),
    ],
)
def test_a_wrong_pay_is_refused_with_its_line(tmp_path, capsys, text, words):
    with pytest.raises(CommandError):
        load(tmp_path, text)
    said = capsys.readouterr().err
    assert words in said
    assert "line 5" in said


def test_the_settings_page_shows_sets_and_takes_back_the_pay(study, as_owner):
    given = SETTINGS | {"pays_per_session": "2.5", "pay_currency": "eur"}
    assert as_owner.post("/studies/films/settings/", given).status_code == 302
    study.refresh_from_db()
    assert pay_of(study) == Pay(2.5, "EUR")
    page = as_owner.get("/studies/films/settings/").content.decode()
    assert 'value="2.5"' in page
    assert 'value="EUR"' in page
    as_owner.post("/studies/films/settings/", SETTINGS)
    study.refresh_from_db()
    assert pay_of(study) is None
    assert study.extra == {}


def test_a_wrong_currency_comes_back_with_what_is_allowed(study, as_owner):
    answer = as_owner.post("/studies/films/settings/", SETTINGS | {"pay_currency": "e1"})
    assert answer.status_code == 422
    assert "allowed are the three letters of a currency" in answer.content.decode()
