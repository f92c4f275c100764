"""The export of recommenders' lists: a row an entry, and one where there is no list."""

import csv
from io import StringIO

import pytest
from django.core.management import call_command

from analysis.exports.tables import rows
from annotate.design import splits
from judges.models import Call, Judgment
from tests import factories
from tests.recommended import add_list, make_lists, make_recommender

pytestmark = pytest.mark.django_db
ABOUT = ("recipient", "relation", "setting", "iteration", "state", "reason")
SAID = ("position", "entry", "content", "match", "why")


def exported():
    out = StringIO()
    call_command("export", "films", "lists", stdout=out)
    return list(csv.DictReader(StringIO(out.getvalue())))


def part(row, names):
    return tuple(row[name] for name in names)


@pytest.fixture
def run(study):
    """Two lists of u1, one with what was left out of it; one reply of u2 that was no list, and one
    that was not asked for.
    """
    asked = {("u1", "no_change", 0): "aX", ("u2", "no_change", 0): None}
    found = make_lists(make_recommender(study), asked)
    again = [
        {"said": "=Film a", "content": "a", "how": "exact", "why": "repeated"},
        {"said": "Film q", "content": "q", "how": "fuzzy", "why": "extra"},
    ]
    add_list(found, "u1", "multiply", 3, "b", cell="multiply:factor=2", left_out=again, k=1)
    add_list(found, "u2", "no_change", 1, None)
    Judgment.objects.filter(run=found, unit=1).update(reason="prose, no list")
    Judgment.objects.filter(run=found, unit=3).update(state="not_asked", reason="rated too few")
    call = Call.objects.create(run=found, unit=2, model_returned="teller-2")
    Judgment.objects.filter(run=found, unit=2).update(call=call)
    return found


def test_texts_that_are_missing_are_blank_in_json_lines_too(run):
    header, lines = rows(run.judge.study, "lists")
    content = header.index("content")
    assert {line[content] for line in lines} == {"a", "b", "q", ""}


def test_a_row_an_entry_and_one_for_a_reply_without(run):
    found = exported()
    base, changed = (
        ("u1", "no_change", "", "0", "done", ""),
        ("u1", "multiply", "factor=2", "3", "done", ""),
    )
    assert [(part(row, ABOUT), part(row, SAID)) for row in found] == [
        (base, ("1", "Film a", "a", "exact", "")),
        (base, ("2", "Film X", "", "", "unmatched")),
        (("u2", "no_change", "", "0", "unparsable", "prose, no list"), ("",) * 5),
        (changed, ("1", "Film b", "b", "exact", "")),
        (changed, ("", "'=Film a", "a", "exact", "repeated")),
        (changed, ("", "Film q", "q", "fuzzy", "extra")),
        (("u2", "no_change", "", "1", "not_asked", "rated too few"), ("",) * 5),
    ]
    assert {part(row, ("run", "judge", "plan", "l")) for row in found} == {
        (str(run.pk), "teller", "relations", "20")
    }
    assert [row["k"] for row in found] == ["5"] * 3 + ["1"] * 3 + ["5"]
    assert [row["model"] for row in found] == [""] * 3 + ["teller-2"] * 3 + [""]


def test_runs_stand_one_after_the_other_and_other_judges_are_left_out(run, study):
    question, item = study.questions.first(), study.items.first()
    factories.make_judgments(factories.make_judge(study, "elsewhere"), {(item, question): 3})
    later = make_lists(make_recommender(study, "other"), {("u1", "no_change", 0): "c"})
    add_list(run, "u1", "no_change", 2, "d")
    found = [(row["run"], row["entry"]) for row in exported()]
    assert found[-2:] == [(str(run.pk), "Film d"), (str(later.pk), "Film c")]
    assert len(found) == 9


def test_a_locked_part_is_left_out(run, study):
    # printf 7:u1 | sha256sum begins with 07, that of 7:u2 with 60: at .2 only u1 is hidden.
    splits.lock(study, 7, 0.2, "owner")
    assert [row["recipient"] for row in exported()] == ["u2", "u2"]


def test_two_queries_however_many_lists(run, study, django_assert_num_queries):
    def read():
        return len(list(rows(study, "lists")[1]))

    for at in range(5):
        add_list(run, f"v{at}", "no_change", 0, "abc")
    with django_assert_num_queries(2):
        assert read() == 7 + 15
    splits.lock(study, 7, 0.5, "owner")
    with django_assert_num_queries(3):  # and who is in the test part
        read()
