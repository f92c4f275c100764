"""Hold judges to what a study promised of them: one is named beforehand, some stand in its plan.

watching_settings(study)      a block in which settings may change; a changed judge loses its name
planned_judges(study_id)      the judges in the study's stopping plan, with their members
freeze_own_prompts(judges)    a promised judge's own prompt is changed by a new version only
"""

import logging
from contextlib import contextmanager

from django.db import transaction

from annotate.models import Study
from judges.models import Judge, StoppingPair
from judges.models.prompt import OWN
from judges.prompting import library, own

log = logging.getLogger(__name__)
NOT_SETTINGS = {"id", "study", "key", "settings_hash", "named_at", "created_at"}
IN_PLAN = (
    "{} stands in this study's stopping plan, so that its settings stay as they were when the plan "
    "was fixed. Make a new judge instead."
)


class Refused(ValueError):
    """A promise about a judge forbids what was asked; the message says why."""


@contextmanager
def watching_settings(study):
    """Compare the settings of promised judges before and after this block, in one transaction.

    Yields a list, to which the block's end adds the named judge if it lost its name. Raises Refused
    where a judge of the stopping plan was changed; then nothing is stored.
    """
    lost: list[Judge] = []
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).filter(pk=study.pk).first()
        planned = planned_judges(study.pk)
        before = _settings_by_judge(study.pk, planned)
        yield lost
        after = _settings_by_judge(study.pk, planned) if before else {}
        for pk in before:
            if before[pk][1:] == after[pk][1:]:
                continue
            judge = before[pk][0]
            if pk in planned:
                raise Refused(IN_PLAN.format(judge))
            Judge.objects.filter(pk=pk).update(named_at=None)
            log.info("judge %s of study %s lost its name: changed", pk, study.pk)
            lost.append(judge)


def planned_judges(study_id):
    """Return the primary keys of the judges in the study's stopping plan, with their members."""
    pairs = StoppingPair.objects.filter(plan__study=study_id)
    judges = Judge.objects.filter(pk__in=pairs.values("judge"))
    return {judge.pk for judge in with_members(judges)}


def freeze_own_prompts(judges):
    """Freeze the study's own prompts of these judges and of their members.

    A prompt that does not load freezes nothing: no judge can be run with it.
    """
    for judge in with_members(judges):
        if judge.prompt.startswith(OWN):
            try:
                prompt = library.prompt_of(judge)
            except ValueError:
                continue
            own.freeze(judge.study_id, prompt.name, prompt.sha256)


def with_members(judges):
    """Return the judges, then the members of those that are ensembles."""
    ensembles = [judge.pk for judge in judges if judge.kind == Judge.Kind.ENSEMBLE]
    if not ensembles:
        return list(judges)
    members = Judge.members.through.objects.filter(from_judge__in=ensembles)
    return [*judges, *Judge.objects.filter(pk__in=members.values("to_judge"))]


def _settings_by_judge(study_id, planned):
    """Return {pk: (judge, its settings, its members')} of the judges that a promise is about."""
    rows = Judge.objects.filter(study=study_id)
    promised = rows.filter(named_at__isnull=False) | rows.filter(pk__in=planned)
    return {
        judge.pk: (judge, _settings(judge), [_settings(m) for m in judge.members.order_by("pk")])
        for judge in promised
    }


def _settings(judge):
    fields = judge._meta.concrete_fields
    return {f.attname: getattr(judge, f.attname) for f in fields if f.name not in NOT_SETTINGS}
