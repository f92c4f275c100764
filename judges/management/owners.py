"""What commands share that make a study."""

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError


def owner_or_error(username):
    """The user of that name, None without a name, or a CommandError."""
    users = get_user_model()
    try:
        return users.objects.get_by_natural_key(username) if username else None
    except users.DoesNotExist:
        raise CommandError(f"there is no user named {username!r}") from None
