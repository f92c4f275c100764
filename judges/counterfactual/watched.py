"""Keep with a study how its models settled; light, for pages."""

from django.utils import timezone

from annotate.studies.edit import change

CONVERGENCE = "convergence"  # a key of Study.extra


def keep(study, watched):
    """Keep what convergence.watch returned, in place of what was kept before."""
    result = watched | {"made_at": timezone.now().isoformat(timespec="microseconds")}
    change(study, lambda extra: extra.update({CONVERGENCE: result}))
