"""Write numbers as tables and sentences show them."""

from functools import cache
from math import floor, isnan, log10
from pathlib import Path
from string import Formatter

import yaml

from annotate.templatetags.concord import leading_point, measured


def short(number, digits=2):
    """Write a number without the zero before its point; an undefined one as a dash."""
    if isnan(number):
        return "–"
    text = f"{number:.{digits}f}"
    text = text if float(text) else text.removeprefix("-")
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


class NoFinding(str):
    """A sentence that says why a report finds nothing, in the place of its finding."""


class Writer(Formatter):
    """Fill a text: {x:short} .41, {x:measured} 0.25, {n:*item} 1 item or 2 items.

    ways: how a number is written, by what stands behind its name.
    """

    ways: dict = {"short": short, "point": leading_point, "measured": measured}

    def format_field(self, value, format_spec):
        if format_spec.startswith("*"):
            return f"{value:,} {format_spec[1:]}{'' if value == 1 else 's'}"
        write = self.ways.get(format_spec)
        return write(value) if write else format(value, format_spec)


@cache
def texts_beside(file):
    """Return what about.yaml beside a module says, by the names of reports; {} without one."""
    texts = Path(file).with_name("about.yaml")
    return yaml.safe_load(texts.read_text(encoding="utf-8")) if texts.exists() else {}


def notes_beside(file, name):
    """Return say(case, **things): a note of a report, as about.yaml beside a module has it."""
    notes = texts_beside(file)[name]["notes"]
    return lambda case, **things: Writer().vformat(notes[case], (), things)


def worded(row, digits=3):
    """Write a row's value and interval as .012 [.003, .021]; – where it is undefined."""
    value, low, high = (row[name] for name in ("value", "low", "high"))
    if isnan(value):
        return "–"
    ends = "" if isnan(low) else f" [{leading_point(low, digits)}, {leading_point(high, digits)}]"
    return leading_point(value, digits) + ends


def money(amount, currency="USD"):
    """Write $0.0012 or −0.25 EUR, with two significant digits below 1; – where it is unknown."""
    if isnan(amount):
        return "–"
    if amount < 0:
        return f"−{money(-amount, currency)}"
    digits = f"{amount:,.2f}" if amount >= 1 or amount == 0 else f"{amount:.2g}"
    if "e" in digits:
        digits = f"{amount:.8f}".rstrip("0")
    return f"${digits}" if currency == "USD" else f"{digits} {currency}"


def small(value):
    """Write a number of any size with up to three significant digits: .0093, 1.2, 2.5e-10; or –."""
    if isnan(value):
        return "–"
    if value and abs(value) < 1e-3:
        return f"{value:.1e}"
    text = f"{value:.3g}"
    return text.replace("0.", ".", 1) if abs(float(text)) < 1 else text


def chance(p):
    """Write a p-value: .031, or 2.5e-10 below .001; – if undefined."""
    return small(p) if p < 1e-3 else leading_point(p, 3)


def p_words(p):
    """Write a p-value: .034, < .001, or a dash where there is no test."""
    if isnan(p):
        return "–"
    return "< .001" if p < 0.0005 else leading_point(p, 3)


def with_spread(value, spread):
    """Write .00932 ± .00041: three significant digits of the value, its spread as precise."""
    if isnan(value):
        return "–"
    size = floor(log10(abs(value))) if value else 0
    digits = min(max(2, 2 - size), 8)
    words = leading_point(value, digits)
    return words if isnan(spread) else f"{words} ± {leading_point(spread, digits)}"
