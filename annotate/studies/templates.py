"""Create studies from templates. A template is a plain study.yaml, read as an upload is."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.db import transaction

from annotate.design.access import make_owner
from annotate.design.platform import without_codes
from annotate.design.retention import DELETE_ON
from annotate.files.reading import Problems
from annotate.files.reading.studyfile import ADAPTIVE, NUMBERS, TEXTS, StudyFile, read_study
from annotate.flow.around import forgotten_items
from annotate.models import Question, Study
from annotate.studies.edit import follow_questions
from annotate.values.languages import ENGLISH

FOLDER = Path(__file__).parent / "study_templates"
# In the order of the page.
NAMES = (
    "explanations-four",
    "explanations-seven",
    "podcast-lists",
    "statement-support",
    "factuality",
    "blank",
)


@dataclass(frozen=True)
class StudyTemplate:
    """A study.yaml of the project; its first comment lines are its title and its purpose."""

    name: str
    title: str
    about: str
    read: StudyFile

    def questions(self, study=None):
        """Return its questions, unsaved."""
        return [Question(study=study, **spec) for spec in self.read.questions or ()]


@cache
def study_templates(language=ENGLISH):
    """Return {name: StudyTemplate} for studies in that language, in their order.

    Templates stand in a folder for each language they are written in; where one is missing there,
    it is the English one, with the labels of its ready-made scales in the language.
    """
    return {name: _template(_path(name, language), language) for name in NAMES}


def _path(name, language):
    own = FOLDER / language / f"{name}.yaml"
    return own if own.exists() else FOLDER / f"{name}.yaml"


def _template(path, language):
    problems = Problems()
    read = read_study(path, path.name, problems, language)
    if read is None or problems:
        raise ValueError(f"{path.name}: {'; '.join(map(str, problems.shown))}")
    read.fields["language"] = language
    lines = path.read_text(encoding="utf-8").splitlines()
    title, *about = [line.removeprefix("# ") for line in lines if line.startswith("# ")]
    return StudyTemplate(path.stem, title, " ".join(about), read)


def template_of(study):
    """Return a study's settings and questions as a template.

    The copy gets new codes, and nobody deletes it on the day of the original.
    """
    own = ("title", "completion_code")
    texts = (key for key in TEXTS if key not in own)
    kept = ("kind", "language", "media_hosts", *NUMBERS, ADAPTIVE, *texts)
    fields = {key: getattr(study, key) for key in kept}
    extra = forgotten_items(without_codes(study.extra))
    fields["extra"] = {key: value for key, value in extra.items() if key != DELETE_ON}
    names = ("key", "text", "scale_spec", "required", "applies_to", "position", "why")
    questions = list(study.questions.filter(retired=False).values(*names))
    return StudyTemplate("", study.title, "", StudyFile(fields=fields, questions=questions))


@transaction.atomic
def make_study(template, slug, title, owner):
    """Create owner's study with the template's settings and questions, without items."""
    study = Study.objects.create(slug=slug, **template.read.fields | {"title": title})
    Question.objects.bulk_create(template.questions(study))
    follow_questions(study)
    make_owner(study, owner)
    return study
