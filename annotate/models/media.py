"""Store uploaded pictures and recordings, and which of them did not load."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q, Value
from django.db.models.functions import Substr
from django.urls import reverse

from annotate.models.catalogue import Content

# A content's image_url or audio_url that names an upload of its study.
UPLOAD = "upload:"
LONGEST_NAME = 200


def media_token():
    """Draw 144 random bits: the file's name on disk, and the only authority over its address."""
    return secrets.token_urlsafe(18)


def uploaded_name(text):
    """Return the text if it is a valid file name (one line, no folders), else an empty text."""
    is_name = 0 < len(text) <= LONGEST_NAME and text == text.strip() and text.isprintable()
    return text if is_name and not set(text) & set("/\\") else ""


class MediaKind(models.TextChoices):
    """The kinds of media that a content can have."""

    IMAGE = "image", "Picture"
    AUDIO = "audio", "Recording"


class MediaFile(models.Model):
    """A picture or a recording that a researcher uploaded; its bytes are under MEDIA_ROOT."""

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="media_files")
    token = models.CharField(max_length=40, unique=True, default=media_token)
    name = models.CharField(
        max_length=LONGEST_NAME, help_text="As it was called where it came from."
    )
    kind = models.CharField(max_length=10, choices=MediaKind)
    content_type = models.CharField(max_length=40)
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            # uploads.addresses: the files that a page names
            models.UniqueConstraint(
                fields=["study", "name"],
                name="media_name_once_a_study",
                violation_error_message="This study already has a file of that name.",
            )
        ]

    def __str__(self):
        return self.name

    def get_absolute_url(self):
        return reverse("media_file", args=[self.token])


class MissingMediaQuerySet(models.QuerySet):
    """Queries over reports of missing media."""

    def standing(self):
        """Return the reports about the address that the content still has."""
        image = Q(kind=MediaKind.IMAGE, address=F("content__image_url"))
        return self.filter(image | Q(kind=MediaKind.AUDIO, address=F("content__audio_url")))


class MissingMedia(models.Model):
    """How often, and when, raters' browsers could not load a content's picture or recording."""

    study = models.ForeignKey("annotate.Study", models.CASCADE, related_name="missing_media")
    content = models.ForeignKey(Content, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10, choices=MediaKind)
    address = models.TextField(help_text="What the content named then.")
    count = models.PositiveIntegerField(default=1)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()

    objects = MissingMediaQuerySet.as_manager()

    class Meta:
        ordering = ["-last_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["content", "kind"], name="missing_media_once_a_content")
        ]

    def __str__(self):
        return f"missing {self.kind} of content {self.content_id}"


def _lacking(study, kind):
    """Return the condition that a content names an upload of this kind which is not there."""
    field = f"{kind}_url"
    name = Substr(OuterRef(field), Value(len(UPLOAD) + 1))
    files = MediaFile.objects.filter(study=study, kind=kind, name=name)
    return Q(**{f"{field}__startswith": UPLOAD}) & ~Exists(files)


def naming_no_file(study, kind):
    """Return the contents of a study that name an upload of this kind which is not there."""
    return Content.objects.filter(_lacking(study, kind), study=study).order_by("pk")


def count_naming_no_file(study):
    """Count contents that name an upload which is not there: {kind: contents}, in one query."""
    counts = {kind: Count("pk", filter=_lacking(study, kind)) for kind in MediaKind.values}
    return Content.objects.filter(study=study).aggregate(**counts)
