"""May compare systems, computed a second time from the files that anybody can export."""

from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from django.db.models import Avg, F
from scipy.stats import ttest_1samp

from analysis.reports.verdict.candidates import JUDGE
from analysis.reports.verdict.sentences import COMPARE, short
from annotate.models import Rating, Recipient
from tests.analysis.reports.verdict.by_hand import run_by_hand
from tests.analysis.reports.verdict.test_report import (  # noqa: F401
    SYSTEMS,
    add_judge,
    crowd,
    make_truth,
)
from tests.analysis.small import build, load_hanna

pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("error::RuntimeWarning")]
SCRIPT = Path(settings.BASE_DIR) / "docs" / "systems_by_hand.py"
MOST_LINES = 74
NUMBERS = ("level", "level_low", "level_high", "level_p", "p_adjusted")


@pytest.fixture
def compare(tmp_path, monkeypatch, capsys):
    """Check a study's rows on comparing systems against the script's; return these by judge."""

    def recompute_and_compare(study):
        printed = run_by_hand(SCRIPT, study, tmp_path, monkeypatch, capsys)
        mine = {(line["judge"], line["question"], pair_of(line)): line for line in printed}
        assert len(mine) == len(printed)
        report = build(study, "verdict", pairs="show")
        entries = {
            (e.row["evaluator"], e.row["question"], frozenset(e.row["systems"].split(" − "))): e
            for e in report.entries
            if e.kind == JUDGE and e.row["use"] == COMPARE
        }
        assert entries.keys() == mine.keys()
        for key, entry in entries.items():
            (assert_same_pair if entry.row["systems"] else assert_same_whole)(mine[key], entry)
        wholes = [line for line in printed if not line["a"]]
        return [(line["judge"], line["reason"], line["missing"]) for line in wholes]

    return recompute_and_compare


def pair_of(line):
    return frozenset((line["a"], line["b"]))


def assert_same_pair(line, entry):
    row = entry.row
    assert (line["reason"], line["favours"] == "True") == (row["verdict"], bool(row["warnings"]))
    mine = {name: float(line[name]) for name in NUMBERS}
    if row["systems"] == f"{line['a']} − {line['b']}":  # the other way round
        mine |= {"level": -mine["level"], "level_low": -mine["level_high"]}
        mine["level_high"] = -float(line["level_low"])
    assert mine == pytest.approx({name: row[name] for name in NUMBERS}, rel=1e-7, abs=1e-10), row


def assert_same_whole(line, entry):
    row = entry.row
    assert (line["reason"], line["missing"]) == (row["verdict"], row["why"]), row
    if line["reason"] == "not_comparable":
        return
    assert (line["favours"] == "True") == bool(row["warnings"])
    # a p of .025 of the family is said to be one of .05
    p = min(1, 2 * float(line["p"]))
    assert p == pytest.approx(row["p_adjusted"], rel=1e-7, abs=1e-12)
    if line["sd"]:
        sd, low, high = (short(float(line[name])) for name in ("sd", "sd_low", "sd_high"))
        assert f"standard deviation over systems of {sd} [{low}, {high}] points" in entry.reason


def test_hanna_from_its_export(shared_data, compare):
    wholes = compare(load_hanna(shared_data / "hanna"))
    assert len(wholes) >= 96 and "may" not in {reason for _, reason, _ in wholes}


def know_quality(study):
    """What people say of each system, and a little of what they say of an item."""
    items = study.items.order_by("pk").annotate(mean=Avg("ratings__value"))
    people, truth = np.array(items.values_list("mean", flat=True)), make_truth()
    values, system = np.empty(len(truth)), np.arange(len(truth)) % SYSTEMS
    for code in range(SYSTEMS):
        own = system == code
        values[own] = people[own].mean() + 0.55 * (truth[own] - truth[own].mean())
        values[own] += 0.15 * (people[own] - people[own].mean())
    return values


@pytest.fixture
def apart(crowd):  # noqa: F811
    """The crowd with raters who put s2 above the others, and judges of each answer."""
    Rating.objects.filter(item__system__key="s2", value__lt=5).update(value=F("value") + 1)
    system, noise = np.arange(180) % SYSTEMS, np.random.default_rng(3).normal(size=180)
    base = know_quality(crowd)
    near = base + 0.1 * noise
    for name, values in {
        "near": near,
        "far": base + 0.9 * noise,
        "kind to s0": near + 0.9 * (system == 0),
        "rather kind to s0": near + 0.25 * (system == 0),
    }.items():
        add_judge(crowd, name, np.clip(values, 1, 5))
    return crowd


STATES = {
    ("near", "may", ""),
    ("far", "undecided", "margin"),
    ("kind to s0", "favours", ""),
    ("rather kind to s0", "undecided", "margin"),
    ("always 3", "says_nothing", ""),
    ("few", "too_few", ""),
}


def test_a_crowd_from_its_export(apart, compare):
    assert {*compare(apart)} >= STATES


def add_lucky(study):
    """A judge that passes alone at .05, but not at .025; returned is its p by paired t tests."""
    items = study.items.order_by("pk").annotate(mean=Avg("ratings__value"))
    people, system = np.array(items.values_list("mean", flat=True)), np.arange(180) % SYSTEMS
    for kindness in np.arange(0.1, 0.3, 0.005):
        noise = 0.1 * np.random.default_rng(3).normal(size=180)
        values = np.clip(know_quality(study) + noise + kindness * (system == 0), 1, 5)
        off = [(values - people)[system == code] for code in range(SYSTEMS)]
        apart = [off[0] - off[1], off[0] - off[2], off[1] - off[2]]
        p = max(
            ttest_1samp(sign * d, -0.3, alternative="greater").pvalue
            for d in apart
            for sign in (1, -1)
        )
        if 0.03 < p < 0.045:
            add_judge(study, "lucky", values)
            return p
    raise AssertionError("no kindness has such a p")


def test_many_judges_are_corrected_for_and_the_one_named_beforehand_is_not(apart, compare):
    p = add_lucky(apart)
    states = compare(apart)
    assert ("near", "may", "") in states and ("lucky", "undecided", "correction") in states
    (entry,) = [e for e in build(apart, "verdict").entries if is_of(e, "lucky")]
    tried = {judge for judge, _, _ in states}
    assert entry.row["family"] == len(tried)
    assert "once its p-values are corrected for that, it does not pass" in entry.reason
    (entry,) = [e for e in build(apart, "verdict", named="lucky").entries if is_of(e, "lucky")]
    assert (entry.row["answer"], entry.row["verdict"]) == ("yes", "may")
    assert entry.row["p_adjusted"] == pytest.approx(p)


def is_of(entry, judge):
    row = entry.row
    return entry.kind == JUDGE and (row["evaluator"], row["use"]) == (judge, COMPARE)


def test_a_crowd_with_recipients_is_clustered_by_its_contents(apart, compare):
    """PLANNING 2b: clusters of a comparison of systems are contents, else recipients."""
    for n, item in enumerate(apart.items.order_by("pk")):
        item.recipient, _ = Recipient.objects.get_or_create(study=apart, key=f"p{n % 25}")
        item.content = item.content if n % 9 else None
        item.save()
    assert {*compare(apart)} >= STATES


def test_a_crowd_whose_systems_do_not_differ(crowd, compare):  # noqa: F811
    states = {judge: reason for judge, reason, _ in compare(crowd)}
    assert states["good"] == states["noise"] == "no_difference"


def test_the_script_stays_short():
    assert len(SCRIPT.read_text().splitlines()) <= MOST_LINES
