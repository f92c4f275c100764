"""Mark a study's practice items, which have no places for raters to claim."""

from django.db import transaction
from django.db.models import Q

from annotate.design.expected import misfit
from annotate.files.loading.common import silent_rows
from annotate.files.loading.placing import drop_open, give_places
from annotate.flow import around
from annotate.models import Study


def check_practice(loading, name):
    """Check that the practice of the file, or of the study, fits its items and questions."""
    practice = around.practice_of(loading.study)
    # A study.yaml may begin a study whose items come later.
    if not practice or not loading.items or loading.problems:
        return
    keys = {entry.item for entry in practice}
    parents = _parents(loading, keys)
    kinds = {key: loading.kinds[key] for key in keys - parents.keys() if key in loading.kinds}
    parts: dict = {key: {} for key in kinds}
    for part, parent in parents.items():
        if parent in parts and part in loading.kinds:
            parts[parent][part] = loading.kinds[part]
    if wrong := misfit(practice, loading.questions.values(), kinds, parts):
        loading.problems.add(name, wrong.words, None, around.PRACTICE)


def _parents(loading, keys):
    """Return {part: its parent} of the parts that have to do with these items."""
    parent_by_part = {}
    if not loading.is_new:
        old = loading.study.items.filter(Q(key__in=keys) | Q(parent__key__in=keys))
        parent_by_part = dict(old.exclude(parent=None).values_list("key", "parent__key"))
    if "items" in loading.files:
        for _, row in silent_rows(loading.files["items"]):
            if row["parent"] is not None and keys & {row["item"], row["parent"]}:
                parent_by_part[row["item"]] = row["parent"]
    return parent_by_part


def write_practice(loading):
    """Mark the practice items at the end of a load, and drop the places that it gave them."""
    study = loading.study
    if around.practice_of(study) or study.items.filter(is_practice=True).exists():
        mark_items(study)


@transaction.atomic
def mark_items(study):
    """Mark exactly the items that the study names for practice; drop or give back their places.

    Raters who hold a place of such an item keep it; what was rated on it before stays.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    wanted = [entry.item for entry in around.practice_of(study)]
    new = study.items.filter(key__in=wanted, parent=None, is_practice=False)
    old = study.items.filter(is_practice=True).exclude(key__in=wanted)
    freed = list(old.values_list("pk", flat=True))
    new.update(is_practice=True)
    drop_open(study.places.filter(item__in=study.items.filter(is_practice=True)))
    freed = study.items.filter(pk__in=freed)
    freed.update(is_practice=False)
    give_places(study, freed)
