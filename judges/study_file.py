"""The whole of study.yaml: annotate's half and the judges."""

from annotate.study_file import as_yaml, study_data
from judges.loading.judges import keys_of
from judges.models import Judge


def study_yaml(study):
    """The text of a study's file; loading it changes nothing."""
    data = study_data(study, study.questions.all())
    if judges := [_judge(judge) for judge in _judges(study)]:
        data["judges"] = judges
    return as_yaml(data)


def _judges(study):
    judges = Judge.objects.filter(study=study).select_related("endpoint")
    return judges.prefetch_related("members").order_by("pk")


def _judge(judge):
    data = {"judge": judge.key, "kind": str(judge.kind)}
    return data | {key: _setting(judge, key) for key in keys_of(judge.kind) if key not in data}


def _setting(judge, key):
    if key == "endpoint":
        return judge.endpoint.key
    if key == "members":
        return [member.key for member in judge.members.all()]
    return getattr(judge, key)
