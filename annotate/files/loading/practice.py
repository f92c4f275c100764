"""The items of a study that are for practice: those have no places for raters to claim."""

from django.db import transaction
from django.db.models import Q

from annotate.design import around
from annotate.files.loading.common import silent_rows
from annotate.files.loading.placing import drop_open, give_places
from annotate.files.reading import aroundkeys
from annotate.models import Study


def check_practice(loading, name):
    """The practice of the file, or of the study, has to fit its items and questions."""
    practice = around.practice_of(loading.study)
    # A study.yaml may begin a study whose items come later.
    if not practice or not loading.items or loading.problems:
        return
    keys = {one.item for one in practice}
    parents = _parents(loading, keys)
    kinds = {key: loading.kinds[key] for key in keys - parents.keys() if key in loading.kinds}
    parts: dict = {key: {} for key in kinds}
    for part, parent in parents.items():
        if parent in parts and part in loading.kinds:
            parts[parent][part] = loading.kinds[part]
    if wrong := aroundkeys.misfit(practice, loading.questions.values(), kinds, parts):
        loading.problems.add(name, wrong.words, None, around.PRACTICE)


def _parents(loading, keys):
    """{item: its parent} of those parts that have to do with these items."""
    found = {}
    if not loading.is_new:
        old = loading.study.items.filter(Q(key__in=keys) | Q(parent__key__in=keys))
        found = dict(old.exclude(parent=None).values_list("key", "parent__key"))
    if "items" in loading.files:
        for _, row in silent_rows(loading.files["items"]):
            if row["parent"] is not None and keys & {row["item"], row["parent"]}:
                found[row["item"]] = row["parent"]
    return found


def write_practice(loading):
    """After everything else of a load: places that it made for items for practice go again."""
    study = loading.study
    if around.practice_of(study) or study.items.filter(is_practice=True).exists():
        mark_items(study)


@transaction.atomic
def mark_items(study):
    """The items that the study names are for practice, no others; places go and come with it.

    Who holds a place of such an item keeps it; what was rated on it before stays.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    wanted = [one.item for one in around.practice_of(study)]
    new = study.items.filter(key__in=wanted, parent=None, is_practice=False)
    old = study.items.filter(is_practice=True).exclude(key__in=wanted)
    freed = list(old.values_list("pk", flat=True))
    new.update(is_practice=True)
    drop_open(study.places.filter(item__in=study.items.filter(is_practice=True)))
    freed = study.items.filter(pk__in=freed)
    freed.update(is_practice=False)
    give_places(study, freed)
