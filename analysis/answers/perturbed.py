"""Read what judges answered in robustness tests, for reports."""

from functools import cached_property

import pandas as pd
from django.db.models import Count, Max

from judges import methods
from judges.models import Judgment, Run

COLUMNS = ["run", "item", "question", "relation", "sample", "state", "value"]


class Perturbed:
    """Every judge's newest finished test, else its newest that has ended, in one query.

    The answers take another query. The text of a Perturbed changes whenever one of its tests has
    another answer. Answers in both orders of two lists are about the sides, so orders need not be
    told apart.
    """

    def __init__(self, study, are_there=True):
        self.study, self.are_there = study, are_there

    @classmethod
    def known_by(cls, reader):
        """Return the Perturbed of a reader's study; the reader knows whether there are tests."""
        return cls(reader.study, reader.judges.tested)

    def __str__(self):
        return repr([(run.pk, run.settled, run.last) for run in self._ended])

    @cached_property
    def _ended(self):
        if not self.are_there:
            return []
        runs = Run.objects.robustness_tests().filter(judge__study=self.study)
        runs = runs.exclude(state=Run.State.ACTIVE).select_related("judge")
        sums = {"settled": Count("judgments__settled_at"), "last": Max("judgments__settled_at")}
        return list(runs.annotate(**sums).filter(settled__gt=0).order_by("pk"))

    def runs(self, version=None):
        """Return {judge: its newest finished test Run, else its newest}.

        version: of the questionnaire; None for all.
        """
        runs = [run for run in self._ended if version is None or run.version == version]
        runs.sort(key=lambda run: run.state == Run.State.FINISHED)  # and by age, as they are
        return {run.judge.key: run for run in runs}

    def answers(self, version=None):
        """Return {judge: frame with COLUMNS, a row for every answer asked for and settled}."""
        runs = self.runs(version)
        rows = Judgment.objects.settled().exclude(state=Judgment.State.NOT_ASKED)
        rows = rows.filter(run__in=[run.pk for run in runs.values()]).order_by("pk")
        names = ["run_id", "item__key", "question__key", *COLUMNS[3:]]
        answers = pd.DataFrame(list(rows.values_list(*names)) if runs else [], columns=COLUMNS)
        return {judge: answers[answers["run"] == run.pk] for judge, run in runs.items()}


def ends_of(run, question):
    """Return the (lowest, highest) answer a judge can give to a question; None without ends."""
    if ends := methods.of_frozen(run.frozen).ends:
        return ends
    scale = question.scale
    return (scale.low, scale.high) if scale.has_ends else None


def setting(options):
    """Write the options of a relation as one text."""
    return ", ".join(f"{name}={value}" for name, value in sorted(options.items()))
