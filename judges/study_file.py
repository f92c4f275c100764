"""The whole of study.yaml: annotate's half and the judges."""

from annotate.study_file import as_yaml, study_data
from judges.models import Judge


def study_yaml(study):
    """The text of a study's file; loading it changes nothing."""
    data = study_data(study, study.questions.all())
    if judges := [_judge(judge) for judge in _judges(study)]:
        data["judges"] = judges
    return as_yaml(data)


def _judges(study):
    return Judge.objects.filter(study=study).select_related("endpoint").order_by("pk")


def _judge(judge):
    data = {"judge": judge.key, "kind": judge.kind}
    if judge.kind == Judge.Kind.LLM:
        data |= {"endpoint": judge.endpoint.key, "prompt": judge.prompt}
    return data | {
        "aspects": judge.aspects,
        "temperature": judge.temperature,
        "rationale": judge.rationale,
        "max_tokens": judge.max_tokens,
    }
