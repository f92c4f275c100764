"""Write numbers, durations and times on pages."""

import math
from typing import SupportsFloat

from django import template
from django.utils.safestring import mark_safe

from annotate.design.disclosure import notice_for
from annotate.design.minutes import minutes_of_session
from annotate.design.payment import told_pay
from annotate.design.retention import deleted_soon, deletion_day
from annotate.design.splits import split_of
from annotate.flow.arms import instructions_of
from annotate.values.markdown import to_html

MEANS_OF_ROLES = {
    "mean of recipient": "mean of recipients",
    "mean of third_party": "mean of third-party raters",
    "mean of expert": "mean of experts",
}
register = template.Library()
register.filter("test_split", split_of)
register.filter("told_pay", told_pay)
register.filter("deletion_day", deletion_day)
register.filter("deleted_soon", deleted_soon)


@register.simple_tag(takes_context=True)
def session_minutes(context):
    """Return the minutes of a session of the page's study; for its rater, if the page has one."""
    return minutes_of_session(context["study"], context.get("session"))


@register.simple_tag(takes_context=True)
def programs_told(context):
    """Return which programs the page of consent names, to its rater if the page has one."""
    session = context.get("session")
    return notice_for(context["study"], session.rater if session and session.rater_id else None)


@register.simple_tag(takes_context=True)
def session_instructions(context):
    """Return the instructions of the page's session, which may be those of its arm."""
    return instructions_of(context["study"], context.get("session"))


def is_number(value):
    """Return whether a value is a finite number, also one of numpy."""
    return isinstance(value, SupportsFloat) and math.isfinite(value)


@register.filter
def has_texts(table):
    """Return whether a table of a report has cells made of words, so that phones stack its rows."""
    return any(getattr(cell, "words", "") for _, cells in table.lines for cell in cells)


@register.filter
def labelled(table):
    """Return a table's lines as [(name, [(cell, its heading, its size)])].

    The heading is blank where rows do not stack, the size where the table's head says it.
    """
    labels = [getattr(heading, "words", heading) for heading in table.headings]
    if not has_texts(table):
        labels = [""] * len(labels)
    heads = table.sizes
    return [
        (
            called(name),
            [
                (cell, label, "" if head else getattr(cell, "size", ""))
                for cell, label, head in zip(cells, labels, heads, strict=True)
            ],
        )
        for name, cells in table.lines
    ]


def called(evaluator):
    """Return an evaluator's name as pages have it; rows keep the name of the role."""
    return MEANS_OF_ROLES.get(evaluator, evaluator)


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
def signed_percent(share):
    """Write +4 % or −4 %; – if unknown."""
    if not is_number(share):
        return "–"
    return f"{100 * share:+.0f} %".replace("-", "−").replace("+0 ", "0 ").replace("−0 ", "0 ")


@register.filter
def percent(share):
    """Write 4 %, 0.4 % or < 0.1 %; – if unknown."""
    if not is_number(share):
        return "–"
    if 0 < share < 0.001:
        return "< 0.1 %"
    return f"{100 * share:.{1 if 0 < share < 0.01 else 0}f} %"


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
