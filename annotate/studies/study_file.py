"""Write a study as study.yaml; annotate/files/reading/studyfile.py makes the same study of it."""

import yaml

from annotate.files.reading.studyfile import NUMBERS, TEXTS, VERSION
from annotate.files.reading.studyspec import StudySpec
from annotate.models import Question
from annotate.values.scales import spec_of

LONG = [key for key in TEXTS if key not in ("title", "completion_code")]  # they stand at the end


def study_data(study, questions):
    """Return the study's half of the file, in the order of a file that people write."""
    data = {"study": study.slug, "title": study.title, "kind": str(study.kind)}
    data["language"] = study.language
    if not study.is_open:
        data["state"] = str(study.state)
    data |= {key: getattr(study, key) for key in (*NUMBERS, "completion_code")}
    if study.adaptive_from:
        data["adaptive_from"] = study.adaptive_from
    data["media_hosts"] = study.media_hosts
    if study.split:
        data["split"] = {key: study.split[key] for key in ("seed", "share")}
    # Left out where there is none: an empty list is no questionnaire.
    data[VERSION] = study.questionnaire_version
    if questions:
        data["questions"] = [question_data(question, study.language) for question in questions]
    data |= {
        key: study.extra[key] for key in StudySpec.kept_keys() if study.extra.get(key) is not None
    }
    return data | {key: getattr(study, key) for key in LONG}


def question_data(question, language):
    """Return a question's entry of the file."""
    data = {
        "key": question.key,
        "text": question.text,
        "scale": spec_of(question.scale, language),
        "required": question.required,
    }
    if question.applies_to:
        data["applies_to"] = question.applies_to
    if question.why:
        data["why"] = True if question.why == Question.Why.OPTIONAL else str(question.why)
    return data | ({"retired": True} if question.retired else {})


class _Dumper(yaml.SafeDumper):
    """Write plain data as the reader takes it: no aliases.

    Long texts are blocks, short lists a line.
    """

    def ignore_aliases(self, data):
        return True


def _text(dumper, text):
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, _style(text))


def _style(text):
    """Return the style of a block for lines of text.

    Escapes in quotation marks where lines would not come back as they were.
    """
    lines = text.split("\n")
    if any(not line.isprintable() or line != line.rstrip() for line in lines):
        return '"'
    return "|" if len(lines) > 1 else None


def _list(dumper, entries):
    in_line = not any(isinstance(entry, list | dict) for entry in entries)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", entries, flow_style=in_line)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(list, _list)


def as_yaml(data):
    """Return the text of the file."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=float("inf"))
