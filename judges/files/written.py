"""Write the values of judges, too, as files and the API have them."""

from functools import cached_property

from annotate.values.numbers import plain
from annotate.values.scales.base import NOMINAL
from annotate.values.written import Written
from judges.files.off_scale import has_own_scale
from judges.models import Judge


class WrittenByJudges(Written):
    """Writes the answers of a study; a metric says numbers of its own scale, to a choice too."""

    def __init__(self, study, questions=None):
        super().__init__(study.questions.all() if questions is None else questions)
        self.study = study

    @cached_property
    def metrics(self):
        """The keys of the judges that say numbers to a choice."""
        judges = Judge.objects.filter(study=self.study).values_list("key", "kind", "method")
        return {key for key, *kind in judges if has_own_scale(*kind, NOMINAL)}

    def __call__(self, question, value, judge=""):
        """Return the value of an answer; question and judge are keys, no judge: a person's."""
        scale = self.scales.get(question)
        if judge and scale and scale.is_nominal and judge in self.metrics:
            return plain(value)
        return super().__call__(question, value)
