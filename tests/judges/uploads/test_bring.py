"""A table of another program becomes a study: its columns are chosen, shown, then loaded."""

import pytest

from annotate.models import Item, Question, Rating, Study
from judges.models import ColumnMapping, Judgment, Upload
from judges.tasks import load_upload
from judges.uploads.uploads import load_upload as run_load
from tests import factories
from tests.brought import choose, send
from tests.workbooks import workbook

pytestmark = pytest.mark.django_db

WIDE = """\ufeffid;text;rater1_fluency;rater1_fit;rater2_fluency;rater2_fit;system
a1;"Weil Sie ""Nacht"" mochten";4;2;5;;gpt
"""
HANNA = [
    ["story_id", "story", "rater", "coherence", "surprise", "gpt4", "date"],
    [1, "Once upon a time.", "ann", 4, 2, 3.5, "x"],
    [1, "Once upon a time.", "bob", 5, 1, 3.5, "y"],
    [2, "The end.", "ann", 1, 3, -1, "x"],
]


@pytest.fixture(autouse=True)
def folders(settings, tmp_path, monkeypatch):
    settings.MEDIA_ROOT = tmp_path / "media"
    monkeypatch.setattr(load_upload, "delay", lambda pk: None)


def load(client, upload):
    client.post(f"/uploads/{upload.token}/load/", {"out_of_range": "missing"})
    run_load(upload.pk)
    upload.refresh_from_db()
    return upload


def test_a_wide_excel_csv_becomes_a_study_by_its_guesses(as_owner):
    upload = send(as_owner, WIDE, "Nacht und Tag.csv")
    page = as_owner.get(upload.get_absolute_url(), follow=True).content.decode()
    assert "Read as UTF-8 with a byte-order mark, with semicolons." in page
    questions = choose(as_owner, upload)
    assert "the scale may have more points" in questions.content.decode()
    preview = choose(as_owner, upload, "questions").content.decode()
    assert "No problems found. Nothing is written yet." in preview
    assert "1 of 4 answers are empty: no rating." in preview
    assert not Study.objects.exists()
    assert load(as_owner, upload).state == Upload.State.LOADED
    study = Study.objects.get(slug="nacht-und-tag")
    item = Item.objects.get()
    assert (item.study, item.key, item.text, item.system.key) == (
        study,
        "a1",
        'Weil Sie "Nacht" mochten',
        "gpt",
    )
    rows = Rating.objects.values_list("session__rater__key", "question__key", "value")
    assert sorted(rows) == [
        ("rater1", "fit", 2),
        ("rater1", "fluency", 4),
        ("rater2", "fluency", 5),
    ]
    assert {(q.scale.low, q.scale.high) for q in Question.objects.all()} == {(1, 5)}


def test_a_workbook_with_a_row_for_each_rater_and_a_judge(as_owner):
    upload = send(as_owner, workbook({"Sheet1": HANNA}), "stories.xlsx")
    uses = {name: guess["use"] for name, guess in upload.bringing["guesses"].items()}
    assert uses == {
        "story_id": "item",
        "story": "text",
        "rater": "rater",
        "coherence": "answers",
        "surprise": "answers",
        "gpt4": "scores",
        "date": "extra",
    }
    choose(as_owner, upload)
    page = choose(as_owner, upload, "questions").content.decode()
    # The judge's −1 lies outside the scale: it is counted and asked about first.
    assert "gpt4: 2 of 4 judgments are outside the scale 1 to 5" in page
    load(as_owner, upload)
    values = Judgment.objects.order_by("item__key", "question__key").values_list("value", "reason")
    assert list(values)[-1] == (None, "outside the scale 1 to 5: the file has -1")
    assert Rating.objects.count() == 6


def test_an_unclear_encoding_is_chosen_by_eye(as_owner):
    data = "id;text;fit\r\ni1;Café – “gut”;4\r\n".encode("cp1252")
    upload = send(as_owner, data)
    page = as_owner.get(f"/uploads/{upload.token}/columns/").content.decode()
    assert "i1;Café – “gut”;4" in page
    assert 'name="use_0"' not in page
    as_owner.post(f"/uploads/{upload.token}/reading/", {"encoding": "cp1252"})
    upload.refresh_from_db()
    assert upload.bringing["assumed"] == [
        "Read as Western European (Windows-1252), with semicolons."
    ]
    assert upload.bringing["columns"][1]["samples"] == ["Café – “gut”"]


def test_a_file_that_cannot_be_read_says_why_and_where(as_owner):
    upload = send(as_owner, "id,text\n1,a,b\n")
    page = as_owner.get(f"/uploads/{upload.token}/columns/").content.decode()
    assert "row 2: found &#x27;b&#x27; in column 3" in page
    assert "Nothing was written." in page


def test_another_sheet_can_be_chosen(as_owner):
    sheets = {"A": [["id", "text"], [1, "x"]], "B": [["nr", "story"], [1, "y"]]}
    upload = send(as_owner, workbook(sheets), "a.xlsx")
    as_owner.post(f"/uploads/{upload.token}/reading/", {"sheet": "B"})
    upload.refresh_from_db()
    assert list(upload.bringing["guesses"]) == ["nr", "story"]


@pytest.fixture
def study(owner):
    """A study of the owner with two items and the questions fit and fun, from 1 to 5."""
    made = factories.make_study("cats", owner, questions={"fit": "It fits.", "fun": "It is fun."})
    for key in ("a", "b"):
        factories.make_item(made, key)
    return made


INTO = "/studies/cats/bring/"


def test_problems_name_the_row_and_the_column_of_the_brought_file(as_owner, study):
    rows = "nr;anns_fit;bobs_fit\na;4;2\n\nb;7;3\nc;1;1\n"
    upload = send(as_owner, rows, "cats.csv", INTO)
    chosen = {
        "use_0": "item",
        "use_1": "answers",
        "question_1": "fit",
        "by_1": "ann",
        "use_2": "answers",
        "question_2": "fit",
        "by_2": "bob",
    }
    page = choose(as_owner, upload, **chosen).content.decode()
    assert "<td>cats.csv, row 4, column anns_fit</td>" in page
    assert "<td>cats.csv, row 5, column nr</td>" in page
    upload.refresh_from_db()
    messages = [problem["message"] for problem in upload.problems["shown"]]
    assert messages[0] == "found '7'; allowed is a whole number from 1 to 5"


def test_two_answers_of_one_rater_are_named_by_both_rows(as_owner, study):
    upload = send(as_owner, "nr,rater,fit\na,ann,4\nb,ann,3\na,ann,2\n", "cats.csv", INTO)
    choose(as_owner, upload)
    upload.refresh_from_db()
    (problem,) = upload.problems["shown"]
    assert problem["row"] == 4
    assert problem["message"].endswith("stands in row 2 already")


def test_an_item_with_two_texts_is_refused(as_owner):
    upload = send(as_owner, "id,text,rater,fit\na,x,ann,4\na,y,bob,3\n")
    choose(as_owner, upload)
    page = choose(as_owner, upload, "questions", title="Two").content.decode()
    assert "has another text here than in row 2" in page
    response = as_owner.post(f"/uploads/{upload.token}/load/")
    assert response.status_code == 404


def test_a_question_that_the_study_has_not_is_named_with_the_nearest(as_owner, study):
    upload = send(as_owner, "nr,rater,fits\na,ann,4\nb,ann,3\n", "cats.csv", INTO)
    response = choose(as_owner, upload)
    assert response.status_code == 422
    page = response.content.decode()
    assert "“fits” is no question of the study: it has fit, fun; the nearest is “fit”." in page


def test_who_answered_is_asked_where_nothing_tells_it(as_owner, study):
    upload = send(as_owner, "nr,fit\na,4\nb,3\n", "cats.csv", INTO)
    response = choose(as_owner, upload)
    assert response.status_code == 422
    assert "choose whose answers they are" in response.content.decode()
    choose(as_owner, upload, rater_is="one", rater_name="me")
    load(as_owner, upload)
    assert set(Rating.objects.values_list("session__rater__key", flat=True)) == {"me"}


def test_a_reversed_column_and_words_take_the_scale_of_the_study(as_owner, study):
    upload = send(as_owner, "nr,rater,fit,fun\na,ann,1,Agree\nb,ann,4,Neutral\n", "c.csv", INTO)
    response = choose(as_owner, upload, reverse_2=True, use_3="answers", question_3="fun")
    assert "No problems found" in response.content.decode()
    load(as_owner, upload)
    rows = Rating.objects.order_by("pk").values_list("question__key", "value")
    assert list(rows) == [("fit", 5), ("fun", 4), ("fit", 2), ("fun", 3)]


MERGED = [["id", "text", "rater", "fit"], ["a", "x", "ann", 4], [None, None, "bob", 5]]


@pytest.mark.parametrize("into", [False, True])
def test_rows_of_merged_cells_are_not_dropped(as_owner, study, into):
    address = INTO if into else "/studies/new/bring/"
    upload = send(as_owner, workbook({"S": MERGED}), "merged.xlsx", address)
    page = choose(as_owner, upload, use_1="skip" if into else "text").content.decode()
    assert "row 3, column id: found a blank cell in a row that has other values" in page
    assert "fill the column “id” down to every row" in page
    assert "Nothing was written." in page
    assert as_owner.get(f"/uploads/{upload.token}/questions/").status_code == 404


@pytest.mark.parametrize("number", [10, 11])
def test_more_questions_than_the_next_page_can_ask_are_refused(as_owner, settings, number):
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 60  # 1,000, made small
    names = ["id", "text", "rater", *(f"aspect{letter}" for letter in "abcdefghijk"[:number])]
    rows = [["a", "x", "ann"] + ["1"] * number, ["b", "y", "ann"] + ["5"] * number]
    upload = send(as_owner, "\n".join(",".join(row) for row in [names, *rows]) + "\n")
    page = choose(as_owner, upload).content.decode()
    words = "found 11 questions; allowed are 10 for a new study"
    assert (words in page) == (number == 11)
    if number == 10:
        page = choose(as_owner, upload, "questions", title="Many").content.decode()
        assert "No problems found" in page


def test_options_that_are_numbers_and_words_are_all_suggested(as_owner):
    rows = ["a,x,ann,2,good", "b,y,ann,good,3", "c,z,ann,3,2", "d,w,ann,2,"]
    upload = send(as_owner, "\n".join(["id,text,rater,mark,llm", *rows]) + "\n")
    choose(as_owner, upload, use_3="answers", question_3="mark", use_4="scores")
    page = choose(as_owner, upload, "questions", title="Marks").content.decode()
    assert "No problems found" in page
    load(as_owner, upload)
    assert Question.objects.get().scale.labels == ["2", "3", "good"]
    ratings = Rating.objects.order_by("item__key").values_list("value", flat=True)
    judgments = Judgment.objects.order_by("item__key").values_list("value", flat=True)
    assert (list(ratings), list(judgments)) == ([1, 3, 2, 1], [3, 2, 1, None])


REVERSED = "id,text,rater,quality,GPT-4 score\na,x,ann,1,1\nb,y,ann,2,2\nc,z,ann,5,5\n"


def test_the_scores_of_a_judge_without_a_question_are_reversed_too(as_owner):
    upload = send(as_owner, REVERSED)
    assert upload.bringing["guesses"]["GPT-4 score"]["question"] == ""
    choose(as_owner, upload, reverse_3=True, reverse_4=True)
    choose(as_owner, upload, "questions", title="Cats")
    assert load(as_owner, upload).state == Upload.State.LOADED
    values = Judgment.objects.order_by("item__key").values_list("value", flat=True)
    assert list(values) == [5, 4, 1]
    assert list(Rating.objects.order_by("item__key").values_list("value", flat=True)) == [5, 4, 1]


def test_words_of_a_judge_without_a_question_are_points_of_the_scale(as_owner):
    rows = "id,text,rater,fit,llm\na,x,ann,agree,Disagree\nb,y,ann,disagree,agree\n"
    upload = send(as_owner, rows)
    choose(as_owner, upload, use_3="answers", question_3="fit", use_4="scores")
    page = choose(as_owner, upload, "questions", title="Cats").content.decode()
    assert "No problems found" in page
    load(as_owner, upload)
    values = Judgment.objects.order_by("item__key").values_list("value", flat=True)
    assert list(values) == [2, 4]  # of strongly disagree to strongly agree


def test_a_number_without_ends_is_not_reversed_in_silence(as_owner):
    upload = send(as_owner, "id,text,rater,size\na,x,ann,0.5\nb,y,ann,2\n")
    choose(as_owner, upload, use_3="answers", question_3="size", reverse_3=True)
    page = choose(as_owner, upload, "questions", title="Cats").content.decode()
    assert "column size: found “Reverse”" in page
    assert "Nothing was written." in page
    ends = {"kind_0": "points", "low_0": "0", "high_0": "3"}
    page = choose(as_owner, upload, "questions", title="Cats", **ends).content.decode()
    assert "found “Reverse”" not in page
    assert "found &#x27;2.5&#x27;; allowed is a whole number from 0 to 3" in page


def test_two_columns_of_one_use_are_refused(as_owner, study):
    upload = send(as_owner, "nr,uid,rater,fit\na,1,ann,4\n", "cats.csv", INTO)
    response = choose(as_owner, upload, use_1="item")
    assert "“Item id” is chosen for the column “nr” already." in response.content.decode()


def test_what_was_chosen_is_offered_again_and_can_be_kept(as_owner, study):
    first = send(as_owner, "nr,rater,fit\na,ann,4\n", "cats.csv", INTO)
    choose(as_owner, first, use_2="answers", question_2="fun")
    again = send(as_owner, "rater,fit,nr\nbob,4,b\n", "more.csv", INTO)
    assert again.bringing["mapping"]["columns"]["fit"]["question"] == "fun"
    assert ColumnMapping.objects.count() == 1
    kept = as_owner.get(f"/uploads/{first.token}/mapping.yaml").content.decode()
    assert "use: answers" in kept


def test_a_brought_table_can_be_undone(as_owner, study):
    upload = send(as_owner, "nr,rater,fit\na,ann,4\n", "cats.csv", INTO)
    choose(as_owner, upload)
    load(as_owner, upload)
    page = as_owner.get(upload.get_absolute_url()).content.decode()
    assert f"/studies/cats/loads/{upload.load}/" in page
    as_owner.post(f"/studies/cats/loads/{upload.load}/")
    assert not Rating.objects.exists()
    assert study.items.count() == 2


def test_a_table_is_seen_by_the_person_who_brought_it_alone(as_owner, study, client):
    upload = send(as_owner, "nr,rater,fit\na,ann,4\n", "cats.csv", INTO)
    client.force_login(factories.make_user("stranger"))
    for page in ("columns", "questions", "reading"):
        assert client.post(f"/uploads/{upload.token}/{page}/").status_code == 404
    assert client.get(INTO).status_code == 404
    assert client.get("/studies/cats/loads/").status_code == 404
