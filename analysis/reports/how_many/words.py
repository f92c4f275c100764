"""Say what stands in words.yaml, the one place of the sentences of all three pages."""

from pathlib import Path

import yaml

from analysis.reports.words import Writer
from analysis.stats.planning.planning import (
    FEWEST_CLUSTERS,
    FEWEST_ITEMS,
    FEWEST_OF_A_PILOT,
    FEWEST_OF_A_SYSTEM,
    FLOOR,
    ROUGH_BELOW,
)
from analysis.stats.planning.stopping import FIRST_LOOK
from analysis.stats.validation.criteria import FEWEST_RATERS

TEXTS = yaml.safe_load(Path(__file__).with_name("words.yaml").read_text(encoding="utf-8"))
LIMITS = {  # that any text may name
    "first_look": FIRST_LOOK,
    "fewest_clusters": FEWEST_CLUSTERS,
    "fewest_items": FEWEST_ITEMS,
    "fewest_of_a_pilot": FEWEST_OF_A_PILOT,
    "fewest_of_a_system": FEWEST_OF_A_SYSTEM,
    "fewest_raters": FEWEST_RATERS,
    "floor": FLOOR,
    "rough_below": ROUGH_BELOW,
}


def say(page, *cases, **things):
    """Return the texts of a page for some cases, with what they name of the things in them."""
    return " ".join(Writer().vformat(TEXTS[page][case], (), LIMITS | things) for case in cases)


def say_all(page, cases, **things):
    """Return a list of the texts of a page for some cases."""
    return [say(page, case, **things) for case in cases]
