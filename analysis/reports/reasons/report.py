"""Count what raters wrote: texts by question and rating, codes, and the coders' agreement."""

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np

from analysis.reports.base import Report, draw_notes
from analysis.reports.shared.evaluators import interval_note, item_notes
from analysis.reports.shared.scores import Scores
from analysis.stats.agreement.cohen_kappa import cohen_kappa
from analysis.stats.agreement.percent_agreement import percent_agreement
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import clustered_mean
from annotate.coding import codes as coding

NAN = float("nan")
HIDDEN = (
    "Several people have coded and their codes are not compared yet: counts of codes and agreement "
    "stand here once an editor opens the comparison."
)


def stamp(study):
    """Return the study's codings, whose text changes with every code given, made or changed."""
    return coding.Coded.load(study)


def reasons(answers, options, parts=None):
    """Count texts; codes by rating and by system; agreement by pair of coders and code.

    An answer has a code where any coder gave it.
    """
    scores, study = Scores(answers, options), answers.study
    report = Report("reasons", study.slug, options.as_dict())
    coded = answers.beside or stamp(study)
    codes = coded.all_codes()
    texts, given, cluster_of = _texts(study, scores, options.version)
    drawn = Drawn(scores, cluster_of)
    for (question, rating), n in sorted(Counter((q, r) for q, r, _ in texts.values()).items()):
        _add(report, "texts", question=question, rating=rating, n=n, of=len(texts))
    if coded.is_open:
        given = coding.by_coder(given, codes)
        _add_codes(report, texts, given, drawn)
        _add_agreement(report, given, [code.name for code in codes.live], drawn)
    report.notes = [
        *item_notes(scores),
        "Texts: answers to text questions, and reasons beside ratings, that count in the analysis.",
        *([] if coded.is_open else [HIDDEN]),
        "An answer has a code where any coder gave it; of: the answers that somebody coded.",
        "Agreement of two coders: over the answers that both coded, κ of the code being given or "
        "not; undefined where neither or both always gave it.",
        interval_note(scores),
        *draw_notes(report, options.draws),
    ]
    return report


class Drawn:
    """Holds the clusters of texts' items and the bootstrap's draws, for intervals."""

    def __init__(self, scores, cluster_of):
        self.counts, self.cluster_of = scores.counts, cluster_of

    def resampling(self, texts):
        """Return clusters= and counts= of these texts; {} without draws."""
        if self.counts is None:
            return {}
        clusters = np.array([self.cluster_of[text] for text in texts], dtype=np.int64)
        return {"clusters": clusters, "counts": self.counts}


def _texts(study, scores, version):
    """Load the texts, their codes and clusters in one query. version: None for all.

    Returns ({rating id: (question, rating or "", system)} on the scores' items, [(rating id, coder,
    code id)] of the codes that these have, {rating id: its item's cluster}).
    """
    items = dict(zip(scores.item_ids, scores.clusters.tolist(), strict=True))
    ratings = coding.texts(study)
    ratings = ratings if version is None else ratings.filter(session__version=version)
    rows = ratings.values_list(
        "pk",
        "item",
        "question__key",
        "value",
        "item__system__key",
        "codings__coder_name",
        "codings__code_id",
        "data",
    )
    columns = scores.answers.rating_columns
    rows = [row for *row, data in rows if row[1] in items and scores.takes(data, columns)]
    texts = {
        pk: (question, "" if value is None else f"{value:g}", system or "")
        for pk, _, question, value, system, *_ in rows
    }
    given = [(pk, coder, code) for pk, *_, coder, code in rows if coder is not None]
    return texts, given, {row[0]: items[row[1]] for row in rows}


def _add(report, kind, *, percent=None, kappa=None, **row):
    """Add one row. percent, kappa: Estimates, where it has them."""
    blank = {
        "code": "",
        "coder": "",
        "other": "",
        "question": "",
        "rating": "",
        "system": "",
        "n": 0,
        "of": 0,
    }
    cells = {"kind": kind} | blank | row
    names = ["kind", "code", "other", "question", "rating", "system", "coder", "n", "of"]
    facts, estimates = {name: cells[name] for name in names}, []
    for key, estimate in (("percent", percent), ("kappa", kappa)):
        estimates += [estimate] if estimate else []
        told = estimate or Estimate(NAN)
        facts |= {key: told.value, f"{key}_low": told.low, f"{key}_high": told.high}
    reasons = dict.fromkeys(estimate.reason for estimate in estimates if estimate.reason)
    lost = max((estimate.undefined_draws for estimate in estimates), default=0)
    report.add(facts, kind="rater", reason="; ".join(reasons), undefined_draws=lost)


def _add_codes(report, texts, given, drawn):
    by_text = defaultdict(set)
    for (rating, _), names in given.items():
        by_text[rating] |= names
    for kind, grouping in (("code", None), ("rating", 1), ("system", 2)):
        groups = defaultdict(list)
        for rating in by_text:
            question, value, system = texts[rating]
            place = {None: ("", "", ""), 1: (question, value, ""), 2: ("", "", system)}[grouping]
            groups[place].append(rating)
        for name in sorted({name for names in by_text.values() for name in names}):
            for (question, value, system), members in sorted(groups.items()):
                has = np.array([name in by_text[rating] for rating in members], dtype=float)
                _add(
                    report,
                    kind,
                    code=name,
                    question=question,
                    rating=value,
                    system=system,
                    n=int(has.sum()),
                    of=len(members),
                    percent=clustered_mean(has, is_share=True, **drawn.resampling(members)),
                )


def _add_agreement(report, given, codes, drawn):
    by_coder = defaultdict(dict)
    for (rating, coder), names in given.items():
        by_coder[coder][rating] = names
    for first, second in combinations(sorted(by_coder), 2):
        both = sorted(by_coder[first].keys() & by_coder[second].keys())
        again = drawn.resampling(both)
        for code in codes if both else []:
            has_code = [
                [code in by_coder[who][rating] for who in (first, second)] for rating in both
            ]
            table = np.array(has_code, dtype=float)
            _add(
                report,
                "agreement",
                code=code,
                coder=first,
                other=second,
                n=len(both),
                of=len(both),
                percent=percent_agreement(table, **again),
                kappa=cohen_kappa(table, [0, 1], **again),
            )
