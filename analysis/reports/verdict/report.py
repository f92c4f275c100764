"""Decide for which use each judge may stand in for people: rating items, comparing systems."""

from analysis.reports.base import Report
from analysis.reports.kind import ReportObject, of_questions
from analysis.reports.shared.evaluators import item_notes
from analysis.reports.shared.scores import Scores
from analysis.reports.verdict import page
from analysis.reports.verdict.baselines import TEXT_METRICS, text_metrics
from analysis.reports.verdict.candidates import (
    JUDGE,
    decide_together,
    entries_of,
    judges_of,
    others_of,
)
from analysis.reports.verdict.options import VerdictOptions
from analysis.reports.verdict.page import LADDERS, MATRIX, OWN_SCALE, list_ways_on, rungs_of
from analysis.reports.verdict.questions import (
    asked_questions,
    list_roles,
    read_lengths,
    with_own_answers,
)
from analysis.reports.verdict.sentences import (
    GROUP,
    RATE,
    list_notes,
    named_of,
    own_answer_notes,
    sum_up,
    warn_of_people,
)
from analysis.reports.verdict.substitution import published_notes, published_tests, show_published


class VerdictReport(ReportObject):
    """A row for each judge, question and use: one of five answers, its reason and next step."""

    name, title, options = "verdict", "Verdict", VerdictOptions
    list_parts = staticmethod(of_questions(lambda scale: scale.has_values))
    layout = staticmethod(page.layout)
    list_ways_on = staticmethod(list_ways_on)

    def build(self, answers, options, parts=None):
        """Compute the report. parts: keys of the questions that get rows; the family counts all."""
        scores = Scores(answers, options)
        report = Report(self.name, answers.study.slug, options.as_dict())
        lengths, named = read_lengths(scores), named_of(answers, options)
        own_scale, ladders, of_judges = set(), {}, []
        sizes, notes, of_people, these = [], [], [], set()
        for role in list_roles(scores):
            asked = asked_questions(scores, role, lengths)
            questions = list(with_own_answers(asked, scores, role))
            notes += own_answer_notes(questions)
            judged = [
                candidate
                for asked in questions
                for candidate in judges_of(asked, scores.every_judge)
            ]
            sizes.append(decide_together(judged, questions, options, named))
            published = published_tests(questions, judged, role)
            entries = []
            for candidate in judged:
                if candidate.has_own_scale:
                    own_scale.add((candidate.name, candidate.question))
                if candidate.evidence.n and not candidate.evidence.are_sample:
                    these.add(candidate.evidence.n_raters)
                if candidate.name in scores.judges:
                    entries += entries_of(candidate)
                    ladders[candidate.name, role, candidate.question] = rungs_of(candidate)
            for asked in questions:
                if parts is None or asked.question.key in parts:
                    for candidate in others_of(asked):
                        entries += entries_of(candidate)
            rating = [entry for entry in entries if entry.row["use"] == RATE]
            show_published(rating, published)
            judges = [entry for entry in rating if entry.kind == JUDGE]
            notes += published_notes(judges, published, role)
            of_people += warn_of_people(questions, judges)
            report.entries += [e for e in entries if parts is None or e.row["question"] in parts]
            of_judges += [entry for entry in entries if entry.kind in (JUDGE, GROUP)]
        report.curves = {
            OWN_SCALE: own_scale,
            LADDERS: ladders,
            MATRIX: [entry.row for entry in of_judges if entry.kind == JUDGE],
            TEXT_METRICS: text_metrics(answers),
        }
        report.verdict = [*sum_up(scores, of_judges), *of_people]
        rows = [entry.row for entry in report.entries if entry.kind == JUDGE]
        about = list_notes(scores, list_roles(scores), rows, sizes, these)
        report.notes = [*item_notes(scores), *about, *notes]
        return report


VERDICT = VerdictReport()
KIND = VERDICT.kind()
