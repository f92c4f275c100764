"""NLI judges: pairs by hand with a model in its place, a tiny model of the real form, and runs."""

import json
from importlib.util import find_spec

import numpy as np
import pytest
from django.urls import reverse

from judges.models import Entailment, Extraction, Judge, Run, Statement
from judges.models.entailment import as_array
from judges.runs import drive, lease
from judges.runs.lease import Unit
from judges.runs.plan import PlanError, plan
from judges.scorers import SCORERS
from judges.scorers.nli_texts import chunks, sentences
from judges.statements.items import make
from tests import factories, factual
from tests.conftest import missing
from tests.judges.scorers import tiny_onnx
from tests.stated import make_explained, make_factuality

pytestmark = [pytest.mark.django_db, pytest.mark.model]
LABELS = {"0": "CONTRADICTION", "1": "NEUTRAL", "2": "ENTAILMENT"}
FROZEN = {"kind": "nli", "measure": "ent_f1", "grain": "statement"}


@pytest.fixture
def nli():
    absent = [name for name in ("onnxruntime", "tokenizers") if find_spec(name) is None]
    if absent:
        missing(f"not installed (requirements-models.txt): {', '.join(absent)}")
    from judges.scorers import nli

    return nli


@pytest.fixture
def model(tmp_path, settings, nli):
    """A folder as an operator makes it: words are tokens, whose ids the model adds up."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = {"[PAD]": 0, "[UNK]": 1, "yes": 2, "no": 3}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    folder = tmp_path / "tiny"
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "model.onnx").write_bytes(tiny_onnx.model([-0.5, 0.0, 0.5]))
    (folder / "config.json").write_text(json.dumps({"id2label": LABELS}))
    settings.NLI_MODEL = str(folder)
    return folder


def frozen(**measure):
    return SCORERS[Judge.Kind.NLI].frozen(Judge(kind=Judge.Kind.NLI, settings=measure))


class Said:
    """A model whose probabilities follow from what the texts say, by a table."""

    asked = 0

    def __init__(self, table, other=(0.1, 0.2, 0.7)):
        self.table, self.other = table, other

    def __call__(self, pairs):
        self.asked += len(pairs)
        return np.array([self.table.get(pair, self.other) for pair in pairs]).reshape(-1, 3)


@pytest.fixture
def facts(owner):
    return factual.make_study(owner)


def texts(item):
    """Texts of its statements: ([generated], [reference])."""
    rows = list(factual.statements_of(item))
    return tuple(
        [row.text for row in rows if row.data["direction"] == way]
        for way in ("precision", "recall")
    )


def scored(nli, study, key, table, **measure):
    item = study.items.get(key=key)
    scorer = nli.Nli(FROZEN | measure, Said(table))
    return scorer([Unit(0, item, ["q", "r"])])[0]


# The model itself


def test_probabilities_come_out_in_our_order_whatever_the_models_is(nli, model):
    """ids of "yes no" and "yes": 2 + 3 + 2 = 7, logits −3.5, 0, 3.5 of contradiction, neutral,
    entailment; of "no" and "no" 6: −3, 0, 3. The shorter one is padded with id 0, which adds none.
    """
    found = nli.Model(frozen())([("yes no", "yes"), ("no", "no"), ("yes no", "yes")])
    raised = np.exp([[3.5, 0, -3.5], [3, 0, -3]])
    expected = raised / raised.sum(axis=1, keepdims=True)
    assert found == pytest.approx(expected[[0, 1, 0]], abs=1e-6)


def test_many_pairs_are_read_in_batches_and_come_back_in_their_order(nli, model, monkeypatch):
    monkeypatch.setattr("judges.scorers.pair_reader.BATCH", 2)
    read = nli.Model(frozen())
    pairs = [("yes " * n, "no " * (n % 2)) for n in (5, 1, 4, 2, 3)]
    alone = [read([pair])[0] for pair in pairs]
    assert read(pairs) == pytest.approx(np.array(alone))
    assert len({round(each[0], 6) for each in alone}) == 5


def test_labels_are_read_from_the_config_in_any_order_and_case(model):
    said = {"0": "entailment", "1": "Neutral", "2": "contradiction"}
    (model / "config.json").write_text(json.dumps({"id2label": said}))
    assert frozen()["labels"] == ["entailment", "neutral", "contradiction"]


@pytest.mark.parametrize(
    ("config", "tokenizer", "expected"),
    [
        ({}, None, 512),
        ({"max_position_embeddings": 514}, None, 512),
        ({"max_position_embeddings": 256}, None, 256),
        ({"max_position_embeddings": 514}, {"model_max_length": 128}, 128),
        ({}, {"model_max_length": 1e30}, 512),
        ({"max_position_embeddings": "256"}, {"model_max_length": -1}, 512),
    ],
)
def test_how_much_of_a_pair_a_model_reads_is_in_its_files(model, config, tokenizer, expected):
    said = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps(said | config))
    if tokenizer:
        (model / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    assert frozen()["word_pieces"] == expected


BAD = {
    "not set": (lambda folder, settings: setattr(settings, "NLI_MODEL", ""), "is not set; an op"),
    "no folder": (lambda f, settings: setattr(settings, "NLI_MODEL", "/nowhere"), "no folder"),
    "no config": (lambda folder, s: (folder / "config.json").unlink(), "has no config.json"),
    "no model": (lambda folder, s: (folder / "model.onnx").unlink(), "has no model.onnx"),
    "two labels": (
        lambda folder, s: (folder / "config.json").write_text(
            '{"id2label": {"0": "entailment", "1": "not_entailment"}}'
        ),
        "id2label: entailment, not_entailment; expected are three labels",
    ),
    "no labels": (lambda f, s: (f / "config.json").write_text("[]"), "nothing that can be read"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_model_that_is_not_there_or_strange_is_named_before_a_run(
    case, model, settings, facts, as_owner
):
    spoil, words = BAD[case]
    spoil(model, settings)
    judge = factories.make_judge(facts, "N", kind=Judge.Kind.NLI)
    with pytest.raises(PlanError, match=words):
        plan(judge)
    answer = as_owner.post(reverse("judge_run", args=[facts.slug, judge.pk]))
    assert answer.status_code == 422
    assert "The judge N cannot run: " in answer.content.decode()
    assert not Run.objects.exists()


def test_another_model_than_planned_ends_the_run_with_its_reason(model, facts):
    run = plan(factories.make_judge(facts, "N", kind=Judge.Kind.NLI))
    (model / "model.onnx").write_bytes(tiny_onnx.model([0.5, 0.0, -0.5]))
    drive.work_through(run.pk)
    reasons = set(run.judgments.values_list("reason", flat=True))
    assert reasons == {
        "the scorer cannot be loaded: the model of NLI_MODEL is another one than when this was "
        "planned"
    }


# Texts in parts


def test_sentences_end_at_their_marks():
    assert sentences('It is 3.5 m long. "Good!" Is it? 很好。不错！\nA line') == [
        "It is 3.5 m long.",
        '"Good!"',
        "Is it?",
        "很好。",
        "不错！",
        "A line",
    ]
    assert sentences("यह अच्छा है। सस्ता है।") == ["यह अच्छा है।", "सस्ता है।"]
    assert sentences("هل هو جيد؟ نعم۔ رخيص") == ["هل هو جيد؟", "نعم۔", "رخيص"]
    assert sentences(" \n ") == []


def test_chunks_are_whole_sentences():
    assert chunks("One two. Three four. Five six seven.", 4) == [
        "One two. Three four.",
        "Five six seven.",
    ]
    assert chunks("One two three. Four.", 2) == ["One two three.", "Four."]


# Scores by hand


def test_statements_of_both_sides_are_compared_both_ways(nli, facts):
    """Item a: two generated statements, one of the reference. P = (.9 + .1)/2, R = max(.4, .6)."""
    (one, two), (ref,) = texts(facts.items.get(key="a"))
    table = {
        (ref, one): (0.9, 0.05, 0.05),
        (ref, two): (0.1, 0.1, 0.8),
        (one, ref): (0.4, 0.5, 0.1),
        (two, ref): (0.6, 0.2, 0.2),
    }
    first, second = scored(nli, facts, "a", table)
    assert first.value == second.value == pytest.approx(2 * 0.5 * 0.6 / 1.1)
    assert first.rationale == "2 of the text and 1 of the reference compared"
    assert as_array(first.kept.forward) == pytest.approx(
        np.array([table[ref, one], table[ref, two]])
    )
    assert as_array(first.kept.backward) == pytest.approx(
        np.array([table[one, ref], table[two, ref]])
    )
    expected = {
        "ent_p": 0.5,
        "ent_r": 0.6,
        "ent_bin_f1": 2 * 0.5 / 1.5,
        "coh_p": 0.075,
        "coh_r": 0.4,
    }
    for measure, value in expected.items():
        assert scored(nli, facts, "a", table, measure=measure)[0].value == pytest.approx(value)


def test_one_empty_side_is_0_and_has_no_coherence(nli, facts):
    for key in "de":
        found = scored(nli, facts, key, {})[0]
        assert (found.value, found.reason) == (0.0, "")
        found = scored(nli, facts, key, {}, measure="coh_p")[0]
        assert found.value is None
        assert "only one of the texts" in found.reason


def test_no_statements_are_unknown_until_a_run_read_both_sides(nli, facts):
    bare = factories.make_item(facts, "f", kind="explanation", text="Nice.", review="It came.")
    assert scored(nli, facts, "f", {})[0].reason == "no statements of the generated text are known"
    run = Run.objects.create(
        judge=factories.make_judge(facts, "extractor"), state=Run.State.FINISHED
    )
    Extraction.objects.create(run=run, item=bare, side="generated", unit=0, kept=0)
    assert scored(nli, facts, "f", {})[0].reason == "no statements of the reference are known"
    Extraction.objects.create(run=run, item=bare, side="reference", unit=1, kept=0)
    assert scored(nli, facts, "f", {})[0].reason == "neither text has a statement"
    said = {"statement": "it came", "topic": "shipping", "sentiment": "neutral", "number": 1}
    Statement.objects.create(run=run, item=bare, side="reference", **said)
    assert scored(nli, facts, "f", {})[0].value == 0  # one side is empty
    Statement.objects.create(run=run, item=bare, side="generated", **said)
    assert "statement items have not been made" in scored(nli, facts, "f", {})[0].reason


def test_a_statement_has_the_probability_that_its_reference_entails_it(nli, facts):
    item = facts.items.get(key="a-p1")
    found = scored(nli, facts, "a-p1", {(item.reference, item.text): (0.7, 0.2, 0.1)})[0]
    assert found.value == pytest.approx(0.7)
    assert found.rationale == "Entailment 0.7000, neutral 0.2000, contradiction 0.1000"
    assert found.kept is None


def test_sentences_and_chunks(nli, facts):
    """Two sentences, E − C of the best: (.7 − .1) and (.2 − .3), mean .25; best E: (.7 + .2)/2."""
    facts.items.filter(key="a").update(text="One. Two.", reference="Three. Four.")
    table = {
        ("Three.", "One."): (0.7, 0.2, 0.1),
        ("Four.", "One."): (0.1, 0.1, 0.8),
        ("Three.", "Two."): (0.1, 0.5, 0.4),
        ("Four.", "Two."): (0.2, 0.5, 0.3),
    }
    how = {"measure": "summac_zs", "grain": "sentence"}
    assert scored(nli, facts, "a", table, **how)[0].value == pytest.approx(0.25)
    table = {
        ("Three. Four.", "One."): table["Three.", "One."],
        ("Three. Four.", "Two."): table["Four.", "Two."],
    }
    how = {"measure": "align_score", "grain": "chunk"}
    found = scored(nli, facts, "a", table, **how)[0]
    assert found.value == pytest.approx(0.45)
    assert found.kept.backward == b""


@pytest.mark.parametrize(
    ("measure", "grain"), [("summac_zs", "sentence"), ("align_score", "chunk")]
)
def test_without_a_reference_its_sentences_say_nothing(nli, facts, measure, grain):
    facts.items.filter(key="a").update(text="One. Two.", reference=" ")
    found = scored(nli, facts, "a", {}, measure=measure, grain=grain)[0]
    assert (found.value, found.reason, found.kept) == (None, nli.NO_REFERENCE, None)


def test_too_many_pairs_are_refused_with_their_numbers(nli, facts, monkeypatch):
    monkeypatch.setattr("judges.scorers.pair_reader.MOST_PAIRS", 1)
    assert scored(nli, facts, "a", {})[0].reason == (
        "too many pairs: 2 by 1; of an item 1 are compared at most"
    )


def test_three_hundred_statements_a_side_are_compared_both_ways(nli, owner):
    """The first of each side entails the other: P = R = F1 = 1/300, as all others say .0."""
    study = make_factuality(owner)
    many = [(f"part {n} is soft", "feel", "positive") for n in range(300)]
    make_explained(study, "long", many, many)
    make(study)
    item = study.items.get(key="long")
    one, other = (side[0] for side in texts(item))
    yes, no = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    scorer = nli.Nli(FROZEN, Said({(other, one): yes, (one, other): yes}, no))
    found = scorer([Unit(0, item, ["q"])])[0]
    assert scorer.model.asked == 2 * 300 * 300
    assert found[0].value == pytest.approx(1 / 300)


# Runs


@pytest.fixture
def said(nli, model, monkeypatch):
    """Runs score with a Said in the model's place."""
    one = Said({})
    monkeypatch.setattr(nli, "Model", lambda frozen: one)
    return one


def test_a_run_keeps_the_probabilities_and_goes_on_where_it_was_stopped(said, facts):
    run = plan(factories.make_judge(facts, "N", kind=Judge.Kind.NLI))
    units = lease.lease_free(run, "killed", 2, lease.timezone.now())  # never settled
    assert len(units) == 2
    lease.return_expired()
    drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    assert run.judgments.exclude(state="done").count() == 0
    rows = Entailment.objects.filter(run=run).order_by("item__key")
    assert [(row.item.key, row.n_generated, row.n_reference) for row in rows] == [
        ("a", 2, 1),
        ("b", 1, 2),
        ("c", 2, 2),
        ("d", 1, 0),
        ("e", 0, 1),
    ]
    assert len(as_array(rows[2].forward)) == 4
    before = said.asked
    again = plan(run.judge)  # another run of the judge keeps its own
    drive.work_through(again.pk)
    assert said.asked == 2 * before
    assert Entailment.objects.filter(run=again).count() == 5


@pytest.mark.parametrize(
    ("kind", "same"),
    [("rouge-1", 1), ("rouge-l", 1), ("bleu-1", 100), ("bleu-4", 100), ("chrf", 100), ("sts", 1)],
)
def test_a_measure_of_similarity_can_be_against_the_review(facts, kind, same):
    facts.items.filter(key="a").update(review="Sturdy and cheap.")
    judge = factories.make_judge(facts, "B", kind=kind, against="review")
    run = plan(judge)
    assert run.frozen["against"] == "review"
    drive.work_through(run.pk)
    assert run.judgments.get(item__key="a").value == pytest.approx(same)
    assert run.judgments.filter(state="failed").count() == len(run.judgments.all()) - 1
    plain = SCORERS[kind].frozen(Judge(kind=kind))
    assert "against" not in plain  # so that judges that were run before stay the same


def test_a_row_of_marks_is_one_end_however_long():
    """Read from each of its marks it would take minutes."""
    text = "Good" + "." * 100_000 + "x"
    assert sentences(text) == [text]
