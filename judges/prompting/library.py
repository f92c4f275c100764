"""List and load the prompts that one study's judges may use: the project's and its own."""

from django.utils.functional import cached_property

from judges.models.prompt import OWN
from judges.prompting import fill
from judges.prompting.fill import Prompt
from judges.prompting.own import of_study


class Library:
    """The prompts of one study; its own are read once, when first needed.

    study_id: None for a study that is not there yet. more: {name: Prompt}, what a file brings.
    """

    def __init__(self, study_id, more=None):
        self.study_id, self.more = study_id, more or {}

    @cached_property
    def own(self):
        """Return {name: Prompt} of the study's own prompts."""
        kept = of_study(self.study_id) if self.study_id else ()
        return {prompt.key: Prompt(prompt.key, prompt.text) for prompt in kept} | self.more

    def names(self, method=""):
        """List the names of all prompts, or those of one method; the study's own first."""
        own = [name for name, prompt in self.own.items() if method in ("", prompt.method)]
        return own + fill.names(method)

    def has(self, name):
        """Whether a prompt of that name exists."""
        return name in (self.own if name.startswith(OWN) else fill.names())

    def load(self, name):
        """Load the prompt of a name; ValueError lists the names there are."""
        if not self.has(name):
            raise ValueError(f"found prompt {name!r}; there are {', '.join(self.names())}")
        return self.own[name] if name.startswith(OWN) else fill.load(name)


def prompt_of(judge):
    """Load the prompt that a judge names; ValueError lists the names there are."""
    return Library(judge.study_id).load(judge.prompt)
