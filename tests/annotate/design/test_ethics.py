"""Contact and ethics approval: read from study.yaml and the settings page, said on every page."""

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotate.models import Study
from tests import factories
from tests.annotate.design.test_payment import SETTINGS
from tests.annotate.raters.test_preview import open_preview
from tests.rater_screens import SCREENS

pytestmark = pytest.mark.django_db
TEXTS = {
    "contact": "Jane Doe, jane@uni.example",
    "ethics_reference": "IRB 2026-114",
    "withdrawal_pay": "You are paid for what you answered.",
}


def load(tmp_path, text):
    file = tmp_path / "study.yaml"
    file.write_text(
        "study: asked\ntitle: T\nquestions:\n  - {key: a, text: A, scale: likert5}\n" + text
    )
    call_command("load_study", str(file), stdout=StringIO())
    return Study.objects.get(slug="asked")


def test_the_file_says_contact_and_approval(tmp_path):
    lines = "".join(f"{key}: “{text}”\n" for key, text in TEXTS.items())
    study = load(tmp_path, lines.replace("“", '"  ').replace("”", ' "'))
    assert {key: study.extra[key] for key in TEXTS} == TEXTS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("contact: [7]\n", "allowed is a text"),
        (f"contact: {'x' * 301}\n", "found 301 characters; allowed are up to 300"),
        (f"ethics_reference: {'x' * 101}\n", "allowed are up to 100"),
        (f"withdrawal_pay: {'x' * 501}\n", "allowed are up to 500"),
    ],
)
def test_a_wrong_text_is_refused_with_its_line(tmp_path, capsys, text, words):
    with pytest.raises(CommandError):
        load(tmp_path, text)
    said = capsys.readouterr().err
    assert words in said
    assert "line 5" in said


def test_the_settings_page_shows_sets_and_takes_back_the_texts(owner, as_owner):
    study = factories.make_study("films", owner)
    assert as_owner.post("/studies/films/settings/", SETTINGS | TEXTS).status_code == 302
    study.refresh_from_db()
    assert study.extra == TEXTS
    page = as_owner.get("/studies/films/settings/").content.decode()
    assert all(f'value="{text}"' in page for text in TEXTS.values())
    as_owner.post("/studies/films/settings/", SETTINGS)
    study.refresh_from_db()
    assert study.extra == {}


@pytest.mark.parametrize("name", sorted(SCREENS))
def test_every_page_of_a_rater_says_them_below_all_else(client, name):
    made = SCREENS[name]("en")
    for study in Study.objects.all():
        study.extra |= TEXTS
        study.save()
    answer = client.get(made.path) if made.data is None else client.post(made.path, made.data)
    page = answer.content.decode()
    foot = page.partition("</main>")[2]
    assert '<a href="mailto:jane@uni.example">jane@uni.example</a>' in foot
    assert "IRB 2026-114" in foot
    before = page.partition('<dialog id="instructions"')[0].partition("</main>")[0]
    assert "IRB" not in before and "jane@" not in before


@pytest.mark.parametrize("name", sorted(SCREENS.keys() - {"withdraw_from_prolific"}))
def test_a_study_without_them_says_nothing(client, name):
    made = SCREENS[name]("en")
    answer = client.get(made.path) if made.data is None else client.post(made.path, made.data)
    page = answer.content.decode()
    assert "Contact" not in page and "Ethics" not in page


def test_the_instructions_of_an_item_say_them(client):
    made = SCREENS["item"]("en")
    Study.objects.update(extra=TEXTS)
    dialog = client.get(made.path).content.decode().partition('<dialog id="instructions"')[2]
    assert "mailto:jane@uni.example" in dialog.partition("</dialog>")[0]


def test_what_a_contact_says_is_text_not_markup(client):
    made = SCREENS["item"]("en")
    contact = '<b>J</b> "j"@x <j@uni.example> javascript:alert(1)'
    Study.objects.update(extra={"contact": contact, "ethics_reference": "<i>"})
    page = client.get(made.path).content.decode()
    assert "<b>J" not in page and "<i>" not in page and 'href="javascript' not in page
    assert 'href="mailto:j@uni.example"' in page


def debriefed(text):
    made = SCREENS["thanks"]("en")
    Study.objects.update(extra={"debrief": text})
    return made


def test_who_completed_reads_the_debriefing_below_the_code(client):
    page = client.get(debriefed("Some were *written* by models.").path).content.decode()
    code, _, debrief = page.partition("What this study was about")
    assert "23456789" in code and "Copy the code" in code
    assert "<em>written</em>" in debrief


def test_a_debriefing_is_text_and_markdown_but_no_markup(client):
    page = client.get(debriefed("<b>x</b> [y](javascript:alert)").path).content.decode()
    assert "&lt;b&gt;x" in page and "<b>" not in page and 'href="javascript' not in page


@pytest.mark.parametrize("name", ["withdrawn", "screened_out", "returned", "item"])
def test_who_did_not_complete_reads_no_debriefing(client, name):
    made = SCREENS[name]("en")
    for study in Study.objects.all():
        study.extra |= {"debrief": "All were written by models."}
        study.save()
    assert "written by models" not in client.get(made.path).content.decode()


def test_the_settings_set_a_debriefing_with_the_line_ends_of_a_file(owner, as_owner):
    study = factories.make_study("films", owner)
    sent = SETTINGS | {"debrief": "# Why\r\n\r\nBecause."}
    assert as_owner.post("/studies/films/settings/", sent).status_code == 302
    study.refresh_from_db()
    assert study.extra == {"debrief": "# Why\n\nBecause."}
    assert "# Why" in as_owner.get("/studies/films/settings/").content.decode()
    preview = as_owner.get(open_preview(as_owner, "show=thanks")).content.decode()
    assert re.search(r"<h\d>Why", preview) and "Because." in preview


def test_a_debriefing_that_is_no_text_or_too_long_is_refused(tmp_path, capsys):
    for text in ("debrief: [7]\n", f"debrief: {'x' * 100_001}\n"):
        with pytest.raises(CommandError):
            load(tmp_path, text)
        said = capsys.readouterr().err
        assert "allowed" in said and "line 5" in said
