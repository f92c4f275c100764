"""Write all reports of a study into one HTML file that opens without a network, piece by piece."""

from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import escape

from analysis.answers.moment import one_moment
from analysis.exports import codebook
from analysis.exports.tables import extra_columns
from analysis.figures.looks import Looks
from analysis.reports.registry import KINDS
from analysis.reports.shared.options import CorrelationOptions
from analysis.serving.grouping import layout_of, page_of
from analysis.serving.methods import methods
from analysis.serving.source import ReportForm, report_of
from analysis.serving.summaries import cards, likert_figure, missing, no_judges

STATIC = Path(settings.BASE_DIR) / "static"
STYLES = ("app.css", "plotly.css")
IN_FILE = [kind for kind in KINDS if not kind.is_slow]
SCRIPTS = ("vendor/plotly-cartesian-4.1.1.min.js", "figures.js")


# Around the templates, which hold no inline style or script: what stands here is our own files.
HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style id="plotly.js-style-global">
%s</style>
</head>
<body>
"""
FOOT = "</body>\n</html>\n"


class NothingToReport(ValueError):
    """Raised if no report of the study has anything to say; the words say what is missing."""


def pieces(source, form):
    """Yield the file as texts, piece by piece; form: the valid OptionsForm of all reports.

    Each report is computed when its piece is asked for. Without ratings the file has only the
    reports that need none. Raises NothingToReport at once.
    """
    gap = missing(source, form.options(CorrelationOptions))
    kinds = without_ratings(source, form) if gap and gap == missing(source) else IN_FILE
    if gap and kinds in ([], IN_FILE):
        raise NothingToReport(gap.text)
    return _of_one_moment(source, form, kinds, gap)


def without_ratings(source, form):
    """Return the reports that need no ratings and have something to say."""
    kinds = []
    for kind in IN_FILE:
        asked = None if kind.needs_ratings else ReportForm(form.data.copy(), source, kind)
        if asked and asked.is_valid() and report_of(source, asked, kind).rows:
            kinds.append(kind)
    return kinds


def _of_one_moment(source, form, kinds, gap):
    """Yield the pieces anew within one moment: data may have changed since the check."""
    with one_moment():
        yield from _pieces(source.anew(), form, kinds, gap)


def _head(source, form, kinds, gap):
    """Return the context of the file's beginning: headlines and methods, or their reduced form."""
    names = {kind.name for kind in kinds}
    sentences, sources = methods(source, form.options(CorrelationOptions))
    if gap:
        sentences = [f"{gap.text} What needs none is described with each report."]
        sources = [kind.source for kind in kinds]
    return {
        "kinds": kinds,
        "cards": [card for card in cards(source) if card.name in names],
        "likert": likert_figure(source),
        "no_judges": None if gap else no_judges(source),
        "gap": gap,
        "sentences": sentences,
        "sources": sources,
    }


def _pieces(source, form, kinds, gap):
    common = {
        "study": source.study,
        "options": form.options(CorrelationOptions),
        "at": timezone.now(),
    }
    head = common | _head(source, form, kinds, gap)
    styles = "".join(_static(name) for name in STYLES)
    yield HEAD % (escape(f"{source.study.title} · report"), styles)
    yield render_to_string("analysis/file_head.html", head)
    for kind in kinds:
        yield from _report(source, form, kind, common)
    tables = [
        (name, codebook.NOTES[name], list(columns.items()))
        for name, columns in codebook.TABLES.items()
    ]
    tail = common | {
        "questions": [(q.key, codebook.question_meaning(q)) for q in source.reader.questions],
        "tables": tables,
        "extra": extra_columns(source.study),
    }
    yield render_to_string("analysis/file_tail.html", tail)
    for name in SCRIPTS:
        yield f"<script>\n{_static(name)}</script>\n"
    yield FOOT


def _static(name):
    return (STATIC / name).read_text(encoding="utf-8")


def _report(source, form, kind, common):
    """Yield one report: what it is, then everything that its page can show, part by part."""
    yield render_to_string("analysis/file_report.html", common | {"kind": kind})
    looks = Looks(source.choices.judges)
    for place, (value, label) in enumerate(kind.list_parts(source.reader.questions).choices):
        asked = form.data.copy()
        asked[kind.list_parts(source.reader.questions).name] = value
        chosen = ReportForm(asked, source, kind)
        if not chosen.is_valid():
            continue
        report = report_of(source, chosen, kind)
        page = page_of(report, 1)
        for number, (group, group_report) in enumerate(page):
            layout = layout_of(
                kind, group_report, chosen.chosen, looks, f"{kind.name}-{place}-{number}"
            )
            words = f"{label} · {group}" if group else label
            context = common | {
                "kind": kind,
                "label": words,
                "report": group_report,
                "layout": layout,
            }
            yield render_to_string("analysis/file_part.html", context)
        if page.has_next():
            yield f"<p>{len(report.groups) - len(page):,} more groups are in the rows alone.</p>\n"
    yield "</section>\n"
