"""Build a report that measures Scores: its rows first, then its notes in their usual order."""

from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.kind import ReportObject
from analysis.reports.shared.scores import Scores


class MeasuredReport(ReportObject):
    """A report that adds its rows in `measure(report, scores, parts)`, which returns its notes.

    A headline may ask `build` and so `measure` for less, by further names.
    named_by: keys of a row that name it where notes say why something is undefined.
    """

    named_by: tuple = ("question",)

    def build(self, answers, options, parts=None, **less):
        report = Report(self.name, answers.study.slug, options.as_dict())
        report.notes = [
            *self.measure(report, Scores(answers, options), parts, **less),
            *draw_notes(report, getattr(options, "draws", 0)),
            *reason_notes(report, self.named_by),
        ]
        return report
