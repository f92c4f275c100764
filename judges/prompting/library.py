"""The prompts that the judges of one study may use: the project's, and the study's own."""

from django.utils.functional import cached_property

from judges.models.prompt import OWN
from judges.prompting import fill
from judges.prompting.fill import Prompt
from judges.prompting.own import of_study


class Library:
    """Reads the study's own prompts once, when the first is asked for.

    study_id: None for a study that is not there yet. more: {name: Prompt}, what a file brings.
    """

    def __init__(self, study_id, more=None):
        self.study_id, self.more = study_id, more or {}

    @cached_property
    def own(self):
        """{name: Prompt} of the study's own."""
        kept = of_study(self.study_id) if self.study_id else ()
        return {prompt.key: Prompt(prompt.key, prompt.text) for prompt in kept} | self.more

    def names(self, method=""):
        """The prompts there are, or those of one method of judging; the study's own first."""
        own = [name for name, prompt in self.own.items() if method in ("", prompt.method)]
        return own + fill.names(method)

    def has(self, name):
        """Whether there is a prompt of that name."""
        return name in (self.own if name.startswith(OWN) else fill.names())

    def load(self, name):
        """The prompt of that name; ValueError says which there are."""
        if not self.has(name):
            raise ValueError(f"found prompt {name!r}; there are {', '.join(self.names())}")
        return self.own[name] if name.startswith(OWN) else fill.load(name)


def prompt_of(judge):
    """The prompt that a judge names; ValueError says which there are."""
    return Library(judge.study_id).load(judge.prompt)
