"""Every route has a policy; a new one is named with what to do about it."""

import pytest

from tests.sweep.policy import POLICY
from tests.sweep.routes import Undeclared, address, all_routes

GRANTS = {"anyone", "person", "viewer", "editor", "owner", "operator", "rater", "maker"}


def test_every_route_has_a_policy():
    """Whoever adds a route says in policy.py who may call it."""
    routes = set(all_routes())
    assert sorted(routes - POLICY.keys()) == [], "routes without a line in tests/sweep/policy.py"
    assert sorted(POLICY.keys() - routes) == [], "lines of tests/sweep/policy.py without a route"


def test_a_policy_names_only_known_grants():
    named = {who for grants in POLICY.values() for who in grants.values()}
    assert named == GRANTS


def test_a_route_without_a_row_is_named():
    with pytest.raises(Undeclared, match="new-thing.*<int:pk>.*tests/sweep/world.py"):
        address("studies/<slug:slug>/new-thing/<int:pk>/", {"<slug:slug>": "films"})
