"""Build categorical columns, which keep each text once, however many rows have it."""

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from annotate.values.texts import as_text


def category(values):
    """Return a categorical of texts in order of appearance; None becomes a blank text."""
    texts = [as_text(value) for value in values]
    codes, categories = pd.factorize(np.array(texts, dtype=object))
    # Without the type an empty column's categories could not be joined with texts.
    return pd.Categorical.from_codes(codes, pd.Index(categories, dtype="str"))


def taken(column, places):
    """Return the rows of a categorical column at the given places."""
    return pd.Categorical.from_codes(column.cat.codes.to_numpy()[places], column.cat.categories)


def joined(parts):
    """Join one column of all sources; categoricals stay categorical, unlike under pd.concat."""
    if isinstance(parts[0].dtype, pd.CategoricalDtype):
        return pd.Series(union_categoricals(parts))
    return pd.concat(parts, ignore_index=True)
