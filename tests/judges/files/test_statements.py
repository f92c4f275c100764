"""statements.csv: all or nothing, with the file, row and column of what is wrong."""

import pytest
from django.core.management import CommandError, call_command

from analysis.exports import write as writing
from annotate.design import splits
from annotate.models import Item
from judges.files.study_file import study_yaml
from judges.models import Extraction, Run, Statement
from judges.statements import edit
from tests import factories
from tests.extracting import sides_read
from tests.files import check, load, messages, write

pytestmark = pytest.mark.django_db
ITEMS = """\
item,text,review
e1,"It is soft, and warm.",It runs small. The colour fades.
e2,Soft.,
"""
STATEMENTS = """\
item,side,statement,topic,sentiment
e1,reference,runs small,fit,negative
e1,reference,colour fades,care,negative
e1,generated,is soft,material,positive
e2,generated,,,
"""


def rows():
    return list(
        Statement.objects.order_by("item__key", "side", "number").values_list(
            "item__key", "side", "number", "statement", "topic", "sentiment", "start", "end"
        )
    )


def test_a_file_becomes_a_finished_run_that_speaks(tmp_path):
    loading = load(tmp_path, items=ITEMS, statements=STATEMENTS)
    assert messages(loading) == []
    assert rows() == [
        ("e1", "generated", 1, "is soft", "material", "positive", 3, 10),
        ("e1", "reference", 1, "runs small", "fit", "negative", 3, 13),
        ("e1", "reference", 2, "colour fades", "care", "negative", 19, 31),
    ]
    run = Run.objects.get()
    assert (run.judge.kind, run.judge.method, run.state) == ("imported", "extraction", "finished")
    assert run.is_from_file
    e1, e2 = Item.objects.order_by("key")
    assert sides_read(loading.study) == {
        (e1.pk, "reference"): run.pk,
        (e1.pk, "generated"): run.pk,
        (e2.pk, "generated"): run.pk,
    }
    assert Extraction.objects.get(item=e2).kept == 0
    assert Extraction.objects.get(item=e1, side="reference").text == e1.review


def test_the_same_file_again_changes_nothing_and_more_items_are_added(tmp_path):
    load(tmp_path, items=ITEMS, statements=STATEMENTS)
    counts = load(tmp_path, items=ITEMS, statements=STATEMENTS).counts["statements"]
    assert (counts.new, counts.changed, counts.unchanged) == (0, 0, 4)
    more = STATEMENTS + "e2,reference,is cheap,price,positive\n"
    counts = load(tmp_path, items=ITEMS, statements=more).counts["statements"]
    assert (counts.new, counts.changed, counts.unchanged) == (1, 0, 4)
    assert Run.objects.count() == 1
    assert Statement.objects.count() == 4


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("e3,generated,soft,fit,neutral", "line 6, column item: there is no item 'e3'"),
        ("e2,other,soft,fit,neutral", "column side: found 'other'; allowed is one of generated"),
        (",reference,soft,fit,neutral", "column item"),
        ("e2,reference,soft,,neutral", "column topic: found nothing; a statement has a topic"),
        ("e2,reference,soft,fit,", "column sentiment: found nothing; a statement has a sentiment"),
        ("e2,reference,soft,fit,mixed", "column sentiment: found 'mixed'; allowed is one of"),
        ("e2,reference,...,fit,neutral", "column statement: found '...'; allowed is words"),
        ("e2,reference,,fit,", "column topic: found 'fit', but no statement"),
        ("e2,generated,,,", "column statement: line 5 says the same"),
        ("e2,generated,soft,fit,neutral", "line 5, column statement: found none, but other rows"),
        ("e1,reference,Runs SMALL.,price,neutral", "stands on line 2 already"),
        (f"e2,reference,{'x' * 1001},fit,neutral", "column statement: found"),
        (f"e2,reference,soft,{'x' * 61},neutral", "column topic: found"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(tmp_path, line, problem):
    (said,) = messages(load(tmp_path, items=ITEMS, statements=f"{STATEMENTS}{line}\n"))
    assert "statements.csv, line " in said
    assert problem in said
    assert not Statement.objects.exists()
    assert not Item.objects.exists()


def test_an_item_of_another_kind_has_no_statements(tmp_path):
    items = "item,text,kind\ne1,x,profile\n"
    (said,) = messages(
        load(tmp_path, items=items, statements="\n".join(STATEMENTS.split("\n")[:2]))
    )
    assert "found 'e1', which is no explanation and no text" in said


def test_a_list_that_was_loaded_does_not_change(tmp_path):
    load(tmp_path, items=ITEMS, statements=STATEMENTS)
    for other in ("runs tight", "runs small,fit,positive", ""):
        changed = STATEMENTS.replace(
            "runs small,fit,negative" if "," in other else "runs small", other
        )
        if not other:
            changed = STATEMENTS.replace("e1,reference,runs small,fit,negative\n", "")
        (said,) = messages(check(tmp_path, items=ITEMS, statements=changed))
        assert "found other statements of the reference text of 'e1'" in said


def test_a_judge_of_that_name_is_in_the_way(tmp_path, owner):
    study = factories.make_study("films", owner)
    factories.make_judge(study, "loaded statements")
    (said,) = messages(load(tmp_path, items=ITEMS, statements=STATEMENTS))
    assert "the name 'loaded statements' is needed" in said


def test_the_command_takes_it(tmp_path, capsys):
    study, paths = write(tmp_path, items=ITEMS, statements=STATEMENTS)
    call_command("load_study", study, *(f"--{name}={path}" for name, path in paths.items()))
    assert "statements           4 rows: 4 new" in capsys.readouterr().out
    paths["statements"].write_text(STATEMENTS + "e9,generated,x,y,neutral\n")
    with pytest.raises(CommandError, match="1 problem; nothing was written"):
        call_command("load_study", study, f"--statements={paths['statements']}")


def test_what_was_read_keeps_its_text(tmp_path):
    load(tmp_path, items=ITEMS, statements=STATEMENTS)
    (said,) = messages(load(tmp_path, items=ITEMS.replace("Soft.", "Hard.")))
    assert "e2" in said


def test_an_export_can_be_loaded_as_a_new_study(tmp_path, owner):
    loading = load(tmp_path, items=ITEMS, statements=STATEMENTS)
    small, fades = Statement.objects.filter(side="reference")
    values = {"statement": "fits small", "topic": "fit", "sentiment": "neutral"}
    edit.correct(small.pk, values, owner)
    edit.remove(fades.pk, owner)
    soft = Statement.objects.get(side="generated")
    edit.remove(soft.pk, owner)
    item = Item.objects.get(key="e2")
    values = {"statement": "=soft", "topic": "material", "sentiment": "positive"}
    edit.add(item, "generated", "Soft.", values, owner)
    csv = "".join(writing.pieces(loading.study, "statements", "csv"))
    assert "e1,reference,1,fits small,fit,neutral,corrected,runs small,fit,negative,3,13" in csv
    assert "e1,reference,2,colour fades,care,negative,removed" in csv
    assert "e1,generated,,,,,,,,,,,loaded statements," in csv, "nothing is left, which is a result"
    assert "'=soft" in csv
    copy = study_yaml(loading.study).replace("study: films", "study: copy")
    assert "method: extraction" in copy
    assert messages(load(tmp_path, study=copy, items=ITEMS, statements=csv)) == []
    now = [row for row in Statement.objects.filter(item__study__slug="copy").order_by("pk")]
    assert [(one.item.key, one.side, one.said, one.feels) for one in now] == [
        ("e1", "reference", "fits small", "neutral"),
        ("e2", "generated", "=soft", "positive"),
    ]
    again = load(tmp_path, study=study_yaml(now[0].item.study), items=ITEMS)
    assert again.counts["judges"].unchanged == 1


def test_a_locked_test_part_tells_nothing_of_what_was_loaded(tmp_path):
    load(tmp_path, items=ITEMS, statements=STATEMENTS)
    loading = check(tmp_path, items=ITEMS, statements=STATEMENTS)
    splits.lock(loading.study, 1, 0.99, "owner")
    other = STATEMENTS.replace("runs small", "runs tight")
    hidden = set(splits.withheld(loading.study).values())
    assert hidden, "with this seed"
    found = check(tmp_path, items=ITEMS, statements=other)
    assert bool(messages(found)) == ("e1" not in hidden)
