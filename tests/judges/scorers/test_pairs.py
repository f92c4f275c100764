"""Judges whose score is one output of a model of pairs: values by hand, tiny models, runs."""

import json
import math
from importlib.util import find_spec

import numpy as np
import pytest
from django.urls import reverse

from judges.files import check_files
from judges.models import Judge, Run
from judges.pages.forms_kinds import ScorerForm
from judges.runs import drive
from judges.runs.lease import Unit
from judges.runs.plan import PlanError, plan
from judges.scorers import SCORERS, pair_files
from judges.scorers.base import NotInstalled
from judges.values.settings import SettingsError
from tests import factories
from tests.conftest import missing
from tests.judges.scorers import tiny_onnx

pytestmark = [pytest.mark.django_db, pytest.mark.model]
WORDS = {"[PAD]": 0, "[UNK]": 1, "yes": 2, "no": 3}
KIND = Judge.Kind.PAIR_MODEL


@pytest.fixture
def pairs():
    absent = [name for name in ("onnxruntime", "tokenizers") if find_spec(name) is None]
    if absent:
        missing(f"not installed (requirements-models.txt): {', '.join(absent)}")
    from judges.scorers import pairs

    return pairs


@pytest.fixture
def put(tmp_path, settings, pairs):
    """Puts a model among those of the machine: the sum of the ids of both texts times weights."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    settings.PAIR_MODELS = str(tmp_path)

    def put(name, weights, labels, **config):
        tokenizer = Tokenizer(models.WordLevel(WORDS, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        folder = tmp_path / name
        folder.mkdir()
        tokenizer.save(str(folder / "tokenizer.json"))
        (folder / "model.onnx").write_bytes(tiny_onnx.model(weights))
        config = {"id2label": {str(at): label for at, label in enumerate(labels)}} | config
        (folder / "config.json").write_text(json.dumps(config))
        return folder

    return put


def frozen(model, **fields):
    return SCORERS[KIND].frozen(Judge(kind=KIND, settings={"model": model} | fields))


def value_of(pairs, study, text="yes no", reference="yes", **fields):
    item = factories.make_item(study, f"i-{study.items.count()}", text=text, reference=reference)
    return pairs.PairScore(frozen(**fields))([Unit(0, item, ["q"])])[0][0]


def test_one_output_is_the_score_as_it_is(pairs, put, study):
    put("bleurt", [0.5], ["LABEL_0"])
    assert value_of(pairs, study, model="bleurt").value == pytest.approx(3.5)  # (2 + 3 + 2)/2


def test_of_several_outputs_the_one_that_says_aligned_has_its_probability(pairs, put, study):
    """Logits 0 and .7: 1/(1 + exp(−.7)). Of three with logits −.7, 0, .7 the sum has one more."""
    put("two", [0.0, 0.1], ["NOT-ALIGNED", "ALIGNED"])
    assert value_of(pairs, study, model="two").value == pytest.approx(1 / (1 + math.exp(-0.7)))
    put("three", [0.1, 0.0, -0.1], ["Entailment", "Neutral", "Contradiction"])
    expected = math.exp(0.7) / (math.exp(0.7) + 1 + math.exp(-0.7))
    assert value_of(pairs, study, model="three").value == pytest.approx(expected)
    expected = math.exp(-0.7) / (math.exp(0.7) + 1 + math.exp(-0.7))
    found = value_of(pairs, study, model="three", output="contradiction")
    assert found.value == pytest.approx(expected)


def test_outputs_that_stand_by_themselves_have_their_sigmoid(pairs, put, study):
    kind = {"problem_type": "multi_label_classification"}
    put("own", [0.1, 0.1], ["fluent", "consistent"], **kind)
    assert value_of(pairs, study, model="own").value == pytest.approx(1 / (1 + math.exp(-0.7)))
    put("one", [0.1], ["score"], **kind)
    assert value_of(pairs, study, model="one").value == pytest.approx(1 / (1 + math.exp(-0.7)))


def test_a_model_reads_no_more_than_its_config_says(pairs, put, study):
    """Two pieces are left of four: the tokenizer takes from the longer text first."""
    folder = put("short", [1.0], ["score"], max_position_embeddings=2)
    assert frozen("short")["word_pieces"] == 2
    found = value_of(pairs, study, "no no no", "yes", model="short")
    assert found.value == pytest.approx(5)  # one "no" and one "yes"
    assert found.rationale == "1 pair cut to 2 word pieces"
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 3}')
    assert frozen("short")["word_pieces"] == 2, "the lower of the two"
    (folder / "config.json").write_text('{"id2label": {"0": "score"}}')
    assert frozen("short")["word_pieces"] == 3
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 1000000000000000000}')
    assert frozen("short")["word_pieces"] == 512


class Said:
    def __init__(self, table):
        self.table = table

    def __call__(self, pairs):
        return np.array([self.table[pair] for pair in pairs])


def test_direction_and_chunks_by_hand(pairs, put, study, monkeypatch):
    """Sentences of what is read second, each by its best chunk of the first: (.9 + .3)/2."""
    from judges.scorers import nli_texts

    monkeypatch.setattr(nli_texts.chunks, "__defaults__", (2,))
    put("m", [0.1], ["score"])
    text, reference = "One two. Three four.", "Five six. Seven eight."
    first, second = {"text": text, "reference": reference}, {"kind": "explanation"}
    item = factories.make_item(study, "chunked", **first, **second)
    ref = ["Five six.", "Seven eight."]
    table = {
        (ref[0], "One two."): 0.1,
        (ref[1], "One two."): 0.9,
        (ref[0], "Three four."): 0.3,
        (ref[1], "Three four."): -0.2,
        ("One two.", ref[0]): 0.5,
        ("Three four.", ref[0]): 0.6,
        ("One two.", ref[1]): 0.2,
        ("Three four.", ref[1]): 0.1,
        (reference, text): 0.7,
        (text, reference): 0.8,
    }
    expected = {
        ("reference_first", "chunks"): 0.6,
        ("text_first", "chunks"): 0.4,
        ("reference_first", "whole"): 0.7,
        ("text_first", "whole"): 0.8,
    }
    for (direction, parts), value in expected.items():
        settings = frozen("m", direction=direction, parts=parts)
        found = pairs.PairScore(settings, Said(table))([Unit(0, item, ["q"])])[0][0]
        assert found.value == pytest.approx(value), (direction, parts)
    assert frozen("m", parts="chunks")["parts"] == "chunks"


def test_blank_texts_stay_without_a_score(pairs, put, study):
    put("m", [0.1], ["score"])
    assert value_of(pairs, study, reference=" ", model="m").reason == pairs.NO_REFERENCE
    assert value_of(pairs, study, text=" ", model="m").reason == pairs.NO_TEXT


def test_too_many_pairs_are_refused_with_their_numbers(pairs, put, study, monkeypatch):
    monkeypatch.setattr("judges.scorers.pair_reader.MOST_PAIRS", 1)
    put("m", [0.1], ["score"])
    found = value_of(pairs, study, "Yes. No.", "Yes.", model="m", parts="chunks")
    assert found.reason.startswith("too many pairs: 1 by 2; of an item 1 are")


BAD = {
    "not set": (lambda folder, s: setattr(s, "PAIR_MODELS", ""), "PAIR_MODELS is not set; an op"),
    "no folder": (lambda folder, s: folder.rename(folder.parent / "n"), "no folder m; there: n;"),
    "no config": (lambda folder, s: (folder / "config.json").unlink(), "has no config.json"),
    "no model": (lambda folder, s: (folder / "model.onnx").unlink(), "has no model.onnx"),
    "no labels": (lambda f, s: (f / "config.json").write_text("[]"), "has no id2label"),
    "no text": (lambda f, s: (f / "config.json").write_bytes(b"\xff"), "has no id2label"),
    "unclear": (
        lambda folder, s: (folder / "config.json").write_text('{"id2label": {"0": "a", "1": "b"}}'),
        "has the outputs a, b; the judge has to be set to the one that is the score",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_model_that_is_not_there_or_strange_is_named_before_a_run(
    case, put, settings, study, as_owner
):
    spoil, words = BAD[case]
    spoil(put("m", [0.1, 0.1], ["yes", "aligned"]), settings)
    judge = factories.make_judge(study, "P", kind=KIND, model="m")
    with pytest.raises(PlanError, match=words):
        plan(judge)
    answer = as_owner.post(reverse("judge_run", args=[study.slug, judge.pk]))
    assert answer.status_code == 422
    assert "The judge P cannot run: " in answer.content.decode()
    assert not Run.objects.exists()


def test_an_output_that_is_not_there_is_named(put):
    put("m", [0.1, 0.1], ["yes", "no"])
    with pytest.raises(NotInstalled, match="the outputs yes, no, and no maybe"):
        frozen("m", output="maybe")


@pytest.mark.parametrize("name", ["../etc", "/etc", "a/b", "..", ".hidden", "", "m\n"])
def test_no_name_leads_out_of_the_folder(name, put, tmp_path, as_owner, study):
    put("m", [0.1], ["score"])
    (tmp_path / ".hidden").mkdir()
    with pytest.raises(NotInstalled, match="has no folder"):
        pair_files.folder(name)
    if name.strip() != "m":  # which settings and forms strip
        with pytest.raises(SettingsError, match="model: found"):
            frozen(name)
    address = reverse("judge_new", args=[study.slug]) + "?kind=pair-model"
    sent = {"key": "P", "model": name, "direction": "text_first", "parts": "whole"}
    if name.strip() != "m":
        assert as_owner.post(address, sent).status_code == 422
    assert not Judge.objects.filter(study=study, key="P").exists()


def test_the_form_offers_the_models_that_there_are(put, as_owner, study, settings):
    put("bleurt", [0.1], ["score"])
    put("align", [0.1], ["score"])
    address = reverse("judge_new", args=[study.slug]) + "?kind=pair-model"
    field = as_owner.get(address).context["form"]["model"]
    assert [value for value, _ in field.field.choices] == ["", "align", "bleurt"]
    assert str(field).startswith("<select")
    sent = {"key": "P", "direction": "text_first", "parts": "whole"}
    refused = as_owner.post(address, sent | {"model": ""})
    assert refused.status_code == 422 and refused.context["form"].errors.keys() == {"model"}
    assert as_owner.post(address, sent | {"model": "align"}).status_code == 302
    judge = Judge.objects.get(key="P")
    assert judge.settings.model == "align"
    settings.PAIR_MODELS = ""
    page = as_owner.get(address).content.decode()
    assert "There: none yet." in page and 'type="text" name="model"' in page


def test_a_judge_keeps_a_model_whose_folder_is_gone(put, study):
    put("bleurt", [0.1], ["score"])
    judge = factories.make_judge(study, "P", kind=Judge.Kind.PAIR_MODEL, model="gone")
    form = ScorerForm(study, judge.kind, instance=judge)
    assert [value for value, _ in form.fields["model"].choices] == ["", "bleurt", "gone"]
    assert form["model"].value() == "gone"


def test_a_file_that_names_no_model_is_refused(owner, tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(
        "study: s\nquestions: [{key: q, text: Q, scale: likert5}]\n"
        "judges: [{judge: P, kind: pair-model}, {judge: R, kind: pair-model, model: ../up}]\n"
    )
    found = [str(problem) for problem in check_files(path, {}).problems.shown]
    assert len(found) == 2
    assert "model" in found[0] and "1 to 100 characters" in found[0]
    assert "expected is the name of a folder" in found[1]


def test_a_run_scores_and_another_model_than_planned_ends_one(put, study):
    study.items.update(text="yes no", reference="yes")
    folder = put("bleurt", [0.5], ["score"])
    judge = factories.make_judge(study, "P", kind=KIND, model="bleurt")
    run = plan(judge)
    drive.work_through(run.pk)
    assert set(run.judgments.values_list("state", "value")) == {("done", 3.5)}
    second = plan(judge)
    (folder / "model.onnx").write_bytes(tiny_onnx.model([0.6]))
    drive.work_through(second.pk)
    assert set(second.judgments.values_list("reason", flat=True)) == {
        "the scorer cannot be loaded: the model bleurt of PAIR_MODELS is another one than when "
        "this was planned"
    }


def test_a_run_can_compare_with_the_review(put, study):
    """Ids 2 and 3 of the text and 3 of the review: 8/2; with the reference it would be 7/2."""
    study.items.update(text="yes no", reference="yes", review="no")
    put("bleurt", [0.5], ["score"])
    judge = factories.make_judge(study, "P", kind=KIND, model="bleurt", against="review")
    run = plan(judge)
    drive.work_through(run.pk)
    assert set(run.judgments.values_list("state", "value")) == {("done", 4.0)}
