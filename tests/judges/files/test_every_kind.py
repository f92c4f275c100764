"""Every kind of judge is defined on a page and in study.yaml, and comes out as it went in."""

import pytest
from django.urls import reverse

from judges.files import check_files, load_files
from judges.files.study_file import study_yaml
from judges.models import Judge
from tests import factories

pytestmark = pytest.mark.django_db
STUDY = """\
study: films
kind: list_pair
questions:
  - {key: fits, text: It fits., scale: likert5, applies_to: [recommendation, explanation]}
  - {key: supported, text: It says all of it., scale: binary, applies_to: statement}
  - {key: better, text: Which, scale: {choice: [A, tie, B]}, applies_to: list_pair}
judges:
"""
# A line of study.yaml for each: the name is that of the case.
LINES = {
    "LLM": "kind: llm, endpoint: local, prompt: explanation.v2, aspects: single, shots: one",
    "LaaJ-Profile": "kind: llm, endpoint: local, method: fit, question: fits, temperature: null",
    "LaaJ-History": "kind: llm, endpoint: local, method: fit, question: fits, context: history",
    "two lists": "kind: llm, endpoint: local, method: pairwise, question: better, order: both",
    "writer": "kind: llm, endpoint: local, method: profile, episodes: [5, 10, 15, 20]",
    "recommender": "kind: llm, endpoint: local, method: recommender, content_word: episode, "
    "json_list: true",
    "extractor": "kind: llm, endpoint: local, method: extraction, topics: beauty, sides: reference",
    "supporter": "kind: llm, endpoint: local, method: support, question: supported, samples: 3, "
    "temperature: 0.5",
    "proposer": "kind: llm, endpoint: local, method: topics, sides: both, reviews: 7, "
    "review_samples: 3, most_topics: 12, seed: 5, temperature: null",
    "random": "kind: random, seed: 7",
    "bleu-1": "kind: bleu-1, language: zh, against: review",
    "bleu-4": "kind: bleu-4, language: words",
    "rouge-1": "kind: rouge-1, language: characters",
    "rouge-l": "kind: rouge-l, language: en",
    "chrf": "kind: chrf, against: review",
    "sts": "kind: sts",
    "sbert": "kind: sbert, threshold: 0.4",
    "bert-score": "kind: bert-score",
    "nli": "kind: nli, measure: coh_p",
    "pair-model": "kind: pair-model, model: align-1.0, output: ALIGNED, direction: text_first, "
    "parts: chunks, against: review",
    "cf": "kind: cf, effect: rank, top: 2, form: explicit, factors: 12, iterations: 7",
    "cf-a": "kind: cf-a, regularisation: 0.5, confidence: 40, seed: 3",
    "cf-warm": "kind: cf-warm",
    "item-sim": "kind: item-sim, factors: 8",
    "genre-jacc": "kind: genre-jacc",
    "imported": "kind: imported",
    "ensemble": "kind: ensemble, members: [random, bleu-1], rule: learned",
}
ON_PAGES = {
    case: Judge.Method(line.split("method: ")[1].split(",")[0]) if "method" in line else ""
    for case, line in LINES.items()
    if case != "imported"
}


def problems_of(loading):
    return [str(problem) for problem in loading.problems.shown]


@pytest.fixture
def loaded(owner, tmp_path):
    """The study with a judge of every kind."""
    factories.make_endpoint()
    path = tmp_path / "study.yaml"
    lines = [f"  - {{judge: {name}, {line}}}\n" for name, line in LINES.items()]
    path.write_text(STUDY + "".join(lines))
    loading = load_files(path, {}, owner=owner)
    assert problems_of(loading) == []
    return loading.study


def test_no_kind_and_no_method_is_forgotten(loaded):
    judges = Judge.objects.filter(study=loaded)
    assert set(judges.values_list("kind", flat=True)) == set(Judge.Kind.values)
    llms = judges.filter(kind=Judge.Kind.LLM)
    assert set(llms.values_list("method", flat=True)) == set(Judge.Method.values)


def test_the_file_comes_out_with_all_of_them_and_changes_nothing(loaded, tmp_path):
    path = tmp_path / "again.yaml"
    path.write_text(study_yaml(loaded))
    loading = check_files(path, {})
    assert problems_of(loading) == []
    counts = loading.counts["judges"]
    assert (counts.new, counts.changed, counts.unchanged) == (0, 0, len(LINES))


@pytest.mark.parametrize("case", ON_PAGES)
def test_its_form_makes_what_the_file_makes(loaded, as_owner, case):
    """The form of a judge of the file, sent as it stands under another name, makes its twin."""
    judge = Judge.objects.get(study=loaded, key=case)
    page = as_owner.get(reverse("judge", args=[loaded.slug, judge.pk]))
    sent = {field.html_name: as_sent(field) for field in page.context["form"]}
    address = reverse("judge_new", args=[loaded.slug]) + f"?kind={judge.kind}"
    address += f"&method={ON_PAGES[case]}" if ON_PAGES[case] else ""
    assert as_owner.get(address).status_code == 200
    given = {name: value for name, value in sent.items() if value is not False} | {"key": "twin"}
    answer = as_owner.post(address, given)
    assert answer.status_code == 302, answer.context["form"].errors
    assert settings_of("twin", loaded) == settings_of(case, loaded)


def as_sent(field):
    """A bound field's value as a browser sends it."""
    value = field.value()
    if isinstance(value, list) and value and isinstance(value[0], Judge):
        return [judge.pk for judge in value]
    prepared = field.field.prepare_value(value)
    return "" if prepared is None else prepared


def settings_of(key, study):
    """All columns of a judge but what names it."""
    row = Judge.objects.filter(study=study, key=key).values().get()
    members = list(Judge.objects.get(pk=row["id"]).members.values_list("key", flat=True))
    return {name: row[name] for name in row.keys() - {"id", "key", "created_at"}} | {
        "members": members
    }
