"""Strict judges: what their examples are drawn from is no part of any comparison with them."""

import numpy as np
import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr

from analysis.answers import frame
from analysis.reports.shared.evaluators import evaluators
from analysis.reports.shared.scores import Scores
from annotate.models import Rater
from judges.models import Judge, Judgment, Material
from judges.runs.plan import plan
from tests import factories
from tests.analysis.small import build, options_of, row_of
from tests.judges.prompting.test_examples import make_grid, make_judge

pytestmark = pytest.mark.django_db


def judged(study, **fields):
    """A run of which every item got a value, made up from its key."""
    run = plan(make_judge(study, strict=True, **fields))
    for judgment in run.judgments.select_related("item"):
        judgment.state, judgment.value = Judgment.State.DONE, 1 + hash_of(judgment.item.key) % 5
        judgment.save()
    return run


def hash_of(key):
    return sum(map(ord, key)) * 7


def scores_of(study, **options):
    answers = frame.read_answers(study)
    chosen = options_of(answers, "correlation", **{"draws": 0} | options)
    return Scores(answers, chosen)


@pytest.mark.parametrize("filled", ["drop", "0"])
def test_a_strict_judge_is_compared_only_where_nothing_is_held_out(filled):
    study = make_grid()
    run = judged(study, pool_share=0.3)
    pool = set(run.held_out.values_list("item__key", flat=True))
    rest = [item for item in study.items.all() if item.key not in pool]
    expected = pearsonr(
        [1 + hash_of(item.key) % 5 for item in rest], [1 + item.pk % 5 for item in rest]
    ).statistic
    report = build(study, "correlation", missing_judgment=filled, missing_reference=filled)
    row = row_of(report, evaluator="judge", question="fits", level="dataset", coefficient="pearson")
    assert row["n"] == len(rest) == 13
    assert row["value"] == pytest.approx(expected, abs=1e-12)
    assert "judge: 5 items left out, which its examples are drawn from." in report.notes


def test_agreement_with_a_strict_judge_leaves_them_out_for_people_too():
    study = make_grid()
    session = factories.make_session(study, "third")
    for item in study.items.all():
        factories.make_rating(session, item, study.questions.get(key="fits"), 2)
    judged(study, pool_share=0.3)
    report = build(study, "agreement")
    assert (
        row_of(report, raters="humans", question="fits", measure="alpha_interval")["n_units"] == 18
    )
    alpha = {"measure": "alpha_interval", "question": "fits"}
    assert row_of(report, raters="humans + judge", **alpha)["n_units"] == 13


def test_another_judge_keeps_all_items_and_an_ensemble_leaves_out_its_member_s():
    study = make_grid()
    judged(study, pool_share=0.3)
    plain = factories.make_judge(study, "plain")
    factories.make_judgments(
        plain, {(item, q): 1 for item in study.items.all() for q in study.questions.all()}
    )
    panel = factories.make_judge(study, "panel", kind=Judge.Kind.ENSEMBLE)
    panel.members.set([plain, Judge.objects.get(key="judge")])
    scores = scores_of(study, missing_judgment="0")
    counts = {name: int((~np.isnan(scores.judge(name)[:, 0])).sum()) for name in scores.judges}
    assert counts == {"judge": 13, "plain": 18, "panel": 13}


def test_excluded_items_and_held_out_ones_do_not_mix():
    study = make_grid()
    run = judged(study, pool_share=0.3)
    pool = set(run.held_out.values_list("item__key", flat=True))
    scores = scores_of(study, exclude=["system=g0"])
    keys = scores.items["item"].astype(str)[scores.held_out("judge")]
    assert set(keys) == {key for key in pool if key.endswith("g1")}


def test_a_judge_that_is_not_strict_leaves_nothing_out():
    study = make_grid()
    run = plan(make_judge(study))
    run.judgments.update(state=Judgment.State.DONE, value=3)
    report = build(study, "correlation")
    assert not any("left out, which" in note for note in report.notes)
    assert (
        row_of(report, evaluator="judge", question="fits", level="dataset", coefficient="pearson")[
            "n"
        ]
        == 18
    )


def test_the_fingerprint_changes_with_what_is_held_out():
    study = make_grid()
    run = judged(study)
    before = frame.Reader(study).fingerprint()
    run.held_out.first().delete()
    assert frame.Reader(study).fingerprint() != before


def test_the_notes_say_that_scores_are_means_of_samples():
    study = make_grid()
    run = plan(make_judge(study, "zero", samples=3, temperature=1))
    run.judgments.update(state=Judgment.State.DONE, value=3)
    (note,) = [note for note in build(study, "correlation").notes if "samples" in note]
    assert note.startswith("judge: the mean of the 3 samples of each answer")


@settings(max_examples=15)
@given(
    share=st.floats(0.01, 0.9),
    seed=st.integers(0, 1000),
    rated=st.sets(st.integers(0, 17)),
    others=st.booleans(),
    role=st.sampled_from(["recipient", "third_party", "all"]),
    filled=st.sampled_from(["drop", "3"]),
)
def test_no_rating_is_both_an_example_and_a_reference(share, seed, rated, others, role, filled):
    with transaction.atomic():
        keys = [f"u{u}-i{i}-g{g}" for u in range(3) for i in range(3) for g in range(2)]
        study = make_grid(rated=lambda key: keys.index(key) in rated)
        if others:
            session = factories.make_session(study, "third", Rater.Role.THIRD_PARTY)
            for item in study.items.all():
                factories.make_rating(session, item, study.questions.first(), 2)
        run = judged(study, pool_share=share, seed=seed)
        scores = scores_of(study, reference=role, missing_reference=filled, missing_judgment=filled)
        shown = {m.example.key for m in Material.objects.filter(run=run).select_related("example")}
        for each in evaluators(scores):
            if each.judge:
                compared = ~np.isnan(each.reference).all(axis=1)
                items = set(scores.items["item"].astype(str)[compared])
                assert not items & shown
        transaction.set_rollback(True)
