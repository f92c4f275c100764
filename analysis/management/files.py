"""Write the files that commands are asked for."""

import os
import tempfile
from pathlib import Path

from django.core.management.base import CommandError


def replace(path, pieces):
    """Replace a file through one beside it, so that a failed export leaves nothing half done.

    pieces: texts, or bytes.
    """
    if path.exists() and not path.is_file():
        raise CommandError(f"{path} is not a file.")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(p if isinstance(p, bytes) else p.encode() for p in pieces)
        os.chmod(part, 0o644)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
