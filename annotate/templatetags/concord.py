"""Write numbers, durations and times on pages."""

import math

from django import template
from django.utils.safestring import mark_safe

from annotate.design.splits import split_of
from annotate.values.markdown import to_html

register = template.Library()
register.filter("test_split", split_of)


def is_number(value):
    """Return whether a value is a finite number."""
    return isinstance(value, int | float) and math.isfinite(value)


@register.filter
def has_texts(table):
    """Return whether a table of a report has cells made of words, so that phones stack its rows."""
    return any(getattr(cell, "words", "") for _, cells in table.lines for cell in cells)


@register.filter
def labelled(table):
    """Return a table's lines as [(name, [(cell, its heading)])]; blank where rows do not stack."""
    labels = [getattr(heading, "words", heading) for heading in table.headings]
    if not has_texts(table):
        labels = [""] * len(labels)
    return [(name, list(zip(cells, labels, strict=True))) for name, cells in table.lines]


@register.filter
def leading_point(value, digits=2):
    """Write .41 for 0.41, without the zero, as for numbers that cannot exceed 1.

    Undefined numbers are –.
    """
    if not is_number(value):
        return "–"
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("0.", ".", 1) if abs(float(text)) < 1 else text


@register.filter
def measured(value):
    """Write a number with two decimals at most, three below 1, no zeros behind; – if unknown."""
    if not is_number(value):
        return "–"
    text = f"{value:.{3 if abs(value) < 1 else 2}f}"
    return text.rstrip("0").rstrip(".")


@register.filter
def words(scale, value):
    """Write 4 (Agree): a point of a scale with its label, any other number as it is."""
    label = dict(scale.points).get(value, "") if is_number(value) else ""
    number = measured(value)
    return f"{number} ({label})" if label and str(label) != number else number


@register.filter
def interval(low, high):
    """Write [.35, .47], or nothing without an interval."""
    if not (is_number(low) and is_number(high)):
        return ""
    return f"[{leading_point(low)}, {leading_point(high)}]"


@register.filter
def duration(seconds):
    """Write seconds as 4 min 10 s; – when unknown."""
    if not is_number(seconds) or seconds < 0:
        return "–"
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


@register.filter
def usd(value):
    """Write $0.0123: cents where they matter, more digits where the sum is small."""
    if value is None:
        return "–"
    value = float(value)
    return f"${value:,.2f}" if value >= 1 or value == 0 else f"${value:.4f}"


@register.filter
def exact(value):
    """Write a decimal number with all its digits: 10, 0.001234."""
    return f"{value.normalize():f}"


@register.filter
def amount(value, unit):
    """Write money (usd), a time (seconds), or any other number in whole ones; – if unknown."""
    if not is_number(value):
        return "–"
    return {"usd": usd, "seconds": duration}.get(unit, "{:,.0f}".format)(value)


@register.filter
def share(part, whole):
    """Write part of whole in whole percent; – of nothing."""
    return f"{100 * part / whole:.0f} %" if whole else "–"


@register.filter
def markdown(text):
    """Render a researcher's Markdown as HTML, in which nothing of theirs but words is left."""
    return mark_safe(to_html(text))
