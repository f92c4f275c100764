"""An address has each number as short as it can be, and is read back as the same number."""

import pytest
from django.http import QueryDict

from analysis.reports.verdict.options import VerdictOptions


@pytest.mark.parametrize(
    ("floor", "written"),
    [(0.1, "0.1"), (0.1 + 0.2, "0.30000000000000004"), (1e-9, "1e-09"), (2.0, "2"), (0, "0")],
)
def test_a_number_in_an_address_is_the_shortest_that_is_read_back(floor, written):
    given = QueryDict(VerdictOptions(floor=floor).query_string())["floor"]
    assert given == written and float(given) == floor
