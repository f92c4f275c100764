"""Write study.yaml: annotate's half, the study's own prompts and the judges."""

from annotate.studies.study_file import as_yaml, study_data
from judges.files.judges import keys_of
from judges.models import Judge
from judges.prompting.own import of_study


def study_yaml(study):
    """Return the text of a study's file; loading it changes nothing."""
    data = study_data(study, study.questions.all())
    if prompts := [prompt_data(prompt) for prompt in of_study(study.pk)]:
        data["prompts"] = prompts
    if judges := [judge_data(judge) for judge in _judges(study)]:
        data["judges"] = judges
    return as_yaml(data)


def prompt_data(prompt):
    """Return a prompt as its entry of the file."""
    return {"prompt": prompt.key, "method": str(prompt.method), "text": prompt.text}


def _judges(study):
    judges = Judge.objects.filter(study=study).select_related("endpoint")
    return judges.prefetch_related("members").order_by("pk")


def judge_data(judge):
    """Return a judge as its entry of the file."""
    data = {"judge": judge.key, "kind": str(judge.kind)}
    return data | {
        key: _setting(judge, key) for key in keys_of(judge.kind, judge.method) if key not in data
    }


def _setting(judge, key):
    if key == "endpoint":
        return judge.endpoint.key
    if key == "members":
        return [member.key for member in judge.members.all()]
    if key in judge.settings_class.model_fields:
        return judge.settings.entry[key]
    return getattr(judge, key)
