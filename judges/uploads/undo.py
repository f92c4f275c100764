"""Take back what a load brought: its rows go, but for those that somebody has used since.

A row is in use where another row refers to it: a rating of a loaded item, a place that a rater
holds, a judgment of it, an example in a prompt. Those that refer are looked for in all models, so
a feature that comes to use items holds them without a word here.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from django.apps import apps
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, Sum
from django.utils import timezone

from annotate.design.checks import gold_keys
from annotate.files.loading.placing import drop_open, want_raters
from annotate.files.loading.study import find_study
from annotate.models import (
    Content,
    ExcludedRater,
    FileLoad,
    Interaction,
    Item,
    Place,
    Rater,
    Rating,
    Recipient,
    Session,
    StoppingPlan,
    Study,
    System,
)
from annotate.raters.preview import remove as remove_previews
from judges.models import Judge, JudgeStep, Judgment, Material, Run
from judges.removal.delete import leave_trace

FILLED = str(Place.State.FILLED)
CATALOGUE = {"contents": Content, "recipients": Recipient, "systems": System}


@dataclass
class Undo:
    """What undoing a load takes away, by table, and what stays, in sentences."""

    going: dict[str, int] = field(default_factory=dict)
    staying: list[str] = field(default_factory=list)

    @property
    def rows(self):
        """Return (table, rows) pairs; a template cannot ask a dict that has a key "items"."""
        named = {1: slice(-1)}  # 1 item, 2 items
        return [(table[named.get(rows, slice(None))], rows) for table, rows in self.going.items()]

    def count(self, table, rows):
        """Note how many rows of a table go."""
        if rows:
            self.going[table] = self.going.get(table, 0) + rows

    def keep(self, count, what, why):
        """Note how many rows stay, and what holds them."""
        if count:
            verb = "stays" if count == 1 else "stay"
            plural = "" if count == 1 else "s"
            self.staying.append(f"{count:,} {what}{plural} {verb}: {why}.")


class _Rolled(Exception):
    """Ends a transaction that was only a preview."""


def preview(load):
    """Return the Undo of a load without doing it: it is done, and rolled back."""
    try:
        with transaction.atomic():
            undone = _undo(load, None)
            raise _Rolled
    except _Rolled:
        return undone


def undo(load, user):
    """Take back a load in one transaction; return the Undo, or None where somebody was faster.

    Raises IntegrityError where a row came into use meanwhile: then nothing is taken back.
    """
    with transaction.atomic():
        find_study(load.study.slug, lock=True)
        fresh = FileLoad.objects.select_for_update().get(pk=load.pk)
        if fresh.undone_at is not None:
            return None
        undone = _undo(fresh, user)
        fresh.undone_at, fresh.undone_by = timezone.now(), user.get_username()
        fresh.undone = undone.going
        fresh.save()
        Study.objects.filter(pk=fresh.study_id).update(loads=F("loads") + 1)
        return undone


def _undo(load, user):
    undone = Undo()
    remove_previews(load.study.previews.all())  # they name its items' contents and systems
    _judgments(load, undone, user)
    _ratings(load, undone)
    _items(load, undone)
    _raters(load, undone)
    rows = Interaction.objects.filter(study=load.study, load=load.pk)
    undone.count("interactions", _delete(rows))
    for table, model in CATALOGUE.items():
        rows = model._default_manager.filter(study=load.study, load=load.pk)
        unused = rows.exclude(_used(model))
        undone.count(table, _delete(unused))
        undone.keep(rows.count(), table[:-1], "items or histories name them")
    undone.keep(load.changed, "changed row", "what stood there before was not kept")
    return undone


def _delete(rows):
    return rows._raw_delete(rows.db)


def _used(model, but=()):
    """Return the condition that some row refers to a row of the model; not of the models in but."""
    used = Q(pk__in=[])
    for other in apps.get_models(include_auto_created=True):
        for column in other._meta.concrete_fields:
            if column.is_relation and column.related_model is model and other not in but:
                referring = other._base_manager.filter(**{column.name: OuterRef("pk")})
                used |= Q(Exists(referring))
    return used


# Judgments


def _judgments(load, undone, user):
    """Delete the load's judgments and the runs that have nothing left; hide such judges.

    A judge that was tried stays in the verdict's family: the questions on which it has no answer
    any more are kept in its row, which stays as a trace. Deleted judges are judges here too.
    """
    rows = Judgment.objects.filter(load=load.pk, run__judge__study=load.study)
    ensembles = Judge.with_deleted.filter(
        study=load.study, members__isnull=False, gone_pairs__isnull=True
    )
    members = set(ensembles.values_list("members", flat=True))
    held = rows.filter(run__judge__in=members)
    names = sorted(set(held.values_list("run__judge__key", flat=True)))
    undone.keep(held.count(), "judgment", f"an ensemble is made of {', '.join(names)}")
    going = rows.exclude(run__judge__in=members)
    runs = set(going.order_by().values_list("run", flat=True).distinct())
    sizes = dict(going.order_by().values_list("run__judge").annotate(n=Count("pk")))
    before = _answered(sizes)
    undone.count("judgments", _delete(Judgment.objects.filter(pk__in=going.values("pk"))))
    _delete(Run.objects.filter(pk__in=runs).exclude(_used(Run)))
    for run in Run.objects.filter(pk__in=runs):
        run.spent_usd = run.judgments.aggregate(spent=Sum("cost_usd"))["spent"] or 0
        run.save(update_fields=["spent_usd"])
    _keep_traces(load, before, sizes, undone, user)


def _keep_traces(load, before, sizes, undone, user):
    """Note which questions judges have no answer on any more, and hide judges without any row.

    before: {judge id: Counter of the questions that it answered}; sizes: {judge id: judgments that
    went}.
    """
    after = _answered(sizes)
    judges = list(Judge.with_deleted.filter(pk__in=sizes))
    for judge in judges:
        judge.undone_pairs += sorted((before[judge.pk] - after[judge.pk]).elements())
    Judge.with_deleted.bulk_update(judges, ["undone_pairs"])
    imported = Judge.with_deleted.filter(pk__in=sizes, kind=Judge.Kind.IMPORTED)
    unused = list(imported.exclude(_used(Judge, but=(JudgeStep, Judge))))
    for judge in unused:
        leave_trace(judge, sizes[judge.pk], f"Load {load.pk} was undone.", user)
    undone.count("judges", len([judge for judge in unused if not judge.deleted_at]))
    if any(judge.undone_pairs for judge in judges):
        these = "this judge" if len(judges) == 1 else f"these {len(judges)} judges"
        undone.staying.append(f"The verdict still counts {these} among those that were tried.")


def _answered(judges):
    """Return {judge id: Counter of keys of the questions that it answers}, as purge.py lists them.

    Its probability-weighted values are another judge for the family, so that they count too.
    """
    done = Judgment.objects.filter(
        run__judge__in=judges,
        run__checked=None,
        question__isnull=False,
        state=Judgment.State.DONE,
    ).order_by()
    answered = defaultdict(Counter)
    for rows in (done, done.filter(weighted_value__isnull=False)):
        for judge, question in rows.values_list("run__judge", "question__key").distinct():
            answered[judge][question] += 1
    return answered


# Ratings


def _ratings(load, undone):
    """Delete the load's ratings, and open the places that they filled."""
    rows = Rating.objects.filter(load=load.pk, item__study=load.study)
    if StoppingPlan.objects.filter(study=load.study).exists():
        return undone.keep(rows.count(), "rating", "the study’s stopping plan counts them")
    used = Exists(Material.objects.filter(example=OuterRef("item")))
    undone.keep(rows.filter(used).count(), "rating", "a run shows it to a judge as an example")
    coded = rows.exclude(used).filter(_used(Rating))
    undone.keep(coded.count(), "rating", "somebody has coded its reason")
    going = rows.exclude(used).exclude(_used(Rating))
    undone.count("ratings", _delete(Rating.objects.filter(pk__in=going.values("pk"))))
    return _open_places(load.study)


def _open_places(study):
    """Open the places of file sessions that have no rating of their item, or its parts, left."""
    own = Rating.objects.filter(session=OuterRef("session"))
    rated = Exists(own.filter(Q(item=OuterRef("item")) | Q(item__parent=OuterRef("item"))))
    filled = Place.objects.filter(study=study, state=FILLED, session__source=Session.Source.FILE)
    filled.filter(~rated).update(state=Place.State.OPEN, rater=None, session=None, position=None)


# Items


def _items(load, undone):
    """Delete the load's items that nothing refers to, parts before their wholes."""
    rows = Item.objects.filter(study=load.study, load=load.pk)
    if StoppingPlan.objects.filter(study=load.study).exists():
        return undone.keep(rows.count(), "item", "the study’s stopping plan has them")
    named = rows.filter(Q(key__in=gold_keys(load.study)) | Q(is_practice=True))
    undone.keep(named.count(), "item", "the settings name them for practice or as known answers")
    rows = rows.exclude(pk__in=set(named.values_list("pk", flat=True)))
    taken = Exists(Place.objects.filter(item=OuterRef("pk")).exclude(state=Place.State.OPEN))
    free = rows.exclude(_used(Item, but=(Place, Item))).exclude(taken)
    drop_open(Place.objects.filter(item__in=free.values("pk")))
    for is_part in (True, False):
        some = rows.filter(parent__isnull=not is_part)
        undone.count("items", _delete(some.exclude(_used(Item))))
    _say_what_holds(list(rows.values_list("pk", flat=True)), undone)
    return want_raters(load.study)


def _say_what_holds(kept, undone):
    """Note for each kind of row how many of the items it holds."""
    for other in apps.get_models(include_auto_created=True):
        for column in other._meta.concrete_fields:
            if column.is_relation and column.related_model is Item:
                rows = other._base_manager.filter(**{f"{column.name}__in": kept})
                held = rows.order_by().values(column.name).distinct().count()
                verb = "has" if held == 1 else "have"
                words = other._meta.verbose_name_plural
                undone.keep(held, "item", f"{'it' if held == 1 else 'they'} {verb} {words}")


# Raters


def _raters(load, undone):
    """Delete the sessions that have nothing left, then the load's raters without a session."""
    loaded = Session.objects.filter(study=load.study, source=Session.Source.FILE)
    empty = loaded.exclude(rater__in=ExcludedRater.objects.values("rater"))
    _delete(empty.exclude(_used(Session)))
    raters = Rater.objects.filter(study=load.study, load=load.pk).exclude(_used(Rater))
    undone.count("raters", _delete(raters))
