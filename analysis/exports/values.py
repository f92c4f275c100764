"""Write stored values as files have them: of a choice the label, never its rank."""

from functools import cached_property

from annotate.values.numbers import plain
from annotate.values.scales.base import NOMINAL
from judges.files.off_scale import has_own_scale
from judges.models import Judge


class Values:
    """Writes the answers of a study as cells.

    A metric says numbers on a scale of its own, to a choice too.
    """

    def __init__(self, study, clean, questions=None):
        questions = study.questions.all() if questions is None else questions
        self.scales = {question.key: question.scale for question in questions}
        self.study, self.clean = study, clean

    @cached_property
    def metrics(self):
        """The keys of the judges that say numbers to a choice."""
        judges = Judge.objects.filter(study=self.study).values_list("key", "kind", "method")
        return {key for key, *kind in judges if has_own_scale(*kind, NOMINAL)}

    def __call__(self, question, value, judge=""):
        """Return the cell of a value; question and judge are keys."""
        scale = self.scales.get(question)
        if scale is None or (scale.is_nominal and judge and judge in self.metrics):
            return plain(value)
        cell = scale.written(value)
        return self.clean(cell) if isinstance(cell, str) else cell
