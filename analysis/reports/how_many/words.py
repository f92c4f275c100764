"""Say what stands in words.txt, the one place of the sentences of all three pages."""

from configparser import ConfigParser
from pathlib import Path
from string import Formatter

from analysis.stats.planning.confidence_sequence import FIRST_LOOK
from analysis.stats.planning.design import FEWEST_CLUSTERS, FEWEST_ITEMS, FLOOR
from analysis.stats.planning.forecast import FEWEST, ROUGH_BELOW
from analysis.stats.planning.systems import FEWEST as FEWEST_OF_A_SYSTEM
from analysis.stats.validation.criteria import FEWEST_RATERS
from annotate.templatetags.concord import leading_point, measured

TEXTS = ConfigParser(interpolation=None, delimiters=("=",))
TEXTS.read_string(Path(__file__).with_name("words.txt").read_text(encoding="utf-8"))
LIMITS = {  # that any text may name
    "first_look": FIRST_LOOK,
    "fewest_clusters": FEWEST_CLUSTERS,
    "fewest_items": FEWEST_ITEMS,
    "fewest_of_a_pilot": FEWEST,
    "fewest_of_a_system": FEWEST_OF_A_SYSTEM,
    "fewest_raters": FEWEST_RATERS,
    "floor": FLOOR,
    "rough_below": ROUGH_BELOW,
}


class Writer(Formatter):
    """Write numbers: {x:point} .41, {x:measured} 0.25, {n:*item} 1 item or 2 items."""

    def format_field(self, value, spec):
        if spec.startswith("*"):
            return f"{value:,} {spec[1:]}{'' if value == 1 else 's'}"
        write = {"point": leading_point, "measured": measured}.get(spec)
        return write(float(value)) if write else super().format_field(value, spec)


def say(page, *cases, **things):
    """Return the texts of a page for some cases, with what they name of the things in them."""
    texts = (" ".join(TEXTS[page][case].split()) for case in cases)
    return " ".join(Writer().vformat(text, (), LIMITS | things) for text in texts)


def say_all(page, cases, **things):
    """Return a list of the texts of a page for some cases."""
    return [say(page, case, **things) for case in cases]
