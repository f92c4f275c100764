"""What a worker holds is renewed while it computes, whatever the database does meanwhile."""

import threading

import pytest
from django.db import OperationalError

from judges.runs.renew import renewed


def test_it_goes_on_though_the_database_was_away_and_ends_with_the_block():
    calls, enough, before = [], threading.Event(), threading.active_count()

    def renew():
        calls.append(len(calls))
        if len(calls) == 1:
            raise OperationalError("the database is away")
        if len(calls) == 3:
            enough.set()

    with pytest.raises(ZeroDivisionError), renewed(renew, 0.01, "run 1"):
        assert enough.wait(60)
        raise ZeroDivisionError
    assert threading.active_count() == before
