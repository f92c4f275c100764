"""Check which settings of an LLM judge do not go together."""

from judges import methods
from judges.models import Judge
from judges.prompting.library import Library

OTHER_METHOD = "The prompt {} asks something else than this judge. Choose {}."
NOT_WEIGHTED = (
    "A verdict in words has no points that log-probabilities could weigh. Only scores of the "
    "questions can be weighted."
)
NO_PLACE = "The prompt {} has no place for {}. Choose {}."


def problems_of(judge, library=None):
    """Return {setting: what is wrong with it}; missing prompts are reported elsewhere."""
    problems, library = judge.settings.problems, library or Library(judge.study_id)
    method = methods.of_judge(judge)
    if judge.settings.weighted and not method.may_be_weighted:
        problems["weighted"] = NOT_WEIGHTED
    problems |= method.problems_of(judge)
    if library.has(judge.prompt):
        prompt = library.load(judge.prompt)
        if prompt.method != judge.method:
            names = " or ".join(library.names(judge.method))
            return problems | {"prompt": OTHER_METHOD.format(judge.prompt, names)}
        if judge.settings.shots != Judge.Shots.ZERO and not prompt.has("example"):
            problems["shots"] = _no_place(judge, library, "example", "an example")
        if judge.settings.context != Judge.Context.NONE and not prompt.has("context"):
            problems["context"] = _no_place(judge, library, "context", "a context")
    return problems


def _no_place(judge, library, placeholder, what):
    names = library.names(judge.method)
    fitting = [name for name in names if library.load(name).has(placeholder)]
    return NO_PLACE.format(judge.prompt, what, " or ".join(fitting))
