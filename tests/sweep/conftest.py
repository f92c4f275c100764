"""The world of the sweep: made once a module, and rolled back at its end."""

from dataclasses import dataclass, field
from functools import cached_property

import pytest
from django.core.cache import caches
from django.db import transaction
from django.test import override_settings
from rest_framework.throttling import SimpleRateThrottle

from judges.runs import nudge
from tests.sweep.bodies import asks, filled_bodies
from tests.sweep.callers import make_caller
from tests.sweep.world import World, make_world


@dataclass
class Sweep:
    """The world, and what is sent to its addresses."""

    world: World = field(default_factory=make_world)

    @cached_property
    def bodies(self):
        """Read from the pages at the first test that needs them."""
        readers = [make_caller(name, self.world) for name in ("owner", "operator", "rater")]
        return filled_bodies(readers, self.world)

    def asks(self, values=None, **more):
        return list(asks(values or self.world.values, self.bodies, **more))


@pytest.fixture
def _django_db_helper():
    """Not a transaction a test, as the mark django_db gives: that of the module stays open."""


@pytest.fixture(scope="module")
def sweep(django_db_setup, django_db_blocker, tmp_path_factory):
    """One world for all callers of a module: to make it and to read its forms takes seconds."""
    with (
        override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("media")),
        django_db_blocker.unblock(),
        transaction.atomic(),
    ):
        _forget_all()
        yield Sweep()
        _forget_all()
        transaction.set_rollback(True)


def _forget_all():
    for name in caches.settings:
        caches[name].clear()


@pytest.fixture(autouse=True)
def _nothing_kept():
    """What is kept stays for a module: its rows are those of all its tests."""


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch):
    """Nobody is told of work: what is asked for here is undone at once."""
    monkeypatch.setattr(nudge, "send", lambda task, argument: None)


@pytest.fixture(autouse=True)
def _no_limit_of_calls(monkeypatch):
    """A caller of the sweep asks more than a program may in a minute."""
    rates = dict.fromkeys(("requests", "failures"), "100000/min")
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", rates)
