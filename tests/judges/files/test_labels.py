"""Files and the API have the label of a choice, never its rank, and come back to the byte."""

import csv
import json
import re

import pytest
import yaml
from django.core.management import call_command

from annotate.models import Rating, Study
from judges.files import load_files
from judges.models import Judgment
from tests.files import check, load, messages, write

pytestmark = pytest.mark.django_db
TABLES = ("items", "ratings", "judgments")
# kind: (its form in study.yaml, answers as files have them, the values that stand for them)
SCALES = {
    "likert5": ("likert5", ["4", "1", "5"], [4, 1, 5]),
    "likert with labels that are other numbers": (
        "{min: 1, max: 3, labels: [3, 2, 1]}",
        ["3", "2", "1"],
        [3, 2, 1],
    ),
    "below zero": ("{min: -2, max: 2}", ["-2", "0", "1"], [-2, 0, 1]),
    "binary": ("binary", ["0", "1", "1"], [0, 1, 1]),
    "binary the other way round": ("{binary: [1, 0]}", ["0", "1", "1"], [0, 1, 1]),
    "number": ("number", ["-0.25", "3", "1e-07"], [-0.25, 3, 1e-7]),
    "slider": ("slider", ["0", "50", "100"], [0, 50, 100]),
    "slider with words": ("{slider: [1, 0]}", ["0", "1", "99"], [0, 1, 99]),
    "words": ("{choice: [A, tie, B]}", ["B", "A", "tie"], [3, 1, 2]),
    "stars from the top": ("{choice: [3, 2, 1]}", ["3", "2", "1"], [1, 2, 3]),
    "stars in words": ("{choice: [2 stars, 1 star]}", ["1 star", "2 stars", "2 stars"], [2, 1, 1]),
    "Arabic stars": ("{choice: [٣, ٢, ١]}", ["٣", "١", "٢"], [1, 3, 2]),
    "from zero": ("{choice: [0, 1, 2]}", ["0", "1", "2"], [1, 2, 3]),
    "as they are written": ("{choice: [07, 10:30, 1.10]}", ["07", "1.10", "10:30"], [1, 3, 2]),
    "numbers and words": ("{choice: [2, none, 1]}", ["none", "1", "2"], [2, 3, 1]),
    "what a spreadsheet would run": (
        "{choice: ['=1+1', -1, '@x']}",
        ["-1", "=1+1", "@x"],
        [2, 1, 3],
    ),
    "blanks at the end": ("{choice: [a, 'B ', 'c, d', 'c; d']}", ["B ", "c, d", "c; d"], [2, 3, 4]),
    "a label twice but for a blank": ("{choice: [B, 'B ', c]}", ["B ", "B", "c"], [2, 1, 3]),
    "texts": ("text", ["3", "a, “b”", "-1"], None),
}
FORMS = {"csv": ".csv", "jsonl": ".jsonl"}


def table(form, header, rows):
    if form == "jsonl":
        return "".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows)
    lines = [",".join(f'"{cell}"' for cell in row) for row in [header, *rows]]
    return "\n".join(lines) + "\n"


def study_of(spec, answers, has_values=True, slug="films"):
    """A study.yaml with gold and practice of these answers, and a metric beside the judges."""
    right = f"\ngold:\n  - {{item: g, answers: {{q: {json.dumps(answers[0])}}}}}\n"
    right += f"practice:\n  - {{item: p, answers: {{q: {json.dumps(answers[1])}}}}}\n"
    return (
        f"study: {slug}\ntitle: Films\nquestions:\n  - {{key: q, text: Which one, scale: {spec}}}"
        + (right if has_values else "\n")
        + "judges:\n  - {judge: metric, kind: rouge-l}\n"
    )


def files_of(case, form):
    """{table: text} of three items with two raters, and a judge who says what people say."""
    spec, answers, values = SCALES[case]
    asked = [(f"i{n}", answer) for n, answer in enumerate(answers)]
    ratings = [(item, who, "q", said) for who in ("ann", "bob") for item, said in asked]
    files = {
        "study": study_of(spec, answers, values),
        "items": table(
            form, ["item", "text"], [(key, "x") for key in ("i0", "i1", "i2", "g", "p")]
        ),
        "ratings": table(form, ["item", "rater", "question", "value"], ratings),
    }
    if values:
        judged = [(item, "same", "q", said) for item, said in asked]
        judged += [
            (item, "metric", "q", said) for (item, _), said in zip(asked, "01", strict=False)
        ]
        files["judgments"] = table(form, ["item", "judge", "question", "value"], judged)
    return files


def exported(slug, folder, form):
    """{table: path} of the study's files, beside copy.yaml, of the same study by another name."""
    paths = {name: folder / f"{name}{FORMS[form]}" for name in TABLES}
    folder.mkdir()
    for name, path in paths.items():
        call_command("export", slug, name, format=form, output=path)
    call_command("export", slug, "study", output=folder / "study.yaml")
    text = (folder / "study.yaml").read_text().replace(f"study: {slug}\n", "study: copy\n")
    (folder / "copy.yaml").write_text(text)
    return {"study": folder / "study.yaml"} | paths


def values_of(form, path):
    """The values of an exported table, as it has them."""
    if form == "jsonl":
        return [str(json.loads(line)["value"]) for line in path.read_text().splitlines()]
    # As a spreadsheet reads them: what guards a formula is no part of a label.
    rows = csv.DictReader(path.read_text().splitlines())
    return [re.sub("^'(?=[=@])", "", row["value"]) for row in rows]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", SCALES)
def test_what_is_exported_is_what_was_loaded_and_makes_the_same_study(tmp_path, case, form):
    _, answers, values = SCALES[case]
    given = files_of(case, form)
    assert messages(load(tmp_path, suffix=FORMS[form], **given)) == []
    if values:
        assert [*Rating.objects.order_by("pk").values_list("value", flat=True)] == values * 2
        judged = Judgment.objects.order_by("run__judge__key", "item__key")
        assert [*judged.values_list("value", flat=True)] == [0, 1, *values]
    folder = tmp_path / "first"
    first = exported("films", folder, form)
    assert values_of(form, first["ratings"]) == answers * 2
    if values:
        judged = values_of(form, first["judgments"])
        assert sorted(judged) == sorted([*answers, "0", "1"])

    paths = {name: first[name] for name in ("study", *TABLES) if values or name != "judgments"}
    again = load_files(paths.pop("study"), paths, slug="films")
    assert messages(again) == [] and not again.changes
    loading = load_files(folder / "copy.yaml", paths)
    assert messages(loading) == []
    second = exported("copy", tmp_path / "second", form)
    for name in TABLES:
        assert second[name].read_bytes() == first[name].read_bytes()
    copied = (tmp_path / "second" / "copy.yaml").read_bytes()
    assert copied == (folder / "copy.yaml").read_bytes()
    assert Study.objects.get(slug="copy").extra == Study.objects.get(slug="films").extra


# {label: value}; what else a file may have for the options 3 and 2, and for A and B
NUMBERS = {"3": 1, "2.0": 2, " 2 ": 2, "1": None, "0.5": None, "7": None}
WORDS = {"A": 1, "B": 2, " B": 2, "2": 2, "1.0": 1, "7": None}
PLACES = {"List 1": 1, "List 2": 2, "2": 2, "1.0": 1, "7": None}
OTHER_NUMBERS = {
    "[3 stars, 2 stars]": {"3 stars": 1, "2 stars": 2, "1": None, "2": None, "3": None},
    "[٣, ٢]": {"٣": 1, "٢": 2, "1": None, "2": None, "3": None},
    "['2,0', '1,0']": {"2,0": 1, "1,0": 2, "1": None, "2": None},
    "['#2', '#1']": {"#2": 1, "#1": 2, "1": None, "2": None},
    "[half, ½]": {"half": 1, "½": 2, "1": None, "2": None},
}


@pytest.mark.parametrize("policy", ["missing", "clip", "keep"])
@pytest.mark.parametrize(
    "spec, said",
    [
        ("[3, 2]", NUMBERS),
        ("[A, B]", WORDS),
        ("[List 1, List 2]", PLACES),
        *OTHER_NUMBERS.items(),
    ],
)
def test_a_number_is_a_label_or_where_none_is_a_number_the_place_of_an_option(
    tmp_path, spec, said, policy
):
    """A number that is neither is no answer, and never becomes one; a judge with it has none."""
    labels = [*map(str, yaml.safe_load(spec))]
    study = study_of(f"{{choice: {spec}}}", labels)
    keys = {text: f"i{n}" for n, text in enumerate(said)}
    items = table("csv", ["item", "text"], [(key, "x") for key in ("g", "p", *keys.values())])
    judged = [(keys[text], "gpt", "q", text) for text in said]
    paths = write(
        tmp_path,
        study=study,
        items=items,
        judgments=table("csv", ["item", "judge", "question", "value"], judged),
    )
    if "7" in said and spec != "[3, 2]" and policy == "keep":
        said = said | {"7": 7}
    assert messages(load_files(*paths, out_of_range=policy)) == []
    stored = Judgment.objects.order_by("pk")
    assert [*stored.values_list("value", flat=True)] == [*said.values()]
    scale = " / ".join(labels)
    assert [*stored.filter(value=None).values_list("reason", flat=True)] == [
        f"outside the scale {scale}: the file has {text}"
        for text, value in said.items()
        if value is None
    ]
    again = load_files(*paths, out_of_range="missing")
    assert messages(again) == [] and not again.changes

    rated = [(keys[text], "ann", "q", text) for text in said]
    ratings = table("csv", ["item", "rater", "question", "value"], rated)
    refused = messages(check(tmp_path, study=study, items=items, ratings=ratings))
    wrong = [(n, key) for n, key in enumerate(said, 2) if said[key] is None or key == "7"]
    assert refused == [
        f"ratings.csv, line {n}, column value: found {key!r}; allowed is one of {', '.join(labels)}"
        for n, key in wrong
    ]


def test_another_answer_is_named_by_its_label(tmp_path):
    given = files_of("stars from the top", "csv")
    load(tmp_path, **given)
    other = {name: given[name].replace('"3"', '"2"') for name in ("ratings", "judgments")}
    found = [re.sub(".*: ", "", text) for text in messages(check(tmp_path, **given | other))]
    rating, judgment = (
        f"found 2, but this {what} is 3 already; a {what} that was loaded does not change"
        for what in ("rating", "judgment")
    )
    assert found == [rating, rating, judgment]


@pytest.mark.parametrize(
    ("answer", "kept", "problems"),
    [
        ("tie", "tie", []),
        ("2", "tie", []),
        ("c", "A", ["study.yaml, column gold: q: found 'c'; allowed is one of A, tie, B"]),
    ],
)
def test_right_answers_of_a_file_without_questions_are_those_of_the_study(
    tmp_path, answer, kept, problems
):
    load(tmp_path, **files_of("words", "csv") | {"study": study_of(SCALES["words"][0], ["A", "B"])})
    gold = f"study: films\ngold:\n  - {{item: g, answers: {{q: {answer}}}}}\n"
    assert [text for text in messages(load(tmp_path, study=gold))] == problems
    assert Study.objects.get().extra["gold"][0]["answers"] == {"q": kept}


@pytest.mark.parametrize("case", ["likert5", "words", "stars from the top"])
@pytest.mark.parametrize("value", ["1_0", "４", "1e308", "-1000000001", "nan", "C"])
def test_what_nobody_means_for_a_value_of_a_judgment_is_refused(tmp_path, case, value):
    judged = f"item,judge,question,value\ni0,gpt,q,{value}\n"
    (message,) = messages(check(tmp_path, **files_of(case, "csv") | {"judgments": judged}))
    assert message.startswith(f"judgments.csv, line 2, column value: found '{value}'; allowed is ")
