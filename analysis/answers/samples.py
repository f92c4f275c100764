"""Combine several samples of a judge's answer into one answer."""

from collections import Counter
from itertools import groupby
from operator import itemgetter

import numpy as np


def samples_averaged(rows, nominal):
    """Return one row per (run, item, question); return rows unchanged if no samples repeat."""
    order = np.lexsort((rows["question"], rows["item"], rows["run"]))
    unit = rows[order][["run", "item", "question"]]
    if not (unit[1:] == unit[:-1]).any():
        return rows
    samples = groupby(rows[order].tolist(), key=itemgetter(0, 1, 2))
    return np.array([averaged(list(group), nominal) for _, group in samples], dtype=rows.dtype)


def averaged(samples, nominal=()):
    """Combine samples (run, item, question, value, why, ...) of one answer: average their values.

    For `nominal` questions take the most frequent value, and no value at a tie. The rest is copied
    from the first sample with a value; None and NaN are no values.
    """
    valued = [sample for sample in samples if sample[3] is not None and sample[3] == sample[3]]
    if not valued:
        return samples[0]
    if valued[0][2] in nominal:
        return _most_frequent(valued)
    mean = sum(sample[3] for sample in valued) / len(valued)
    return (*valued[0][:3], mean, *valued[0][4:])


def _most_frequent(samples):
    counts = Counter(sample[3] for sample in samples).most_common(2)
    if len(counts) == 2 and counts[0][1] == counts[1][1]:
        return (*samples[0][:3], None, "samples are tied", *samples[0][5:])
    return next(sample for sample in samples if sample[3] == counts[0][0])
