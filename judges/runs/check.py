"""Check which settings of an LLM judge do not go together."""

from judges.methods.extract import topics
from judges.models import Judge
from judges.models.judge import MOST_EPISODES
from judges.prompting import fill
from judges.prompting.library import Library

SAMPLES = (
    "Several samples at temperature 0 would all be the same. Raise the temperature, or ask once."
)
NO_SCHEMA = (
    "The endpoint {} keeps no JSON schema, as it is set or as its test found. Choose another, or "
    "leave JSON out: lists in lines are read too."
)
BOTH_ONCE = "Both orders are asked once each. Ask one sample, or draw the order."
OTHER_METHOD = "The prompt {} asks something else than this judge. Choose {}."
MOST_DIMENSIONS, LONGEST_DIMENSION = 10, 60
NOT_WEIGHTED = (
    "A verdict in words has no points that log-probabilities could weigh. Only scores of the "
    "questions can be weighted."
)
MOST_NUMBERS = 30
NO_PROFILES = (
    "Only a judge that is shown profiles can choose which. Choose the profile as what the prompt "
    "says of the recipient, or 0."
)
NO_HISTORY = (
    "Only a judge that is shown the history is shown transcripts. Choose the history, or 0."
)
NO_PLACE = "The prompt {} has no place for {}. Choose {}."


def problems_of(judge, library=None):
    """Return {setting: what is wrong with it}; missing prompts are reported elsewhere."""
    problems, library = {}, library or Library(judge.study_id)
    if judge.samples > 1 and not judge.temperature:
        problems["samples"] = SAMPLES
    if judge.weighted and judge.method != Judge.Method.QUESTIONS:
        problems["weighted"] = NOT_WEIGHTED
    if judge.method == Judge.Method.PAIRWISE:
        if judge.order == Judge.Order.BOTH and judge.samples > 1:
            problems["order"] = BOTH_ONCE
        if problem := dimensions_problem(judge.dimensions):
            problems["dimensions"] = problem
    problems |= _of_context(judge)
    if library.has(judge.prompt):
        prompt = library.load(judge.prompt)
        if prompt.method != judge.method:
            names = " or ".join(library.names(judge.method))
            return problems | {"prompt": OTHER_METHOD.format(judge.prompt, names)}
        if judge.shots != Judge.Shots.ZERO and not prompt.has("example"):
            problems["shots"] = _no_place(judge, library, "example", "an example")
        if judge.context != Judge.Context.NONE and not prompt.has("context"):
            problems["context"] = _no_place(judge, library, "context", "a context")
    return problems


def _of_context(judge):
    """Return what is wrong with the settings of history, profiles or topics."""
    if judge.recommends:
        return _of_lists(judge)
    if judge.writes:
        problem = episodes_problem(judge.episodes)
        return {"episodes": problem} if problem else {}
    if judge.extracts:
        problem = topics.problem_of(judge.topics)
        return {"topics": problem} if problem else {}
    problems = {}
    if judge.profile_episodes and judge.context != Judge.Context.PROFILE:
        problems["profile_episodes"] = NO_PROFILES
    if judge.transcript_length and judge.context != Judge.Context.HISTORY:
        problems["transcript_length"] = NO_HISTORY
    return problems


def _of_lists(judge):
    """Check that the endpoint keeps JSON lists; planning checks that of a judge that was run."""
    endpoint = judge.endpoint
    if judge.json_list and endpoint and not endpoint.json_schema and not judge.is_frozen:
        return {"json_list": NO_SCHEMA.format(endpoint.key)}
    return {}


def _no_place(judge, library, placeholder, what):
    names = library.names(judge.method)
    fitting = [name for name in names if library.load(name).has(placeholder)]
    return NO_PLACE.format(judge.prompt, what, " or ".join(fitting))


def dimensions_problem(names):
    """Return what is wrong with the names of the dimensions, or ""."""
    right = (
        isinstance(names, list)
        and 1 <= len(names) <= MOST_DIMENSIONS
        and all(isinstance(name, str) and name.strip() == name for name in names)
        and all(0 < len(name) <= LONGEST_DIMENSION and name.isprintable() for name in names)
        and len({fill.one_line(name).lower() for name in names}) == len(names)
    )
    if right:
        return ""
    return (
        f"Allowed are 1 to {MOST_DIMENSIONS} different names of at most {LONGEST_DIMENSION} "
        "characters each."
    )


def episodes_problem(numbers):
    """Return what is wrong with the numbers of episodes that profiles are made of, or ""."""
    right = (
        isinstance(numbers, list)
        and len(numbers) <= MOST_NUMBERS
        and all(type(number) is int and 1 <= number <= MOST_EPISODES for number in numbers)
        and len(set(numbers)) == len(numbers)
    )
    if right:
        return ""
    return (
        f"Allowed are up to {MOST_NUMBERS} different whole numbers from 1 to {MOST_EPISODES}; none "
        "for a profile of all."
    )
