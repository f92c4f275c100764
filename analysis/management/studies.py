"""What the commands of this app share."""

from django.core.management.base import CommandError

from annotate.models import Study


def study_or_error(slug):
    """The study, or a CommandError that names those there are."""
    try:
        return Study.objects.kept().get(slug=slug)
    except Study.DoesNotExist:
        slugs = list(Study.objects.kept().order_by("slug").values_list("slug", flat=True)[:20])
        raise CommandError(
            f"There is no study {slug!r}; there are: {', '.join(slugs) or 'none yet'}."
        ) from None
