"""What both reports on lists share: the questions they take, their notes and the headline."""

from math import nan

from analysis.reports.kind import Shown
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.labels import LabelNotes
from analysis.reports.shared.list_pairs import tie_of
from analysis.reports.shared.measured import MeasuredReport
from analysis.reports.yes_no.confusion import Majorities
from analysis.reports.yes_no.engine import pairs_of


class ListsReport(MeasuredReport):
    """A report on choices between two lists."""

    named_by: tuple = ("evaluator", "question")

    def takes(self, question):
        """Return whether the report covers a question."""
        return tie_of(question) is not None

    def list_parts(self, questions):
        """Return the questions of which the page shows one; choices between lists come first."""
        taken = sorted(filter(self.takes, questions), key=lambda question: tie_of(question) is None)
        return Shown("question", "Question", [(question.key, question.key) for question in taken])

    def measure(self, report, scores, questions):
        labels = LabelNotes(scores.options.missing_judgment, scores.answers.own_scale)
        majorities = Majorities(scores)
        wanted = {
            place: question
            for place, question in enumerate(scores.questions)
            if self.takes(question) and (not questions or question.key in questions)
        }
        # No rating counts as positive here, so there is no cut.
        pairs = pairs_of(scores, dict.fromkeys(wanted, nan))
        self.compare(report, scores, pairs, labels, majorities)
        return [
            *policy_notes(scores),
            *self.list_notes(list(wanted.values()), scores.options),
            *labels.sentences(),
            *majorities.sentences(),
            interval_note(scores),
        ]

    def compare(self, report, scores, pairs, labels, majorities):
        """Add the rows of each Pair of evaluator and question."""
        raise NotImplementedError

    def list_notes(self, questions, options):
        """Return the report's own notes on the questions that it covers."""
        raise NotImplementedError
