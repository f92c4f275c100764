"""Find the owner of a study that a command makes."""

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError


def owner_or_error(username):
    """Return the user of that name, or None without a name; raise CommandError if unknown."""
    users = get_user_model()
    try:
        return users.objects.get_by_natural_key(username) if username else None
    except users.DoesNotExist:
        raise CommandError(f"there is no user named {username!r}") from None
