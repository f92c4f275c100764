"""Every report of a study with two kinds of scale: numbers or a stated reason."""

from itertools import combinations_with_replacement

import pytest

from analysis.answers import frame
from analysis.reports.registry import REPORTS, takers
from tests.analysis.reports.edge_studies import make
from tests.analysis.reports.test_every_scale import CUTS, SPECS, check
from tests.analysis.small import options_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("kinds", [*combinations_with_replacement(SPECS, 2)], ids="-".join)
def test_a_report_gives_numbers_or_reasons_of_two_kinds_of_scale(kinds):
    """A cut may lie on the scale of one question only."""
    study = make(None, scales=[SPECS[kind] for kind in kinds])
    answers = frame.read_answers(study)
    cuts = [
        (name, {"threshold": CUTS.get(kind, 2)}) for name in takers("threshold") for kind in kinds
    ]
    for name, given in [*((name, {}) for name in REPORTS), *cuts]:
        options = options_of(answers, name, draws=0, **given)
        check(REPORTS[name], answers, options)
        REPORTS[name].headline(answers, options, answers.judges)
