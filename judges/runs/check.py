"""Check which settings of an LLM judge do not go together."""

from annotate.design.ethics import LOCAL_ONLY
from annotate.models import Study
from judges import methods
from judges.endpoints.hosts import host_of, is_local
from judges.prompting.library import Library

OTHER_METHOD = "The prompt {} asks something else than this judge. Choose {}."
NOT_WEIGHTED = (
    "A verdict in words has no points that log-probabilities could weigh. Only scores of the "
    "questions can be weighted."
)
NOT_LOCAL = (
    "{} asks {}, which is no local model. This study allows local models only: on this machine, or "
    "in a private network. Choose another model, or change local_models_only in the settings."
)
NO_PLACE = "The prompt {} has no place for {} {}. Choose {}."


def problems_of(judge, library=None):
    """Return {setting: what is wrong with it}; missing prompts are reported elsewhere."""
    problems, library = judge.settings.problems, library or Library(judge.study_id)
    if not_local := why_not_local(judge):
        problems |= {"endpoint": not_local}
    problems |= methods.of_judge(judge).problems_of(judge)
    if library.has(judge.prompt):
        prompt = library.load(judge.prompt)
        if prompt.method != judge.method:
            names = " or ".join(library.names(judge.method))
            return problems | {"prompt": OTHER_METHOD.format(judge.prompt, names)}
        for place, name in judge.settings.by_place.items():
            if not prompt.has(place):
                problems[name] = _no_place(judge, library, place)
    return problems


def why_not_local(judge, study=None):
    """Say why the study does not let the judge ask its endpoint; blank where it does.

    study: with unsaved settings, such as a file's; else they are read as they are now.
    """
    host = host_of(judge.endpoint.base_url) if judge.endpoint else ""
    if not host or is_local(host):
        return ""
    if study is None:
        study = Study.objects.filter(pk=judge.study_id).only("extra").first()
    wants_local = study is not None and study.extra.get(LOCAL_ONLY)
    return NOT_LOCAL.format(judge.endpoint.key, host) if wants_local else ""


def _no_place(judge, library, place):
    names = library.names(judge.method)
    fitting = [name for name in names if library.load(name).has(place)]
    article = "an" if place[0] in "aeiou" else "a"
    return NO_PLACE.format(judge.prompt, article, place, " or ".join(fitting))
