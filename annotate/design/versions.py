"""Keep versions of a questionnaire: what each asks, how a new version begins, what changed.

The questions' rows say what the present version asks. What an earlier version asked is kept as it
was when the next began; a question keeps its key, and so its identity, in all versions.
"""

from dataclasses import dataclass

from django.db.models import Count, F

from annotate.models import Question, QuestionnaireVersion, Rating, Session

FIELDS = ("text", "scale_spec", "required", "applies_to", "position", "why", "retired")


def kept(study):
    """Return the present questions in the form in which a version keeps them."""
    return list(study.questions.values("key", *FIELDS))


def as_it_was(question, entry):
    """Return the question as an entry of a kept version describes it; it keeps its key."""
    fields = {name: entry[name] for name in FIELDS if name in entry}
    return Question(pk=question.pk, study_id=question.study_id, key=question.key, **fields)


def questions_of(study, version=None):
    """Return all questions of a version of a study in their order, the retired ones too.

    By default the present version. Which version is present is read with the questions: a version
    that begins meanwhile changes both at once. A version that nobody kept is the present version.
    """
    present = F("study__questionnaire_version")
    questions = list(Question.objects.filter(study=study).annotate(present=present))
    if version is None or not questions or version == questions[0].present:
        return questions
    earlier = QuestionnaireVersion.objects.filter(study=study, number=version).first()
    if earlier is None:
        return questions
    by_key = {question.key: question for question in questions}
    entries = [entry for entry in earlier.questions if entry["key"] in by_key]
    return [as_it_was(by_key[entry["key"]], entry) for entry in entries]


def asked(study, version=None):
    """Return the questions that a version asks, in their order."""
    return [question for question in questions_of(study, version) if not question.retired]


def begin(study, user=None):
    """Keep the present questions as a version; the next version begins with the same questions.

    Call it inside a transaction that has locked the study.
    """
    QuestionnaireVersion.objects.create(
        study=study, number=study.questionnaire_version, questions=kept(study), replaced_by=user
    )
    study.questionnaire_version += 1
    study.save(update_fields=["questionnaire_version"])


def may_give_up(study):
    """Return whether the version before was kept, so that it can come back."""
    return study.versions.filter(number=study.questionnaire_version - 1).exists()


def give_up(study):
    """Go back to the version before; the present version must have no answers.

    Call it inside a transaction that has locked the study.
    """
    before = study.versions.get(number=study.questionnaire_version - 1)
    entries = {entry["key"]: entry for entry in before.questions}
    study.questions.exclude(key__in=entries).delete()
    for question in study.questions.all():
        as_it_was(question, entries[question.key]).save()
    # Who has begun with it goes on with what it was.
    study.sessions.filter(version=study.questionnaire_version).update(version=before.number)
    before.delete()
    study.questionnaire_version = before.number
    study.save(update_fields=["questionnaire_version"])


def kept_keys(study):
    """Return the keys of the questions of earlier versions, whose rows must never be deleted."""
    return {entry["key"] for version in study.versions.all() for entry in version.questions}


def same_values(scale, other):
    """Return whether a value means the same on both scales: only the words of points may differ."""
    if (scale.kind, scale.low, scale.high) != (other.kind, other.low, other.high):
        return False
    # The options of a choice are its values.
    return not scale.is_nominal or list(scale.labels) == list(other.labels)


@dataclass(frozen=True)
class Change:
    """A difference between two versions; key is blank where it is about all questions."""

    key: str
    what: str
    before: str = ""
    after: str = ""


@dataclass
class Version:
    """A version as its page shows it: its answers, and its changes to the version before."""

    number: int
    is_present: bool
    replaced_at: object = None
    replaced_by: object = None
    answers: int = 0
    at_work: int = 0
    is_known: bool = True
    changes: tuple = ()


def history(study):
    """Return all versions of a study, the newest first, without the numbers of judges."""
    kept_ones = {
        version.number: version for version in study.versions.select_related("replaced_by")
    }
    answers = Rating.objects.filter(session__study=study).order_by().values_list("session__version")
    answers = dict(answers.annotate(n=Count("pk")))
    running = study.sessions.filter(state=Session.State.RATING).order_by().values_list("version")
    running = dict(running.annotate(n=Count("pk")))
    wording = {number: version.questions for number, version in kept_ones.items()}
    wording[study.questionnaire_version] = kept(study)
    return [
        Version(
            number=number,
            is_present=number == study.questionnaire_version,
            replaced_at=getattr(kept_ones.get(number), "replaced_at", None),
            replaced_by=getattr(kept_ones.get(number), "replaced_by", None),
            answers=answers.get(number, 0),
            at_work=running.get(number, 0),
            is_known=number in wording,
            changes=tuple(changes(wording.get(number - 1), wording.get(number))),
        )
        for number in range(study.questionnaire_version, 0, -1)
    ]


def changes(before, after):
    """List the Changes that lead from the entries of one version to those of the next."""
    if before is None or after is None:
        return []
    old = {entry["key"]: _words(entry) for entry in before}
    new = {entry["key"]: _words(entry) for entry in after}
    differences = [
        Change(key, "added", "", descriptions["wording"])
        for key, descriptions in new.items()
        if key not in old
    ]
    for key, descriptions in new.items():
        for what, words in descriptions.items():
            if key in old and words != old[key].get(what, ""):
                differences.append(Change(key, what, old[key].get(what, ""), words))
    return differences + _moved(before, after)


def _words(entry):
    """Describe a question of a version in words: {property: words}."""
    question = Question(key=entry["key"], **{name: entry[name] for name in FIELDS if name in entry})
    kinds = ", ".join(question.kinds)
    return {
        "wording": question.text,
        "scale": question.scale.summary,
        "words of the scale": " / ".join(map(str, question.scale.labels)),
        "answer": "required" if question.required else "optional",
        "asked about": kinds or "every item",
        "why": question.get_why_display().lower(),
        "asked": "no: retired" if question.retired else "yes",
    }


def _moved(before, after):
    """Return the change of the order of the questions that both versions ask, in a list."""
    orders = [
        [
            entry["key"]
            for entry in sorted(some, key=lambda asked_entry: asked_entry["position"])
            if not entry.get("retired")
        ]
        for some in (before, after)
    ]
    old, new = (
        [key for key in order if key in set(orders[0]) & set(orders[1])] for order in orders
    )
    return [Change("", "order", ", ".join(old), ", ".join(new))] if old != new else []
