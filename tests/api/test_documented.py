"""The schema has an example of everything, and what the documentation prints works as printed."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator

from analysis.reports.registry import EVERY_OPTION
from annotate.files.reading.studyspec import QuestionSpec
from annotate.models import ApiToken, Item, Study
from judges.models import Run
from tests import factories
from tests.api.conftest import ROOT

DOCS = Path(settings.BASE_DIR) / "docs" / "API.md"


@pytest.fixture(scope="module")
def schema():
    GENERATOR_STATS.reset()
    found = SchemaGenerator().get_schema(request=None, public=True)
    assert not GENERATOR_STATS, "drf-spectacular warns"
    validate_schema(found)
    return found


def operations(schema):
    return [
        (f"{method} {path}", operation)
        for path, found in schema["paths"].items()
        for method, operation in found.items()
    ]


def fits(schema, part, value):
    """The value is valid by that part of the schema."""
    whole = json.loads(json.dumps({**part, "components": schema["components"]}, default=str))
    Draft202012Validator(whole).validate(value)


def test_every_operation_has_valid_examples_of_what_it_takes_and_gives(schema):
    for name, operation in operations(schema):
        bodies = [("request", operation["requestBody"])] if "requestBody" in operation else []
        bodies += [
            (status, answer)
            for status, answer in operation["responses"].items()
            if status.startswith("2")
        ]
        for which, body in bodies:
            media = body["content"]["application/json"]
            assert media.get("examples"), f"{name} has no example of {which}"
            for example in media["examples"].values():
                fits(schema, media["schema"], example["value"])
        assert operation["summary"] and operation["tags"], name


def test_a_new_question_takes_what_study_yaml_takes(schema):
    questions = schema["components"]["schemas"]["StudyNew"]["properties"]["questions"]
    assert tuple(questions["items"]["properties"]) == QuestionSpec.keys()


def test_every_error_is_documented_in_the_one_form(schema):
    answers = schema["components"]["responses"]
    assert set(answers) == {f"Error{n}" for n in (400, 401, 403, 404, 409, 413, 415, 429, 500)}
    for answer in answers.values():
        media = answer["content"]["application/json"]
        fits(schema, media["schema"], media["example"])


def test_every_option_of_a_report_is_a_parameter(schema):
    found = schema["paths"]["/api/v1/studies/{slug}/reports/{report}/"]["get"]["parameters"]
    assert {each["name"] for each in found} >= set(EVERY_OPTION)


def test_every_address_of_the_api_is_on_the_page(schema):
    text = DOCS.read_text()
    for path in schema["paths"]:
        rest = path.removeprefix(ROOT).replace("{slug}/", "").replace("{id}", "ID")
        part = rest.replace("{report}", "NAME").removeprefix("runs/ID/c")
        assert part.strip("/") in text, path


@pytest.mark.django_db
def test_schema_and_page_are_for_everybody_and_the_page_has_nothing_inline(client):
    answer = client.get("/api/schema/?format=json", HTTP_ACCEPT="application/json")
    assert answer.status_code == 200 and json.loads(answer.content)["openapi"] == "3.1.0"
    assert client.get("/api/schema/").content.startswith(b"openapi: 3.1.0")
    page = client.get("/api/docs/")
    text = page.content.decode()
    assert page.status_code == 200 and "redoc" not in text.lower()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", text)
    script = client.get("/api/docs/?script=")
    assert script.headers["Content-Type"].startswith("application/javascript")
    assert b'url: "/api/schema/"' in script.content.replace(b"\\u002D", b"-")


# What is printed, run as it is printed


@pytest.fixture
def served(transactional_db, live_server):
    """A study with ratings and judges, and the environment of a program that may write."""
    owner = factories.make_user("owner")
    study = factories.make_study(owner=owner, items=3)
    factories.make_judge(study, "random", kind="random")
    judge = factories.make_judge(study, "elsewhere")
    question, values = study.questions.first(), {}
    for number, item in enumerate(study.items.all()):
        values[item, question] = 1 + number
        for name in ("ann", "bob"):
            factories.make_rating(factories.make_session(study, name), item, question, 2 + number)
    factories.make_judgments(judge, values)
    _, secret = ApiToken.objects.issue(owner, 1, name="docs", may_write=True)
    return {**os.environ, "CONCORD_URL": live_server.url, "CONCORD_TOKEN": secret}


def run_it(command, environment):
    """What it prints; what it complains about where it fails."""
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.django_db(transaction=True)
def test_the_example_in_python_makes_a_frame(served):
    (code,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.S)
    Study.objects.update(slug="films-demo")  # the demo's, which a newcomer has
    more = "\nprint(len(ratings), ratings['value'].sum(), sorted(ratings['rater'].unique()))"
    printed = run_it([sys.executable, "-c", code + more], served)
    # Two raters gave 2, 3 and 4 each.
    assert printed.splitlines()[-1] == "6 18 ['ann', 'bob']"
    assert "persuasiveness" in printed and "3.0" in printed


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(not shutil.which("curl"), reason="no curl on this machine")
def test_the_five_calls_of_the_page_work(served):
    calls = re.findall(r"```bash\n(.*?)```", DOCS.read_text(), re.S)
    assert len(calls) == 5
    answers = [json.loads(run_it(["bash", "-c", call], served)) for call in calls]
    studies, loaded, ratings, run, report = answers
    assert studies["results"][0]["study"] == "films" and loaded["new"] == 1
    assert Item.objects.filter(key="e1").exists()
    assert len(ratings["results"]) == 6 and ratings["results"][0]["role"] == "third_party"
    assert run["id"] == Run.objects.get(judge__key="random").pk
    assert report["options"]["draws"] == 500 and report["rows"]


def test_the_page_is_linked_from_the_head_of_every_page(as_owner, db):
    assert b'href="/accounts/tokens/"' in as_owner.get("/").content
    assert b"/api/docs/" in as_owner.get("/accounts/tokens/").content
    assert Client().get("/accounts/tokens/").status_code == 302
