"""Versions of a questionnaire: what each asks, how a new one begins, what changed between them.

The questions' rows say what the present version asks. What an earlier one asked is kept as it was
when the next one began; a question is the same one in all of them by its key.
"""

from dataclasses import dataclass

from django.db.models import Count, F

from annotate.models import Question, QuestionnaireVersion, Rating, Session

FIELDS = ("text", "scale_spec", "required", "applies_to", "position", "why", "retired")


def kept(study):
    """The questions as they are, to be kept as a version."""
    return list(study.questions.values("key", *FIELDS))


def as_it_was(question, entry):
    """The question as an entry of a kept version says it; its key is its own."""
    said = {name: entry[name] for name in FIELDS if name in entry}
    return Question(pk=question.pk, study_id=question.study_id, key=question.key, **said)


def questions_of(study, version=None):
    """All questions of a version of a study in their order, those that are retired too.

    Without a version the present ones. Which one is present is read with the questions: a version
    that begins meanwhile changes both at once. A version that nobody kept is the present one.
    """
    present = F("study__questionnaire_version")
    questions = list(Question.objects.filter(study=study).annotate(present=present))
    if version is None or not questions or version == questions[0].present:
        return questions
    found = QuestionnaireVersion.objects.filter(study=study, number=version).first()
    if found is None:
        return questions
    by_key = {question.key: question for question in questions}
    entries = [entry for entry in found.questions if entry["key"] in by_key]
    return [as_it_was(by_key[entry["key"]], entry) for entry in entries]


def asked(study, version=None):
    """The questions that a version asks, in their order."""
    return [question for question in questions_of(study, version) if not question.retired]


def begin(study, user=None):
    """Keeps the questions as they are as a version; the next one begins with the same questions.

    Call it inside a transaction that has locked the study.
    """
    QuestionnaireVersion.objects.create(
        study=study, number=study.questionnaire_version, questions=kept(study), replaced_by=user
    )
    study.questionnaire_version += 1
    study.save(update_fields=["questionnaire_version"])


def may_give_up(study):
    """Whether it is known what the version before asked."""
    return study.versions.filter(number=study.questionnaire_version - 1).exists()


def give_up(study):
    """Back to the version before; the present one may have no answers.

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
    """Keys of the questions of earlier versions: rows that stay, whatever becomes of them."""
    return {entry["key"] for each in study.versions.all() for entry in each.questions}


def same_values(scale, other):
    """Whether a value means the same on both scales: only the words of points may differ."""
    if (scale.kind, scale.low, scale.high) != (other.kind, other.low, other.high):
        return False
    # The options of a choice are its values.
    return scale.kind != "choice" or list(scale.labels) == list(other.labels)


@dataclass(frozen=True)
class Change:
    """One thing that differs between two versions; key is blank where it is about all."""

    key: str
    what: str
    before: str = ""
    after: str = ""


@dataclass
class Version:
    """One version as its page shows it: what it has and what it changed of the one before."""

    number: int
    is_present: bool
    replaced_at: object = None
    replaced_by: object = None
    answers: int = 0
    at_work: int = 0
    is_known: bool = True
    changes: tuple = ()


def history(study):
    """All versions of a study, the newest first, without the numbers of judges."""
    kept_ones = {each.number: each for each in study.versions.select_related("replaced_by")}
    answers = Rating.objects.filter(session__study=study).order_by().values_list("session__version")
    answers = dict(answers.annotate(n=Count("pk")))
    running = study.sessions.filter(state=Session.State.RATING).order_by().values_list("version")
    running = dict(running.annotate(n=Count("pk")))
    wording = {number: each.questions for number, each in kept_ones.items()}
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
    """The Changes that lead from the entries of one version to those of the next."""
    if before is None or after is None:
        return []
    old = {entry["key"]: _words(entry) for entry in before}
    new = {entry["key"]: _words(entry) for entry in after}
    found = [
        Change(key, "added", "", said["wording"]) for key, said in new.items() if key not in old
    ]
    for key, said in new.items():
        for what, words in said.items():
            if key in old and words != old[key].get(what, ""):
                found.append(Change(key, what, old[key].get(what, ""), words))
    return found + _moved(before, after)


def _words(entry):
    """What a version says of a question, each thing in words."""
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
    """A change of the order of those that both ask."""
    orders = [
        [
            entry["key"]
            for entry in sorted(some, key=lambda each: each["position"])
            if not entry.get("retired")
        ]
        for some in (before, after)
    ]
    old, new = (
        [key for key in order if key in set(orders[0]) & set(orders[1])] for order in orders
    )
    return [Change("", "order", ", ".join(old), ", ".join(new))] if old != new else []
