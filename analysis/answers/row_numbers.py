"""Map primary keys of items and questions to row numbers of the frame."""

import numpy as np


class Places:
    """Row numbers by primary key.

    item_ids: those of the frame, in order; whole: whether they are all items of the study.
    """

    def __init__(self, item_ids, question_ids, whole):
        self.item_ids, self.question_ids = np.array(item_ids, dtype="i8"), question_ids
        self.whole = whole

    def items(self, ids):
        """Return the row numbers of items that are all in the frame."""
        return np.searchsorted(self.item_ids, ids)

    def among(self, ids):
        """Return the row numbers of those items that are in the frame."""
        return self.items(np.intersect1d(np.asarray(ids, dtype="i8"), self.item_ids))

    def inside(self, rows):
        """Keep the rows about items in the frame: a part of a split does not have all items."""
        return rows if self.whole else rows[np.isin(rows["item"], self.item_ids)]

    def questions(self, ids):
        """Return the row numbers of questions."""
        order = np.argsort(self.question_ids)
        positions = np.searchsorted(self.question_ids, ids, sorter=order)
        return order[positions] if len(order) else positions
