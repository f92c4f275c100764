"""Lists as JSON by a schema: what is asked for, how exactly it is read, and whose judge it is."""

import json

import pytest
from django.core.management import CommandError, call_command

from judges.files import check_files
from judges.files.study_file import judge_data
from judges.methods.recommend import structured
from judges.methods.recommend.method import NO_SCHEMA
from judges.methods.recommend.structured import parse_list
from judges.models import Judge
from judges.replies.parse import Reason
from judges.runs import drive
from judges.runs.plan import PlanError, hash_of, plan, settings_of
from judges.runs.reread import reread
from judges.values.settings import SettingsError
from tests import factories
from tests.judges.methods.recommend.test_method import films, lists, make_recommender, said, small  # noqa: F401
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.django_db


def titles(reply, **more):
    return parse_list(reply, **more)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"recommendations": ["Heat (1995)", "Alien"]}', ["Heat (1995)", "Alien"]),
        (
            ' ["1. Heat", "Monsters, Inc. (2001) - a film"]\n',
            ["1. Heat", "Monsters, Inc. (2001) - a film"],
        ),
        ('{"recommendations": ["  Am\\u00e9lie\\n (2001) "]}', ["Amélie (2001)"]),
        ("", Reason.EMPTY),
        (" \n", Reason.EMPTY),
        ("1. Heat (1995)\n2. Alien", Reason.NO_JSON),
        ('Here: ["Heat"]', Reason.NO_JSON),
        ('["Heat"] enjoy', Reason.BROKEN_JSON),
        ('["Heat", "Al', Reason.BROKEN_JSON),
        ("[" * 100_000, Reason.BROKEN_JSON),
        ('{"recommendations": []}', Reason.NO_LIST),
        ('{"recommendations": ["Heat", 7]}', Reason.NO_LIST),
        ('{"recommendations": ["Heat", " "]}', Reason.NO_LIST),
        ('{"recommendations": [["Heat"]]}', Reason.NO_LIST),
        ('{"recommendations": ["Heat"], "why": "good"}', Reason.NO_LIST),
        ('{"recommendations": ["Heat"], "recommendations": ["Alien"]}', Reason.NO_LIST),
        ('{"films": ["Heat"]}', Reason.NO_LIST),
        ('"Heat"', Reason.NO_LIST),
        ("null", Reason.NO_LIST),
        (json.dumps(["x" * 201]), Reason.NO_LIST),
        (json.dumps(["x" * 200]), ["x" * 200]),
        (json.dumps(["x"] * 1001), Reason.TOO_MANY_TITLES),
        (json.dumps(["x"] * 200_000), Reason.REPLY_TOO_LONG),
    ],
)
def test_only_the_list_itself_is_read(reply, found):
    assert titles(reply) == found


def test_a_reply_that_was_cut_off_is_none():
    assert titles('["Heat"]', finish_reason="length") is Reason.CUT_OFF
    assert titles("", finish_reason="length") is Reason.CUT_OFF


def test_halves_of_letters_can_be_stored():
    (one,) = parse_list('["Heat \\ud83d\\u0000"]')
    one.encode()
    assert one.startswith("Heat") and "\x00" not in one


def asked(study, reply, **trial):
    with ScriptedServer(said(reply)) as server:
        judge = make_recommender(study, server.url, json_list=True)
        run = plan(judge, trial=small(**trial))
        drive.work_through(run.pk)
    run.refresh_from_db()
    return run, server.requests


def test_the_schema_asks_for_k_texts_and_the_prompt_stays_as_it_is(films):  # noqa: F811
    sweep = {"plans": ["k_sweep"], "ks": [1, 3], "above": 3.9, "users": 1}
    run, requests = asked(films, '["Heat (1995)"]', **sweep)
    forms = [request["response_format"] for request in requests]
    assert {form["type"] for form in forms} == {"json_schema"}
    schemas = [form["json_schema"]["schema"] for form in forms]
    wanted = sorted(
        (
            each["properties"]["recommendations"]["minItems"],
            each["properties"]["recommendations"]["maxItems"],
        )
        for each in schemas
    )
    assert wanted == [(1, 1), (1, 1), (3, 3), (3, 3)]
    assert {each["type"] for each in schemas} == {"object"}
    assert "temperature" not in requests[0]
    sent = {request["messages"][0]["content"] for request in requests}
    assert sent == {one.text for one in lists(run)}
    assert all(text.endswith("one movie per line and don't give any explanation") for text in sent)


def test_a_reply_is_matched_entry_by_entry(films):  # noqa: F811
    run, _ = asked(films, '{"recommendations": ["heat", "1. Alien (1979)", "HEAT (1995)"]}', k=3)
    for one in lists(run, recipient__key="u1"):
        assert [(each["said"], each["content"]) for each in one.entries] == [
            ("heat", "f1"),
            ("1. Alien (1979)", None),
        ]
        assert [each["why"] for each in one.left_out] == ["repeated"] and one.is_parsed


def test_lines_are_no_list_here_and_are_read_again_as_exactly(films):  # noqa: F811
    run, _ = asked(films, "Heat (1995)\nAlien (1979)", users=1, l=2)
    assert {(j.state, j.reason) for j in run.judgments.all()} == {
        ("unparsable", "no JSON in the reply")
    }
    assert not any(one.entries or one.is_parsed for one in lists(run))
    run.calls.update(reply='["Heat (1995)"]')
    reread(run)
    assert {j.state for j in run.judgments.all()} == {"done"}
    assert all(one.entries[0]["content"] == "f1" for one in lists(run))


def test_it_is_another_judge_and_others_stay_who_they_are(films):  # noqa: F811
    plain = make_recommender(films, key="plain")
    settings = settings_of(plain)
    assert "json_list" not in settings and settings["json_schema"] is False
    plain.settings = plain.settings.changed(json_list=True)
    changed = settings_of(plain)
    assert changed == settings | {"json_list": True, "json_schema": True}
    assert hash_of(changed) != hash_of(settings)


def test_an_endpoint_without_schemas_is_refused_unless_the_judge_was_run(films):  # noqa: F811
    judge = make_recommender(films, json_list=True)
    judge.endpoint.json_schema = False
    with pytest.raises(PlanError, match="keeps no JSON schema"):
        plan(judge, trial=small())
    judge.endpoint.json_schema = True
    plan(judge, trial=small())
    judge.runs.update(state="finished")
    judge.endpoint.json_schema = False
    assert plan(judge, trial=small()).frozen["json_schema"] is True
    judge.runs.update(state="finished")
    judge.endpoint.findings = {"json_schema": [False, "refused", True]}
    with pytest.raises(PlanError, match="a JSON schema, which its endpoint"):
        plan(judge, trial=small())


def test_only_a_recommender_can_be_set_so(films):  # noqa: F811
    with pytest.raises(SettingsError, match="json_list: is no setting of this kind of judge"):
        factories.make_judge(films, "other", factories.make_endpoint(key="e"), json_list=True)


def loaded(tmp_path, words):
    factories.make_endpoint(key="local")
    path = tmp_path / "study.yaml"
    path.write_text(
        "study: films\ntitle: Films\nquestions:\n  - {key: good, text: Good, scale: likert5}\n"
        f"judges:\n  - {{judge: r, kind: llm, method: recommender, endpoint: local, {words}}}\n"
    )
    return check_files(path, {})


def test_the_file_of_a_study_has_it(tmp_path):
    found = loaded(tmp_path, "json_list: true")
    assert not found.problems.total and found.judges["r"].settings.json_list is True
    assert judge_data(found.judges["r"])["json_list"] is True
    (problem,) = loaded_again(tmp_path, "json_list: 1").problems.shown
    assert "allowed is true or false" in str(problem)


def loaded_again(tmp_path, words):
    Judge.objects.all().delete()
    factories.Endpoint.objects.all().delete()
    return loaded(tmp_path, words)


def test_the_file_is_refused_where_the_endpoint_keeps_no_schema(tmp_path):
    found = loaded(tmp_path, "json_list: true")
    factories.Endpoint.objects.update(json_schema=False)
    found = check_files(tmp_path / "study.yaml", {})
    assert NO_SCHEMA.format("local") in str(found.problems.shown[0])


def test_the_form_offers_it_and_says_why_not(films, as_owner):  # noqa: F811
    endpoint = factories.make_endpoint(key="old", json_schema=False)
    path = f"/studies/{films.slug}/judges/new/?kind=llm&method=recommender"
    assert 'name="json_list"' in as_owner.get(path).text
    data = {
        "key": "r",
        "endpoint": endpoint.pk,
        "prompt": "recommend.v1",
        "content_word": "film",
        "max_tokens": 400,
        "json_list": "on",
    }
    assert "keeps no JSON schema" in as_owner.post(path, data).text and not Judge.objects.exists()
    factories.Endpoint.objects.update(json_schema=True)
    page = as_owner.post(path, data, follow=True)
    judge = Judge.objects.get()
    assert judge.settings.json_list and page.status_code == 200
    Judge.objects.update(settings_hash="x")
    assert (
        "JSON, by a schema of k titles"
        in as_owner.get(f"/studies/{films.slug}/judges/{judge.pk}/").text
    )


def test_the_command_makes_one_beside_the_other(films):  # noqa: F811
    def tell(*more, judge="scripted"):
        options = ["--users", 1, "--iterations", 1, "--l", 2, "--relations", "multiply"]
        call_command("test_recommender", films.slug, judge, *options, "--wait", "--yes", *more)

    with ScriptedServer(said('["Heat (1995)"]')) as server:
        endpoint = factories.make_endpoint(server.url, key="scripted")
        tell("--json-list")
        tell()
        both = {judge.key: judge.settings.json_list for judge in Judge.objects.all()}
        assert both == {"recommender scripted": False, "recommender scripted JSON": True}
        with pytest.raises(CommandError, match="gives no lists as JSON"):
            tell("--json-list", judge="recommender scripted")
        Judge.objects.all().delete()
        type(endpoint).objects.update(json_schema=False)
        with pytest.raises(CommandError, match="keeps no JSON schema"):
            tell("--json-list")
        assert not Judge.objects.exists()


def test_the_schema_is_one_that_openai_takes():
    """An object at the root, all keys required, nothing additional."""
    found = structured.schema(3)
    assert found["required"] == list(found["properties"]) and not found["additionalProperties"]
