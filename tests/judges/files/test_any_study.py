"""Whatever stands in study.yaml, it is loaded and comes back, or is refused by file and key."""

import json
import re

import pytest
import yaml
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.flow.around import READY
from annotate.models import Study
from judges.files.study_file import study_yaml
from tests.any_text import TEXTS, WORDS
from tests.files import check, load, messages

pytestmark = pytest.mark.django_db
KEYS = st.from_regex("[a-z][a-z0-9-]{0,3}", fullmatch=True)
IDS = st.sampled_from(["i1", "007", "José", "Jose\u0301", "a b"]) | KEYS
ODD = [None, True, False, 0, -1, 1.5, 10**16, 1e300, float("inf"), float("nan"), "", "yes", "True"]
ODD += ["x" * 100_001, "2024-05-31", [], [1], ["a", "a"], [[]], {}, {"a": 1}, {"sd": None}, "=1"]


def lists(entries, least=1, most=3, by=None):
    return st.lists(entries, min_size=least, max_size=most, unique_by=by)


def labels(least=2, most=3):
    return lists(WORDS | st.integers(-1, 9), least, most, by=lambda label: str(label).strip())


def some(needed, **more):
    """A mapping of these keys, and of some of the others."""
    return st.fixed_dictionaries(needed, optional=more)


def key_of(entry):
    return entry["key"] if isinstance(entry, dict) else entry


SCALES = st.sampled_from(["likert5", "likert7", "binary", "number", "text", "slider"]) | st.one_of(
    labels().map(lambda words: {"choice": words}),
    labels(2, 2).map(lambda words: {"binary": words}),
    labels(2, 2).map(lambda words: {"slider": words}),
    labels(3, 3).map(lambda words: {"min": -1, "max": 1, "labels": words}),
    st.integers(-9, 9).map(lambda low: {"min": low, "max": low + 4}),
)
KINDS = st.sampled_from(["explanation", "recommendation", "list_pair", "text"])
QUESTION = some(
    {"key": KEYS, "text": TEXTS.filter(bool), "scale": SCALES},
    required=st.booleans(),
    applies_to=KINDS | lists(KINDS, by=str),
    retired=st.booleans(),
)
OWN = some({"key": KEYS, "text": WORDS, "scale": SCALES}, required=st.booleans())
AROUND = lists(st.sampled_from([*READY]) | OWN, by=key_of)
OPTIONS = lists(WORDS, 2, 3, by=str.strip)
CHECKED = OPTIONS.map(lambda options: {"text": "T", "options": options, "answer": options[0]})
ATTENTION = some({"key": KEYS, "text": WORDS, "scale": st.just("likert5")}).map(
    lambda check: check | {"right": 2, "after": "middle"}
)
SCREENED = st.tuples(KEYS, OPTIONS).map(
    lambda pair: {"key": pair[0], "text": "T", "options": pair[1], "screens_out": [pair[1][0]]}
)
JUDGES = lists(
    some({"judge": IDS, "kind": st.just("random")}, seed=st.integers(0, 9))
    | some({"judge": IDS, "kind": st.sampled_from(["bleu-1", "chrf", "imported"])}),
    by=lambda judge: judge["judge"],
)
STUDIES = some(
    {"study": st.just("films"), "questions": lists(QUESTION, by=key_of)},
    title=TEXTS.filter(lambda text: len(text) <= 200),
    kind=KINDS,
    language=st.sampled_from(["en", "zh-hans"]),
    raters_per_item=st.integers(1, 9),
    split=st.just({"seed": 7, "share": 0.3}),
    adaptive_from=st.sampled_from([{"sd": 0.5}, {"labels": 2}]),
    notice=TEXTS,
    consent=TEXTS,
    instructions=TEXTS,
    debrief=TEXTS,
    contact=TEXTS,
    stem=TEXTS,
    completion_code=st.sampled_from(["0123", "1e5", "", "true"]),
    media_hosts=st.just(["media.example.org"]),
    quality=TEXTS | st.lists(st.integers()),
    pays_per_session=st.sampled_from([0, 2.5, 1e-05]),
    tell_pay=st.booleans(),
    layout=st.sampled_from(["list", "grid"]),
    order=st.sampled_from(["random", "blocks"]),
    repeat_share=st.sampled_from([0, 0.25]),
    comprehension=some({"questions": lists(CHECKED)}, attempts=st.integers(1, 5)),
    practice=lists(some({"item": IDS}, feedback=TEXTS), by=lambda entry: entry["item"]),
    exit=AROUND,
    questions_before=AROUND,
    attention=lists(ATTENTION, by=key_of),
    screener=some({"questions": lists(SCREENED, by=key_of)}),
    arms=lists(some({"name": WORDS}, instructions=TEXTS), 2, 3, by=lambda arm: arm["name"].strip()),
    platform=st.sampled_from(
        ["prolific", {"name": "mturk", "codes": {"too_late": "0123"}, "keep_days": 9}]
    ),
    judges=JUDGES,
)


def places(data, above=()):
    """Every place of the data, as the keys and numbers that lead to it."""
    pairs = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in pairs:
        yield (*above, key)
        if isinstance(value, dict | list):
            yield from places(value, (*above, key))


def changed(data, place, how, odd):
    """The data with something odd at a place: another value, none at all, another key."""
    *above, key = place
    around = data
    for part in above:
        around = around[part]
    if how == "value":
        around[key] = odd
    elif how == "twice" and isinstance(around, list):
        around.append(around[key])
    elif isinstance(around, dict):
        value = around.pop(key)
        if how == "key":
            around[f"{key}x"] = value


@st.composite
def studies(draw):
    """A study that may be loaded, or one with up to two things wrong."""
    data = draw(STUDIES)
    data = yaml.safe_load(yaml.safe_dump(data))  # so that nothing is shared
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        place = draw(st.sampled_from([*places(data)]))
        how = draw(st.sampled_from(["value", "value", "value", "key", "gone", "twice"]))
        changed(data, place, how, draw(st.sampled_from(ODD)))
    return json.loads(json.dumps(data))  # a list that stands twice would be an alias


SAID = re.compile("found|allowed|expected|missing|must|not a known|asks for|needs|has ")
PYTHON = re.compile(r"(?<![.'])\b(None|True|False|inf|nan|NoneType|Mapping|Sequence|dict|Spec)\b")


def as_copy(text):
    return re.sub("^study: .*$", "study: copy", text, count=1, flags=re.M)


def check_texts(given, kept):
    """Texts come back as they were written, but for a title of blanks, which is none."""
    for key in given.keys() & {"title", "notice", "consent", "instructions", "text"}:
        if isinstance(given[key], str) and (given[key].strip() if key == "title" else given[key]):
            assert kept[key] == given[key]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(studies())
def test_any_study_comes_back_or_is_refused_where_it_is_wrong(tmp_path, data):
    text = yaml.safe_dump(data, allow_unicode=True, sort_keys=False)
    if "\x85" in text:  # a line break to YAML, which PyYAML only escapes with all other letters
        text = yaml.safe_dump(data, sort_keys=False)
    with transaction.atomic():
        loading = load(tmp_path, study=text)
        for problem in loading.problems.shown:
            assert problem.file == "study.yaml" and problem.column, problem
            assert SAID.search(problem.message), problem
            assert not PYTHON.search(problem.message), problem
        if not loading.problems:
            written = study_yaml(Study.objects.get(slug=loading.study.slug))
            kept = yaml.safe_load(written)
            for given, entry in zip(data["questions"], kept["questions"], strict=True):
                check_texts(given, entry)
            check_texts(data, kept)
            again = check(tmp_path, study=written)
            assert messages(again) == [] and not again.changes
            copy = load(tmp_path, study=as_copy(written))
            assert messages(copy) == []
            assert study_yaml(Study.objects.get(slug="copy")) == as_copy(written)
        transaction.set_rollback(True)
