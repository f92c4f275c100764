"""Compute the values of each metric of factual consistency, a value per explanation."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analysis.options.choices import ALL
from analysis.reports.factuality.items import GENERATED, REFERENCE
from analysis.reports.factuality.names import are_answers, is_consistency, is_similarity
from analysis.stats.statements.best_match import Pairs, align_score, summac_zs
from analysis.stats.statements.features import feature_matching_ratio, mentioned
from analysis.stats.statements.statement_entailment import statement_entailment
from analysis.stats.statements.statement_support import statement_support
from judges.models import Grain, Judge
from judges.models.entailment import as_array

STATEMENTS, SENTENCES, NAMED = "statements", "sentences", "named"
SIMILARITY, REVIEW, MENTION = "similarity", "review", "mention"
FACTUAL = (STATEMENTS, SENTENCES, NAMED)
SAME_MEAN = 12  # decimals: means that differ less do so by rounding
NAMES = {"ent": "StEnt", "ent_bin": "StEnt-bin", "coh": "StCoh"}
Kind = Judge.Kind
OVERLAPS = (Kind.BLEU_1, Kind.BLEU_4, Kind.ROUGE_1, Kind.ROUGE_L, Kind.CHRF)
SIMILAR = {str(kind) for kind in (*OVERLAPS, Kind.STS, Kind.BERT_SCORE)}


@dataclass(frozen=True)
class Measured:
    """A metric by an evaluator (E,), NaN where undefined; judge: its name, blank otherwise.

    skipped: undefined as neither side has a statement (or sentence), or as one has none and the
    metric has no worst value; zero: 0 as one has none; False where that does not matter.
    """

    family: str
    evaluator: str
    metric: str
    values: np.ndarray
    skipped: np.ndarray | bool = False
    zero: np.ndarray | bool = False
    judge: str = ""

    @property
    def about(self):
        """The columns that name the metric in a row."""
        return {"evaluator": self.evaluator, "metric": self.metric}

    @property
    def about_other(self):
        """The columns that name it as the second metric of a row."""
        return {"other_evaluator": self.evaluator, "other_metric": self.metric}


def empty_sides(both, one_empty, is_share):
    """Return (skipped, zero) of explanations (E,) with both sides or one empty.

    Only a share is 0 where one side is empty; other metrics are skipped.
    """
    return (both, one_empty) if is_share else (both | one_empty, np.zeros_like(one_empty))


class Measures:
    """All metrics that a study's answers give.

    `strange`: evaluators with verdicts beyond 0..1; `earlier`: how many matrices of earlier
    statements are left out; `answering`: imported judges whose values are answers, no measures.
    """

    def __init__(self, explained):
        self.explained, self.scores = explained, explained.scores
        self.strange: list = []
        self.answering: list = []
        self.earlier = 0
        self.question = self._question()
        self.verdicts = dict(self._verdicts()) if self.question is not None else {}
        self.all = [
            *self._support(),
            *self._entailment(),
            *self._sentences(),
            *self._similarity(),
            *self._mention(),
        ]

    def in_families(self, *families):
        """Return the metrics of these families."""
        return [measured for measured in self.all if measured.family in families]

    # Statements, each against the other text

    def _question(self):
        """Return the place of the first answered yes/no question of statements, or the first."""
        rows = self.explained.statements.rows
        asked = [
            place
            for place, question in enumerate(self.scores.questions)
            if question.scale.is_binary and question.applies_to_kind("statement")
        ]
        names = self.scores.judges
        for place in asked:
            sources = [self._of_people, *map(self.scores.judge, names)]
            if any(not np.isnan(values[rows, place]).all() for values in sources if len(rows)):
                return place
        return asked[0] if asked else None

    def _verdicts(self):
        """Yield (evaluator, verdicts of the statements) of judges, then of people."""
        place = self.question
        for name in self.scores.judges:
            own = self.scores.answers.own_scale.get(name)
            if place not in self.scores.answered(name):
                continue  # else a number that fills gaps would be all that it says
            if own is None:
                yield from self._known(name, self.scores.judge(name)[:, place])
            elif own.above is not None:  # else nothing says from where on a metric supports
                yield from self._known(name, own.fits(self.scores.judge(name)[:, place]))
        role = self.scores.options.reference
        people = "mean of all people" if role == ALL else f"mean of {role}"
        yield from self._known(people, self._of_people[:, place])

    @cached_property
    def _of_people(self):
        """Return means of given answers: a number that fills gaps is no verdict."""
        return self.scores.role_mean(self.scores.options.reference)

    def _known(self, name, values):
        """Yield the name with its verdicts on statements, if there are any and all are shares."""
        values = values[self.explained.statements.rows]
        if np.isnan(values).all():
            return
        if np.nanmin(values) < 0 or np.nanmax(values) > 1:
            self.strange.append(name)
        else:
            yield name, values

    def _support(self):
        """Yield how much each evaluator supports; a statement without an item has no verdict."""
        n, half = len(self.explained), self.explained.is_half_known
        stated, every = self.explained.statements, self.explained.all_statements
        for evaluator, verdicts in self.verdicts.items():
            both = []
            for side, sizes in zip((GENERATED, REFERENCE), self.explained.sizes.T, strict=True):
                own = stated.sides == side
                made = np.bincount(every.places[every.sides == side], minlength=n)
                more = np.flatnonzero((made == 0) & ((sizes > 0) | half))
                places = np.concatenate([stated.places[own], more])
                both.append((places, np.append(verdicts[own], np.full(len(more), np.nan))))
            support = statement_support(*both, n)
            empty = support.both_empty, support.one_empty
            yield from self._parts("St2Exp", evaluator, support, *empty, np.arange(n))

    def _parts(self, name, evaluator, consistency, both_empty, one_empty, places):
        """Yield precision, recall and F1 as Measured, undefined if the statements are not known.

        both_empty, one_empty (E,); places: of the explanations of which the consistency is.
        """
        are_known, half = self.explained.are_known, self.explained.is_half_known
        is_share = consistency.f1 is not None
        skipped, zero = empty_sides(both_empty, one_empty, is_share)
        flags = skipped & are_known, zero & are_known, self._judge(evaluator)
        for part, key in (("P", "precision"), ("R", "recall"), ("F1", "f1")):
            if (values := getattr(consistency, key)) is not None:
                # Empty sides need no verdicts and no probabilities.
                whole = np.where(one_empty & is_share, 0.0, np.nan)
                whole[places] = values
                shown = np.where(are_known | half, whole, np.nan)
                yield Measured(STATEMENTS, evaluator, f"{name}-{part}", shown, *flags)

    def _judge(self, evaluator):
        return evaluator if evaluator in self.scores.judges else ""

    # NLI

    def _matrices(self, grain):
        """Yield (evaluator, its rows by place) of a grain, for the judges looked at."""
        for (evaluator, its_grain), rows in self.explained.beside.matrices.items():
            chosen = self.scores.options.judges
            if its_grain != grain or (chosen and evaluator not in chosen):
                continue
            own = {place: rows[pk] for place, pk in enumerate(self.explained.ids) if pk in rows}
            if grain == Grain.STATEMENT:
                gone = [place for place in own if self.explained.is_earlier(place, own[place])]
                self.earlier += len(gone)
                own = {place: matrix for place, matrix in own.items() if place not in gone}
            if own:
                yield evaluator, own

    def _entailment(self):
        empty = self.explained.sizes == 0
        for evaluator, rows in self._matrices(Grain.STATEMENT):
            forward, backward = pairs_of(rows, 2), pairs_of(rows, 3, turned=True)
            places = np.array(list(rows), dtype=np.intp)
            for name, own in statement_entailment(forward, backward).items():
                both = empty.all(axis=1)
                one_empty = empty.any(axis=1) & ~both & self.explained.are_known
                both[places], one_empty[places] = own.both_empty, own.one_empty
                yield from self._parts(NAMES[name], evaluator, own, both, one_empty, places)

    def _sentences(self):
        for grain, metric, aggregate, is_share in (
            (Grain.SENTENCE, "SummaC-ZS", summac_zs, False),
            (Grain.CHUNK, "AlignScore", align_score, True),
        ):
            for evaluator, rows in self._matrices(grain):
                pairs, places = pairs_of(rows, 2), list(rows)
                values = np.full(len(self.explained), np.nan)
                values[places] = aggregate(pairs)
                both, one_empty = np.zeros((2, len(values)), dtype=bool)
                both[places] = (pairs.hypotheses == 0) & (pairs.premises == 0)
                one_empty[places] = (pairs.hypotheses == 0) != (pairs.premises == 0)
                flags = *empty_sides(both, one_empty, is_share), self._judge(evaluator)
                yield Measured(SENTENCES, evaluator, metric, values, *flags)

    # Whole texts

    def _similarity(self):
        """Yield judges that are metrics, and imported values classed by name (see names.py)."""
        for name in self.scores.judges:
            kind, against = self.scores.answers.kinds.get(name, ("", ""))
            if kind not in SIMILAR and kind not in (Kind.IMPORTED, Kind.PAIR_MODEL):
                continue
            given = self.scores.unfilled(name)[self.explained.rows]
            answered = np.flatnonzero(~np.isnan(given).all(axis=0))
            if not len(answered):
                continue
            place = answered[0]
            family = REVIEW if against == Judge.Against.REVIEW else SIMILARITY
            if kind == Kind.PAIR_MODEL and is_consistency(name):
                family = NAMED
            if kind == Kind.IMPORTED:
                family = self._imported(name, given[:, place], self.scores.questions[place].scale)
            if family:
                values = self.scores.judge(name)[self.explained.rows, place]
                yield Measured(family, name, name, values, judge=name)

    def _imported(self, name, given, scale):
        """Return the family of an imported judge; "" if it answers the question as people do."""
        if is_consistency(name):
            return NAMED
        if not is_similarity(name) and are_answers(given[~np.isnan(given)], scale):
            self.answering.append(name)
            return ""
        return SIMILARITY

    def _mention(self):
        features = [feature for feature in self.explained.features if feature.strip()]
        if features:
            is_mentioned = mentioned(self.explained.texts, features)
            values = feature_matching_ratio(is_mentioned, self.explained.features)
            yield Measured(MENTION, "texts", "FMR", values)


def pairs_of(rows, column, turned=False):
    """Return the Pairs of explanations {place: (generated, reference, forward, backward)}."""
    parts = [as_array(row[column]) for row in rows.values()]
    n, m = (np.array([row[index] for row in rows.values()], dtype=np.int64) for index in (0, 1))
    return Pairs(np.concatenate(parts), *((m, n) if turned else (n, m)))
