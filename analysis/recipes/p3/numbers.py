"""Compute what table 1 and figures 3 and 4 of P3 print, by the reports that measure it."""

from dataclasses import dataclass
from functools import cached_property
from math import isnan, nan

import numpy as np

from analysis.options.choices import Choices
from analysis.reports.lists.preferences import ALL, PREFERENCES, TIED
from analysis.reports.lists.selection import SELECTION, SelectionOptions
from analysis.reports.profile.report import ACCURACY, ALIKE, OF_WRITTEN, PROFILES
from analysis.reports.shared.labels import positive_from
from analysis.reports.shared.options import AgreementOptions, YesNoOptions
from analysis.reports.shared.scores import Scores
from analysis.reports.yes_no.roc import ROC
from analysis.stats.classification.classification import at_least
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import clustered_mean

FIT, LISTS = "fit", "lists"
PROFILE, HISTORY, SBERT = "LaaJ-Profile", "LaaJ-History", "sBERT-Sim"
DATA, FIGURE_3, FIGURE_4 = "Data", "Figure 3", "Figure 4"
SYSTEMS = ("Lists: both prefer model A", "Lists: model A preferred")
OTHER_SYSTEMS = "the paper's models A and B are not those of this study"
NO_ANSWERS = "the judge has no answer yet"
NO_PEOPLE = "no person has rated an episode"


@dataclass
class Numbers:
    """What the paper's tables print, measured in one study.

    answers: of the study; questions: {FIT: key of the question on episodes, LISTS: on lists};
    names: {(judge of the paper, FIT or LISTS): name of the study's judge}; lengths: names of the
    judges of figure 4.
    """

    answers: object
    questions: dict
    names: dict
    lengths: tuple = ()
    draws: int = 2000

    def cells(self):
        """Return {(table, row, column): Estimate} of all that can be measured or was asked for."""
        cells = self._data()
        if self.names:
            cells |= self._table_1()
        if (PROFILE, FIT) in self.names:
            cells |= self._figure_3()
        if (PROFILE, LISTS) in self.names:
            cells |= self._ties()
        if self.lengths and self.questions[FIT]:
            cells |= self._figure_4()
        return cells

    @cached_property
    def common(self):
        """Return the options that all the reports share."""
        reference = Choices.from_answers(self.answers).reference
        judges = tuple(dict.fromkeys([*self.names.values(), *self.lengths]))
        return {"reference": reference, "judges": judges, "draws": self.draws}

    @cached_property
    def scores(self):
        return Scores(self.answers, YesNoOptions.choose(**self.common))

    def _table_1(self):
        asked = [key for key in self.questions.values() if key]
        options = SelectionOptions.choose(**self.common)
        by_judge = _by_judge(SELECTION.build(self.answers, options, asked).entries)
        areas = self._areas() if self.questions[FIT] else {}
        cells = {}
        for (judge, about), name in self.names.items():
            key = name, self.questions[about]
            chosen = by_judge.get(key)
            if about == FIT:
                cells["1", judge, "ROC-AUC"] = _estimate(areas.get(key), "auc")
                cells["1", judge, "RSM"] = _estimate(chosen, "rsm", "rsm_low", "rsm_high", "rsm_n")
            else:
                cells["1", judge, "MSA"] = _estimate(chosen, "msa")
                for column, count in (("W", "wins"), ("T", "ties"), ("L", "losses")):
                    cells["1", judge, column] = _counted(chosen, count)
        return cells

    def _areas(self):
        options = YesNoOptions.choose(**self.common)
        report = ROC.build(self.answers, options, [self.questions[FIT]], is_page=False)
        return _by_judge(report.entries)

    def _data(self):
        table = self.answers.select_source("human")
        asked = [key for key in self.questions.values() if key]
        table = table[~table["excluded"] & (table["role"] == self.common["reference"])]
        episodes = table[table["question"] == self.questions[FIT]]
        pairs = table[table["question"] == self.questions[LISTS]]
        counts = {
            "People": table[table["question"].isin(asked)]["rater"].nunique(),
            "Pairs of lists": len(pairs),
            "Ratings of episodes": len(episodes),
            "Different episodes": episodes["content"].nunique(),
        }
        cells = {(DATA, row, "Number"): Estimate(float(n), n=n) for row, n in counts.items()}
        people = episodes["rater"].nunique()
        mean = len(episodes) / people if people else nan
        reason = "" if people else NO_PEOPLE
        cells[DATA, "Ratings of episodes per person", "Number"] = Estimate(
            mean, n=people, reason=reason
        )
        return cells

    def _figure_3(self):
        """Return the shares of episodes on which LaaJ-Profile and people agree, and differ."""
        name = self.names[PROFILE, FIT]
        cells = {}
        place = next(
            place for place, q in enumerate(self.scores.questions) if q.key == self.questions[FIT]
        )
        judge, people = self._labels(name, place)
        for row, flags in (
            ("Episodes: same label", judge == people),
            ("Episodes: aligned for the judge, not for people", (judge == 1) & (people == 0)),
        ):
            both = np.where(np.isnan(judge) | np.isnan(people), np.nan, flags)
            share = clustered_mean(both, is_share=True, **self.scores.resampling())
            cells[FIGURE_3, row, PROFILE] = share if share.n else Estimate(nan, reason=NO_ANSWERS)
        return cells

    def _labels(self, name, place):
        """Return whether the judge and people say that each item fits (items,); NaN: unknown."""
        scores, own = self.scores, self.answers.own_scale.get(name)
        if name not in scores.judges or own is None:
            return np.full((2, len(scores.items)), np.nan)
        cut = positive_from(scores.questions[place])
        people = scores.apart(name, scores.reference())[:, place]
        return own.fits(scores.judge(name)[:, place]), at_least(people, cut)

    def _ties(self):
        """Count the pairs of lists that are ties for LaaJ-Profile, and for people."""
        options = AgreementOptions.choose(**self.common)
        report = PREFERENCES.build(self.answers, options, [self.questions[LISTS]])
        row = next(
            (
                row
                for row in report.rows
                if (row["evaluator"], row["system"], row["measure"])
                == (self.names[PROFILE, LISTS], ALL, TIED)
            ),
            None,
        )
        return {
            (FIGURE_3, f"Lists: ties of {whose}", PROFILE): (
                Estimate(round(row[value] * row["n"]), n=row["n"])
                if row and row["n"]
                else Estimate(nan, reason=NO_ANSWERS)
            )
            for whose, value in (("the judge", "value"), ("people", "people"))
        }

    def _figure_4(self):
        options = YesNoOptions.choose(**self.common | {"judges": self.lengths})
        report = PROFILES.build(self.answers, options, [ALIKE])
        return {
            (FIGURE_4, f"{row['episodes']} episodes", "LaaJ-human accuracy"): _estimate(entry)
            for entry in report.entries
            if (row := entry.row)["part"] == ACCURACY
            and row["source"] == OF_WRITTEN
            and row["question"] == self.questions[FIT]
        }


def _by_judge(entries):
    """Return {(evaluator, question): its entry}."""
    return {(entry.row["evaluator"], entry.row["question"]): entry for entry in entries}


def _estimate(entry, value="value", low="low", high="high", n="n"):
    """Return the Estimate of an entry's row; without a row the judge has not answered yet."""
    if entry is None or entry.row[value] is None:
        return Estimate(nan, reason=NO_ANSWERS)
    row = entry.row
    is_whole = not isnan(row[value]) and not isnan(row[low])
    reason = "" if is_whole else entry.reason
    return Estimate(row[value], row[low], row[high], n=row.get(n) or 0, reason=reason)


def _counted(entry, name):
    if entry is None or not entry.row["n"]:
        return Estimate(nan, reason=NO_ANSWERS)
    return Estimate(float(entry.row[name]), n=entry.row["n"])
