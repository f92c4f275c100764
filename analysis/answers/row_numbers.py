"""Row numbers of items and questions by their primary keys."""

import numpy as np


class Places:
    """item_ids: those of the frame, in order; whole: that they are all of the study."""

    def __init__(self, item_ids, question_ids, whole):
        self.item_ids, self.question_ids = np.array(item_ids, dtype="i8"), question_ids
        self.whole = whole

    def items(self, ids):
        return np.searchsorted(self.item_ids, ids)

    def among(self, ids):
        """Those of the items that are in the frame."""
        return self.items(np.intersect1d(np.asarray(ids, dtype="i8"), self.item_ids))

    def inside(self, rows):
        """The rows about items in the frame: of a part of a split these are not all."""
        return rows if self.whole else rows[np.isin(rows["item"], self.item_ids)]

    def questions(self, ids):
        order = np.argsort(self.question_ids)
        found = np.searchsorted(self.question_ids, ids, sorter=order)
        return order[found] if len(order) else found
