"""Read study.yaml: a study's settings, its questionnaire and its judges, with line numbers."""

from dataclasses import dataclass, field
from operator import itemgetter

from django.conf import settings
from pydantic import ValidationError

from annotate.files.reading.encoding import refusal
from annotate.files.reading.faults import faults
from annotate.files.reading.spec import WORDS, line_at
from annotate.files.reading.studyspec import StudySpec
from annotate.files.reading.yamlfile import Mapping, read_yaml
from annotate.values.languages import ENGLISH

TEXTS = ("title", "notice", "consent", "instructions", "completion_code")
NUMBERS = (
    "raters_per_item",
    "raters_per_item_max",
    "items_per_session",
    "hold_minutes",
    "show_history",
)
VERSION, ADAPTIVE, SPLIT = "questionnaire_version", "adaptive_from", "split"
FIELDS = (*TEXTS, *NUMBERS, "media_hosts", "kind", "language", "state", ADAPTIVE)
LARGEST = 2 * 1024 * 1024  # bytes; YAML is read letter by letter


@dataclass
class StudyFile:
    """The contents of study.yaml; fields and questions are ready to be set on the models."""

    slug: str = ""
    fields: dict = field(default_factory=dict)
    questions: list[dict] | None = None
    version: int | None = None
    split: tuple | None = None
    prompts: list[Mapping] = field(default_factory=list)
    judges: list[Mapping] = field(default_factory=list)


def read_study(path, name, problems, language=ENGLISH):
    """Read the StudyFile and note problems; None if the file cannot be read at all.

    language: that of ready-made scales where the file names none.
    """
    if refused := refusal(path, LARGEST):
        problems.add(name, refused[0], refused[1])
        return None
    mapping = read_yaml(path, name, problems)
    if mapping is None:
        return None
    code = str(mapping.get("language") or language).lower()
    code = code if code in dict(settings.LANGUAGES) else ENGLISH
    try:
        return _study_file(StudySpec.model_validate(mapping, context=code))
    except ValidationError as error:
        _note(error, mapping, name, problems)
        return StudyFile(slug=str(mapping.get("study") or "").strip())


def _note(error, mapping, name, problems):
    """Note the faults of a file in the order of its lines."""
    noted = []
    for place, message in faults(error, StudySpec, WORDS):
        column = [part for part in place if isinstance(part, str)][-1]
        noted.append((line_at(mapping, place), column, message))
    for line, column, message in sorted(noted, key=itemgetter(0)):
        problems.add(name, message, line, column)


def _study_file(spec):
    given = spec.model_fields_set
    return StudyFile(
        slug=spec.study,
        fields=spec.given(FIELDS) | {"extra": spec.as_extra()},
        questions=[question.as_fields(n) for n, question in enumerate(spec.questions)]
        if "questions" in given
        else None,
        version=spec.questionnaire_version if VERSION in given else None,
        split=spec.split,
        prompts=spec.prompts,
        judges=spec.judges,
    )
