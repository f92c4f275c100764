"""Settings are declared once: their defaults, ranges, labels and what follows from them."""

import pytest
from django.db.models import NOT_PROVIDED

from judges import methods
from judges.methods.extract.settings import ExtractionSettings
from judges.methods.questions import QuestionsSettings
from judges.methods.verdicts.settings import FitSettings, PairwiseSettings, SupportSettings
from judges.models import Judge
from judges.scorers import SCORERS, settings_class
from judges.scorers.settings import CounterfactualSettings, PairSettings
from judges.values.setting_fields import setting_field
from judges.values.settings import Settings, SettingsError, label_of, schema_of
from tests import factories

CLASSES = {methods.named(name).settings for name in Judge.Method.values}
CLASSES |= {scorer.settings for scorer in SCORERS.values()}
CLASSES = sorted(CLASSES, key=lambda declared: declared.__name__)
EVERY = [(declared, name) for declared in CLASSES for name in declared.names()]


def problem_of(declared, **values):
    with pytest.raises(SettingsError) as refused:
        declared.checked(values)
    ((_, problem),) = refused.value.problems.items()
    return problem


def test_a_setting_that_is_left_out_has_its_default():
    settings = FitSettings.checked({})
    assert (settings.temperature, settings.max_tokens, settings.context) == (0.0, 400, "profile")
    assert (PairwiseSettings.checked({}).max_tokens, SupportSettings.checked({}).max_tokens) == (
        800,
        20,
    )
    assert PairwiseSettings.checked({}).stored["dimensions"] == [
        "topic",
        "tone",
        "format",
        "host style",
    ]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"temperature": 2.1}, "found '2.1'; allowed is a number from 0 to 2, or null"),
        ({"temperature": float("nan")}, "found 'nan'; allowed is a number from 0 to 2"),
        ({"temperature": True}, "found true; allowed is a number from 0 to 2"),
        ({"samples": 2.0}, "found '2.0'; allowed is a whole number from 1 to 100"),
        ({"samples": "2"}, "found '2'; allowed is a whole number from 1 to 100"),
        ({"weighted": 1}, "found '1'; allowed is true or false"),
        ({"context": "life"}, "found 'life'; allowed is none, profile, history"),
        ({"samples": 2}, "Several samples at temperature 0 would all be the same"),
        (
            {"neutral": True},
            "is no setting of this kind of judge; allowed are aspects, temperature",
        ),
    ],
)
def test_what_is_wrong_names_what_was_found_and_what_is_allowed(values, problem):
    assert problem_of(QuestionsSettings, **values).startswith(problem)


def test_own_checks_have_their_own_words():
    assert problem_of(PairwiseSettings, dimensions=["a", "a"]).startswith("Allowed are 1 to 10")
    assert problem_of(ExtractionSettings, topics=[]).startswith("Allowed are 1 to 50 different")
    assert problem_of(PairSettings) == "found ''; allowed is a text of 1 to 100 characters"
    assert problem_of(PairSettings, model="../x").endswith("expected is the name of a folder")
    assert PairSettings.checked({"model": " align "}).model == "align"
    twice = {"order": "both", "samples": 2, "temperature": 1.0}
    assert problem_of(PairwiseSettings, **twice).startswith("Both orders are asked once")
    assert problem_of(FitSettings, transcript_length=9).startswith("Only a judge that is shown")


def test_whole_numbers_and_choices_are_stored_as_json_has_them():
    settings = QuestionsSettings.checked({"temperature": 1, "context": Judge.Context.PROFILE})
    assert repr(settings.stored["temperature"]) == "1.0"
    assert type(settings.stored["context"]) is str


def test_the_last_base_of_the_counterfactual_settings_is_listed_first():
    assert CounterfactualSettings.names()[:3] == ("effect", "top", "form")


def test_settings_cannot_be_changed_but_for_others():
    settings = QuestionsSettings.checked({"seed": 3})
    with pytest.raises(ValueError, match="frozen"):
        settings.seed = 4
    assert (settings.changed(seed=4).seed, settings.seed) == (4, 3)


def test_what_the_engine_asks_of_every_judge_its_settings_say():
    plain = Settings()
    assert (plain.repeats, plain.asks_singly, plain.by_place, plain.facts) == (1, False, {}, [])
    values = {"aspects": "single", "samples": 3, "temperature": 1.0, "shots": "one"}
    asked = QuestionsSettings.checked(values | {"context": "history"})
    assert (asked.repeats, asked.asks_singly) == (3, True)
    assert asked.by_place == {"example": "shots", "context": "context"}


ALWAYS = {"aspects", "temperature", "rationale", "max_tokens"}


@pytest.mark.parametrize(
    ("values", "more"),
    [
        ({"samples": 1, "weighted": False, "seed": 9, "strict": True, "history_length": 5}, set()),
        ({"samples": 2, "temperature": 1.0, "weighted": True}, {"samples", "weighted"}),
        ({"shots": "one", "pool_share": 0.5}, {"shots", "example_role", "seed"}),
        (
            {"shots": "one", "strict": True},
            {"shots", "example_role", "seed", "strict", "pool_share"},
        ),
        ({"context": "profile"}, {"context"}),
        ({"context": "history"}, {"context", "history_length"}),
    ],
)
def test_only_a_setting_that_makes_a_difference_is_in_effect(values, more):
    assert QuestionsSettings.checked(values).in_effect.keys() == ALWAYS | more


def test_a_page_lists_the_settings_that_go_with_the_others():
    facts = dict(FitSettings.checked({"context": "history", "history_length": 7}).facts)
    assert facts == {
        "Temperature": 0.0,
        "Most tokens of a reply": 400,
        "Samples": 1,
        "About the recipient": "The recipient's history",
        "History length": 7,
        "Characters of a transcript": 0,
        "Three classes": "no",
    }
    assert (
        dict(PairwiseSettings.checked({}).facts)["Dimensions"] == "topic, tone, format, host style"
    )


@pytest.mark.parametrize(("declared", "name"), EVERY)
def test_each_setting_is_declared_once_with_what_its_form_field_needs(declared, name):
    """Its label, help, ends and default; no column of the database repeats them."""
    assert name not in {column.name for column in Judge._meta.concrete_fields}
    field, info = setting_field(declared, name), declared.model_fields[name]
    assert (field.label, field.help_text) == (label_of(declared, name), info.description or "")
    assert field.initial == info.get_default(call_default_factory=True) is not NOT_PROVIDED
    if info.annotation in (int, float):
        assert field.min_value is not None and field.max_value is not None
        schema = declared.model_json_schema()["properties"][name]
        assert (schema["minimum"], schema["maximum"]) == (field.min_value, field.max_value)


@pytest.mark.parametrize("kind", Judge.Kind.values)
def test_settings_come_back_as_they_were_stored(db, kind):
    study, is_llm = factories.make_study(), kind == Judge.Kind.LLM
    given = {"model": "align"} if kind == Judge.Kind.PAIR_MODEL else {}
    endpoint = factories.make_endpoint() if is_llm else None
    judge = factories.make_judge(study, kind=kind, endpoint=endpoint, **given)
    row = Judge.objects.get()
    assert type(row.settings) is settings_class(kind, judge.method)
    assert (row.settings, row.settings.stored) == (judge.settings, judge.settings.stored)
    assert Judge.objects.values_list("settings", flat=True).get() == judge.settings.stored


def test_a_judge_that_gets_another_method_keeps_only_what_was_given():
    judge = Judge(settings={"seed": 5, "max_tokens": 7})
    judge.method = Judge.Method.PAIRWISE
    assert (judge.settings.seed, judge.settings.max_tokens) == (5, 7)
    judge.method = Judge.Method.EXTRACTION
    assert judge.settings.max_tokens == 7
    fresh = Judge()
    assert fresh.settings.max_tokens == 400
    fresh.method = Judge.Method.EXTRACTION
    assert fresh.settings.max_tokens == 4000


def test_settings_of_another_kind_are_refused_when_they_are_assigned(study):
    judge = factories.make_judge(study, kind="random", seed=3)
    with pytest.raises(SettingsError, match="language: is no setting"):
        judge.settings = {"language": "zh"}
    assert judge.settings.seed == 3


def test_settings_that_were_not_loaded_are_read_when_asked_for(study, django_assert_num_queries):
    factories.make_judge(study, kind="random", seed=3)
    judge = Judge.objects.defer("settings").get()
    with django_assert_num_queries(1):
        assert judge.settings.seed == 3


@pytest.mark.parametrize("loaded", [["key"], ["settings"], ["kind", "settings"]])
def test_settings_are_whole_whichever_columns_were_loaded(study, loaded):
    factories.make_judge(study, kind="random", seed=9)
    assert Judge.objects.only(*loaded).get().settings.seed == 9


@pytest.mark.parametrize(
    "method", [m for m in Judge.Method.values if "temperature" in settings_class("llm", m).names()]
)
def test_a_judge_may_send_no_temperature(method):
    """Null is a choice of its own: with samples too, which differ by the endpoint's default."""
    declared = settings_class("llm", method)
    samples = {"samples": 3} if "samples" in declared.names() else {}
    settings = declared.checked({"temperature": None} | samples)
    assert settings.in_effect["temperature"] is None
    assert "temperature" not in settings.problems
    assert dict(settings.facts)["Temperature"] == "none is sent: the endpoint’s default"
    rule = schema_of(declared, "temperature")
    assert (rule["type"], rule["minimum"], rule["maximum"]) == (["number", "null"], 0, 2)
    field = setting_field(declared, "temperature")
    assert [field.clean(""), field.clean("0"), field.clean("1.5")] == [None, 0.0, 1.5]


def test_what_is_no_mapping_is_no_settings():
    with pytest.raises(SettingsError, match=r"found \[1\]; allowed is a mapping"):
        Settings.checked([1])


def test_whole_numbers_and_empty_texts_are_said_to_be_allowed():
    assert problem_of(FitSettings, max_tokens=1.0).endswith("a whole number from 1 to 100000")
    assert problem_of(PairSettings, model="a", output="x" * 101).endswith(
        "a text of 0 to 100 characters"
    )
