"""What a file says otherwise of an answer that was loaded is not taken, and counted in words."""

from io import StringIO

import pytest
from django.core.management import call_command

from analysis.exports import write as exports
from annotate.models import Rating
from judges.files.load import what_else
from judges.models import Judgment
from tests.files import ITEMS, STUDY, check, load, messages, write

pytestmark = pytest.mark.django_db
TWO = STUDY + "questionnaire_version: 2\n"
HEADERS = {
    "ratings": "item,rater,question,value,reason,seconds,answered_at,first_side,version\n",
    "judgments": "item,judge,question,value,rationale,cost_usd\n",
}
LOADED = {
    "ratings": "e1,ann,fits,1,long,1.5,2024-05-31T14:02:00Z,A,1\ne2,ann,fits,0,,,,,1\n",
    "judgments": "e1,BLEU,fits,1,good,0.3\ne2,BLEU,,1,,\n",
}
# Another first row, or a second one too; what is said of it.
OTHER = {
    "the same": ("ratings", "e1,ann,fits,1,long,1.5,2024-05-31T16:02:00+02:00,A,1\n", ""),
    "blanks": ("ratings", "e1,ann,fits,1,,,,,\n", ""),
    "a reason": (
        "ratings",
        "e1,ann,fits,1,short,1.50,,A,\n",
        "1 row differs in reason from what is loaded, which stays.",
    ),
    "new reasons": (
        "ratings",
        "e1,ann,fits,1,short,2,,A,\ne2,ann,fits,0,new,,,,\n",
        "2 rows differ in reason, 1 in seconds from what is loaded, which stays.",
    ),
    "a time": ("ratings", "e1,ann,fits,1,,,2024-05-31,,\n", "1 row differs in answered_at from"),
    "a side": ("ratings", "e1,ann,fits,1,,,,B,\n", "1 row differs in first_side from"),
    "a version": ("ratings", "e1,ann,fits,1,,,,,2\n", "1 row differs in version from"),
    "the judgment again": ("judgments", "e1,BLEU,fits,1,good,0.30\ne2,BLEU,,1,,\n", ""),
    "no rationale": ("judgments", "e1,BLEU,fits,1,,\n", ""),
    "a rationale": ("judgments", "e1,BLEU,fits,1,bad,\n", "1 row differs in rationale from"),
    "a cost": ("judgments", "e1,BLEU,fits,1,,0.1\n", "1 row differs in cost_usd from"),
    "of all questions": (
        "judgments",
        "e1,BLEU,fits,1,,0.1\ne2,BLEU,,1,because,1\n",
        "2 rows differ in cost_usd, 1 in rationale from",
    ),
}


@pytest.fixture
def folder(tmp_path):
    tables = {name: HEADERS[name] + LOADED[name] for name in LOADED}
    assert messages(load(tmp_path, study=TWO, items=ITEMS, **tables)) == []
    return tmp_path


@pytest.mark.parametrize("case", OTHER)
def test_rows_that_differ_are_counted_and_what_is_loaded_stays(folder, case):
    table, rows, words = OTHER[case]
    before = [list(model.objects.order_by("pk").values()) for model in (Rating, Judgment)]
    loading = load(folder, study=TWO, **{table: HEADERS[table] + rows})
    assert messages(loading) == [] and not loading.changes
    said = what_else(loading, table)
    assert said.startswith(words) if words else said == ""
    assert [list(model.objects.order_by("pk").values()) for model in (Rating, Judgment)] == before


def test_the_command_does_not_say_that_the_study_holds_all_of_it(folder):
    paths = write(folder, TWO, ratings=HEADERS["ratings"] + OTHER["new reasons"][1])
    call_command("load_study", paths[0], ratings=paths[1]["ratings"], stdout=(said := StringIO()))
    assert OTHER["new reasons"][2] in said.getvalue()
    assert "Nothing changes: what study films holds stays." in said.getvalue()


def test_what_leaves_differs_in_nothing(folder):
    study = load(folder, study=TWO).study
    for form in ("csv", "jsonl"):
        tables = {name: "".join(exports.pieces(study, name, form)) for name in HEADERS}
        loading = check(folder, study=TWO, suffix=f".{form}", **tables)
        assert messages(loading) == []
        assert [what_else(loading, name) for name in HEADERS] == ["", ""]
