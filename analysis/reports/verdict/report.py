"""Decide for which use each judge may stand in for people: rating items, comparing systems."""

from math import isnan

from analysis.reports.base import Report
from analysis.reports.kind import NO_JUDGE, ReportObject, no_value, of_questions
from analysis.reports.shared.evaluators import item_notes
from analysis.reports.shared.scores import Scores
from analysis.reports.verdict import page
from analysis.reports.verdict.baselines import TEXT_METRICS, text_metrics
from analysis.reports.verdict.candidates import JUDGE, decide_together, judges_of, others_of
from analysis.reports.verdict.groups import BY_NOTE, GROUP
from analysis.reports.verdict.notes import list_notes, named_of, own_answer_notes, warn_of_people
from analysis.reports.verdict.options import VerdictOptions
from analysis.reports.verdict.page import LADDERS, MATRIX, rungs_of
from analysis.reports.verdict.published import published_notes, published_tests, show_published
from analysis.reports.verdict.questions import (
    asked_questions,
    list_roles,
    read_lengths,
    with_own_answers,
)
from analysis.reports.verdict.rows import entries_of
from analysis.reports.verdict.summary import say_use_of_yes, say_worth, sum_up
from analysis.reports.verdict.texts import A_RATER, RATE
from analysis.reports.verdict.ways_on import OWN_SCALE, list_ways_on
from analysis.stats.validation.decision import Answer


class VerdictReport(ReportObject):
    """A row for each judge, question and use: one of five answers, its reason and next step."""

    name, title, options = "verdict", "Verdict", VerdictOptions
    method = (
        "For which use a judge may stand in for people: rating items in place of a rater, or "
        "comparing systems. Five answers, each with its reason and what to do next."
    )
    formula = [
        "ρ: agreement of two raters of one item, mean product of their centred ratings over the "
        "variance of one. r: the same of judge and rater. θ = r − k ρ > 0: the judge keeps more "
        "than the share k of what one rater tells about another.",
        "Worth in raters K = q²(1 − ρ)/(ρ(1 − q²)), q = r/√ρ: a mean of K raters follows the "
        "raters' shared opinion as well as the judge. “At least”: the lower 95 % bound.",
        "The same after taking out, at once, text length, system, content, recipient, cells of two "
        "of them, and what an item's raters gave to others (ρ′, r′, k = ½), so that a judge that "
        "only knows these does not pass.",
        "Level: mean of judge − people within a margin, by two one-sided tests. Systems: every "
        "difference of two systems within a margin of people's.",
        "Errors by cluster (recipient, else content, else item; of differences of systems content, "
        "else recipient, else item); raters who are worth ten equally busy ones count as a sample "
        "too.",
        "ω of the published test (the report Substitution, with its usual ε) is shown and decides "
        "nothing: it asks who is closer to the other raters, and a judge that says little is close "
        "to people who agree little.",
    ]
    source = (
        "Spearman (1904, 1910); Pigeot et al. (2003), retention of effect; Schuirmann (1987); "
        "Berger (1982); Cameron, Gelbach & Miller (2011); Benjamini & Hochberg (1995); Calderon, "
        "Reichart & Dror (2025), the published test."
    )
    by_note = BY_NOTE
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
            keys = {a.question.key for a in questions if parts is None or a.question.key in parts}
            entries = []
            for candidate in judged:
                if candidate.has_own_scale:
                    own_scale.add((candidate.name, candidate.asked.question.key))
                if candidate.evidence.n and not candidate.evidence.are_sample:
                    these.add(candidate.evidence.n_raters)
                if candidate.name in scores.judges:
                    entries += entries_of(candidate)
                    ladders[candidate.name, role, candidate.asked.question.key] = rungs_of(
                        candidate
                    )
            for asked in questions:
                if asked.question.key in keys:
                    entries += [
                        entry for candidate in others_of(asked) for entry in entries_of(candidate)
                    ]
            rating = [entry for entry in entries if entry.row["use"] == RATE]
            show_published(rating, published)
            judges = [entry for entry in rating if entry.kind == JUDGE]
            notes += published_notes(judges, published, role)
            of_people += warn_of_people(questions, judges)
            report.entries += [entry for entry in entries if entry.row["question"] in keys]
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

    def headline(self, answers, options, judges):
        """Return how many judges may rate items on some question, and which is worth most."""
        if not judges:
            return NO_JUDGE
        every = self.build(answers, options, []).curves[MATRIX]
        rows = [row for row in every if row["use"] == RATE]
        if not rows:
            return no_value("no judge has judged an item that people rated")
        names = {row["evaluator"] for row in rows}
        yes = [row for row in rows if row["answer"] == Answer.YES]
        of = f"of {len(names)} judge{'' if len(names) == 1 else 's'}"
        if not yes:
            return "none", "", f"{of} may stand in for a rater; the report says why, and what next"
        top = max(yes, key=lambda row: 0.0 if isnan(row["worth_low"]) else row["worth_low"])
        words = (
            f"{of} {say_use_of_yes(top, A_RATER)} on some question, first {top['evaluator']} on "
            f"{top['question']}{say_worth(top)}"
        )
        return str(len({row["evaluator"] for row in yes})), "", words


VERDICT = VerdictReport()
KIND = VERDICT.kind()
