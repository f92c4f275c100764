"""docs/FILES.md keeps up with what the readers know."""

from pathlib import Path

import pytest
from django.conf import settings

from annotate.files.reading.studyspec import QuestionSpec, StudySpec
from judges.files import TABLES
from judges.files.judges import keys_of
from judges.models import Judge
from tests.files import check, load, messages

TEXT = (Path(settings.BASE_DIR) / "docs" / "FILES.md").read_text()


def section(name):
    return TEXT.split(f"\n## {name}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_column_and_alias_has_its_row(table):
    text = section(f"{table.name}.csv")
    documented = [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")]
    assert documented == table.names
    assert [alias for alias in table.aliases if f"`{alias}`" not in text] == []


def test_every_key_of_the_study_file_is_documented():
    text = section("study.yaml")
    keys = (*StudySpec.keys(), *QuestionSpec.keys())
    keys += tuple(key for kind in Judge.Kind for key in (kind.value, *keys_of(kind)))
    assert [key for key in keys if f"`{key}`" not in text] == []


STUDY = "study: s\nquestions: [{key: fits, text: T, scale: likert5}]\n"
RATINGS = "item,rater,question,value\n"
# What each line of the section Messages is said of, in its order.
FAULTY = (
    {"items": "item,text\na,fine\nb,caf\xe9\n".encode("latin-1")},
    {"items": "item;text\ne9;x\n"},
    {"items": "item,text\ne9,x,y\n"},
    {"items": "item,text\ne1,other\n"},
    {"ratings": "item,rater,question,value,Role\ne1,ann,fits,4,expert\n"},
    {"judgments": "item,judge,value,questn\ne1,b,4,fits\n"},
    {"ratings": "item,rater,question\ne1,ann,fits\n"},
    {"ratings": RATINGS + "e1,bob,fits,6\n"},
    {"ratings": RATINGS + "e1,ann;bob,fits,4\n"},
    {"ratings": RATINGS + "e1,ann,fits,4\n\n\ne1,ann,fits,4\n"},
    {"judgments": "item,judge,question,value\ne1,b,fits,nan\n"},
)


@pytest.mark.django_db
def test_the_messages_are_those_that_are_said(tmp_path):
    load(tmp_path, study=STUDY, items="item,text\ne1,x\n", ratings=RATINGS + "e1,ann,fits,4\n")
    shown = [line.strip() for line in section("Messages").splitlines() if line.startswith("    ")]
    for line, tables in zip(shown, FAULTY, strict=True):
        (said,) = messages(check(tmp_path, study=STUDY, **tables))
        assert said.startswith(line.removesuffix("…")), line
