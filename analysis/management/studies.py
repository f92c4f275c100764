"""Find the study that a command of this app is about."""

from django.core.management.base import CommandError

from annotate.models import Study


def study_or_error(slug):
    """Return the study, or raise a CommandError that lists the studies there are."""
    try:
        return Study.objects.kept().get(slug=slug)
    except Study.DoesNotExist:
        slugs = list(Study.objects.kept().order_by("slug").values_list("slug", flat=True)[:20])
        raise CommandError(
            f"There is no study {slug!r}; there are: {', '.join(slugs) or 'none yet'}."
        ) from None
