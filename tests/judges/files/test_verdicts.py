"""Judges that give verdicts, on the page and in study.yaml: they come out as they went in."""

import pytest
from django.urls import reverse

from annotate.models import Study
from judges.files import check_files, load_files
from judges.files.study_file import study_yaml
from judges.models import Judge
from judges.values.settings import SettingsError
from tests import factories
from tests.podcasts import make_podcasts

pytestmark = pytest.mark.django_db
NAMES = '[topic, "host: style", "Ton, Klang"]'
FILE = """\
study: podcasts
kind: list_pair
questions:
  - {key: episode-fit, text: It fits., scale: likert5, applies_to: recommendation}
  - {key: known, text: I know it., scale: binary, applies_to: recommendation}
  - {key: better-list, text: Which, scale: {choice: [A, tie, B]}, applies_to: list_pair}
judges:
  - {judge: LaaJ-Profile, endpoint: local, method: fit, question: episode-fit}
  - {judge: LaaJ-History, endpoint: local, method: fit, question: episode-fit, neutral: true,
     context: history, history_length: 25, temperature: 0.5, samples: 3, max_tokens: 222}
  - {judge: lists, endpoint: local, method: pairwise, question: better-list,
     dimensions: [topic, "host: style", "Ton, Klang"], order: both, seed: 9}
  - {judge: shuffled, endpoint: local, method: pairwise}
  - {judge: sBERT-Sim, kind: sbert, threshold: 0.25}
"""


def load(folder, text=FILE):
    path = folder / "study.yaml"
    path.write_text(text)
    loading = load_files(path, {}, owner=None)
    return [str(problem) for problem in loading.problems.shown]


@pytest.fixture
def endpoint(db):
    return factories.make_endpoint()


def test_every_setting_is_read(endpoint, tmp_path):
    assert load(tmp_path) == []
    profile, history, lists, shuffled, sbert = Judge.objects.order_by("pk")
    assert (profile.method, profile.question, profile.settings.neutral) == (
        "fit",
        "episode-fit",
        False,
    )
    assert (profile.prompt, profile.settings.context) == ("fit.v1", "profile")
    assert (
        history.settings.neutral,
        history.settings.context,
        history.settings.history_length,
    ) == (True, "history", 25)
    assert (
        history.settings.temperature,
        history.settings.samples,
        history.settings.max_tokens,
    ) == (0.5, 3, 222)
    assert (lists.method, lists.settings.order, lists.settings.seed) == ("pairwise", "both", 9)
    assert lists.settings.dimensions == ["topic", "host: style", "Ton, Klang"]
    assert (shuffled.settings.order, shuffled.prompt) == ("shuffled", "pairwise.v1")
    assert shuffled.settings.dimensions == ["topic", "tone", "format", "host style"]
    assert (sbert.kind, sbert.settings.threshold) == ("sbert", 0.25)


def test_the_file_comes_out_the_same_and_changes_nothing(endpoint, tmp_path):
    load(tmp_path)
    text = study_yaml(Study.objects.get())
    (tmp_path / "again.yaml").write_text(text)
    loading = check_files(tmp_path / "again.yaml", {})
    assert (list(loading.problems.shown), loading.changes) == ([], False)
    assert "aspects" not in text, "what a verdict has no part in is not written"
    before = list(Judge.objects.order_by("pk").values())
    load(tmp_path, text.replace("seed: 9", "seed: 10"))
    changed = [
        (old, new)
        for old, new in zip(before, Judge.objects.order_by("pk").values(), strict=True)
        if old != new
    ]
    assert [(old["settings"]["seed"], new["settings"]["seed"]) for old, new in changed] == [(9, 10)]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("method: fit", "method: fitting", "judges.method: found 'fitting'; allowed is questions"),
        ("question: episode-fit}", "question: better-list}", "questions that such a verdict can"),
        ("order: both", "order: ABBA", "judges.order: found 'ABBA'; allowed is shuffled, both"),
        ("order: both", "order: both, samples: 2, temperature: 1", "Both orders are asked once"),
        (NAMES, "[]", "Allowed are 1 to 10 different"),
        (NAMES, "[a, A]", "Allowed are 1 to 10 different na"),
        (NAMES, "topic", "Allowed are 1 to 10 different"),
        ("neutral: true", "neutral: maybe", "judges.neutral: found 'maybe'; allowed is true or f"),
        (
            "method: fit, question: episode-fit}",
            "method: fit, aspects: single}",
            "is not a known key of kind llm and method fit",
        ),
        (
            "method: pairwise}",
            "method: pairwise, weighted: true}",
            "judges.weighted: A verdict in words has no points",
        ),
        ("method: pairwise}", "method: pairwise, prompt: fit.v1}", "asks something else"),
        ("threshold: 0.25", "threshold: 1.5", "judges.threshold: found '1.5'"),
        ("threshold: 0.25", "threshold: .nan", "found .nan; allowed is a finite"),
        ("kind: sbert,", "kind: sbert, method: fit,", "is not a known key of kind sbert"),
    ],
)
def test_errors_name_the_key_what_was_found_and_what_is_allowed(endpoint, tmp_path, old, new, said):
    messages = load(tmp_path, FILE.replace(old, new, 1))
    assert any(said in message for message in messages), messages
    assert all(message.startswith("study.yaml, line ") for message in messages)
    assert not Judge.objects.exists()


@pytest.fixture
def podcasts(owner):
    return make_podcasts(owner, pairs=1)


FIT = {
    "key": "LaaJ-Profile",
    "prompt": "fit.v1",
    "question": "episode-fit",
    "context": "profile",
    "history_length": "10",
    "temperature": "0",
    "max_tokens": "400",
    "samples": "1",
}
PAIRWISE = FIT | {
    "key": "lists",
    "prompt": "pairwise.v1",
    "question": "better-list",
    "order": "both",
    "seed": "4",
    "dimensions": "topic,  host style ,",
}


def new(**query):
    pairs = "&".join(f"{key}={value}" for key, value in query.items())
    return reverse("judge_new", args=["podcasts"]) + f"?{pairs}"


def test_a_fit_judge_is_made_and_changed_on_the_page(as_owner, podcasts, endpoint):
    address = new(kind="llm", method="fit")
    page = as_owner.get(address).content.decode()
    assert 'href="?kind=llm&amp;method=fit" aria-current="page"' in page
    assert "episode-fit: This episode aligns with my interests." in page
    assert '<option value="profile" selected>' in page
    assert 'name="aspects"' not in page
    assert "explanation.v2" not in page
    page = as_owner.post(address, FIT | {"endpoint": endpoint.pk}, follow=True).content.decode()
    judge = Judge.objects.get()
    assert (judge.method, judge.question) == ("fit", "episode-fit")
    assert "does it fit this person" in page
    assert "&lt;&lt;&lt;EPISODE\nShow: Show 1" in page, "the exact prompt"
    sent = FIT | {"endpoint": endpoint.pk, "neutral": "on", "context": "history"}
    as_owner.post(reverse("judge_edit", args=["podcasts", judge.pk]), sent)
    judge.refresh_from_db()
    settings = judge.settings
    assert (judge.method, settings.neutral, settings.context) == (
        "fit",
        True,
        "history",
    )


def test_a_pairwise_judge_is_made_on_the_page(as_owner, podcasts, endpoint):
    address = new(kind="llm", method="pairwise")
    page = as_owner.get(address).content.decode()
    assert 'value="topic, tone, format, host style"' in page
    page = as_owner.post(address, PAIRWISE | {"endpoint": endpoint.pk}, follow=True)
    judge = Judge.objects.get()
    settings = judge.settings
    assert (judge.method, settings.order, settings.seed) == ("pairwise", "both", 4)
    assert judge.settings.dimensions == ["topic", "host style"]
    text = page.content.decode()
    assert "The call about lists B, A" in text
    assert 'value="topic, host style"' in text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"dimensions": " , "}, "This field is required"),
        ({"dimensions": "a,A"}, "Allowed are 1 to 10 different names"),
        ({"dimensions": "x" * 61}, "Allowed are 1 to 10 different names"),
        ({"question": "episode-fit"}, "Select a valid choice"),
        ({"samples": "2", "temperature": "1"}, "Both orders are asked once each"),
        ({"prompt": "fit.v1"}, "Select a valid choice"),
    ],
)
def test_what_does_not_go_together_is_said(as_owner, podcasts, endpoint, change, said):
    sent = PAIRWISE | {"endpoint": endpoint.pk} | change
    page = as_owner.post(new(kind="llm", method="pairwise"), sent)
    assert page.status_code == 422
    assert said in page.content.decode()
    assert not Judge.objects.exists()


def test_no_plan_and_no_row_weighs_a_verdict(podcasts, endpoint):
    judge = factories.make_judge(podcasts, "fit", endpoint, method="fit", prompt="fit.v1")
    with pytest.raises(SettingsError, match="weighted: is no setting of this kind of judge"):
        judge.settings = judge.settings.stored | {"weighted": True}
    assert "weighted" not in judge.settings.stored


def test_a_study_without_such_a_question_says_which_is_missing(as_owner, owner, endpoint):
    factories.make_study("podcasts", owner)
    for method, wanted in (("fit", "about recommendations"), ("pairwise", "about pairs of lists")):
        page = as_owner.get(new(kind="llm", method=method)).content.decode()
        assert wanted in page if method == "pairwise" else "It fits" not in page


@pytest.mark.parametrize("query", [{"method": "robot"}, {"kind": "sts", "method": "fit"}])
def test_a_method_that_there_is_not_is_not_found(as_owner, podcasts, query):
    assert as_owner.get(new(**query)).status_code == 404


def test_a_threshold_is_a_cosine(as_owner, podcasts):
    for value in ("1.5", "nan", ""):
        page = as_owner.post(new(kind="sbert"), {"key": "s", "threshold": value})
        assert page.status_code == 422, value
    as_owner.post(new(kind="sbert"), {"key": "s", "threshold": "0.25"})
    assert Judge.objects.get().settings.threshold == 0.25
