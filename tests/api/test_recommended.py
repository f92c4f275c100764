"""Lists of recommenders under test through the API."""

import pytest

from annotate.design import splits
from judges.models import Judgment
from tests import factories
from tests.api.conftest import ROOT, program
from tests.recommended import add_list, make_lists, make_recommender

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(study):
    found = make_lists(
        make_recommender(study),
        {("u1", "no_change", 0): "aX", ("u2", "no_change", 0): None},
    )
    again = {"said": "Film b", "content": "b", "how": "fuzzy", "why": "repeated"}
    options = {"options": {"factor": 2}, "cell": "multiply:factor=2"}
    add_list(found, "u1", "multiply", 1, "b", left_out=[again], **options)
    Judgment.objects.filter(run=found, unit=1).update(reason="prose, no list")
    return found


def rows(api, path):
    return api.get(path).json()["results"]


def test_a_row_a_list_with_its_entries_in_their_order(api, at, run):
    first, second, third = rows(api, at("lists/"))
    assert first["entries"] == [
        {"said": "Film a", "content": "a", "how": "exact"},
        {"said": "Film X", "content": None, "how": ""},
    ]
    assert (first["judge"], first["run"], first["state"]) == ("teller", run.pk, "done")
    assert (second["entries"], second["state"]) == ([], "unparsable")
    assert second["reason"] == "prose, no list"
    assert third["options"] == {"factor": 2} and third["left_out"][0]["why"] == "repeated"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("recipient=u1", [0, 2]),
        ("relation=multiply", [2]),
        ("iteration=0", [0, 1]),
        ("state=unparsable", [1]),
        ("judge=elsewhere", []),
        ("judge=teller", [0, 1, 2]),
        ("plan=k_sweep", []),
        ("plan=relations&recipient=u2", [1]),
    ],
)
def test_lists_are_filtered(api, at, run, query, found):
    keys = list(run.recommended_lists.order_by("pk").values_list("pk", flat=True))
    assert [row["id"] for row in rows(api, at(f"lists/?{query}"))] == [keys[n] for n in found]


def test_a_run_is_a_filter_and_what_is_unknown_is_refused(api, at, run):
    assert len(rows(api, at(f"lists/?run={run.pk}"))) == 3
    assert rows(api, at(f"lists/?run={run.pk + 1}")) == []
    for query in ("item=i1", "run=x", "plan=other", "iteration=-1"):
        assert api.get(at(f"lists/?{query}")).status_code == 400


def test_a_locked_part_is_named_and_not_shown(api, at, run, study):
    # printf 7:u1 | sha256sum begins with 07, that of 7:u2 with 60: at .2 only u1 is hidden.
    splits.lock(study, 7, 0.2, "owner")
    found = rows(api, at("lists/"))
    assert [row["entries"] for row in found] == [[], [], []] and "Film" not in str(found)
    assert [row["reason"] == splits.WITHHELD for row in found] == [True, False, True]


def test_it_is_read_by_members_and_their_tokens_alone(api, at, run, viewer, study):
    elsewhere = factories.make_study("other", owner=viewer)
    make_lists(make_recommender(elsewhere, "b"), {("u1", "no_change", 0): "q"})
    assert len(rows(program(viewer, write=False), at("lists/"))) == 3
    assert program(viewer, studies=[elsewhere]).get(at("lists/")).status_code == 404
    assert program(factories.make_user("stranger")).get(at("lists/")).status_code == 404
    assert api.post(at("lists/"), {}).status_code == 405
    assert api.get(f"{ROOT}other/lists/").status_code == 404
