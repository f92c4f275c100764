"""The checks that the stopping rule bounds: all that the verdict asks before a yes."""

from dataclasses import replace

import pytest

from analysis.stats.planning.stopping import (
    EXTREMES,
    HOLDS,
    ONE_POINT,
    State,
    StoppingRule,
    checks_of,
    look,
)
from analysis.stats.validation.checks import Held, RareClass, Rest
from analysis.stats.validation.criteria import Criteria
from analysis.stats.validation.evidence import Beyond
from tests.analysis.stats.validation.test_verdict import GOOD, agree, offset

SURE = replace(
    GOOD, agreement=agree(0.5, 0.4, 0.01, 0.01), beyond=Beyond(), level=offset(0.0, 0.01)
)


@pytest.mark.parametrize(
    ("changes", "is_open"),
    [
        ({}, []),
        ({"rare_class": RareClass(9, 0, 0)}, []),
        ({"has_one_point": True}, [ONE_POINT]),
        ({"held": Held("mean", 300, 300, 0.0)}, [HOLDS]),
        ({"rest": Rest(0.2, 0.05)}, [EXTREMES]),
        ({"rest": Rest(0.01, 0.05)}, []),
    ],
)
def test_the_rule_never_says_may_where_the_verdict_says_not_yet(changes, is_open):
    agreement, retention, others = checks_of(replace(SURE, **changes), Criteria())
    seen = look(StoppingRule(), agreement, retention, others, clusters=200)
    names = [check.name for check, opened in zip(seen.checks, seen.is_open, strict=True) if opened]
    assert names == is_open
    assert seen.state == (State.CONTINUE if is_open else State.MAY)
