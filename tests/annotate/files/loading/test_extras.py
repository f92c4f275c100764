"""Gold items of study.yaml get no places, whenever their items come, and freeze like others."""

import pytest
from django.utils import timezone

from annotate.models import Screen, Study
from judges.files import load_files
from tests import factories

pytestmark = pytest.mark.django_db
STUDY = """\
study: films
raters_per_item: 2
questions:
  - {key: fits, text: T, scale: likert5}
"""
GOLD = "gold:\n  - {item: b, answers: {fits: 5}}\n"
ITEMS = "item,text\na,A\nb,B\nc,C\n"


def load(folder, text, **tables):
    """Messages of loading a study.yaml and tables."""
    (folder / "study.yaml").write_text(text)
    for name, table in tables.items():
        (folder / f"{name}.csv").write_text(table)
    files = {name: folder / f"{name}.csv" for name in tables}
    loading = load_files(folder / "study.yaml", files)
    return [str(problem) for problem in loading.problems.shown]


def places():
    study = Study.objects.get()
    return sorted(study.places.values_list("item__key", "number"))


@pytest.mark.parametrize("how", ["at once", "items later", "gold later"])
def test_gold_items_get_no_places(tmp_path, how):
    if how == "items later":
        assert load(tmp_path, STUDY + GOLD) == []
    if how == "gold later":
        assert load(tmp_path, STUDY, items=ITEMS) == [] and ("b", 1) in places()
    tables = {} if how == "gold later" else {"items": ITEMS}
    assert load(tmp_path, STUDY + GOLD, **tables) == []
    assert places() == [("a", 1), ("a", 2), ("c", 1), ("c", 2)]
    assert load(tmp_path, STUDY + "gold: []\n") == []
    assert len(places()) == 6


def test_an_answered_gold_item_may_not_change_nor_its_question(tmp_path):
    assert load(tmp_path, STUDY + GOLD, items=ITEMS) == []
    study = Study.objects.get()
    item, question = study.items.get(key="b"), study.questions.get()
    extra = Screen.objects.create(
        session=factories.make_session(study), position=1, kind="gold", item=item
    )
    extra.answers.create(item=item, question=question, value=5, answered_at=timezone.now())
    (message,) = load(tmp_path, STUDY + GOLD, items=ITEMS.replace("b,B", "b,Z"))
    assert "item 'b' has answers already" in message
    range_, message = load(tmp_path, STUDY.replace("likert5", "likert7") + GOLD)
    assert "old values would mean something else" in range_
    assert "frozen" in message
