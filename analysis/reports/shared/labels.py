"""Turn values into labels of a scale, which agreement and confusion matrices count."""

import numpy as np

from analysis.stats.inputs import round_half_down

MOST_LABELS = 11  # more make no readable matrix, and weighted κ slow


def labels_of(question):
    """Return the values of the question's points, first to last; [] for number and text."""
    return [value for value, _ in question.scale.points]


def as_labels(values, question):
    """Round values to the points of the scale, halves down; NaN where they lie off it.

    A nominal scale has nothing between its points: what is not whole is NaN.
    """
    rounded = round_half_down(values)
    if question.scale.is_nominal:
        rounded = np.where(rounded == values, rounded, np.nan)
    return np.where(question.scale.is_off(rounded), np.nan, rounded)


def on_another_scale(values, question, filled=None):
    """Return whether more than half of the values lie outside the scale, as BLEU's do.

    filled: the number put in for missing values, which says nothing of the scale.
    """
    defined = values[~np.isnan(values) & (values != filled)]
    return bool(len(defined)) and question.scale.is_off(defined).mean() > 0.5


def positive_from(question, threshold=None):
    """Return the least positive mean rating: as given, else the cut of the scale.

    None where there is neither (a number without ends).
    """
    return question.scale.cut if threshold is None else float(threshold)


class LabelNotes:
    """Collects what did not fit a scale, for the notes of a report."""

    def __init__(self, filled=None, own_scale=None):
        self.filled, self.own_scale = filled, own_scale or {}
        self.other_scale, self.dropped, self.verdicts = {}, {}, {}

    def fits(self, name, values, question):
        """Return whether an evaluator's values are on the question's scale, and note if not.

        A judge that computes states its scale; of imported values one can only look at them.
        """
        own = self.own_scale.get(name)
        elsewhere = own is not None and own.replaces(question.scale)
        if elsewhere or (own is None and on_another_scale(values, question, self.filled)):
            self.other_scale.setdefault(name, []).append(question.key)
            return False
        return True

    def verdict(self, name, question):
        """Return the OwnScale of an evaluator that says fit or misfit on this scale; or None."""
        own = self.own_scale.get(name)
        if own is None or own.above is None or not own.replaces(question.scale):
            return None
        self.verdicts[name] = own
        return own

    def says_yes_or_no(self, name, question):
        """Return whether an evaluator with an own scale still answers a yes/no question."""
        own = self.own_scale.get(name)
        if not question.scale.is_binary or own is None or own.neutral or own.above is None:
            return False
        return own.replaces(question.scale)

    def answers(self, name, values, question):
        """Return the values; of an evaluator with an own scale 1 above its yes, else 0."""
        if not self.says_yes_or_no(name, question):
            return values
        self.verdicts[name] = self.own_scale[name]
        return self.own_scale[name].fits(values)

    def labels(self, name, values, question):
        """Return the values as labels, and count those off the scale."""
        labels = as_labels(values, question)
        lost = int((np.isnan(labels) & ~np.isnan(values)).sum())
        if lost:
            self.dropped[name, question.key] = lost
        return labels

    def sentences(self):
        """Write the notes that were collected."""
        notes = [
            f"{name} has a scale of its own, on which {own.words}."
            for name, own in self.verdicts.items()
        ]
        if self.other_scale:
            notes.append(
                "Not on the questions' scale, so that labels cannot be compared: "
                f"{', '.join(self.other_scale)}."
            )
        if self.dropped:
            worst = "; ".join(
                f"{name}, {question}: {lost}"
                for (name, question), lost in list(self.dropped.items())[:5]
            )
            total = sum(self.dropped.values())
            notes.append(f"Values off the scale after rounding are dropped: {total} ({worst}).")
        return notes
