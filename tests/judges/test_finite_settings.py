"""Settings of judges that are no numbers, in every way in: form, YAML, command, page, database."""

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DataError, IntegrityError, transaction
from django.urls import reverse

from judges.counterfactual.forms import of_model
from judges.files import load_files
from judges.models import Judge
from judges.models.settings import Stored
from judges.values.settings import SettingsError
from tests import factories

pytestmark = pytest.mark.django_db
NOT_NUMBERS = ["nan", "inf", "-inf"]
# With a kind of judge that has each.
SETTINGS = {
    "threshold": "sbert",
    "temperature": "llm",
    "pool_share": "llm",
    "regularisation": "cf",
    "confidence": "cf",
}


@pytest.mark.parametrize("text", NOT_NUMBERS)
@pytest.mark.parametrize(("name", "kind"), SETTINGS.items())
def test_no_judge_has_a_setting_that_is_no_number(study, name, kind, text):
    with pytest.raises(SettingsError) as refused:
        Judge(study=study, key="CF", kind=kind, settings={name: float(text)})
    said = f"found '{float(text)}'; allowed is a number from"
    assert refused.value.problems[name].startswith(said)
    # PostgreSQL and SQLite refuse it too: it is no JSON.
    unchecked = Stored({name: float(text)})
    with pytest.raises((IntegrityError, DataError)), transaction.atomic():
        Judge.objects.create(study=study, key="CF", kind=kind, settings=unchecked)
    assert not Judge.objects.exists()


@pytest.mark.parametrize("value", [0.0, -1.0, 2e6])
def test_a_new_judge_keeps_to_the_ends(study, value):
    with pytest.raises(SettingsError, match="regularisation: found"):
        factories.make_judge(study, "CF", kind="cf", regularisation=value)
    assert not Judge.objects.exists()
    factories.make_judge(study, "CF", kind="cf", regularisation=1e-6, confidence=1e6)
    kept = Judge.objects.get().settings
    assert (kept.regularisation, kept.confidence) == (1e-6, 1e6)


@pytest.mark.parametrize("text", NOT_NUMBERS)
@pytest.mark.parametrize("name", ["regularisation", "confidence"])
def test_a_form_refuses_it_in_words(study, as_owner, owner, name, text):
    study.memberships.get_or_create(user=owner, defaults={"role": "owner"})
    sent = {
        "key": "CF",
        "effect": "score",
        "top": 1,
        "form": "implicit",
        "factors": 12,
        "iterations": 5,
        "regularisation": 0.5,
        "confidence": 2,
        "seed": 7,
    }
    address = reverse("judge_new", args=[study.slug]) + "?kind=cf"
    refused = as_owner.post(address, sent | {name: text})
    assert "Enter a number." in refused.text and not Judge.objects.exists()


@pytest.mark.parametrize("text", [".nan", ".inf", "1e999"])
def test_a_file_with_it_makes_nothing(tmp_path, text):
    path = tmp_path / "study.yaml"
    path.write_text(
        "study: s\nkind: explanation\nquestions:\n  - {key: q, text: Q, scale: likert5}\n"
        f"judges:\n  - {{judge: CF, kind: cf, regularisation: {text}}}\n"
    )
    loading = load_files(path, {}, owner=None)
    said = " ".join(map(str, loading.problems.shown))
    assert "regularisation: found" in said and "allowed is" in said, said
    assert not Judge.objects.exists()


@pytest.mark.parametrize("text", NOT_NUMBERS)
def test_the_page_of_ratings_and_the_command_refuse_it_in_words(tmp_path, text):
    with pytest.raises(ValidationError, match="Enter a number"):
        of_model("regularisation").clean(text)
    with pytest.raises(CommandError, match=f"found '{text}'; allowed is a number from"):
        call_command("make_counterfactual_study", tmp_path, f"--regularisation={text}")
