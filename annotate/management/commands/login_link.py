"""Print a one-time login link (manage.py login_link)."""

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from annotate.accounts.login import login_path


class Command(BaseCommand):
    help = "Print a link that logs a user in once, within a day. Nothing is stored."

    def add_arguments(self, parser):
        parser.add_argument("username")
        parser.add_argument("--create", action="store_true", help="make the account if missing")
        parser.add_argument(
            "--operator", action="store_true", help="with --create: may use the administration"
        )

    def handle(self, *args, username, create, operator, **options):
        self.stdout.write(settings.SITE_URL + login_path(_user(username, create, operator)))


def _user(username, create, operator):
    users = get_user_model().objects
    user = users.filter(username=username).first()
    if user is None and not create:
        raise CommandError(f"no account {username!r}; add --create to make it")
    if user is None:
        user = users.create_user(username, is_staff=operator, is_superuser=operator)
    return user
