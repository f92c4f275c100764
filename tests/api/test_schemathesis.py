"""All that the schema promises, tried with made-up requests: no 5xx, nothing undocumented."""

from itertools import islice

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import load_all_checks
from schemathesis.config import SchemathesisConfig
from schemathesis.generation import GenerationMode

from annotate.models import ApiToken
from config.wsgi import application
from judges.models import Statement
from judges.runs.plan import plan
from tests import factories
from tests.recommended import make_lists, make_recommender
from tests.stated import read, state

EXAMPLES, BOUNDARIES = 8, 25
BOUNDED = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(autouse=True)
def _one_connection():
    """Requests stay in the test's transaction, as with Django's own client."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def filled(study):
    """A study with something of everything."""
    question, item = study.questions.first(), study.items.first()
    session = factories.make_session(study)
    for each in study.items.all():
        factories.make_rating(session, each, question, 4)
    judge = factories.make_judge(study, "elsewhere")
    factories.make_judgments(judge, {(item, question): 3.5})
    make_lists(make_recommender(study), {("u1", "no_change", 0): "aX", ("u2", "multiply", 1): None})
    run = plan(factories.make_judge(study, "drawn", kind="random"))
    state(read(study), item, "generated", [("it is light", "weight", "positive")])
    ids = {"raters": session.rater_id, "runs": run.pk, "statements": Statement.objects.get().pk}
    return {"slug": study.slug, "items": item.pk} | ids


def with_address(environ, start_response):
    """The application as a server calls it: with the address of who asks."""
    asked = environ | {"REMOTE_ADDR": "127.0.0.1", "HTTP_ACCEPT_ENCODING": "identity"}
    return application(asked, start_response)


def schema_for(user, filled, write, settings):
    """The schema, whose addresses lead to what is there, called with a token of the user."""
    settings.REST_FRAMEWORK = settings.REST_FRAMEWORK | {"DEFAULT_THROTTLE_CLASSES": []}
    _, secret = ApiToken.objects.issue(user, 1, name="schemathesis", may_write=write)
    found = SchemaGenerator().get_schema(request=None, public=True)
    for path, operations in found["paths"].items():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                if parameter["name"] == "slug":
                    parameter["schema"]["enum"] = [filled["slug"]]
                if parameter["name"] == "id":
                    parameter["schema"]["enum"] = [filled[path.split("/")[5]], 2**40]
    # NUL is JSON and refused: JSON schema has no words for that.
    headers, generation = {"Authorization": f"Bearer {secret}"}, {"allow-x00": False}
    config = SchemathesisConfig.from_dict({"seed": 1, "headers": headers, "generation": generation})
    schema = schemathesis.openapi.from_dict(found, config=config)
    schema.app = with_address
    return schema


OPERATIONS = [
    (method, path)
    for path, found in SchemaGenerator().get_schema(request=None, public=True)["paths"].items()
    for method in found
]
WRITING = [(method, path) for method, path in OPERATIONS if method != "get"]


def check_all(schema, method, path, more=lambda case, response: None):
    """All checks of schemathesis over requests that fit the schema, and over some that do not."""
    load_all_checks()
    operation = schema[path][method.upper()]

    for mode in GenerationMode:

        @BOUNDED
        @given(case=operation.as_strategy(generation_mode=mode))
        def check(case):
            more(case, case.call_and_validate())

        check()
    cases = schema.iter_coverage_cases(
        operation, generation_modes=list(GenerationMode), generation_config=schema.config.generation
    )
    for case in islice(cases, BOUNDARIES):
        more(case, case.call_and_validate())


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_an_owner_finds_what_is_promised(owner, filled, settings, method, path):
    check_all(schema_for(owner, filled, True, settings), method, path)


@pytest.mark.parametrize(("method", "path"), WRITING)
def test_a_viewer_writes_nothing_and_is_told_so(viewer, filled, settings, method, path):
    def refused(case, response):
        is_new_study = response.status_code == 201 and path == "/api/v1/studies/"
        assert response.status_code >= 400 or is_new_study, "anybody may make a study"

    check_all(schema_for(viewer, filled, True, settings), method, path, refused)
