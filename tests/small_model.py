"""The small local model for tests, in a process of its own."""

from contextlib import contextmanager

from django.db import connection

from judges.endpoints import local_model
from tests import factories, processes
from tests.conftest import missing


@contextmanager
def small_model(folder, port, *arguments):
    """Its endpoint, named small; the test is skipped where the model is not installed.

    arguments: more of the command's, as "--seed", "1".
    """
    try:
        local_model.weights()
    except local_model.NotInstalled as error:
        missing(str(error))
    connection.close()
    arguments = ["manage.py", "serve_local_model", "--port", str(port), *arguments]
    model = processes.Process(arguments, processes.environment(folder), folder / "model.log")
    try:
        processes.wait_for(lambda: "/v1" in model.output(), "the model's address")
        yield factories.make_endpoint(
            f"http://127.0.0.1:{port}/v1",
            key="small",
            model=local_model.ALIAS,
            concurrency=4,
            timeout_seconds=240,
        )
    finally:
        assert model.stop() == 0
