"""Rows found by many primary keys at once."""

import pytest

from annotate.db.bulk import among
from annotate.models import Item
from tests import factories

pytestmark = pytest.mark.django_db


def test_keys_are_sent_as_one_value():
    study = factories.make_study()
    first, _, third = (factories.make_item(study, key).pk for key in ("a", "b", "c"))
    some = Item.objects.filter(pk__in=among([first, third, 10**9])).order_by("pk")
    assert list(some.values_list("pk", flat=True)) == [first, third]
    assert not Item.objects.filter(pk__in=among([])).exists()
