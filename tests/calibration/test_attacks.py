"""The attacks that the verdict has to withstand do not pass more often than their targets."""

import numpy as np
import pytest

from tests.calibration import attacks
from tests.calibration.experiments import Tally


@pytest.fixture(scope="module")
def lines():
    tallies = {}
    for own in attacks.experiments():
        outcomes = [own.simulate(np.random.default_rng([5, k])) for k in range(own.few)]
        for name in outcomes[0]:
            tallies[own.name, name] = Tally(sum(o[name] for o in outcomes), own.few)
    return {
        (table.title, *line.labels): line
        for table in attacks.tables(tallies)
        for line in table.lines
    }


@pytest.mark.parametrize(
    "title",
    [
        "Judges that know several things",
        "Judges that spot broken texts",
        "Judges that hold ratings",
        "Other attacks",
    ],
)
def test_no_share_is_farther_from_its_target_than_chance_puts_it(lines, title):
    own = {key[1:]: line for key, line in lines.items() if key[0] == title}
    assert own
    assert [labels for labels, line in own.items() if _is_beyond(line)] == []


def _is_beyond(line):
    return any(target and not target.is_possible(tally) for tally, target in line.pairs)
