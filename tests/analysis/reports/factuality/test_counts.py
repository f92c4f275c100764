"""How much there is in a study of factual consistency, counted by hand as in the paper's table II.

    item  system domain  recipient, content  generated           reference
    a     good   toys    r1, i1              soft +, loud −      soft +
    b     bad    toys    r1, i1              soft +              soft + (the same text, read once)
    c     good   toys    r2, i1              soft −              soft +, loud −, cheap +
    d     bad    sports  r2, i2              cheap +             none
    e     bad    sports  r1, i2              none                none
Another one, f of r3 and i3 in sports, has not been read.
"""

import json
from io import StringIO
from math import isnan

import pytest
from django.core.management import call_command

from annotate.models import Item
from judges.models import Entailment
from judges.models.entailment import as_bytes
from judges.statements.items import make
from tests import factories
from tests.analysis.small import build
from tests.stated import make_explained, make_factuality

pytestmark = pytest.mark.django_db
SOFT, UNSOFT = ("it is soft", "feel", "positive"), ("it is soft", "feel", "negative")
LOUD, CHEAP = ("it is loud", "sound", "negative"), ("it is cheap", "price", "positive")
STATED = {
    "a": ("r1", "i1", "good", "toys", [SOFT, LOUD], [SOFT]),
    "b": ("r1", "i1", "bad", "toys", [SOFT], [SOFT]),
    "c": ("r2", "i1", "good", "toys", [UNSOFT], [SOFT, LOUD, CHEAP]),
    "d": ("r2", "i2", "bad", "sports", [CHEAP], []),
    "e": ("r1", "i2", "bad", "sports", [], []),
}
ABOUT = {"explanations": 5, "interactions": 4, "recipients": 2, "contents": 2}
GENERATED = {
    "statements": 5,
    "unique": 4,
    "per_explanation": 5 / 5,
    "per_recipient": 5 / 2,
    "per_content": 5 / 2,
}
REFERENCE = {
    "statements": 4,
    "unique": 3,
    "per_interaction": 4 / 4,
    "per_recipient": 4 / 2,
    "per_content": 4 / 2,
}


@pytest.fixture
def stated(owner):
    study = make_factuality(owner)
    for key, (recipient, content, system, domain, generated, reference) in STATED.items():
        make_explained(
            study,
            key,
            generated,
            reference,
            recipient=recipient,
            content=content,
            system=system,
            data={"domain": domain},
        )
    factories.make_item(
        study,
        "f",
        "r3",
        "i3",
        "bad",
        text="Unread.",
        review="Unread.",
        kind="explanation",
        data={"domain": "sports"},
    )
    make(study)
    return study


def counts(rows, domain="all", system="all", side=""):
    return {
        row["metric"]: row["value"]
        for row in rows
        if row["part"] == "counts"
        and (row["domain"], row["system"], row["name"]) == (domain, system, side)
    }


def test_everything_that_is_there_is_counted(stated):
    """a, b and c have statement items, d has none as its other side is empty."""
    rows = build(stated, "factuality").rows
    assert counts(rows) == ABOUT
    assert counts(rows, side="generated") == GENERATED
    assert counts(rows, side="reference") == REFERENCE
    row = next(row for row in rows if row["metric"] == "explanations" and row["domain"] == "all")
    assert (row["n"], row["missing"]) == (5, 1)


def test_by_domain_and_by_system(stated):
    rows = build(stated, "factuality").rows
    assert counts(rows, "toys") == {
        "explanations": 3,
        "interactions": 2,
        "recipients": 2,
        "contents": 1,
    }
    assert counts(rows, "toys", side="reference") == {
        "statements": 4,
        "unique": 3,
        "per_interaction": 2,
        "per_recipient": 2,
        "per_content": 4,
    }
    assert counts(rows, "sports", side="reference")["statements"] == 0
    good = counts(rows, system="good", side="generated")
    assert good == {
        "statements": 3,
        "unique": 3,
        "per_explanation": 1.5,
        "per_recipient": 1.5,
        "per_content": 3,
    }
    assert counts(rows, "sports", "bad", "generated")["per_explanation"] == 0.5
    assert counts(rows, system="good", side="reference") == {}, "references are of no system"


def test_where_nobody_is_named_each_explanation_is_an_interaction(stated):
    Item.objects.filter(study=stated).update(recipient=None, content=None)
    rows = build(stated, "factuality").rows
    assert counts(rows) == ABOUT | {"interactions": 5, "recipients": 0, "contents": 0}
    found = counts(rows, side="reference")
    assert (found["statements"], found["per_interaction"]) == (5, 1)
    assert isnan(found["per_recipient"])
    assert isnan(found["per_content"])


def test_texts_that_only_a_model_saw_are_known_where_it_kept_them(owner):
    """x: two and one statements of a file, which are texts only where the file names them."""
    study = make_factuality(owner)
    item = factories.make_item(study, "x", kind="explanation")
    pair = as_bytes([[0.9, 0.05, 0.05], [0.1, 0.1, 0.8]])
    kept = Entailment.objects.create(
        item=item, n_generated=2, n_reference=1, forward=pair, backward=pair
    )
    found = counts(build(study, "factuality").rows, side="generated")
    assert found["statements"] == 2
    assert isnan(found["unique"])
    Entailment.objects.filter(pk=kept.pk).update(generated=["soft", "soft"], reference=["soft"])
    rows = build(study, "factuality").rows
    assert counts(rows, side="generated")["unique"] == 1
    assert counts(rows, side="reference")["unique"] == 1


def test_command_page_and_api_have_the_same_numbers(stated, as_owner):
    out = StringIO()
    call_command("analyse", stated.slug, "factuality", format="json", draws=0, stdout=out)
    assert counts(json.loads(out.getvalue())["rows"], side="reference") == REFERENCE
    api = as_owner.get(f"/api/v1/studies/{stated.slug}/reports/factuality/", {"draws": 0})
    assert counts(api.json()["rows"], side="reference") == REFERENCE
    page = as_owner.get(
        f"/studies/{stated.slug}/analysis/factuality/", {"draws": 0, "measure": "counts"}
    ).context["layout"]
    what, said = page.tables
    assert what.headings == ["all domains", "sports", "toys"]
    lines = dict(what.lines)
    assert lines["Interactions"] == ["4", "2", "2"]
    assert lines["Different statements of references"] == ["3", "0", "3"]
    assert lines["Statements per reference"] == ["1.00", "0.00", "2.00"]
    assert dict(said.lines)["Statements per explanation"] == ["1.00", "0.67", "1.50"]
    assert said.headings == ["all systems", "bad", "good"]


def test_what_is_read_besides_is_one_query(stated, as_owner, django_assert_max_num_queries):
    with django_assert_max_num_queries(15):
        as_owner.get(f"/studies/{stated.slug}/analysis/factuality/", {"draws": 20})
