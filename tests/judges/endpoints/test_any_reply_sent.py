"""Whatever comes over a socket, a run ends, and its other units are judged."""

from decimal import Decimal

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judges.models import Run
from judges.runs import drive, settle
from tests.any_reply import anything_on_the_wire
from tests.judges.endpoints.test_usage import ESTIMATE, LONGEST
from tests.judges.runs.test_drive import make_run
from tests.scripted_server import Reply, ScriptedServer, valid

pytestmark = pytest.mark.django_db
PRICES = {"price_in": Decimal(1), "price_out": Decimal(10), "timeout_seconds": 5}


@pytest.fixture
def server():
    with ScriptedServer() as server:
        yield server


@pytest.fixture
def run(study, server, monkeypatch):
    """Nobody waits between attempts for longer than a moment."""
    plain = settle.Outcome.wait
    monkeypatch.setattr(settle.Outcome, "wait", lambda self: (w := plain(self)) and min(w, 0.001))
    fields = {"judge_fields": {"max_tokens": LONGEST}, "plan": {"budget": Decimal(9999)}}
    run = make_run(study, server, **fields, **PRICES)
    run.unit_usd = ESTIMATE
    run.save()
    return run


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(odd=anything_on_the_wire(), times=st.integers(1, 3))
def test_an_odd_reply_over_a_socket_breaks_no_run_costs_what_it_says_and_touches_no_other_unit(
    run, server, odd, times
):
    """The unit of the second item has it so many times, and then a good one."""
    sent, pieces = odd
    item, said, answered = run.judgments.filter(unit=1)[0].item, [], []

    def script(number, request):
        if item.text not in str(request["messages"]) or len(said) == times:
            answered.append(number)
            return valid(number, request)
        said.append(sent)
        return Reply(pieces=pieces)

    server.script = script
    with transaction.atomic():
        drive.work_through(run.pk)
        run.refresh_from_db()
        assert run.state in (Run.State.FINISHED, Run.State.STOPPED)
        assert not run.calls.filter(failure="fault of Concord during the call").exists()
        others = run.judgments.exclude(unit=1)
        assert set(others.values_list("state", "value")) <= {("done", 5.0), ("pending", None)}
        if run.state == Run.State.FINISHED:
            assert not others.filter(state="pending").exists()
        assert run.spent_usd >= len(said) * sent.least(ESTIMATE) + Decimal("0.0002") * len(answered)
        assert run.reserved_usd == 0
        transaction.set_rollback(True)
    run.refresh_from_db()
