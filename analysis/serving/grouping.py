"""A report once for each value of an item column, such as each system by itself."""

from dataclasses import replace

from django.core.paginator import Paginator

from analysis.options.parts import part_notes
from analysis.reports.base import Report

ON_PAGE = 20  # groups; the files have all of them


def computed(kind, answers, options, parts=None):
    """The report of a kind; with options.by one of each value, whose rows begin with `by`."""
    chosen = [] if parts is None else [parts]
    notes = part_notes(answers.study, options)
    if not options.by:
        report = kind.build(answers, options, *chosen)
        report.notes = [*notes, *report.notes]
        return report
    sizes = answers.items[options.by].value_counts()
    values = [value for value in sizes.index if sizes[value]]
    report = Report(kind.name, answers.study.slug, options.as_dict())
    for value in sorted(values, key=str):
        only = replace(options, by="", only=(*options.only, (options.by, value)))
        label = f"{options.by}={value}"
        found = kind.build(answers, only, *chosen)
        report.groups.append((label, found))
        report.entries += [replace(entry, row={"by": label} | entry.row) for entry in found.entries]
        report.verdict += [f"{label}: {sentence}" for sentence in found.verdict]
    report.notes = [*notes, *_notes(report)]
    return report


def layout_of(kind, report, chosen, looks, place):
    """What a page shows of one group's report; its figures get names of their own."""
    layout = kind.layout(report, chosen, looks)
    for figure in layout.figures:
        figure.key = f"{figure.key}-{place}" if place else figure.key
    return layout


def page_of(report, number):
    """A page of the groups, a Page of (label, Report); of a report without groups itself alone."""
    return Paginator(report.groups or [("", report)], ON_PAGE).get_page(number)


def _notes(report):
    """What all groups say once; the rest with its group."""
    said = [notes for _, found in report.groups if (notes := found.notes)]
    common = [note for note in said[0] if all(note in notes for notes in said)] if said else []
    own = [
        f"{label}: {note}"
        for label, found in report.groups
        for note in found.notes
        if note not in common
    ]
    return [*common, *own]
