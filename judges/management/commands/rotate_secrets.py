"""Encrypt stored API keys anew by the first of SECRETS_KEYS (manage.py rotate_secrets)."""

from django.core.management.base import BaseCommand, CommandError

from judges.endpoints import keys
from judges.models import Endpoint


class Command(BaseCommand):
    help = "Encrypts every stored API key anew by the first of SECRETS_KEYS."

    def handle(self, *args, **options):
        if not keys.can_keep():
            raise CommandError("SECRETS_KEYS is not set, so nothing can be encrypted.")
        closed, count = [], 0
        for endpoint in Endpoint.objects.exclude(secret="").select_related("study"):
            try:
                secret = keys.rotated(endpoint.secret)
            except keys.CannotOpen:
                closed.append(f"{endpoint.study.slug}/{endpoint.key}")
                continue
            # A key that an owner gives at this moment stays: it is encrypted by the first already.
            same = Endpoint.objects.filter(pk=endpoint.pk, secret=endpoint.secret)
            count += same.update(secret=secret)
        self.stdout.write(f"{count} key{'' if count == 1 else 's'} encrypted anew.")
        if closed:
            raise CommandError(
                f"None of SECRETS_KEYS opens the keys of {', '.join(closed)}. "
                "Owners of these studies have to give them again."
            )
