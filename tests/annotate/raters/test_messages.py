"""Message files: every text that raters read is found, translated, and compiled as it stands."""

import io
import re
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils.translation import gettext, ngettext, override

from annotate.raters import messages as wording
from tests.test_templates import FOLDER, NAMES

FILES = {path.parts[-3]: path for path in wording.message_files()}
PART = re.compile(r'{% (?:extends|include) "([^"]+)"')
# What a template says in a language: the rest of it should hold no words.
WRAPPED = re.compile(
    r"{% blocktranslate.*?{% endblocktranslate %}|{% block width %}.*?{% endblock %}"
    r"|{%.*?%}|{{.*?}}",
    re.S,
)
SAID = re.compile(r'(?:aria-label|alt|title|placeholder|data-(?!copy\b)[a-z]+)="([^"]*)"')


def of_raters():
    """The templates of raters' pages: those on rater_base.html, with all that they include."""
    base = '{% extends "rater_base.html" %}'
    found = {name for name in NAMES if base in (FOLDER / name).read_text()}
    todo = list(found)
    while todo:
        parts = set(PART.findall((FOLDER / todo.pop()).read_text())) - found
        found |= parts
        todo += parts
    return sorted(found)


def test_chinese_lacks_nothing():
    assert wording.lacking(polib.pofile(str(FILES["zh_Hans"]))) == []


@pytest.mark.parametrize("code", FILES)
def test_a_message_file_breaks_no_page_and_is_compiled(code):
    file = polib.pofile(str(FILES[code]))
    assert wording.faults(file) == []
    compiled = polib.mofile(str(FILES[code].with_suffix(".mo")))
    words = [
        {wording.key_of(entry): (entry.msgstr, entry.msgstr_plural) for entry in entries}
        for entries in (file.translated_entries(), compiled)
    ]
    assert words[0] == words[1] != {}
    assert compiled.metadata["Plural-Forms"] == file.metadata["Plural-Forms"]
    assert {entry.msgid for entry in file} <= {text for _, text, _ in wording.texts()}


@pytest.mark.parametrize("name", of_raters())
def test_no_words_of_a_raters_template_are_outside_a_translation(name):
    text = WRAPPED.sub("", (FOLDER / name).read_text())
    said = re.sub(r"<[^>]*>", "\n", text) + "\n".join(SAID.findall(text))
    assert re.findall(r"[A-Za-z]{2,}", re.sub(r"&[a-z]+;", "", said)) == []


def test_all_of_the_raters_templates_are_looked_at():
    assert {"rater_base.html", "annotate/_mark.html", "annotate/rate.html"} <= set(of_raters())


def test_texts_are_found_in_templates_and_code():
    texts = wording.texts()
    assert texts["about an episode", "More", None] == ["templates/annotate/_content.html"]
    assert texts[None, "%(count)s answer missing", "%(count)s answers missing"] == [
        "annotate/raters/screens.py"
    ]
    assert (None, "Strongly disagree", None) in texts
    minutes = [plural for _, text, plural in texts if text.startswith("Places open again")]
    assert minutes and minutes[0].endswith("about %(minutes)s minutes.")


def test_calls_of_every_kind_are_found():
    source = (
        'gettext("a"); x.pgettext("c", "b"); ngettext("one", "many", n); gettext(name); f("no")'
    )
    assert list(wording.in_code(source)) == [
        (None, "a", None),
        ("c", "b", None),
        (None, "one", "many"),
    ]
    with pytest.raises(ValueError, match="has to stand there"):
        list(wording.in_code('gettext(f"{x} answers")'))
    with pytest.raises(ValueError, match="has to stand there"):
        list(wording.in_code('gettext("a" + b)'))


def test_plural_forms_follow_the_language():
    with override("ar"):
        found = [
            ngettext("%(count)s answer missing", "%(count)s answers missing", n) % {"count": n}
            for n in (1, 2, 3, 11, 100)
        ]
        assert len({re.sub(r"\d+ ", "", words) for words in found}) >= 4
        assert found[0] == "إجابة واحدة ناقصة" and found[2].startswith("3 ")
    with override("zh-hans"):
        assert gettext("Next") == "下一页"


# The command


@pytest.fixture
def folder(tmp_path, settings):
    settings.LOCALE_PATHS = [tmp_path]
    return tmp_path


def messages(*args):
    said = io.StringIO()
    call_command("messages", *args, stdout=said)
    return said.getvalue()


def change(path, **words):
    file = polib.pofile(str(path))
    for entry in file:
        entry.msgstr = words.get(entry.msgid, entry.msgstr)
    file.save()


def test_a_new_language_is_two_commands(folder):
    assert f"{len(wording.texts())} texts stay English" in messages("pl")
    path = folder / "pl" / "LC_MESSAGES" / "django.po"
    file = polib.pofile(str(path))
    assert [wording.key_of(entry) for entry in file] == list(wording.texts())
    assert "nplurals=4" in file.metadata["Plural-Forms"]
    assert {len(entry.msgstr_plural) for entry in file if entry.msgid_plural} == {4}
    change(path, Finish="Zakończ")
    assert f"{len(wording.texts()) - 1} texts stay English" in messages()
    compiled = polib.mofile(str(path.with_suffix(".mo")))
    assert [(entry.msgid, entry.msgstr) for entry in compiled] == [("Finish", "Zakończ")]


def test_an_update_keeps_what_is_translated_and_drops_what_is_gone(folder):
    messages("tlh")  # Django has no file of it
    path = folder / "tlh" / "LC_MESSAGES" / "django.po"
    change(path, Finish="rIn")
    file = polib.pofile(str(path))
    file.append(polib.POEntry(msgid="No page says this", msgstr="x"))
    file.remove(file.find("Start"))
    file.header = "By Anna"
    file.save()
    messages("tlh")
    file = polib.pofile(str(path))
    assert file.find("Finish").msgstr == "rIn" and file.header == "By Anna"
    assert file.find("Start") and not file.find("No page says this")


def test_fuzzy_and_half_plurals_count_as_missing(folder):
    messages("fr")
    file = polib.pofile(str(folder / "fr" / "LC_MESSAGES" / "django.po"))
    before = len(wording.lacking(file))
    file.find("Start").msgstr = "Commencer"
    assert len(wording.lacking(file)) == before - 1
    file.find("Start").fuzzy = True
    file.find("%(count)s answer missing").msgstr_plural[0] = "il manque %(count)s réponse"
    assert len(wording.lacking(file)) == before


@pytest.mark.parametrize(
    "text, words, says",
    [
        ("Page %(position)s of %(count)s", "%(position)s", "needs %(count)s, %(position)s"),
        ("Start", "%(start)s", "needs nothing"),
        ("Start", "100 %", "write %%"),
        ("Start", "<b>x</b>", "straight quotes"),
        ("Start", 'say "go"', "straight quotes"),
    ],
)
def test_words_that_would_break_a_page_are_not_compiled(folder, text, words, says):
    messages("fr")
    path = folder / "fr" / "LC_MESSAGES" / "django.po"
    compiled = path.with_suffix(".mo").read_bytes()
    change(path, **{text: words})
    with pytest.raises(CommandError, match="nothing was compiled") as raised:
        messages()
    assert says in str(raised.value) and "line " in str(raised.value)
    assert path.with_suffix(".mo").read_bytes() == compiled


def test_the_folder_is_the_projects():
    assert Path(settings.LOCALE_PATHS[0]) == Path(settings.BASE_DIR) / "locale"
