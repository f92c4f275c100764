"""Compute a report once for each value of a column, for example for every system."""

from dataclasses import replace

from django.core.paginator import Paginator

from analysis.options.parts import part_notes
from analysis.reports.base import Report

ON_PAGE = 20  # groups; the files have all of them


def computed(kind, answers, options, parts=None):
    """Compute a report; with options.by one report per value, whose rows begin with `by`."""
    chosen = [] if parts is None else [parts]
    notes = part_notes(answers.study, options)
    if not options.by:
        report = kind.build(answers, options, *chosen)
        report.notes = [*notes, *report.notes]
        return report
    table = answers.table if options.by in answers.answer_columns else answers.items
    sizes = table[options.by].value_counts()
    values = [value for value in sizes.index if sizes[value]]
    report = Report(kind.name, answers.study.slug, options.as_dict())
    for value in sorted(values, key=str):
        only = replace(options, by="", only=(*options.only, (options.by, value)))
        label = f"{options.by}={value}"
        group_report = kind.build(answers, only, *chosen)
        report.groups.append((label, group_report))
        report.entries += [
            replace(entry, row={"by": label} | entry.row) for entry in group_report.entries
        ]
        report.verdict += [f"{label}: {sentence}" for sentence in group_report.verdict]
    report.notes = [*notes, *filter(None, [kind.by_note]), *_notes(report)]
    return report


def layout_of(kind, report, chosen, looks, place):
    """Lay out one group's report for a page; its figures get names of their own."""
    layout = kind.layout(report, chosen, looks)
    for figure in layout.figures:
        figure.key = f"{figure.key}-{place}" if place else figure.key
    return layout


def groups_on_page(report, number):
    """Return a Page of (label, Report) of the groups; a report without groups is its only entry."""
    return Paginator(report.groups or [("", report)], ON_PAGE).get_page(number)


def _notes(report):
    """Return the notes that all groups share, then the others, each with its group."""
    notes_by_group = [notes for _, group_report in report.groups if (notes := group_report.notes)]
    common = (
        [note for note in notes_by_group[0] if all(note in notes for notes in notes_by_group)]
        if notes_by_group
        else []
    )
    own = [
        f"{label}: {note}"
        for label, group_report in report.groups
        for note in group_report.notes
        if note not in common
    ]
    return [*common, *own]
