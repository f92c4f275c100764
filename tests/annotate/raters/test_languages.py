"""Raters read pages in the language of their study: all of each page, and nobody else's page."""

import re
from html import unescape

import pytest
from django.test import Client
from django.utils import translation

from annotate.files.reading import Problems
from annotate.files.reading.studyfile import read_study
from annotate.flow import around
from annotate.models import (
    Answer,
    Question,
    Screen,
    Session,
    Study,
)
from annotate.studies.study_file import as_yaml, study_data
from annotate.studies.templates import make_study, study_templates
from annotate.values.languages import name_of, offered
from annotate.values.scales import parse_scale, spec_of
from annotate.values.scales.likert import AGREEMENT
from tests import factories
from tests.annotate.raters.test_preview import begun, open_preview
from tests.annotate.raters.test_views import begin, join
from tests.annotate.sessions import test_steps
from tests.rater_screens import SCREENS

pytestmark = pytest.mark.django_db
AGREEMENT_ZH = ["非常不同意", "不同意", "中立", "同意", "非常同意"]
NOT_SHOWN = re.compile(r"<script.*?</script>|<style.*?</style>|<meta[^>]*>", re.S)
# Attributes that people see or hear, or that the script shows.
SAID = re.compile(r'(?:aria-label|alt|title|placeholder|data-(?!key\b|copy\b)[a-z]+)="([^"]*)"')
# Addresses, the names of platforms, of a key and of a thing, and codes are the same everywhere.
SAME = re.compile(r"\b(https?://\S+|Prolific|Amazon Mechanical Turk|Cookie|Enter|[A-Z]+\d|L4)\b")


def shown(page):
    """The words of a page: its text, and the attributes that are shown or read aloud."""
    page = NOT_SHOWN.sub("", page)
    words = re.sub(r"<[^>]+>", "\n", page) + "\n".join(SAID.findall(page))
    return SAME.sub("", unescape(words))


def visit(client, made):
    response = client.get(made.path) if made.data is None else client.post(made.path, made.data)
    assert response.status_code == made.status
    return response.content.decode()


@pytest.mark.parametrize("name", SCREENS)
def test_nothing_on_a_chinese_page_is_english(client, name):
    page = visit(client, SCREENS[name]("zh-hans"))
    assert '<html lang="zh-hans" dir="ltr">' in page
    assert re.findall(r"[A-Za-z]{2,}", shown(page)) == []
    assert translation.get_language() == "en"


@pytest.mark.parametrize("name", SCREENS)
def test_arabic_pages_run_from_right_to_left(client, name):
    assert '<html lang="ar" dir="rtl">' in visit(client, SCREENS[name]("ar"))


@pytest.mark.parametrize("name", SCREENS)
def test_the_same_pages_in_english(client, name):
    page = visit(client, SCREENS[name]("en"))
    assert '<html lang="en" dir="ltr">' in page
    assert re.findall(r"[\u4e00-\u9fff\u0600-\u06ff]", page) == []


def test_a_browser_does_not_choose_the_language(study):
    client = Client(headers={"Accept-Language": "zh-Hans,zh;q=0.9"})
    client.cookies["django_language"] = "zh-hans"
    assert "I agree and take part" in client.get("/join/films/").content.decode()


def test_an_address_that_leads_nowhere_is_a_raters_page(client, db):
    page = client.get("/r/nobodys-token/")
    assert page.status_code == 404
    assert "This address leads nowhere." in page.content.decode()
    assert "studies" not in page.content.decode()


def test_saves_and_their_refusals_speak_the_language(client, study):
    Study.objects.update(language="zh-hans")
    token = begin(client, study)
    question = study.questions.first()
    place = study.places.get(session__token=token, position=1)
    address = f"/r/{token}/answer/{place.item_id}/{question.pk}/"
    assert "已保存 ✓" in client.post(address, {f"q{question.pk}": "4"}).content.decode()
    wrong = client.post(address, {f"q{question.pk}": "6"}).content.decode()
    assert "请填写 1 到 5 之间的整数；您填写的是“6”。" in wrong
    assert "此题为必答题。" in client.post(address, {f"q{question.pk}": ""}).content.decode()
    Session.objects.update(state="completed")
    late = client.post(address, {f"q{question.pk}": "4"}).content.decode()
    assert "本页已过期，请刷新页面。" in late
    assert translation.get_language() == "en"


def test_saves_and_refusals_of_attention_checks_speak_the_language(client, study):
    check = {"key": "read", "text": "请选择“不同意”。", "scale": "likert5", "right": 2, "after": 0}
    Study.objects.update(language="zh-hans", extra={"attention": [check]})
    token = begin(client, study)
    extra = Screen.objects.get(session__token=token)
    assert "非常不同意" in client.get(f"/r/{token}/item/1/").content.decode()
    address = f"/r/{token}/screen/{extra.pk}/0/0/"
    assert "已保存 ✓" in client.post(address, {"q0": "2"}).content.decode()
    assert "请填写 1 到 5 之间的整数" in client.post(address, {"q0": "9"}).content.decode()
    assert "此题为必答题。" in client.post(address, {"q0": ""}).content.decode()
    Session.objects.update(state="completed")
    assert "本页已过期" in client.post(address, {"q0": "2"}).content.decode()
    assert translation.get_language() == "en"


def test_of_a_choice_the_english_key_is_kept_and_of_other_scales_the_number(client, study):
    own = {"key": "own", "text": "好吗？", "scale": "likert5", "required": False}
    Study.objects.update(language="zh-hans", extra={"exit": ["gender", "familiarity", own]})
    token = begin(client, study)
    Session.objects.update(state="exit")
    page = client.get(f"/r/{token}/exit/").content.decode()
    assert "不愿透露" in page and "非常不同意" in page and ">100%<" in page
    client.post(f"/r/{token}/exit/", {"qgender": "5", "qfamiliarity": "30", "qown": "1"})
    kept = Answer.objects.order_by("key").values_list("key", "value", "text")
    assert list(kept) == [
        ("familiarity", 30, ""),
        ("gender", 5, "prefer not to say"),
        ("own", 1, ""),
    ]


def test_researchers_read_english_and_preview_the_language(as_owner, study):
    Study.objects.update(language="ar")
    assert '<html lang="en">' in as_owner.get("/studies/films/preview/").content.decode()
    for show in ("consent", "instructions", "thanks", "declined", "item"):
        address = open_preview(as_owner, f"show={show}")
        framed = as_owner.get(address, follow=True).content.decode()
        assert '<html lang="ar" dir="rtl">' in framed and "Item" not in framed
        assert "This is a preview" not in framed
    session = begun()
    question = session.study.questions.first()
    address = f"{address}answer/{session.places.get(position=1).item_id}/{question.pk}/"
    assert "تم الحفظ" in as_owner.post(address, {f"q{question.pk}": "4"}).content.decode()
    assert "هذا السؤال" in as_owner.post(address, {f"q{question.pk}": ""}).content.decode()
    assert "Settings" in as_owner.get("/studies/films/settings/").content.decode()


def test_what_comes_around_the_items_is_previewed_in_the_language(as_owner, study):
    check = {"text": "؟", "options": ["أ", "ب"], "answer": "ب"}
    attention = {"key": "a", "text": "أ", "scale": "likert5", "right": 2, "after": 0}
    Study.objects.update(
        language="ar",
        extra={
            "comprehension": {"attempts": 2, "questions": [check]},
            "attention": [attention],
            "practice": [{"item": "item-0", "answers": {}}],
            "exit": ["gender"],
        },
    )
    for show in ("check", "practice", "exit", "item", "check-a"):
        address = open_preview(as_owner, f"show={show}")
        framed = as_owner.get(address, follow=True).content.decode()
        assert '<html lang="ar" dir="rtl">' in framed and "ractice" not in shown(framed)
    extra = begun().screens.among_items().get().pk
    mark = as_owner.post(f"{address}screen/{extra}/0/0/", {}).content.decode()
    assert "هذا السؤال" in mark
    page = as_owner.get("/studies/films/settings/steps/exit/").content.decode()
    assert "Empty: What is your gender?" in page and '<html lang="en">' in page
    assert "Disagree" in as_owner.get("/studies/films/settings/sessions/").content.decode()


# Choosing it


def test_the_settings_offer_every_language_with_a_message_file(as_owner, study):
    page = as_owner.get("/studies/films/settings/").content.decode()
    offers = re.findall(r'<option value="([a-z-]+)"[^>]*>([^<]+)', page)
    assert ("zh-hans", "Simplified Chinese (简体中文)") in offers and ("en", "English") in offers
    given = {"title": "T", "state": "open", "items_per_session": 5, "hold_minutes": 30}
    given["completion_code"] = "C"
    assert as_owner.post("/studies/films/settings/", given | {"language": "xx"}).status_code == 422
    as_owner.post(
        "/studies/films/settings/", given | {"language": "zh-hans", "completion_code": "C"}
    )
    assert Study.objects.get().language == "zh-hans"
    as_owner.post("/studies/films/settings/", given)
    assert Study.objects.get().language == "zh-hans"


def test_a_study_whose_message_file_is_gone_falls_back_and_keeps_its_language(as_owner, study):
    Study.objects.update(language="fa")
    page = as_owner.get("/studies/films/settings/").content.decode()
    assert '<option value="fa" selected>Persian (فارسی)' in page
    page = Client().get("/join/films/").content.decode()
    assert '<html lang="fa" dir="rtl">' in page and "I agree and take part" in page


def test_languages_are_those_of_the_folder(tmp_path):
    for folder in ("zh_Hant", "tlh", "fr"):
        (tmp_path / folder / "LC_MESSAGES").mkdir(parents=True)
        (tmp_path / folder / "LC_MESSAGES" / "django.mo").touch()
    (tmp_path / "de" / "LC_MESSAGES").mkdir(parents=True)  # not compiled
    assert [code for code, _ in offered(tmp_path)] == ["en", "fr", "tlh", "zh-hant"]
    assert name_of("fr") == "French (français)" and name_of("tlh") == "tlh"


# Ready-made words


def test_named_scales_have_the_words_of_the_language():
    assert parse_scale("likert5", "zh-hans").labels == AGREEMENT_ZH
    assert parse_scale("likert5").labels == AGREEMENT
    assert parse_scale("binary", "zh-hans").labels == ["否", "是"]
    for spec in ("likert5", "likert7", "binary"):
        assert spec_of(parse_scale(spec, "ar"), "ar") == spec
        other = parse_scale(spec, "ar")
        assert parse_scale(spec_of(other, "en"), "en") == other


WORDS = ("text", "stem")


def without_words(value):
    """What stands in an extra, without what raters read."""
    if isinstance(value, dict):
        return {key: without_words(one) for key, one in value.items() if key not in WORDS}
    return [without_words(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", study_templates())
def test_a_chinese_study_from_a_template_has_chinese_words(client, owner, name):
    english = study_templates()[name]
    study = make_study(study_templates("zh-hans")[name], "zh", "电影", owner)
    assert study.language == "zh-hans"
    assert [(q.key, q.applies_to, q.required, q.why) for q in study.questions.all()] == [
        (q.key, q.applies_to, q.required, q.why) for q in english.questions()
    ]
    for question, same in zip(study.questions.all(), english.questions(), strict=True):
        assert [value for value, _ in question.scale.points] == [v for v, _ in same.scale.points]
        kept = {"A", "tie", "B"}  # which stand for the lists, and are shown in the language
        words = [question.text, *(label for label in question.scale.labels if label not in kept)]
        assert all(re.search("[\u4e00-\u9fff]", text) for text in words)
        assert not re.search("[A-Za-z]", "".join(words))
    assert not re.search("[A-Za-z]", study.instructions)
    assert bool(study.instructions) == bool(english.read.fields.get("instructions"))
    extra = english.read.fields["extra"]
    assert without_words(study.extra) == without_words(extra)
    for entry in [*study.extra.get("attention", ()), *study.extra.get("exit", ())]:
        assert isinstance(entry, str) or re.search("[\u4e00-\u9fff]", entry["text"])
    agreement = [q for q in study.questions.all() if q.scale.labels == AGREEMENT_ZH]
    assert len(agreement) == sum(q.scale.labels == AGREEMENT for q in english.questions())


def test_the_form_of_new_studies_takes_a_language(as_owner):
    given = {"template": "explanations-four", "title": "电影", "slug": "zh", "language": "zh-hans"}
    as_owner.post("/studies/new/template/", given)
    study = Study.objects.get()
    assert study.language == "zh-hans"
    assert study.questions.first().text == "这条推荐理由对我有说服力。"
    data = study_data(study, study.questions.all())
    assert data["language"] == "zh-hans" and data["questions"][0]["scale"] == "likert5"
    # A template that nobody translated: the questions are English, the ready-made labels are not.
    as_owner.post("/studies/new/template/", given | {"slug": "ar", "language": "ar"})
    question = Study.objects.get(slug="ar").questions.first()
    assert (question.text[:4], question.scale.labels[-1]) == ("This", "أوافق بشدة")


def test_the_file_names_a_language_that_there_is(tmp_path):
    file = tmp_path / "study.yaml"
    asks = "questions:\n  - {key: q, text: 好吗？, scale: likert5}\n"
    problems = Problems()
    file.write_text(f"study: zh\nlanguage: zh-Hans\n{asks}")
    read = read_study(file, "study.yaml", problems)
    assert not problems and read.fields["language"] == "zh-hans"
    assert read.questions[0]["scale_spec"]["labels"] == AGREEMENT_ZH
    file.write_text(f"study: zh\ntitle: T\nlanguage: xx\n{asks}")
    read_study(file, "study.yaml", problems)
    (said,) = map(str, problems.shown)
    assert said.startswith("study.yaml, line 3, column language: found 'xx'; allowed is ")
    assert {"ar", "en", "zh-hans"} <= set(said.split("allowed is ")[1].split(", "))


def test_what_is_right_is_read_in_both_languages_and_kept_in_one(tmp_path, owner):
    file = tmp_path / "study.yaml"
    check = "  - {key: a%s, text: 请选择。, scale: likert5, right: %s}\n"
    rights = enumerate(("不同意", "Disagree", "2"))
    asks = "questions:\n  - {key: q, text: 好吗？, scale: likert5}\n"
    file.write_text(
        f"study: zh\ntitle: T\nlanguage: zh-hans\n{asks}"
        "exit:\n  - {key: own, text: 好吗？, scale: likert5}\n"
        "attention:\n" + "".join(check % one for one in rights)
    )
    problems = Problems()
    read = read_study(file, "study.yaml", problems)
    assert not problems, list(map(str, problems.shown))
    kept = [(one["scale"], one["right"]) for one in read.fields["extra"]["attention"]]
    assert kept == [("likert5", "Disagree")] * 3
    study = Study(slug="zh", **read.fields)
    assert around.exit_of(study)[0].scale.labels == AGREEMENT_ZH
    assert around.frozen_keys(study, study.extra["exit"]) == []
    data = study_data(study, [Question(**spec) for spec in read.questions])
    file.write_text(as_yaml(data))
    again = read_study(file, "study.yaml", problems)
    assert not problems and again.fields["extra"] == read.fields["extra"]
    file.write_text(file.read_text().replace("zh-hans", "ar"))
    assert read_study(file, "study.yaml", problems).fields["extra"] == read.fields["extra"]


def test_the_ready_made_check_is_added_in_the_language(as_owner, study):
    Study.objects.update(language="zh-hans")
    assert (
        "请同时选择 A 和 D。" in as_owner.get("/studies/films/settings/sessions/").content.decode()
    )
    as_owner.post("/studies/films/settings/sessions/check/ready/")
    (entry,) = Study.objects.get().extra["attention"]
    assert (entry["text"], entry["right"]) == ("请同时选择 A 和 D。", ["A", "D"])


def test_a_new_question_takes_its_labels_from_the_language(as_owner, study):
    Study.objects.update(language="zh-hans")
    english = study.questions.first()
    given = {"text": "好吗？", "key": "new", "scale": "likert5", "required": "on"}
    as_owner.post("/studies/films/questions/new/", given)
    assert study.questions.get(key="new").scale.labels == AGREEMENT_ZH
    # Those that were there keep theirs, also when their wording is changed.
    page = as_owner.get(f"/studies/films/questions/{english.pk}/").content.decode()
    assert "Strongly disagree" in page
    assert Question.objects.get(pk=english.pk).scale.labels == AGREEMENT


def test_the_language_does_not_stay_with_the_thread(client, study):
    Study.objects.update(language="zh-hans")
    join(client, study)
    client.get("/r/nobodys-token/")
    assert parse_scale("text").allowed == "any text"
    assert "Nothing here" in client.get("/r/nobodys-token/").content.decode()


@pytest.mark.parametrize(
    ("practice", "language", "words"),
    [
        (test_steps.PRACTICE[:1], "en", "one page for practice: what you answer there does not"),
        (test_steps.PRACTICE, "en", "2 pages for practice: what you answer there does not count."),
        (test_steps.PRACTICE, "zh-hans", "接下来有 2 页练习"),
        (test_steps.PRACTICE[:1], "ar", "صفحة واحدة للتدريب"),
        (test_steps.PRACTICE, "ar", "صفحتان للتدريب"),
    ],
)
def test_practice_is_announced_in_pages_as_everything_else(client, practice, language, words):
    study = factories.make_study(items=4, language=language)
    session = test_steps.begin(client, test_steps.ask(study, test_steps.CHECK, practice))
    page = test_steps.text_of(test_steps.attempt(client, session, 2, 2))
    assert words in page and "عنصر" not in page
