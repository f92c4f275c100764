"""Programs that call the API: each a client with a token of its own."""

import pytest
from django.core.cache import cache
from rest_framework.test import APIClient

from annotate.models import ApiToken, Membership
from tests import factories

ROOT = "/api/v1/studies/"


@pytest.fixture(autouse=True)
def _no_earlier_calls():
    """Calls of other tests count for no limit."""
    cache.clear()
    yield
    cache.clear()


def program(user, write=True, studies=None, days=90):
    """A client with a token of the user."""
    _, secret = ApiToken.objects.issue(user, days, studies, name="program", may_write=write)
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


@pytest.fixture
def api(owner):
    """The owner's program; it may write."""
    return program(owner)


@pytest.fixture
def viewer(study):
    user = factories.make_user("viewer")
    Membership.objects.create(study=study, user=user, role=Membership.Role.VIEWER)
    return user


@pytest.fixture
def at(study):
    """Addresses below the study."""
    return lambda path="": f"{ROOT}{study.slug}/{path}"
