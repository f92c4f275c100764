"""Link terms to the glossary."""

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join

from analysis.glossary.terms import terms_by_key, terms_of

register = template.Library()


@register.simple_tag
def term(key, words=""):
    """Link a term: its name with its symbol, or the words that a sentence needs."""
    entry = terms_by_key()[key]
    return format_html('<a class="term" href="{}#{}">{}</a>', _page(), key, words or entry.label)


@register.simple_tag
def terms_used(report):
    """Link the terms that the page of a report uses, in one line; blank where it has none."""
    links = ((_page(), entry.key, entry.label) for entry in terms_of(report))
    return format_html_join(" · ", '<a class="term" href="{}#{}">{}</a>', links)


def _page():
    return reverse("glossary")
