"""The pages on which researchers set what comes before and after the items, and their preview."""

import csv
import io
import json
import re
from html import unescape

import pytest
from django.core.management import call_command

from analysis.exports import write
from annotate.files.reading.stepspec import read_screener
from annotate.flow import around
from annotate.models import (
    Session,
    Study,
)
from annotate.quality import about_raters
from annotate.quality.rules import RULES, offered, preview
from annotate.sessions.exclude import exclude_by_hand
from annotate.studies import edit, step_settings
from annotate.studies.forms_steps import PARTS
from judges.files import check_files, load_files
from judges.files.study_file import study_yaml
from tests import factories
from tests.annotate.raters.test_preview import begun, everything, normal, open_preview
from tests.annotate.sessions.test_steps import (
    CHECK,
    EXIT,
    PRACTICE,
    ask,
    attempt,
    begin,
    rate_all,
    text_of,
)

pytestmark = pytest.mark.django_db
PAGE = "/studies/films/settings/steps/"
QUESTION = {"text": "What?", "options": "a\nb", "answer": "2", "explanation": ""}


def rows(*entries, do="save", **fields):
    typed = {f"r{n}-{key}": value for n, one in enumerate(entries) for key, value in one.items()}
    return {"rows": len(entries), "do": do, **typed, **fields}


def saved(key):
    return Study.objects.get(slug="films").extra.get(key)


# The pages


def test_a_check_is_written_row_by_row_without_a_script(as_owner, study):
    address = PAGE + "check/"
    assert "There is no check" in text_of(as_owner.get(address))
    page = as_owner.post(address, rows(do="add", attempts=3))
    assert "not saved yet" in text_of(page) and 'name="r0-text"' in text_of(page)
    other = QUESTION | {"text": "Why?"}
    page = as_owner.post(address, rows(QUESTION, other, {}, do="up-1", attempts=3))
    texts = re.findall(r'<textarea name="r\d-text"[^>]*>\s*([^<]*)<', page.content.decode())
    assert texts == ["Why?", "What?", ""] and saved(around.CHECK) is None
    page = as_owner.post(address, rows(QUESTION, other, {}, do="remove-2", attempts=3))
    assert 'name="r2-text"' not in text_of(page)
    assert as_owner.post(address, rows(QUESTION, other, attempts=3)).status_code == 302
    assert saved(around.CHECK) == {
        "attempts": 3,
        "questions": [
            {"text": "What?", "options": ["a", "b"], "answer": "b"},
            {"text": "Why?", "options": ["a", "b"], "answer": "b"},
        ],
    }
    assert 'value="2"' in text_of(as_owner.get(address))
    as_owner.post(address, rows(attempts=3))
    assert saved(around.CHECK) is None


@pytest.mark.parametrize(
    "change, words",
    [
        ({"options": "a"}, "2 to 10 texts"),
        ({"options": "a\na"}, "one twice"),
        ({"answer": "3"}, "one of the options"),
        ({"text": ""}, "This field is required"),
    ],
)
def test_a_wrong_row_says_what_is_wrong_and_nothing_is_saved(as_owner, study, change, words):
    page = as_owner.post(PAGE + "check/", rows(QUESTION | change, attempts=2))
    assert page.status_code == 422 and words in text_of(page)
    assert saved(around.CHECK) is None


def test_practice_is_chosen_with_its_expected_answers(as_owner, study):
    row = {"item": "item-1", "q-accuracy": "4", "feedback": "So."}
    assert as_owner.post(PAGE + "practice/", rows(row)).status_code == 302
    assert saved(around.PRACTICE) == [
        {"item": "item-1", "answers": {"accuracy": 4}, "feedback": "So."}
    ]
    assert not study.items.get(key="item-1").places.exists()
    wrong = as_owner.post(PAGE + "practice/", rows({"item": "nothing"}))
    assert wrong.status_code == 422 and "id of an item" in text_of(wrong)
    as_owner.post(PAGE + "practice/", rows())
    assert study.items.get(key="item-1").places.count() == 3


@pytest.mark.parametrize(
    ("labels", "stored", "answer"),
    [
        ([3, 2, 1], 3, "3"),
        ([3, 2, 1], "3", "3"),
        ([0, 1, 2], 0, "0"),
        (["07", "1"], "07", "07"),
        (["A", "tie", "B"], "B", "B"),
    ],
)
def test_practice_and_gold_say_the_label_however_often_they_are_saved(
    as_owner, study, labels, stored, answer
):
    factories.make_question(study, "stars", {"choice": labels})
    entry = {"item": "item-1", "answers": {"stars": stored}}
    edit.change(study, lambda extra: extra.update(practice=[entry]))
    for _ in range(2):
        page = as_owner.get(PAGE + "practice/").content.decode()
        offered = re.search('name="r0-q-stars".*?</select>', page, re.DOTALL)[0]
        (chosen,) = re.findall('value="([^"]*)" selected', offered)
        assert chosen == answer
        as_owner.post(PAGE + "practice/", rows({"item": "item-1", "q-stars": chosen}))
        assert saved(around.PRACTICE)[0]["answers"] == entry["answers"]

    page = as_owner.get("/studies/films/settings/sessions/").content.decode()
    offered_there = re.search(r'name="q-stars".*?</select>', page, re.DOTALL)[0]
    assert re.findall('value="([^"]*)"', offered_there) == ["", *map(str, labels)]
    gold = {"item": "item-0", "q-stars": answer, "tolerance": 0}
    as_owner.post("/studies/films/settings/sessions/gold/", gold)
    assert saved("gold") == [{"item": "item-0", "answers": {"stars": answer}, "tolerance": 0}]


def test_exit_questions_of_both_kinds(as_owner, study):
    address = PAGE + "exit/"
    assert "Add: gender" in text_of(as_owner.get(address))
    page = text_of(as_owner.post(address, rows(do="add-gender")))
    assert "Empty: What is your gender?" in page and "Add: gender" not in page
    own = {"text": "TV?", "key": "tv", "scale": "choice", "labels": "yes\nno", "required": "on"}
    as_owner.post(address, rows({"ready": "gender", "text": ""}, own))
    assert saved(around.EXIT) == [
        "gender",
        {"key": "tv", "text": "TV?", "scale": {"choice": ["yes", "no"]}, "required": True},
    ]
    twice = as_owner.post(address, rows(own, own))
    assert twice.status_code == 422 and "twice" in text_of(twice)
    session = factories.make_session(study)
    factories.make_about(session, "tv", value=1, text="yes")
    other = as_owner.post(address, rows(own | {"labels": "no\nyes"}))
    assert other.status_code == 422 and "has answers, so its scale stays" in text_of(other)


def test_questions_before_stand_in_a_list_of_their_own(as_owner, study):
    address = PAGE + "questions/"
    page = text_of(as_owner.get(address))
    assert "There are no questions before" in page and "Add: gender" in page
    own = {"text": "TV?", "key": "tv", "scale": "binary"}
    page = text_of(as_owner.post(address, rows(own, do="add-age")))
    assert "the column before_… of the exports" in page and "Add: age" not in page
    as_owner.post(address, rows(own, {"ready": "age", "text": "", "required": "on"}))
    assert saved(around.BEFORE) == [
        {"key": "tv", "text": "TV?", "scale": "binary", "required": False},
        {"ready": "age", "required": True},
    ]
    assert "Add: age" not in text_of(as_owner.get(PAGE + "exit/"))
    both = as_owner.post(PAGE + "exit/", rows(own))
    assert both.status_code == 422 and "Found tv in two lists" in text_of(both)
    as_owner.post(address, rows())
    assert saved(around.BEFORE) == []


ASKED = {"questions": [{"key": "sex", "text": "Are you …", "options": ["a woman", "a man"]}]}
SEX = {"text": "Are you …", "key": "sex", "options": "a woman\na man", "screens_out": "a man"}


def test_the_screener_and_its_quotas_stand_in_two_lists_of_rows(as_owner, study):
    address, quotas = PAGE + "screener/", PAGE + "quotas/"
    assert "everybody can take part" in text_of(as_owner.get(address))
    as_owner.post(address, rows(SEX))
    sex = {"key": "sex", "text": "Are you …", "options": ["a woman", "a man"]}
    asked = [sex | {"screens_out": ["a man"]}]
    assert saved(around.SCREENER) == {"questions": asked}
    women = {"quota": "Women", "question": "sex", "options": "a woman", "most": "40"}
    page = text_of(as_owner.post(quotas, rows(women, do="add")))
    assert "not saved yet" in page and 'value="Women"' in page
    as_owner.post(quotas, rows(women))
    kept = {"name": "Women", "question": "sex", "options": ["a woman"], "most": 40}
    assert saved(around.SCREENER) == {"questions": asked, "quotas": [kept]}
    assert 'value="Women"' in text_of(as_owner.get(quotas))
    as_owner.post(address, rows(SEX | {"screens_out": ""}))  # the other list stays
    assert saved(around.SCREENER) == {"questions": [sex], "quotas": [kept]}


def test_sources_of_lists_are_rows_beside_how_many_are_picked(as_owner, study):
    address = PAGE + "taste/"
    assert "There are no sources" in as_owner.get(address).content.decode()
    sent = {"least": 2, "most": 7, "length": 4, "rows": 2, "do": "save"}
    sent |= {"r0-system": "near", "r0-by": "nearest", "r0-columns": "genres\r\ntopics\r\n"}
    sent |= {"r1-system": "chance", "r1-by": "random"}
    page = as_owner.post(address, sent | {"do": "up-1"}).content.decode()
    assert page.index("chance") < page.index('value="near"') and 'value="7"' in page
    assert as_owner.post(address, sent).status_code == 302
    sources = [
        {"system": "near", "columns": ["genres", "topics"]},
        {"system": "chance", "by": "random"},
    ]
    assert saved("taste") == {"least": 2, "most": 7, "length": 4, "sources": sources}
    page = as_owner.get(address).content.decode()
    assert "genres\ntopics" in page and 'name="least" value="2"' in page
    for wrong, words in [
        ({"most": 1}, "Found 1; allowed is least (2) or more."),
        ({"r1-system": "near"}, "Found &#x27;near&#x27; twice; allowed is once."),
        ({"r1-columns": "genres"}, "Allowed are columns of contents"),
        ({"r0-columns": ""}, "Allowed are columns of contents"),
        ({"length": 21}, "less than or equal to 20"),
    ]:
        answer = as_owner.post(address, sent | wrong)
        assert answer.status_code == 422 and words in answer.content.decode(), wrong
    as_owner.post(address, {"least": 2, "most": 7, "length": 4, "rows": 0, "do": "save"})
    assert Study.objects.get(slug="films").extra["taste"] == {}  # there may be lists from before


def test_arms_are_rows_too(as_owner, study):
    address = PAGE + "arms/"
    assert "all sessions are alike" in text_of(as_owner.get(address))
    plain = {"arm": "plain", "instructions": "", "layout": "", "share": "1"}
    told = {
        "arm": "told",
        "instructions": "Be **strict**.\r\nRead.",
        "layout": "grid",
        "share": "2",
    }
    page = text_of(as_owner.post(address, rows(plain)))
    assert "Found one arm; allowed are two or more, or none." in page
    as_owner.post(address, rows(plain, told))
    strict = {"name": "told", "instructions": "Be **strict**.\nRead.", "layout": "grid", "share": 2}
    assert saved("arms") == [{"name": "plain"}, strict]
    page = text_of(as_owner.get(address))
    assert 'value="told"' in page and "Be **strict**." in page
    assert "twice" in text_of(as_owner.post(address, rows(plain, plain)))
    as_owner.post(address, rows())
    assert "arms" not in Study.objects.get(slug="films").extra


@pytest.mark.parametrize(
    ("part", "row", "words"),
    [
        ("screener", SEX | {"screens_out": "a cat"}, "Found 'a cat'; allowed are options"),
        ("screener", SEX | {"screens_out": "a woman\na man"}, "Found all options"),
        ("screener", SEX | {"key": "gender"}, "the name of a ready-made question"),
        ("screener", SEX | {"key": "other"}, "Quotas: number 1: question: found 'sex'"),
        ("quotas", {"question": "sex", "options": "a cat", "quota": "q", "most": "1"}, "'a cat'"),
        (
            "quotas",
            {"question": "x", "options": "a man", "quota": "q", "most": "1"},
            "valid choice",
        ),
        ("quotas", {"question": "sex", "options": "a man", "quota": "q", "most": "0"}, "greater"),
    ],
)
def test_what_is_wrong_with_a_screener_is_said(as_owner, study, part, row, words):
    as_owner.post(PAGE + "questions/", rows({"text": "TV?", "key": "tv", "scale": "binary"}))
    as_owner.post(PAGE + "screener/", rows(SEX))
    quota = {"quota": "Women", "question": "sex", "options": "a woman", "most": "40"}
    as_owner.post(PAGE + "quotas/", rows(quota))
    before = saved(around.SCREENER)
    page = as_owner.post(f"{PAGE}{part}/", rows(row))
    assert page.status_code == 422 and words in unescape(text_of(page))
    twice = as_owner.post(PAGE + "screener/", rows(SEX, SEX | {"key": "tv"}))
    assert twice.status_code == 422 and "Found tv in two lists" in text_of(twice)
    assert saved(around.SCREENER) == before


@pytest.mark.django_db(transaction=True)
def test_who_saves_quotas_while_questions_are_saved_loses_neither(owner, study):
    """Both pages were opened before; the second one is checked with what the first one saved."""
    edit.change(study, lambda extra: extra.update(screener=read_screener(ASKED)))
    early = Study.objects.get(pk=study.pk)
    other = {"key": "tv", "text": "TV?", "options": ["yes", "no"]}
    asked = {"questions": [*ASKED["questions"], other]}
    edit.change(study, lambda extra: extra.update(screener=read_screener(asked)))
    quota = {"quota": "Q", "question": "sex", "options": "a man", "most": "4"}
    _, is_saved = step_settings._save(early, PARTS["quotas"], {**rows(quota), "rows": "1"})
    assert is_saved
    kept = saved(around.SCREENER)
    assert len(kept["questions"]) == 2 and len(kept["quotas"]) == 1


def test_answered_options_of_a_screener_stay(as_owner, study):
    as_owner.post(PAGE + "screener/", rows(SEX))
    session = factories.make_session(study)
    factories.make_about(session, "sex", value=1, text="a woman", step="screener")
    other = as_owner.post(PAGE + "screener/", rows(SEX | {"options": "a man\na woman"}))
    assert other.status_code == 422 and "has answers, so its scale stays" in text_of(other)


def test_the_preview_of_a_screener_screens_out_and_takes_no_quota(as_owner, study):
    as_owner.post(PAGE + "screener/", rows(SEX))
    before = everything()
    address = open_preview(as_owner, "show=consent")
    asked = as_owner.post(address, {"consent": "yes"}, follow=True)
    assert "Are you …" in text_of(asked)
    page = asked.request["PATH_INFO"]
    version = asked.context["version"]
    assert as_owner.post(page, {"version": version}).status_code == 422
    out = text_of(as_owner.post(page, {"version": version, "qsex": "2"}, follow=True))
    assert "looking for other people" in out
    page = open_preview(as_owner, "show=screener") + "screener/"
    as_owner.post(page, {"version": version, "qsex": "1"})
    assert begun().state == "instructions"
    assert everything() == before


def test_the_pages_take_few_queries(as_owner, study, django_assert_max_num_queries):
    ask(study, CHECK, PRACTICE, EXIT)
    for part in PARTS:
        with django_assert_max_num_queries(8):
            as_owner.get(PAGE + part + "/")


def test_what_is_typed_is_text(as_owner, client, study):
    bad = "<script>alert(1)</script>"
    asked = [{"text": bad, "options": [bad, "b"], "answer": "b", "explanation": bad}]
    ask(study, {"attempts": 2, "questions": asked}, exit=[{"ready": "age", "text": bad}])
    session = begin(client, study)
    rater = f"/studies/films/raters/{session.rater_id}/"
    pages = [attempt(client, session, 1)]
    pages += [as_owner.get(page) for page in (PAGE + "check/", PAGE + "exit/", rater)]
    for page in pages:
        assert bad not in page.content.decode() and "&lt;script&gt;" in page.content.decode()


# The preview


def test_every_step_looks_exactly_as_raters_see_it(as_owner, client, study):
    ask(study, CHECK, PRACTICE, EXIT)
    session = begin(client, study)
    frame = open_preview(as_owner, "show=check")
    own = begun()

    def same(address, data=None):
        if data is None:
            real, page = client.get(f"/r/{session.token}/{address}"), as_owner.get(frame + address)
        else:
            real = client.post(f"/r/{session.token}/{address}", data, follow=True)
            data = renamed(data) if "practice" in address else data
            page = as_owner.post(frame + address, data, follow=True)
        assert normal(page.content.decode(), own.token) == normal(
            real.content.decode(), session.token
        )
        return real

    def renamed(data):
        """The same answers under the copy's numbers of the questions."""
        keys = {f"q{q.pk}": q.key for q in study.questions.all()}
        copied = {q.key: f"q{q.pk}" for q in own.study.questions.all()}
        return {copied[keys[name]] if name in keys else name: data[name] for name in data}

    version = same("check/").context["version"]
    same("check/", {"attempt": 1, "version": version, "q1": 1})
    same("check/", {"attempt": 1, "version": version, "q1": 1, "q2": 2})
    same("check/", {"attempt": 2, "version": version, "q1": 2, "q2": 2})
    for one, token in ((client, session.token), (as_owner, own.token)):
        one.post(f"/r/{token}/begin/")
    answers = {f"q{question.pk}": 4 for question in study.questions.all()}
    same("practice/1/")
    same("practice/1/", {})
    same("practice/1/", answers)
    same("practice/2/", answers)
    for one, token in ((client, session.token), (as_owner, own.token)):
        one.post(f"/r/{token}/begin/")
    rate_all(client, Session.objects.get(pk=session.pk))
    rate_all(as_owner, Session.objects.get(pk=own.pk))
    same("exit/")
    same("exit/", {"qage": "x"})


def test_a_walk_through_the_steps_changes_nothing_of_the_study(as_owner, study):
    ask(study, CHECK, PRACTICE, EXIT)
    before = everything()
    frame = open_preview(as_owner, "show=check")
    version = as_owner.get(frame + "check/").context["version"]
    for number in (1, 2):
        wrong = {"attempt": number, "version": version, "q1": 1, "q2": 1}
        end = text_of(as_owner.post(frame + "check/", wrong, follow=True))
    assert "Your visit ends here" in end
    frame = open_preview(as_owner, "show=exit")
    thanks = text_of(as_owner.post(frame + "exit/", {"qage": "3"}, follow=True))
    assert study.completion_code in thanks
    assert everything() == before
    edit.change(study, lambda extra: extra.update(questions_before=["gender"]))
    asked = as_owner.post(open_preview(as_owner, "show=consent"), {"consent": "yes"}, follow=True)
    page = asked.request["PATH_INFO"]
    assert page.endswith("/questions/") and "About you" in text_of(asked)
    assert as_owner.post(page, {"qgender": "9"}).status_code == 422
    as_owner.post(page)
    assert begun().state == "instructions"
    for show in ("questions", "check", "practice", "exit"):
        address = open_preview(as_owner, f"show={show}")
        assert f"/{show}/" in as_owner.get(address, follow=True).request["PATH_INFO"]


# study.yaml


YAML = """\
study: films
practice:
  - {item: item-0, answers: {accuracy: 4}}
  - item: ITEM
    answers: {ANSWERS}
exit:
  - gender
  - key: tv
    text: A TV?
    scale: SCALE
"""


def load(tmp_path, check=False, **words):
    text = YAML
    for word, by in ({"ITEM": "item-1", "ANSWERS": "", "SCALE": "binary"} | words).items():
        text = text.replace(word, by)
    path = tmp_path / "study.yaml"
    path.write_text(text)
    return (check_files if check else load_files)(path, {})


def test_a_file_marks_items_and_comes_out_as_it_went_in(study, tmp_path):
    assert not load(tmp_path).problems
    assert sorted(study.items.filter(is_practice=True).values_list("key", flat=True)) == [
        "item-0",
        "item-1",
    ]
    assert study.places.count() == 6
    path = tmp_path / "again.yaml"
    path.write_text(study_yaml(Study.objects.get()))
    again = load_files(path, {})
    assert not any(counts.new or counts.changed for counts in again.counts.values())


def test_a_key_stands_before_or_after_the_items_in_a_file_too(study, tmp_path):
    (problem,) = load(
        tmp_path, check=True, practice="questions_before: [gender]\npractice"
    ).problems.shown
    assert "found 'gender' in two of screener, questions_before and exit" in str(problem)


@pytest.mark.parametrize(
    "words, line, message",
    [
        ({"ITEM": "nothing"}, None, "number 2: item: found 'nothing'"),
        ({"ANSWERS": "accuracy: 6"}, None, "whole number from 1 to 5"),
        ({"ANSWERS": "nothing: 1"}, None, "nothing: is not asked about this item"),
        ({"SCALE": "colours"}, 10, "line 10, column scale: found scale 'colours'"),
        ({"gender": "sex"}, 7, "allowed is gender, age, familiarity"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_with_its_place(study, tmp_path, words, line, message):
    (problem,) = load(tmp_path, check=True, **words).problems.shown
    assert message in str(problem) and problem.row == line


def test_a_copy_of_a_study_has_its_check_and_exit_questions_but_no_practice(as_owner, study):
    ask(study, CHECK, PRACTICE, EXIT)
    as_owner.post("/studies/films/copy/", {"title": "Copy", "slug": "copy"})
    assert set(Study.objects.get(slug="copy").extra) == {around.CHECK, around.EXIT}


# What is read afterwards


@pytest.fixture
def answered(study):
    """Four who completed; dan is excluded. Their exit answers, by hand."""
    ask(study, CHECK, exit=EXIT)
    told = {
        "ann": {"gender": (1, "woman"), "age": (34, ""), "movies_per_month": (2, "")},
        "bob": {
            "gender": (2, "man"),
            "age": (17.5, ""),
            "movies_per_month": (0.5, ""),
            "comments": (None, "=HYPERLINK(1)"),
            "familiarity": (50, ""),
        },
        "cem": {"gender": (1, "woman"), "familiarity": (60, "")},
        "dan": {"age": (25, ""), "movies_per_month": (9, ""), "tv": (1, "Yes")},
    }
    for name, answers in told.items():
        session = factories.make_session(study, name, source="web")
        for key, (value, text) in answers.items():
            factories.make_about(session, key, value=value, text=text)
    return study


def exported(study, table):
    text = "".join(write.pieces(study, table, "csv"))
    return {row["rater"]: row for row in csv.DictReader(io.StringIO(text))}


@pytest.mark.parametrize("table", ["raters", "sessions"])
def test_exit_answers_are_columns_of_the_exports(answered, table):
    found = exported(answered, table)
    assert found["ann"]["exit_gender"] == "woman" and found["ann"]["exit_age"] == "34"
    assert found["bob"]["exit_age"] == "17.5" and found["bob"]["exit_comments"] == "'=HYPERLINK(1)"
    assert found["cem"]["exit_age"] == "" and found["dan"]["exit_tv"] == "Yes"
    before = "".join(write.pieces(answered, "codebook", "csv"))
    assert "One of: woman; man; non-binary; other; prefer not to say." in before
    answered.extra[around.EXIT] = ["age"]
    answered.save()
    assert exported(answered, table)["dan"]["exit_tv"] == "Yes"
    codebook = "".join(write.pieces(answered, "codebook", "csv"))
    assert f'{table},exit_age,"Exit question: How old are you, in years?' in codebook
    assert "1 to 130" in codebook
    assert f"{table},exit_tv,An exit question that is no longer asked." in codebook


def test_attempts_are_in_the_export_of_sessions(client, study):
    session = begin(client, ask(study, check=CHECK))
    attempt(client, session, 1, 2)
    attempt(client, session, 2, 2)
    (row,) = exported(study, "sessions").values()
    assert (row["check_attempts"], row["check_passed"]) == ("2", "true")
    first, second = json.loads(row["check_answers"])
    wrong = {"question": "What do you rate?", "answer": "Films", "right": False}
    assert wrong in first["answers"] and all(one["right"] for one in second["answers"])


def test_the_table_of_who_took_part(answered, owner, as_owner):
    exclude_by_hand(answered.raters.get(key="dan"), owner, "why")
    found = {
        line.label: (line.everybody, line.counted)
        for _, lines in about_raters.demographics(answered)
        for line in lines
    }
    assert found == {
        "woman": (2, 2),
        "man": (1, 1),
        "under 18": (1, 1),
        "25–34": (2, 1),
        "Films a month, mean": (pytest.approx(11.5 / 3), 1.25),
        "Familiar films, mean %": (55, 55),
    }
    page = text_of(as_owner.get("/studies/films/raters/"))
    assert "Gender: woman" in page and "3.83" in page


def test_a_raters_page_shows_all_of_it_in_few_queries(
    as_owner, client, study, django_assert_max_num_queries
):
    session = begin(client, ask(study, CHECK, PRACTICE, EXIT))
    attempt(client, session, 1, 2)
    attempt(client, session, 2, 2)
    item = study.items.first()
    factories.make_practice(session, item, accuracy=4.0)
    factories.make_about(session, "age", value=34)
    factories.make_about(session, "comments", text="version 2.0")
    with django_assert_max_num_queries(12):
        page = text_of(as_owner.get(f"/studies/films/raters/{session.rater_id}/"))
    assert page.index("not passed") < page.index(">passed<")
    assert "<dd>34</dd>" in page and "version 2.0" in page and "accuracy: 4.0" in page


def out(study, rule, **parameters):
    given = {one.name: one.default for one in RULES[rule].parameters} | parameters
    return {rater.key for rater, _ in preview(study, RULES[rule], given).out}


def test_the_rules_about_exit_answers(answered):
    keys = {rule.key for rule in offered(answered)}
    assert {"few_movies", "unfamiliar", "exit_answer"} <= keys
    assert out(answered, "few_movies") == {"bob"}
    assert out(answered, "unfamiliar") == {"bob"}
    assert out(answered, "unfamiliar", percent=61) == {"bob", "cem"}

    def generic(question, how, value):
        return out(answered, "exit_answer", question=question, how=how, value=value)

    assert generic("age", "above", "25") == {"ann"}
    assert generic("age", "below", "25") == {"bob"}
    assert generic("gender", "equals", "Woman") == {"ann", "cem"}
    assert generic("age", "equals", "34") == {"ann"}
    assert generic("age", "above", "words") == set()


def test_a_rule_about_an_exit_answer_is_previewed_applied_and_undone(answered, as_owner):
    given = {"rule": "exit_answer", "question": "gender", "how": "equals", "value": "man"}
    page = as_owner.get("/studies/films/quality/", given)
    assert "would exclude 1 of 4 raters" in text_of(page)
    seen = page.context["preview"].seen
    as_owner.post("/studies/films/quality/exit_answer/apply/", given | {"seen": seen})
    bob = answered.raters.get(key="bob")
    assert bob.excluded_because == "exit answer: gender equals man"
    step = answered.quality_steps.get()
    as_owner.post(f"/studies/films/quality/{step.pk}/undo/")
    assert answered.raters.get(key="bob").excluded_because == ""


def test_the_rules_are_not_offered_without_such_questions(study):
    assert not {"few_movies", "unfamiliar", "exit_answer"} & {rule.key for rule in offered(study)}


def test_the_template_of_seven_questions_asks_who_took_part(as_owner):
    fields = {"template": "explanations-seven", "title": "S", "slug": "seven"}
    as_owner.post("/studies/new/template/", fields)
    study = Study.objects.get(slug="seven")
    keys = [question.key for question in around.exit_of(study)]
    assert keys == ["familiarity", "movies_per_month", "gender", "age"]
    assert not any(question.required for question in around.exit_of(study))


def test_the_command_exports_them_too(answered):
    found = io.StringIO()
    call_command("export", "films", "raters", stdout=found)
    assert "exit_gender" in found.getvalue().splitlines()[0]
