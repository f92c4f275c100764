"""docs/FILES.md keeps up with what the readers know."""

from pathlib import Path

import pytest
from django.conf import settings

from annotate.files.reading.studyspec import QuestionSpec, StudySpec
from judges.files import TABLES
from judges.files.judges import keys_of
from judges.models import Judge

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
