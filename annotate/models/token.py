"""Store the tokens of the HTTP API, as digests."""

import hashlib
import secrets
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models.lookups import LessThanOrEqual
from django.utils import timezone

PREFIX = "concord_"  # so that scanners of published code can find a token
MOST_DAYS = 365
USED_EVERY = timedelta(hours=1)


def digest_of(secret):
    """Hash a token for storage; 256 random bits cannot be guessed, so no slow hash is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()


class DaysBetween(models.Func):
    """The days from one time to another, by functions that both databases have themselves.

    A time plus a timedelta is a function of Django's on SQLite: without it other programs can
    neither check the database file nor copy it.
    """

    output_field = models.FloatField()
    arity = 2

    def as_sqlite(self, compiler, connection, **context):
        return self._end_minus_start(compiler, connection, "(julianday({1}) - julianday({0}))")

    def as_postgresql(self, compiler, connection, **context):
        return self._end_minus_start(
            compiler, connection, "(EXTRACT(EPOCH FROM {1} - {0}) / 86400)"
        )

    def _end_minus_start(self, compiler, connection, template):
        (start, first), (end, last) = map(compiler.compile, self.source_expressions)
        return template.format(start, end), (*last, *first)


class ApiTokenQuerySet(models.QuerySet):
    """Find and issue tokens."""

    def find_valid(self, secret):
        """Return the unexpired token with this secret, if its user may log in, or None."""
        valid = self.filter(expires_at__gt=timezone.now(), user__is_active=True)
        return valid.select_related("user").filter(digest=digest_of(secret)).first()

    def issue(self, user, days, studies=None, **fields):
        """Create a token; return it and its secret, which is not stored. studies: None for all."""
        secret = PREFIX + secrets.token_urlsafe(32)
        token = self.create(
            user=user,
            digest=digest_of(secret),
            expires_at=timezone.now() + timedelta(days=days),
            all_studies=studies is None,
            **fields,
        )
        token.studies.set(studies or ())
        return token, secret


class ApiToken(models.Model):
    """The token by which a program acts for a user, in some or all of the user's studies."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    may_write = models.BooleanField(default=False)
    # Not "no studies means all": a token whose last study is deleted must reach nothing.
    all_studies = models.BooleanField(default=False)
    studies = models.ManyToManyField("annotate.Study", blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(
        null=True, blank=True, help_text="To the hour: not every request writes."
    )

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=LessThanOrEqual(DaysBetween("created_at", "expires_at"), MOST_DAYS + 1),
                name="api_token_expires_within_a_year",
            )
        ]

    def __str__(self):
        return self.name

    @property
    def is_expired(self):
        return self.expires_at <= timezone.now()

    def reached(self, studies):
        """Return those of the studies that the token is for."""
        return studies if self.all_studies else studies.filter(pk__in=self.studies.values("pk"))

    def note_use(self):
        """Store when it was last used, once an hour at most."""
        now = timezone.now()
        if self.last_used_at is None or self.last_used_at < now - USED_EVERY:
            ApiToken.objects.filter(pk=self.pk).update(last_used_at=now)
