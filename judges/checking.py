"""Which settings of an LLM judge do not go together."""

from judges import prompting
from judges.models import Judge

SAMPLES = (
    "Several samples at temperature 0 would all be the same. Raise the temperature, or ask once."
)
NO_PLACE = "The prompt {} has no place for {}. Choose {}."


def problems_of(judge):
    """{setting: what is wrong with it}; prompts that are not there are reported elsewhere."""
    found = {}
    if judge.samples > 1 and not judge.temperature:
        found["samples"] = SAMPLES
    if judge.prompt in prompting.names():
        prompt = prompting.load(judge.prompt)
        if judge.shots != Judge.Shots.ZERO and not prompt.has("example"):
            found["shots"] = _no_place(judge, "example", "an example")
        if judge.context != Judge.Context.NONE and not prompt.has("context"):
            found["context"] = _no_place(judge, "context", "a context")
    return found


def _no_place(judge, placeholder, what):
    fitting = [name for name in prompting.names() if prompting.load(name).has(placeholder)]
    return NO_PLACE.format(judge.prompt, what, " or ".join(fitting))
