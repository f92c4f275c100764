"""What raters wrote, as counts: texts by question and rating, codes, and the coders' agreement."""

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np

from analysis.reports.base import Report
from analysis.reports.evaluators import policy_notes
from analysis.reports.scores import Scores
from analysis.stats.cohen_kappa import cohen_kappa
from analysis.stats.percent_agreement import percent_agreement
from annotate import coding

NAN = float("nan")
HIDDEN = (
    "Several people have coded and their codes are not compared yet: counts of codes and agreement "
    "stand here once an editor opens the comparison."
)


def stamp(study):
    """What changes with every code that is given, made or changed."""
    return coding.Coded.of(study)


def reasons(answers, options, parts=None):
    """Rows of texts; of codes by rating and by system; of agreement, a pair of coders and a code.

    An answer has a code where any coder gave it.
    """
    scores, study = Scores(answers, options), answers.study
    report = Report("reasons", study.slug, options.as_dict())
    coded = answers.beside or stamp(study)
    codes = coded.known()
    texts, given = _texts(study, set(scores.item_ids), options.version)
    for (question, rating), n in sorted(Counter((q, r) for q, r, _ in texts.values()).items()):
        _add(report, "texts", question=question, rating=rating, n=n, of=len(texts))
    if coded.is_open:
        given = coding.by_coder(given, codes)
        _add_codes(report, texts, given)
        _add_agreement(report, given, [code.name for code in codes.live])
    report.notes = [
        *policy_notes(scores, compared=False),
        "Texts: answers to text questions, and reasons beside ratings, that count in the analysis.",
        *([] if coded.is_open else [HIDDEN]),
        "An answer has a code where any coder gave it; of: the answers that somebody coded.",
        "Agreement of two coders: over the answers that both coded, κ of the code being given or "
        "not; undefined where neither or both always gave it.",
    ]
    return report


def _texts(study, items, version):
    """({rating id: (question, rating or "", system)} on these items, [(rating id, coder, code id)]
    of the codes that these have), in one query. version: None for all.
    """
    found = coding.texts(study)
    found = found if version is None else found.filter(session__version=version)
    rows = found.values_list(
        "pk", "item", "question__key", "value", "item__system__key",
        "codings__coder_name", "codings__code_id",
    )  # fmt: skip
    rows = [row for row in rows if row[1] in items]
    texts = {
        pk: (question, "" if value is None else f"{value:g}", system or "")
        for pk, _, question, value, system, *_ in rows
    }
    return texts, [(pk, coder, code) for pk, *_, coder, code in rows if coder is not None]


def _add(report, kind, **row):
    blank = {
        "code": "", "coder": "", "other": "", "question": "", "rating": "", "system": "",
        "n": 0, "of": 0, "percent": NAN, "kappa": NAN,
    }  # fmt: skip
    found = {"kind": kind} | blank | row
    names = ["kind", "code", "other", "question", "rating", "system", "coder", "n", "of"]
    report.add({name: found[name] for name in [*names, "percent", "kappa"]}, kind="rater")


def _add_codes(report, texts, given):
    by_text = defaultdict(set)
    for (rating, _), names in given.items():
        by_text[rating] |= names
    for kind, at in (("code", None), ("rating", 1), ("system", 2)):
        groups, counts = Counter(), Counter()
        for rating, names in by_text.items():
            question, value, system = texts[rating]
            place = {None: ("", "", ""), 1: (question, value, ""), 2: ("", "", system)}[at]
            groups[place] += 1
            counts.update((name, *place) for name in names)
        for name in sorted({name for names in by_text.values() for name in names}):
            for (question, value, system), of in sorted(groups.items()):
                n = counts[name, question, value, system]
                _add(
                    report, kind, code=name, question=question, rating=value, system=system,
                    n=n, of=of, percent=n / of,
                )  # fmt: skip


def _add_agreement(report, given, codes):
    by_coder = defaultdict(dict)
    for (rating, coder), names in given.items():
        by_coder[coder][rating] = names
    for first, second in combinations(sorted(by_coder), 2):
        both = sorted(by_coder[first].keys() & by_coder[second].keys())
        for code in codes if both else []:
            said = [[code in by_coder[who][rating] for who in (first, second)] for rating in both]
            table = np.array(said, dtype=float)
            _add(
                report, "agreement", code=code, coder=first, other=second, n=len(both),
                of=len(both), percent=percent_agreement(table).value,
                kappa=cohen_kappa(table, [0, 1]).value,
            )  # fmt: skip
