"""Exports: every column documented, formulas harmless, what leaves comes back, memory flat."""

import csv
import json
import re
import tracemalloc
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from analysis.exports import codebook, tables, write
from analysis.exports.csv import csv_line
from annotate.models import (
    Code,
    Coding,
    Item,
    ItemTime,
    Listening,
    Rater,
    Rating,
    RatingRevision,
    Screen,
    Session,
    Study,
)
from annotate.values.formulas import guarded, unguarded
from judges.models import Entailment, Extraction, Judgment, Run, Statement
from tests import factories
from tests.analysis.small import build, make_rated_study
from tests.any_text import TEXTS
from tests.files import load, messages
from tests.recommended import make_lists, make_recommender

pytestmark = pytest.mark.django_db


@pytest.fixture
def rated():
    study = make_rated_study()
    rating = Rating.objects.first()
    RatingRevision.objects.create(rating=rating, value=3, at=rating.answered_at)
    extra = {"kind": Screen.Kind.REPEAT, "position": 9, "item": rating.item}
    extra = Screen.objects.create(session=rating.session, **extra)
    extra.answers.create(
        item=rating.item, question=rating.question, value=3, answered_at=rating.answered_at
    )
    ItemTime.objects.create(
        session=rating.session, item=rating.item, active_seconds=2, idle_seconds=1
    )
    Listening.objects.create(
        session=rating.session, item=rating.item, content=rating.item.content, played_seconds=3
    )
    Rating.objects.filter(pk=rating.pk).update(reason="too long")
    coder = factories.make_user("coder")
    Coding.objects.create(
        rating=rating,
        code=Code.objects.create(study=study, name="long"),
        coder=coder,
        coder_name=coder.username,
    )
    Statement.objects.create(
        item=rating.item,
        side="generated",
        number=10_001,
        statement="is slow",
        topic="pace",
        sentiment="negative",
    )
    Extraction.objects.create(
        run=Run.objects.last(),
        item=rating.item,
        side="generated",
        unit=0,
        kept=0,
        dropped=[dict.fromkeys(("statement", "topic", "sentiment", "why"), "odd")],
    )
    Entailment.objects.create(item=rating.item, n_generated=2, n_reference=0)
    put_to_test(rating.item, rating.question)
    make_lists(make_recommender(study), {("u1", "no_change", 0): "abc"})
    return study


def put_to_test(item, question):
    """An answer of the judge "close" in a test of robustness."""
    run = Run.objects.filter(judge__key="close").first()
    frozen = run.frozen | {"robustness": {"relations": {"spaces": {"rate": 0.15}}}}
    test = Run.objects.create(judge=run.judge, checked=run, frozen=frozen, state="finished")
    test.judgments.create(
        item=item, question=question, relation="spaces", lead=True, state="done", value=4
    )


def export(*arguments):
    out = StringIO()
    call_command("export", *arguments, stdout=out)
    return out.getvalue()


def rows(*arguments):
    return list(csv.DictReader(StringIO(export(*arguments))))


def test_scores_hold_people_and_judges_in_the_documented_columns(rated):
    found = rows("films", "scores")
    assert list(found[0]) == [
        "study",
        "item",
        "kind",
        "recipient",
        "content",
        "system",
        "question",
        "source",
        "rater",
        "judge",
        "role",
        "run",
        "version",
        "from_file",
        "value",
        "missing_reason",
        "seconds",
        "cost_usd",
        "answered_at",
        "first_side",
        "excluded",
        "exclusion_reason",
        "weighted_value",
        "reason",
        "split_part",
    ]
    assert len(found) == tables.counts(rated)["scores"] == 24 * 4 * (3 + 2)
    people = [row for row in found if row["source"] == "human"]
    judges = [row for row in found if row["source"] == "judge"]
    assert {(row["judge"], row["run"]) for row in people} == {("", "")}
    assert {(row["rater"], row["role"]) for row in judges} == {("", "")}


def test_scores_flag_what_does_not_count(rated):
    Rater.objects.filter(key="bob").update(excluded_because="too fast")
    Session.objects.filter(rater__key="cem").update(state=Session.State.RATING)
    found = {
        (row["rater"], row["excluded"], row["exclusion_reason"])
        for row in rows("films", "scores")
        if row["source"] == "human"
    }
    assert found == {
        ("ann", "false", ""),
        ("bob", "true", "too fast"),
        ("cem", "true", "session not completed: rating"),
    }
    assert {row["rater"] for row in rows("films", "ratings")} == {"ann"}


def test_a_missing_judgment_has_a_reason_and_no_number(rated):
    Judgment.objects.filter(run__judge__key="close").update(
        state="unparsable", value=None, reason="no JSON in the reply"
    )
    found = [row for row in rows("films", "scores") if row["judge"] == "close"]
    assert {(row["value"], row["missing_reason"]) for row in found} == {
        ("", "no JSON in the reply")
    }


def test_samples_are_one_row_with_their_mean(rated):
    first = Judgment.objects.filter(run__judge__key="close").first()
    Judgment.objects.filter(pk=first.pk).update(value=2, cost_usd="0.25")
    Judgment.objects.create(
        run=first.run,
        item=first.item,
        question=first.question,
        sample=1,
        value=5,
        state="done",
        cost_usd="0.5",
    )
    found = [
        row
        for row in rows("films", "scores")
        if (row["judge"], row["item"], row["question"])
        == ("close", first.item.key, first.question.key)
    ]
    assert [(row["value"], row["cost_usd"]) for row in found] == [("3.5", "0.75")]
    Judgment.objects.filter(run=first.run, item=first.item, question=first.question).update(
        state="failed", value=None, reason="timed out"
    )
    failed = [
        (row["value"], row["missing_reason"], row["cost_usd"])
        for row in rows("films", "scores")
        if row["missing_reason"]
    ]
    assert failed == [("", "timed out", "0.75")], "a failed call costs too"


def test_what_leaves_comes_back_with_the_same_numbers(rated, tmp_path):
    item = rated.items.first()
    item.text, item.data = "=1+1 is, of course,\n“two”", {"genre": "-noir", "=year": "1932"}
    item.save()
    Rating.objects.filter(pk=Rating.objects.first().pk).update(reason="'@home")
    close = Judgment.objects.filter(run__judge__key="close")
    close.update(weighted_value=3.25, rationale="=so", cost_usd="0.125")
    Run.objects.filter(judge__key="close").update(frozen={"prompt": "explanation.v1"})
    for table in ("items", "ratings", "judgments"):
        export("films", table, "-o", str(tmp_path / f"{table}.csv"))
    before = build(rated, "correlation").rows
    texts = list(rated.items.order_by("pk").values_list("key", "text", "data"))
    reasons = set(Rating.objects.values_list("reason", flat=True))
    study_file = tmp_path / "study.yaml"
    questions = "".join(
        f"  - {{key: {q.key}, text: {json.dumps(q.text)}, scale: likert5}}\n"
        for q in rated.questions.all()
    )
    study_file.write_text(f"study: films\ntitle: Films\nquestions:\n{questions}")
    Judgment.objects.all().delete()
    Rating.objects.all().delete()
    rated.delete()
    call_command(
        "load_study",
        str(study_file),
        *(f"--{table}={tmp_path / table}.csv" for table in ("items", "ratings", "judgments")),
        stdout=StringIO(),
    )
    loaded = Study.objects.get(slug="films")
    assert list(loaded.items.order_by("pk").values_list("key", "text", "data")) == texts
    assert set(Rating.objects.values_list("reason", flat=True)) == reasons
    (again,) = {
        (row["weighted_value"], row["prompt"], row["version"], row["rationale"])
        for row in rows("films", "judgments")
        if row["judge"] == "close"
    }
    assert again == ("3.25", "explanation.v1", "1", "'=so")
    assert export("films", "judgments") == (tmp_path / "judgments.csv").read_bytes().decode()
    after = build(loaded, "correlation").rows
    assert sorted(map(str, after)) == sorted(map(str, before))


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1+1",
        "-1-1",
        "-x",
        "- 1",
        "+1e",
        "@x",
        "\tx",
        "\rx",
        "\nx",
        "'=1",
        "''-",
        "\uff1d1+1",
        "\uff0b1",
        "\uff0d1",
        "'\uff20x",
    ],
)
def test_formulas_get_an_apostrophe_that_loading_takes_away(text):
    assert guarded(text) == f"'{text}"
    assert unguarded(guarded(text)) == text


@pytest.mark.parametrize(
    "text, in_file",
    [
        ("nice;=1+1", "nice;'=1+1"),
        ("a;-b;+c;@d", "a;'-b;'+c;'@d"),
        ("a;\uff1d1", "a;'\uff1d1"),
        ("a;'=1;''-", "a;''=1;'''-"),
        (";=1;", ";'=1;"),
        ("-1;+2", "'-1;'+2"),
        ("'-;=1", "''-;'=1"),
        ('["a;=1"]', '["a;\'=1"]'),
        ('a;"=1', "a;\"'=1"),
        ('a\n""-b;"c', 'a\n""\'-b;"c'),
        ("a\n=1", "a\n'=1"),
        ("a\r\n'+1", "a\r\n''+1"),
        ("=1\n- b;\n@c", "'=1\n'- b;\n'@c"),
    ],
)
def test_a_formula_behind_a_semicolon_or_line_break_gets_an_apostrophe_too(text, in_file):
    assert guarded(text) == in_file
    assert unguarded(in_file) == text
    assert csv_line([text]) == '"' + in_file.replace('"', '""') + '"\r\n'


@pytest.mark.parametrize(
    "text",
    ["-0.4", "+1", "-1", "0.7", "-12.50", "-1e5", "+1.5E-3", "007"]
    + ["-.4", "-4.", "+.5", "-.5e3", "+4.e-2", ".5"],
)
def test_a_plain_number_stays_a_number(text):
    assert guarded(text) == text == unguarded(text)


@pytest.mark.parametrize(
    "text", ["'-0.4", "''-0.4", "'-.4", "-0.4\n", "-.", "+.e5", "-.4.", "\uff0d1", "-\u0664"]
)
def test_what_is_no_plain_number_comes_back_as_it_was(text):
    assert guarded(text) == f"'{text}"
    assert unguarded(guarded(text)) == text


def acts(cell):
    is_number = re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", cell)
    return cell[:1] in tuple("=+-@\t\r") and not is_number


@given(st.lists(st.text("'=-+@;,\t\r\n\" 1.ex\uff1d", max_size=12) | TEXTS, min_size=1, max_size=4))
def test_no_cell_acts_where_commas_or_semicolons_separate(texts):
    line = csv_line(["item", *texts])
    (cells,) = csv.reader(StringIO(line, newline=""), strict=True)
    assert [unguarded(cell) for cell in cells] == ["item", *texts]
    assert not [cell for cell in cells if acts(cell)]
    assert not [cell for cell in re.split("[;\r\n]", line) if acts(cell)]
    assert not [
        cell
        for text in re.split("[\r\n]+", line)
        for cell in next(csv.reader([text], delimiter=";"), [])
        if acts(cell)
    ]


@pytest.mark.parametrize(
    "in_file, text",
    # Before numbers stayed numbers, and before semicolons and line breaks were looked behind.
    [("'-0.4", "-0.4"), ("'+1", "+1"), ("'=1", "=1"), ("''=1", "'=1"), ("a;=1", "a;=1")]
    + [("a\n-b", "a\n-b"), ("'=1;+2", "=1;+2"), ("'tis", "'tis"), ("a;'b", "a;'b")],
)
def test_what_was_exported_before_is_read_as_it_was(in_file, text):
    assert unguarded(in_file) == text


@pytest.mark.parametrize("text", ["", "'", "'tis", "plain", "3-1", "a;b", "a; =1", "a;'b"])
def test_plain_texts_stay_as_they_are(text):
    assert guarded(text) == text == unguarded(text)


def test_no_cell_of_a_csv_acts_as_a_formula_but_numbers_stay(rated):
    item = rated.items.first()
    item.text = "=HYPERLINK(1)"
    item.save()
    Judgment.objects.filter(run__judge__key="close").update(value=-1.5, rationale="@here")
    assert rows("films", "items")[0]["text"] == "'=HYPERLINK(1)"
    found = [row for row in rows("films", "judgments") if row["judge"] == "close"]
    assert {(row["value"], row["rationale"]) for row in found} == {("-1.5", "'@here")}
    first = json.loads(export("films", "items", "--format", "jsonl").splitlines()[0])
    assert first["text"] == "=HYPERLINK(1)"


def test_sessions_hold_neither_addresses_nor_platform_ids(rated):
    session = Session.objects.first()
    Rater.objects.filter(pk=session.rater.pk).update(platform_ids={"prolific": "5f3c-secret"})
    text = export("films", "sessions")
    assert session.token not in text
    assert "5f3c-secret" not in text
    assert rows("films", "sessions")[0]["ratings"] == "96"


@pytest.mark.parametrize("table", tables.ROWS)
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_every_column_of_every_table_is_in_the_codebook(rated, table, form):
    documented = {(row["table"], row["column"]) for row in rows("films", "codebook")}
    text = "".join(write.pieces(rated, table, form))
    first = text.splitlines()[0]
    columns = next(csv.reader([first])) if form == "csv" else list(json.loads(first))
    assert columns
    assert {(table, column) for column in columns} <= documented
    assert set(tables.ROWS) == set(codebook.TABLES) == set(codebook.NOTES)


@pytest.mark.parametrize("table", tables.ROWS)
def test_an_empty_study_exports_headers(table):
    study = factories.make_study("empty", questions={})
    assert "".join(write.pieces(study, table, "csv")).splitlines()[0]
    "".join(write.pieces(study, table, "jsonl"))


def test_a_failed_export_leaves_the_old_file(rated, tmp_path, monkeypatch):
    target = tmp_path / "scores.csv"
    target.write_text("old")

    def broken(study, table, form):
        yield "new"
        raise RuntimeError("the database went away")

    monkeypatch.setattr(write, "pieces", broken)
    with pytest.raises(RuntimeError):
        export("films", "scores", "-o", str(target))
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_the_command_says_what_is_wrong(rated, tmp_path):
    with pytest.raises(CommandError, match="There is no study 'nothing'; there are: films"):
        export("nothing", "scores")
    with pytest.raises(CommandError, match="cannot be written"):
        export("films", "scores", "-o", str(tmp_path / "no" / "folder.csv"))


def peak_and_length(study):
    """Most memory that a CSV of the scores took, and its length."""
    tracemalloc.start()
    length = sum(map(len, write.pieces(study, "scores", "csv")))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, length


def test_memory_stays_flat_however_many_rows(rated):
    items, questions = list(Item.objects.all()), list(rated.questions.all())
    runs = [
        Run.objects.create(judge=factories.make_judge(rated, f"judge-{number}"), state="finished")
        for number in range(400)
    ]
    peaks = []
    for some in (runs[:80], runs[80:]):
        Judgment.objects.bulk_create(
            Judgment(run=run, item=item, question=question, value=3, state="done")
            for run in some
            for item in items
            for question in questions
        )
        peaks.append(peak_and_length(rated))
    (few, short), (many, long) = peaks
    assert long > 4 * short
    assert many < few + 2_000_000  # all rows at once would take more than 10 MB


def test_numbers_and_formulas_of_files_are_exported_as_they_are_loaded(owner, tmp_path):
    extra = ["-0.4", "+1", "-1e5", "nice;=1+1", "\t=1", "a;-b", "=1;=2", "'-1", ";'=1", "-"]
    items = StringIO(newline="")
    csv.writer(items).writerows(
        [["item", "text", "own"], *([f"e{n}", guarded(t), guarded(t)] for n, t in enumerate(extra))]
    )
    study = "study: one\nquestions: [{key: note, text: Note., scale: text}]\n"
    ratings = 'item,rater,question,value\ne0,ann,note,"nice;\'=1+1"\ne1,ann,note,-0.4\n'
    assert messages(load(tmp_path, study=study, items=items.getvalue(), ratings=ratings)) == []
    assert [row["own"] for row in rows("one", "items")] == [guarded(text) for text in extra]
    assert [row["own"] for row in rows("one", "items")][:3] == extra[:3]
    assert [row["value"] for row in rows("one", "ratings")] == ["nice;'=1+1", "-0.4"]
    files = {table: export("one", table) for table in ("items", "ratings")}
    copy = load(tmp_path, study=study.replace("one", "two"), **files)
    assert messages(copy) == []
    assert list(copy.study.items.order_by("pk").values_list("text", flat=True)) == extra
    assert {table: export("two", table) for table in files} == {
        table: text.replace("one,", "two,") for table, text in files.items()
    }
