"""Marks in every text that a study holds, so that an answer which tells one of them is noticed.

A mark says which column it stands in: zq-item-text-zq in the text of an item.
"""

import re

from django.apps import apps
from django.db.models import CharField, GeneratedField, TextField

MARK = re.compile(r"zq-([a-z]+-[a-z_]+)-zq")

# Columns that keep what they have, since the product reads a meaning out of it.
MEANINGFUL = {
    "study": "slug language",  # the address; a language that there is
    "rater": "excluded_because",  # empty: the rater counts
    "session": "stopped_in layout arm browser device",  # words of lists
    "place": "first_side",
    "rating": "first_side",
    "screen": "key first_side",  # the key of a check of the study
    "answer": "key",
    "qualitystep": "rule",
    "content": "image_url audio_url",  # name an upload
    "mediafile": "content_type",
    "missingmedia": "address",  # what a content names
    "flag": "rules",
    "extraction": "rules",
    "writing": "rules",
    "run": "settings_hash",
    "judgment": "order relation leased_by weighted_reason",  # of lists; leases; only with a value
    "call": "endpoint_key prompt_name prompt_hash failure finish_reason request_hash",
    "judge": "question prompt content_word settings_hash model output",
    "studyprompt": "sha256",
    "recommendedlist": "relation cell",
    "computation": "key report query",
    "heartbeat": "worker",  # of the installation, not of a study
    "clock": "beat",  # likewise
    "deletion": "waits_for",  # words of the program
    # Marked by hand, as they have rules; an encrypted key only reads back as it is.
    "endpoint": "key base_url api_key_env model secret secret_end",
    "upload": "slug",
    "columnmapping": "signature",  # a hash
    "apitoken": "digest",
}


def mark(column):
    """The mark of a column: mark("item-text")."""
    return f"zq-{column}-zq"


def marks_of(text):
    """The columns whose marks stand in a text."""
    return set(MARK.findall(text))


def text_columns():
    """Each model of the project with its columns of free text."""
    for model in apps.get_models():
        if model._meta.app_label in ("annotate", "judges"):
            left_out = MEANINGFUL.get(model._meta.model_name, "").split()
            columns = [
                field.name
                for field in model._meta.concrete_fields
                if isinstance(field, CharField | TextField)
                and not isinstance(field, GeneratedField)
                and not field.choices
                and field.name not in left_out
            ]
            yield model, columns


def put_marks():
    """Write its mark into every column of free text that has none yet, in all rows."""
    for model, columns in text_columns():
        for row in model.objects.all():
            marks = {
                name: f"{mark(f'{model._meta.model_name}-{name}')}-{row.pk}"
                for name in columns
                if "zq-" not in getattr(row, name)
            }
            if marks:
                model.objects.filter(pk=row.pk).update(**marks)
