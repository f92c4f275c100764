"""Change what a study sets about its sessions; gold items have no places, so places follow."""

from copy import deepcopy

from django.db import transaction

from annotate.design import checks
from annotate.files.loading.placing import drop_open, give_places
from annotate.flow import around
from annotate.models import Study


@transaction.atomic
def change(study, alter):
    """Let alter(extra) change the study's present keys, one editor at a time."""
    locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    before = checks.gold_keys(locked)
    locked.extra = deepcopy(locked.extra)
    alter(locked.extra)
    locked.save(update_fields=["extra"])
    study.extra = locked.extra
    if (now := checks.gold_keys(locked)) != before:
        # Who holds a place of an item that is gold from now on answers it as before.
        drop_open(locked.places.filter(item__key__in=now))
        give_places(locked, locked.items.with_places().filter(key__in=before - now))


def follow_questions(study, renamed=None):
    """Drop right and expected answers to questions that are gone, or lack the value now.

    Those to retired questions stay: these may be asked again, and sessions of earlier versions
    still are. renamed: (old key, new key) of a question.
    """
    old, new = renamed or ("", "")
    scales = {question.key: question.scale for question in study.questions.all()}
    extra = Study.objects.get(pk=study.pk).extra
    kept: dict = {"gold": [], around.PRACTICE: []}
    for name, entries in kept.items():
        for entry in extra.get(name) or ():
            answers = {(new if k == old else k): v for k, v in entry.get("answers", {}).items()}
            fits = {k: v for k, v in answers.items() if k in scales and _fits(scales[k], v)}
            bare = {key: value for key, value in entry.items() if key != "answers"}
            # A gold item is none without a right answer; one for practice is.
            if fits or name != "gold":
                entries.append(bare | ({"answers": fits} if fits else {}))
    changed = {name: some for name, some in kept.items() if some != (extra.get(name) or [])}
    if changed:
        change(study, lambda extra: extra.update(changed))


def _fits(scale, value):
    """Return whether a value is an answer: a number, or for practice the words of a point."""
    if not scale.has_values:
        return False
    try:
        scale.parse(value)
    except ValueError:
        return False
    return True


def put_entry(extra, key, name, entry, old=""):
    """Put the entry into a list of the study's keys, in place of the entry called `old`."""
    entries = list(extra.get(key) or ())
    places = [place for place, present in enumerate(entries) if present[name] == old]
    if places:
        entries[places[0]] = entry
    else:
        entries.append(entry)
    extra[key] = entries


def drop_entry(extra, key, name, which):
    """Remove the entry with that name."""
    extra[key] = [entry for entry in extra.get(key) or () if entry[name] != which]
