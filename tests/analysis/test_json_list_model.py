"""A real model's lists, as JSON by a schema: tables 2 to 4 have numbers, and they are its own."""

import os

import pytest

from annotate.models import Study
from judges.models import Heartbeat, Judge, Judgment, RecommendedList, Run
from tests import factories, processes
from tests.analysis.small import build, row_of
from tests.judges.methods.recommend.test_recommender_pages import tell
from tests.small_model import small_model

pytestmark = [pytest.mark.model, pytest.mark.django_db(transaction=True)]
PORT = 8324
ITERATIONS, K = 2, 3
SMALL = [
    "--plan",
    "relations,k_sweep,l_sweep",
    "--users",
    2,
    "--iterations",
    ITERATIONS,
    "--k",
    K,
    "--l",
    4,
    "--ks",
    2,
    "--ls",
    2,
    "--above",
    4.9,
    "--relations",
    "multiply",
]
LISTS = 2 * ((1 + 2 * ITERATIONS) + 2 + (1 + ITERATIONS))  # of two recipients: tables 4, 2 and 3


def test_lists_of_a_real_model_fill_the_tables(shared_data, tmp_path):
    owner = factories.make_user("owner")
    extra = {"CELERY_QUEUE": f"test-{os.getpid()}-{tmp_path.name}"}
    with (
        # Seeded: by chance no baseline list of two recipients can be read.
        small_model(tmp_path, PORT, "--seed", "1") as endpoint,
        processes.beat(tmp_path, **extra),
        processes.worker(tmp_path, **extra),
    ):
        processes.wait_for(Heartbeat.objects.any_alive, "a worker that lives")
        told = tell(
            shared_data / "movielens-small",
            endpoint.key,
            *SMALL,
            "--json-list",
            "--wait",
            "--yes",
            "--name",
            "movielens",
            "--owner",
            owner.username,
        )
    assert Judge.objects.get().key == "recommender small JSON"
    lists = list(RecommendedList.objects.all())
    # A small model may leave a title blank, which makes its reply no list, however it was asked.
    read = [one for one in lists if one.entries]
    assert len(lists) == LISTS and len(read) > LISTS / 2, (reasons(), told)
    assert all(
        f":{os.getpid()}:" not in f":{call.worker}:" for call in Run.objects.get().calls.all()
    )
    for one in read:
        assert 1 <= len(one.entries) <= one.k == len(one.entries) + len(one.left_out)
    report = build(Study.objects.get(slug="movielens"), "metamorphic", draws=20)
    check_table_4(report)
    for part, sizes in (("k_sweep", {"k": 2}), ("l_sweep", {"k": K, "l": 2})):
        row = row_of(report, part=part, measure="rbo", **sizes)
        assert row["n"] <= 2 and (row["n"] == 0 or 0 <= row["value"] <= 1)


def reasons():
    return list(Judgment.objects.exclude(reason="").values_list("reason", flat=True))


def check_table_4(report):
    """Of the same prompt again and of the multiplied one, against overlaps counted here."""
    told = []
    for relation in ("no_change", "multiply"):
        about = {"part": "relations", "relation": relation}
        row = row_of(report, measure="overlap", **about)
        means = [mean_overlap(relation, at) for at in range(1, ITERATIONS + 1)]
        means = [mean for mean in means if mean is not None]
        if not means:
            continue
        told.append(relation)
        assert row["value"] == pytest.approx(sum(means) / len(means)), reasons()
        assert row["iterations"] == len(means)
        if len(means) == ITERATIONS:
            assert row["sd"] == pytest.approx(abs(means[0] - means[1]) / 2**0.5)
        rbo = row_of(report, measure="rbo", **about)
        assert 0 <= rbo["value"] <= 1
    assert told, reasons()


def mean_overlap(relation, iteration):
    """The mean over recipients of the share of k places that a list fills as its baseline does;
    of those who have both lists, None where nobody has.
    """
    lists = RecommendedList.objects.filter(plan="relations")
    shares = []
    for base in lists.filter(iteration=0):
        again = lists.get(recipient=base.recipient, relation=relation, iteration=iteration)
        if base.entries and again.entries:
            shares.append(len(set(base.identities) & set(again.identities)) / K)
    return sum(shares) / len(shares) if shares else None
