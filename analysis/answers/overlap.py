"""Read items' texts with their references, and count what they share: that needs no judge."""

import numpy as np
from django.utils.module_loading import import_string

from annotate.models import Item
from judges.models import Judge

ROUGE = "judges.scorers.text.Rouge"  # by its path: packages of scorers take a while to import


def texts_of(study):
    """Return {item: (its text, its reference)} of a study; blank where it has none."""
    rows = Item.objects.filter(study=study).order_by().values_list("key", "text", "reference")
    return {key: (text.strip(), reference.strip()) for key, text, reference in rows}


def text_sizes(texts, keys):
    """Return how many characters each item's text has (items,), NaN without a text."""
    sizes = {key: len(text) or np.nan for key, (text, _) in texts.items()}
    return np.array([sizes.get(key, np.nan) for key in keys], dtype=float)


def overlaps(texts, keys, language):
    """Return ROUGE-1 of each item's text with its reference (items,), None without references.

    The F-measure of single words, 0 to 1, without stemming (Lin 2004, ROUGE: a package for
    automatic evaluation of summaries); NaN where an item has no text, or no reference. language: of
    the study.
    """
    pairs = {key: texts[key] for key in keys if key in texts and texts[key][1]}
    if not pairs:
        return None
    words = Judge.Language.CHINESE if language.startswith("zh") else Judge.Language.WORDS
    rouge = import_string(ROUGE)({"measure": "rouge1", "language": words})
    scores = {key: rouge.compare(*pair).value for key, pair in pairs.items()}
    return np.array([scores.get(key, np.nan) for key in keys], dtype=float)
