"""Where trained models are kept, under the hash of what they are made of; old ones are removed."""

import hashlib
import time
from contextlib import suppress
from datetime import timedelta

from django.conf import settings

KEPT_FOR = timedelta(days=7)  # since the last use; whoever needs it then trains it anew


def path_of(words):
    """The file of the model that is made of what these words say."""
    return _folder() / f"{hashlib.sha256(words.encode()).hexdigest()}.npz"


def _folder():
    return settings.VAR_DIR / "models"


def remove_old():
    """Removes what nobody has used for days: models of studies that are gone, among others."""
    old = time.time() - KEPT_FOR.total_seconds()
    for file in _folder().iterdir() if _folder().is_dir() else ():
        with suppress(FileNotFoundError):  # another worker was faster
            if file.stat().st_mtime < old:
                file.unlink()
