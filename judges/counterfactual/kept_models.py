"""Keep trained models under the hash of what they are made of, and remove old ones."""

import hashlib
import logging
import os
import secrets
import shutil
import time
from contextlib import suppress
from datetime import timedelta
from zipfile import BadZipFile

import numpy as np
from django.conf import settings

log = logging.getLogger(__name__)
KEPT_FOR = timedelta(days=7)  # since the last use; whoever needs it then trains it anew
OF_ONE, OF_ONE_KEPT_FOR = "one-", timedelta(days=1)  # of a made-up recipient alone: there are many
LEAST_FREE = 2 * 2**30  # bytes of the disk that models of single recipients leave free


def load(words, of_one=False):
    """Load {name: array} of the model that is made of what these words say, or None."""
    path = _path(words, of_one)
    try:
        with np.load(path) as kept:
            arrays = {name: kept[name] for name in kept.files}
    except OSError:  # it is not there, or its folder lets nobody read
        return None
    except (BadZipFile, EOFError, ValueError):  # half a file: it is made anew
        with suppress(OSError):
            path.unlink()
        return None
    with suppress(OSError):
        os.utime(path)  # what is in use is not old
    return arrays


def save(words, of_one=False, **arrays):
    """Keep a model, as a whole or not at all.

    It can be trained anew, so a full disk or a folder that takes nothing stops nobody's work.
    """
    path = _path(words, of_one)
    part = path.with_suffix(f".{secrets.token_hex(6)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if of_one and shutil.disk_usage(path.parent).free < LEAST_FREE:
            return
        with part.open("wb") as file:
            np.savez(file, made_of=np.array(words), **arrays)
        os.replace(part, path)
    except OSError as error:
        log.warning("a model was trained and could not be kept: %s", error.strerror)
        with suppress(OSError):
            part.unlink()


def _path(words, of_one):
    name = hashlib.sha256(words.encode()).hexdigest()
    return _folder() / f"{OF_ONE if of_one else ''}{name}.npz"


def _folder():
    return settings.VAR_DIR / "models"


def remove_old():
    """Remove models unused for days, those of deleted studies among them."""
    now = time.time()
    for file in _folder().iterdir() if _folder().is_dir() else ():
        kept_for = OF_ONE_KEPT_FOR if file.name.startswith(OF_ONE) else KEPT_FOR
        with suppress(OSError):  # another worker was faster, or the folder is read-only
            if file.stat().st_mtime < now - kept_for.total_seconds():
                file.unlink()
