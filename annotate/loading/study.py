"""The study itself and its questionnaire."""

from annotate.loading.common import Counts
from annotate.models import Question, Study

FILE = "study.yaml"
ASKED = ("text", "scale_spec", "required", "applies_to", "position")


def check_study(loading, read, name=FILE):
    """Sets the file's fields on the unsaved study; a questionnaire with answers may not change."""
    study = loading.study
    counts = loading.counts["study"] = Counts(rows=1)
    # A file that says nothing about a key of extra leaves what a page has set.
    fields = read.fields | {"extra": study.extra | read.fields.get("extra", {})}
    changed = [key for key, value in fields.items() if getattr(study, key) != value]
    if "raters_per_item" in changed:
        loading.more_places = True
    for key in changed:
        setattr(study, key, fields[key])
    if loading.is_new:
        study.title = study.title or study.slug
    _count(counts, loading.is_new, changed)
    if read.questions is not None:
        _check_questions(loading, read.questions, name)
    elif loading.is_new:
        loading.problems.add(name, "is missing; a new study needs questions", None, "questions")


def _count(counts, new, changed):
    counts.new += new
    counts.changed += bool(changed and not new)
    counts.unchanged += not (changed or new)


def _check_questions(loading, wanted, name):
    existing = {} if loading.is_new else {q.key: q for q in loading.study.questions.all()}
    counts = loading.counts["questions"] = Counts(rows=len(wanted))
    changed = []
    for spec in wanted:
        old = existing.get(spec["key"])
        differs = [] if old is None else [key for key in ASKED if getattr(old, key) != spec[key]]
        _count(counts, old is None, differs)
        if old is None or differs:
            changed.append(spec["key"])
    changed += existing.keys() - {spec["key"] for spec in wanted}
    if changed and existing and loading.answers.exist(loading.study):
        loading.problems.add(
            name,
            f"found changes of {', '.join(sorted(changed))}; the questionnaire is frozen because "
            "there are answers to it: make a new study for a changed one",
            None,
            "questions",
        )
    loading.questions = {
        spec["key"]: Question(study=loading.study, pk=_pk(existing, spec), **spec)
        for spec in wanted
    }


def _pk(existing, spec):
    return existing[spec["key"]].pk if spec["key"] in existing else None


def write_study(loading):
    """Saves the study and its questions; questions that the file no longer has are removed."""
    loading.study.loads += loading.changes
    loading.study.save()
    if "questions" not in loading.counts:
        return
    counts = loading.counts["questions"]
    stay = [question.pk for question in loading.questions.values() if question.pk]
    loading.study.questions.exclude(pk__in=stay).delete()
    if counts.new or counts.changed:
        for question in loading.questions.values():
            question.study = loading.study
            question.save()


def find_study(slug, lock=False):
    """The study of that slug, or a new one that is not saved yet.

    lock: two loads of one study wait for one another (on SQLite they wait at BEGIN already). Not
    its key: raters go on joining.
    """
    studies = Study.objects.select_for_update(no_key=True) if lock else Study.objects
    return studies.filter(slug=slug).first() or Study(slug=slug)
