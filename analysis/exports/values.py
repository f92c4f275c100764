"""Write stored values as files have them: of a choice the label, never its rank."""

from annotate.values.numbers import plain
from annotate.values.scales.base import NOMINAL
from judges.files.off_scale import has_own_scale
from judges.models import Judge


class Values:
    """Writes the answers of a study as cells.

    A metric says numbers on a scale of its own, to a choice too.
    """

    def __init__(self, study, clean):
        self.scales = {question.key: question.scale for question in study.questions.all()}
        judges = Judge.objects.filter(study=study).values_list("key", "kind", "method")
        self.metrics = {key for key, *kind in judges if has_own_scale(*kind, NOMINAL)}
        self.clean = clean

    def __call__(self, question, value, judge=""):
        """Return the cell of a value; question and judge are keys."""
        if question not in self.scales or judge in self.metrics:
            return plain(value)
        cell = self.scales[question].written(value)
        return self.clean(cell) if isinstance(cell, str) else cell
