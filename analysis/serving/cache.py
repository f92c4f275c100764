"""Keep results of reports in files: a cache that never takes more than its share of the disk."""

import logging
import os
import pickle
import zlib
from contextlib import suppress

from django.conf import settings
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.filebased import FileBasedCache

log = logging.getLogger(__name__)
# What pickle, zlib and a changed class raise over a file of another version, or half a one.
UNREADABLE = (
    pickle.UnpicklingError,
    zlib.error,
    EOFError,
    OSError,
    AttributeError,
    ImportError,
    IndexError,
    KeyError,
    TypeError,
    ValueError,
)


class ReportFiles(FileBasedCache):
    """Django's file cache; an unreadable file counts as missing, and the oldest go first."""

    def get(self, key, default=None, version=None):
        try:
            return super().get(key, default, version)
        except UNREADABLE:
            self.delete(key, version)
            return default

    def has_key(self, key, version=None):
        try:
            return super().has_key(key, version)
        except UNREADABLE:
            self.delete(key, version)
            return False

    def set(self, key, value, timeout=DEFAULT_TIMEOUT, version=None):
        try:
            super().set(key, value, timeout, version)
        except OSError as error:  # such as a full disk: it is computed again when it is asked for
            log.error("the result of a report could not be kept: %s", error.strerror)
            return
        path = self._key_to_file(key, version)
        file = _stat(path)
        if file and file[1] > settings.REPORTS_MAX_MB << 20:
            self._delete(path)  # before it takes all others along, only to go as the last
        else:
            self._evict()

    def _key_to_file(self, key, version=None):
        """Begin a file's name with the version, which is the study of a report."""
        folder, name = os.path.split(super()._key_to_file(key, version))
        return os.path.join(folder, f"{version or self.version}-{name}")

    def forget(self, version):
        """Delete all that is kept under a version."""
        for path in self._list_cache_files():
            if os.path.basename(path).startswith(f"{version}-"):
                self._delete(path)

    def _cull(self):
        """Delete nothing before a file is written: its size is known only afterwards."""

    def _evict(self):
        """Delete the oldest files until number and bytes are as the settings allow."""
        files = [file for path in self._list_cache_files() if (file := _stat(path))]
        n, size = len(files), sum(taken for _, taken, _ in files)
        for _, taken, path in sorted(files):
            if n <= self._max_entries and size <= settings.REPORTS_MAX_MB << 20:
                break
            self._delete(path)
            n, size = n - 1, size - taken


def _stat(path):
    """Return (when it was written, bytes, path); None where another process has deleted it."""
    with suppress(FileNotFoundError):
        status = os.stat(path)
        return status.st_mtime_ns, status.st_size, path
    return None
