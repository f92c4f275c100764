"""List misjudged items: the judge finds good what people do not, or the reverse."""

import numpy as np

from analysis.reports.base import Report, draw_notes
from analysis.reports.shared.evaluators import evaluators, interval_note, policy_notes
from analysis.reports.shared.labels import LabelNotes
from analysis.reports.shared.positives import cuts_of, threshold_notes
from analysis.reports.shared.scores import Scores
from analysis.stats.classification.classification import at_least
from analysis.stats.intervals.clustered_mean import clustered_mean, means_by_group

FALSE_POSITIVE, FALSE_NEGATIVE = "false positive", "false negative"
SHARE = "share"  # of false positives, over all items and per system
EVERYTHING = "all"  # in the place of a system


def misjudged(answers, options, questions=None):
    """Add a row for each item that a judge calls positive and people do not, or the reverse.

    questions: keys of those wanted; None means all. The farthest from people come first; then
    follow the shares of false positives by system.
    """
    scores = Scores(answers, options)
    labels = LabelNotes(options.missing_judgment, answers.own_scale)
    report = Report("misjudged", answers.study.slug, options.as_dict())
    cuts = cuts_of(scores, questions)
    for evaluator in filter(lambda candidate: candidate.judge, evaluators(scores)):
        for place, cut in cuts.items():
            values, question = evaluator.values[:, place], scores.questions[place]
            own = labels.verdict(evaluator.name, question)
            if cut is not None and (own or labels.fits(evaluator.name, values, question)):
                _add_items(report, scores, evaluator, place, cut, own)
    report.notes = [
        *policy_notes(scores),
        *threshold_notes(scores, cuts, "list"),
        "false positive: the judge's value is positive, people's mean is not; false negative: the "
        "reverse. The same threshold holds for both, but for a verdict of fit, which is positive "
        "as it stands. of: items with both.",
        "share: false positives of all items with both, also of each system's.",
        *labels.sentences(),
        interval_note(scores),
        *draw_notes(report, options.draws),
    ]
    return report


def _add_items(report, scores, evaluator, place, cut, own):
    """Add the misjudged items of one evaluator and question, and the shares by system.

    own: the OwnScale of an evaluator that says fit or not; else None.
    """
    values, people = evaluator.values[:, place], evaluator.reference[:, place]
    called, good = own.fits(values) if own else at_least(values, cut), at_least(people, cut)
    apart = np.abs(people - (cut if own else values))
    has_both = ~np.isnan(called) & ~np.isnan(good)
    systems = scores.items["system"].astype(str)
    same = {
        "evaluator": evaluator.name,
        "question": scores.questions[place].key,
        "threshold": cut,
    }
    for kind, wrong in ((FALSE_POSITIVE, called > good), (FALSE_NEGATIVE, called < good)):
        rows = np.flatnonzero(has_both & wrong)
        farthest = np.argsort(-apart[rows], kind="stable")
        for row in rows[farthest]:
            report.add(
                same
                | {
                    "kind": kind,
                    "item": str(scores.items["item"].iat[row]),
                    "system": systems.iat[row],
                    "people": float(people[row]),
                    "judge": float(values[row]),
                    "of": int(has_both.sum()),
                    **dict.fromkeys(("value", "low", "high"), np.nan),
                },
                judge=evaluator.judge,
                kind=evaluator.kind,
                item=scores.item_ids[row],
            )
    wrong = np.where(has_both, called > good, np.nan)
    for system, share in _shares(scores, wrong):
        report.add(
            same
            | {
                "kind": SHARE,
                "item": "",
                "system": system,
                "people": np.nan,
                "judge": np.nan,
                "of": share.n,
                "value": share.value,
                "low": share.low,
                "high": share.high,
            },
            reason=share.reason,
            judge=evaluator.judge,
            kind=evaluator.kind,
            undefined_draws=share.undefined_draws,
        )


def _shares(scores, wrong):
    """Yield (system, share of the flagged items), first over all items, then of each system."""
    yield EVERYTHING, clustered_mean(wrong, is_share=True, **scores.resampling())
    rows = np.flatnonzero(scores.systems >= 0)
    names = scores.items["system"].cat.categories
    shares = means_by_group(
        wrong[rows], scores.systems[rows], is_share=True, **scores.resampling(rows)
    )
    yield from ((str(names[code]), estimate) for code, estimate in shares.items())
