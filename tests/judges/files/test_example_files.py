"""The example files that the pages of files link: there is one of each, and together they load."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from annotate.models import Study
from judges.models import Entailment, Judgment

pytestmark = pytest.mark.django_db
EXAMPLES = Path(settings.BASE_DIR) / "static" / "examples"


@pytest.mark.parametrize("address", ["/studies/new/", "/studies/films/load/"])
def test_the_pages_of_files_link_an_example_of_each(as_owner, study, address):
    response = as_owner.get(address)
    assert response.status_code == 200
    links = re.findall(r'href="(/static/examples/[^"]+)" download', response.content.decode())
    names = ["study.yaml", *(f"{table.name}.csv" for table in response.context["tables"])]
    assert len(names) == 8
    for link, name in zip(links, names, strict=True):
        answer = as_owner.get(link)
        assert answer.status_code == 200, link
        assert b"".join(answer.streaming_content) == (EXAMPLES / name).read_bytes()


def test_the_examples_are_one_study_that_loads_as_it_is(owner):
    tables = [f"--{path.stem}={path}" for path in EXAMPLES.glob("*.csv")]
    assert len(tables) == 7
    call_command("load_study", EXAMPLES / "study.yaml", *tables, "--owner=owner", verbosity=0)
    study = Study.objects.get(slug="films-example")
    counts = [study.items.count(), study.recipients.count(), Entailment.objects.count()]
    assert counts == [2, 1, 1]  # one matrix
    judged = Judgment.objects.filter(run__judge__key__in=["my judge", "BLEU"])
    assert judged.count() == 4  # a row of the three has no question: it means two
