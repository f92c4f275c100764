"""A table and a mapping in, rows of our tables out; the guesses that make the mapping."""

import pytest

from judges.bringing import workbook
from judges.bringing.guess import guess
from judges.bringing.json_table import read_json
from judges.bringing.profile import describe
from judges.bringing.scales import Seen, suggest_together
from judges.bringing.sheet import NotReadable, Sheet, Truth
from judges.bringing.translate import Translation, column_of, made_id


def sheet_of(*rows, commas=False):
    def records():
        return enumerate([list(row) for row in rows], 1)

    return Sheet("", records, decimal_commas_possible=commas)


def guessed(*rows, commas=False):
    """Return {column: (use, question, by)} as it is guessed."""
    _, columns = describe(sheet_of(*rows, commas=commas))
    return {
        name: tuple(filter(None, (g["use"], g.get("question"), g.get("by"))))
        for name, g in guess(columns).items()
    }


def translated(sheet, columns, **options):
    """Translate by {column: use or (use, question, by)}; return (lines by table, notes)."""
    mapping = {"columns": {}, "rater_is": "one", "rater_name": "me"} | options.pop("mapping", {})
    for name, chosen in columns.items():
        use, question, by = chosen if isinstance(chosen, tuple) else (chosen, "", "")
        mapping["columns"][name] = {"use": use, "question": question, "by": by}
    for name in options.pop("reverse", ()):
        mapping["columns"][name]["reverse"] = True
    made = Translation(sheet, mapping, **options)
    lines = list(made.lines())
    return {t: [line.cells for line in lines if line.table == t] for t in TABLES}, made


TABLES = ("items", "ratings", "judgments")


# Guesses


def test_a_rectangle_of_raters_and_questions_is_seen_on_both_sides():
    names = ["id", "text", "rater1_fluency", "rater1_fit", "rater2_fluency", "rater2_fit"]
    row = ["a", "x", "4", "2", "5", ""]
    expected = {
        "id": ("item",),
        "text": ("text",),
        "rater1_fluency": ("answers", "fluency", "rater1"),
        "rater1_fit": ("answers", "fit", "rater1"),
        "rater2_fluency": ("answers", "fluency", "rater2"),
        "rater2_fit": ("answers", "fit", "rater2"),
    }
    assert guessed(names, row) == expected
    turned = ["fluency_r1", "fluency_r2", "fit_r1", "fit_r2"]
    assert guessed(turned, ["1", "2", "3", "4"]) == {
        "fluency_r1": ("answers", "fluency", "r1"),
        "fluency_r2": ("answers", "fluency", "r2"),
        "fit_r1": ("answers", "fit", "r1"),
        "fit_r2": ("answers", "fit", "r2"),
    }


@pytest.mark.parametrize("name", ["column 1", "Unnamed: 0"])
def test_the_numbers_of_rows_are_no_answers(name):
    assert guessed(["id", name], ["a", "0"], ["b", "1"])[name] == ("skip",)


def test_a_column_for_each_rater_is_one_question():
    rows = [["text", "rater1", "rater2", "Rating 1"], ["x", "4", "5", "3"], ["y", "1", "2", "2"]]
    assert guessed(*rows)["rater2"] == ("answers", "rating", "rater2")
    rows = [["text", "score_1", "score_2"], ["x", "4", "5"], ["y", "1", "2"]]
    assert guessed(*rows)["score_2"] == ("answers", "score", "rater2")


def test_judges_by_questions_are_scores():
    names = ["item", "gpt4_fluency", "gpt4_fit", "llama_fluency", "llama_fit"]
    assert guessed(names, ["a", "1", "2", "3", "4"])["llama_fit"] == ("scores", "fit", "llama")
    assert guessed(["item", "BLEU"], ["a", ".3"], ["b", ".4"])["BLEU"] == ("scores", "BLEU")


def test_names_in_other_languages_and_contents_tell_too():
    rows = [["Nummer", "Erklärung", "Bewerter", "Bewertung"], ["1", "x", "ann", "4"]]
    assert [use for use, *_ in guessed(*rows).values()] == ["item", "text", "rater", "answers"]
    rows = [["key", "words", "mail"], ["a1", "w " * 80, "a@b.org"], ["a2", "v " * 80, "c@d.org"]]
    assert [use for use, *_ in guessed(*rows).values()] == ["item", "text", "skip"]


def test_a_long_table_needs_its_question_and_its_value():
    rows = [["item", "question", "value", "rater"], ["a", "fit", "4", "ann"]]
    assert [use for use, *_ in guessed(*rows).values()] == ["item", "question", "value", "rater"]
    rows = [["item", "value", "rater"], ["a", "4", "ann"]]
    assert guessed(*rows)["value"] == ("answers", "value")


def test_decimal_commas_are_numbers_where_the_whole_column_fits():
    rows = [["id", "score", "words"], ["a", "3,5", "3,5"], ["b", "4", "four"]]
    _, columns = describe(sheet_of(*rows, commas=True))
    assert [(c.is_number, c.has_decimal_commas) for c in columns[1:]] == [
        (True, True),
        (False, False),
    ]
    assert (columns[1].low, columns[1].high) == (3.5, 4)
    _, columns = describe(sheet_of(*rows, commas=False))
    assert not columns[1].is_number


def test_numbers_with_decimal_commas_become_ours_as_answers_scores_and_seconds():
    rows = [["id", "fit", "GPT", "time"], ["a", "1.234,5", "1.234", "1,5"], ["b", "NA", "", "2"]]
    columns = {
        "id": "item",
        "fit": ("answers", "fit", "ann"),
        "GPT": ("scores", "fit", "gpt"),
        "time": "seconds",
    }
    commas = frozenset({"fit", "GPT", "time"})
    lines, _ = translated(sheet_of(*rows, commas=True), columns, commas=commas)
    (rating,), (judgment, _) = lines["ratings"], lines["judgments"]
    assert (rating["value"], rating["seconds"], judgment["value"]) == ("1234.5", "1.5", "1234")


# Translation

WIDE = sheet_of(
    ["id", "text", "r1", "r2", "group"],
    ["a", "x", "4", "", "g1"],
    ["b", "y", "n/a", "2", "g2"],
)


def test_wide_answers_become_a_row_each_with_their_place():
    columns = {
        "id": "item",
        "text": "text",
        "r1": ("answers", "fit", "r1"),
        "r2": ("answers", "fit", "r2"),
        "group": "extra",
    }
    tables, made = translated(WIDE, columns)
    assert tables["ratings"] == [
        {"item": "a", "rater": "r1", "question": "fit", "value": "4"},
        {"item": "b", "rater": "r2", "question": "fit", "value": "2"},
    ]
    assert tables["items"][0] == {"item": "a", "text": "x", "group": "g1"}
    assert "2 of 4 answers are empty: no rating." in made.notes()
    line = next(made.lines())
    assert (line.row, line.column) == (2, "r1")
    assert column_of(made.mapping, "value", "r1") == "r1"
    assert column_of(made.mapping, "text", "") == "text"
    assert column_of(made.mapping, "item", "r1") == "id"


def test_a_row_for_each_rater_makes_one_item_and_one_score():
    sheet = sheet_of(
        ["text", "rater", "fit", "gpt", "age"],
        ["x", "ann", "4", "3", "30"],
        ["x", "bob", "5", "3", "40"],
    )
    columns = {
        "text": "text",
        "rater": "rater",
        "fit": ("answers", "fit", ""),
        "gpt": ("scores", "", "gpt"),
        "age": "extra",
    }
    tables, made = translated(sheet, columns)
    key = made_id("x", "", "")
    # sha256 of the text and two empty parts, separated by the unit separator: by sha256sum.
    assert key == "a94d036e7c8a"
    assert tables["items"] == [{"item": key, "text": "x"}]
    assert [row["rater"] for row in tables["ratings"]] == ["ann", "bob"]
    assert tables["judgments"] == [{"item": key, "judge": "gpt", "question": "", "value": "3"}]
    assert "Left out, as rows of one item differ there: “age”." in made.notes()


@pytest.mark.parametrize("cells", [("3", "", "na"), ("", "3", ""), ("3", "", "3")])
def test_a_score_merged_over_the_rows_of_its_item_is_one_judgment(cells):
    rows = [["a", name, cell] for name, cell in zip("xyz", cells, strict=True)]
    sheet = sheet_of(["id", "rater", "gpt"], *rows, ["b", "x", ""], ["b", "y", ""])
    columns = {"id": "item", "rater": "rater", "gpt": ("scores", "", "gpt")}
    tables, made = translated(sheet, columns)
    assert [(row["item"], row["value"]) for row in tables["judgments"]] == [("a", "3"), ("b", "")]
    assert made.counts["empty"] == 1
    tables, _ = translated(sheet_of(["id", "gpt"], ["a", "3"], ["a", ""], ["a", "4"]), columns)
    assert [row["value"] for row in tables["judgments"]] == ["3", "4"]


@pytest.mark.parametrize("named", ["id", "text"])
def test_a_row_with_answers_but_without_an_item_is_refused(named):
    sheet = sheet_of([named, "note", "rater", "fit"], ["a", "", "ann", "4"], ["", "", "bob", "5"])
    columns = {named: "item" if named == "id" else "text", "rater": "rater", "note": "extra"}
    columns["fit"] = ("answers", "fit", "")
    with pytest.raises(NotReadable, match=f"fill the column “{named}” down") as refused:
        translated(sheet, columns)
    assert (refused.value.row, refused.value.column) == (3, named)


def test_a_remark_below_the_table_is_left_out():
    sheet = sheet_of(
        ["id", "note", "rater", "fit"], ["a", "", "ann", "4"], ["", "asked in May", "", ""]
    )
    columns = {"id": "item", "note": "extra", "rater": "rater", "fit": ("answers", "fit", "")}
    tables, made = translated(sheet, columns)
    assert len(tables["ratings"]) == 1
    assert "1 rows have no item id and were left out." in made.notes()


def test_two_texts_of_one_item_are_told_with_their_rows():
    sheet = sheet_of(["id", "text"], ["a", "x"], ["a", "y"])
    _, made = translated(sheet, {"id": "item", "text": "text"})
    assert made.differing == [(3, "text", "a", 2)]


def test_long_answers_are_ratings_or_judgments_by_who_gave_them():
    sheet = sheet_of(
        ["id", "who", "judge", "q", "v", "when"],
        ["a", "ann", "", "Fit", "4", "2024-01-02"],
        ["a", "", "gpt", "Fit", "", ""],
    )
    columns = {
        "id": "item",
        "who": "rater",
        "judge": "judge",
        "q": "question",
        "v": "value",
        "when": "time",
    }
    tables, _ = translated(sheet, columns, new=False)
    assert tables["ratings"] == [
        {"item": "a", "rater": "ann", "question": "fit", "value": "4", "answered_at": "2024-01-02"}
    ]
    assert tables["judgments"] == [{"item": "a", "judge": "gpt", "question": "fit", "value": ""}]
    assert tables["items"] == []
    tables, _ = translated(sheet, columns, new=False, keys=frozenset({"Fit"}))
    assert tables["ratings"][0]["question"] == "Fit"


@pytest.mark.parametrize(("who", "raters"), [("one", ["me", "me"]), ("each", ["row2", "row3"])])
def test_without_raters_they_are_one_or_one_a_row(who, raters):
    sheet = sheet_of(["id", "fit"], ["a", "1"], ["b", "2"])
    columns = {"id": "item", "fit": ("answers", "fit", "")}
    tables, _ = translated(sheet, columns, mapping={"rater_is": who})
    assert [row["rater"] for row in tables["ratings"]] == raters


def test_words_become_numbers_and_a_reversed_scale_turns():
    sheet = sheet_of(["id", "fit", "dull"], ["a", "Agree", "1"], ["b", "never heard", "4,5"])
    scales = {
        "fit": {"low": 1, "high": 2, "words": {"disagree": 1, "agree": 2}},
        "dull": {"low": 1, "high": 5, "words": {}},
    }
    columns = {"id": "item", "fit": ("answers", "fit", ""), "dull": ("answers", "dull", "")}
    tables, _ = translated(
        sheet, columns, scales=scales, reverse=["dull"], commas=frozenset({"dull"})
    )
    assert [row["value"] for row in tables["ratings"]] == ["2", "5", "never heard", "1.5"]


def _scores(low, high, words=()):
    return {"low": low, "high": high, "words": dict(words), "is_judged": True}


@pytest.mark.parametrize(
    ("scales", "judgments"),
    [
        # Two questions of one scale, and a text that no judge is about: one row.
        (
            {"fit": _scores(1, 5), "fun": _scores(1, 5), "why": {"is_judged": False}},
            [("", "4"), ("", "")],
        ),
        ({"fit": _scores(1, 5), "yes": _scores(0, 2)}, [("fit", "4"), ("yes", "0"), ("", "")]),
        ({"fit": _scores(1, 3, {"agree": 2})}, [("", "2"), ("", "")]),
        ({}, [("", "2"), ("", "")]),
    ],
)
def test_a_score_without_a_question_takes_the_scales_of_all(scales, judgments):
    sheet = sheet_of(["id", "gpt"], ["a", "2"], ["b", "NA"])
    columns = {"id": "item", "gpt": ("scores", "", "gpt")}
    tables, _ = translated(sheet, columns, scales=scales, reverse=["gpt"])
    assert [(row["question"], row["value"]) for row in tables["judgments"]] == judgments
    if len(scales) == 1:
        tables, _ = translated(sheet_of(["id", "gpt"], ["a", "Agree"]), columns, scales=scales)
        assert tables["judgments"][0]["value"] == "2"


@pytest.mark.parametrize("question", ["", "size"])
def test_a_scale_without_ends_cannot_be_reversed(question):
    sheet = sheet_of(["id", "gpt"], ["a", "2"])
    columns = {"id": "item", "gpt": ("scores", question, "gpt")}
    with pytest.raises(NotReadable, match="the question “size” has no lowest") as refused:
        translated(sheet, columns, scales={"size": _scores(None, None)}, reverse=["gpt"])
    assert refused.value.column == "gpt"


# Scales


def suggested(**answers):
    seen = {}
    for key, cells in answers.items():
        seen[key] = Seen(key)
        for cell in cells:
            seen[key].note(cell)
    return suggest_together(seen)


def test_scales_are_suggested_from_the_values():
    scales = suggested(fit=["2", "5"], dull=["1", "2"], yes=["0", "1"], big=["0.5", "3"])
    assert {key: (s["kind"], s["low"], s["high"]) for key, s in scales.items()} == {
        "fit": ("points", 1, 5),
        "dull": ("points", 1, 5),
        "yes": ("points", 0, 1),
        "big": ("number", None, None),
    }
    assert scales["fit"]["guess"]


def test_numbers_among_words_are_options_too():
    scales = suggested(mark=["2", "good", "10", "2", "1"], many=["good", *map(str, range(40))])
    assert scales["mark"]["kind"] == "options"
    assert scales["mark"]["words"] == ["1", "2", "10", "good"]
    assert scales["many"]["kind"] == "text"


def test_a_list_of_likert_words_comes_in_its_order():
    words = suggested(fit=["agree", "Strongly agree", "Disagree"])["fit"]
    assert (words["kind"], words["words"]) == (
        "ordered",
        ["Strongly disagree", "Disagree", "Neutral", "agree", "Strongly agree"],
    )
    assert suggested(side=["A", "B", "tie"])["side"]["kind"] == "options"
    assert suggested(why=[f"Because {n}" for n in range(40)])["why"]["kind"] == "text"


YES = Truth.of_bool(True)
TRUTHS = {
    "a text": (["a", YES, "4"], None, "text"),
    "an id": ([YES, "x", "4"], None, "id"),
    "of 1 to 5": (["a", "x", YES], (1, 5), "fit"),
    "of a question in words": (["a", "x", YES], (None, None), "fit"),
    "of no and yes": (["a", "x", YES], (0, 1), ""),
    "not told yet": (["a", "x", YES], None, ""),
}


@pytest.mark.parametrize(("cells", "ends", "column"), TRUTHS.values(), ids=TRUTHS)
@pytest.mark.parametrize("use", ["answers", "scores", "value"])
def test_true_answers_a_question_of_no_and_yes_alone(cells, ends, column, use):
    sheet = sheet_of(["id", "text", "fit", "q"], [*cells, "fit"])
    columns = {"id": "item", "text": "text", "fit": (use, "fit", "ann"), "q": "question"}
    scales = {"fit": dict(zip(("low", "high"), ends, strict=True))} if ends else {}
    if column:
        with pytest.raises(NotReadable, match="^found true; ") as refused:
            translated(sheet, columns, scales=scales)
        assert (refused.value.row, refused.value.column) == (2, column)
    else:
        tables, _ = translated(sheet, columns, scales=scales)
        (answer,) = tables["ratings"] + tables["judgments"]
        assert answer["value"] == "1"


def test_json_and_workbooks_bring_truths(tmp_path):
    path = tmp_path / "table.json"
    path.write_text('[{"id": "a", "fit": true}, {"id": "b", "fit": "true"}]')
    cells = [cells[1] for _, cells in read_json(path).rows()]
    assert [(cell, type(cell)) for cell in cells] == [("1", Truth), ("true", str)]
    assert isinstance(workbook._text(False), Truth)
