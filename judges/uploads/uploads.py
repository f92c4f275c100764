"""Keep uploaded files in a folder, check and show them, then let a worker load them."""

import json
import logging
import os
import secrets
import shutil
import time
from datetime import timedelta
from functools import partial
from importlib import import_module
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, OperationalError, connection, transaction
from django.db.models import Q
from django.utils import timezone

from annotate.db.busy import is_passing
from annotate.files.reading import Problems
from annotate.values.wrong import quoted
from judges.files import TABLES, check_files, write_files
from judges.files.load import what_else
from judges.files.off_scale import MISSING
from judges.models import Upload
from judges.uploads.places import folder_of, traced

log = logging.getLogger(__name__)
KEPT_FOR = timedelta(days=1)
# A load that said nothing for so long is taken up again: its worker was killed.
SILENT_SECONDS = 120
PREVIEW_ROWS, PREVIEW_CELL = 5, 200
# Whoever makes a study of what was uploaded, where Upload.making says what: make, after_load.
MAKER = "judges.counterfactual.maker"


class NotMade(ValueError):
    """No study can be made of the files; it names the place and the reason."""

    def __init__(self, where, why):
        super().__init__(why)
        self.where = where


def paths_of(upload):
    """Return (study.yaml or None, {table: path}); the names are ours, not the user's."""
    folder = folder_of(upload)
    study = folder / "study.yaml"
    tables = {
        table: path
        for table in TABLES
        for path in (folder / f"{table}.csv", folder / f"{table}.jsonl")
        if path.exists()
    }
    return study if study.exists() else None, tables


def receive(user, files, slug=""):
    """Keep and check the files, {"study" or a table: uploaded file}; return the Upload."""
    upload = Upload(user=user, slug=slug, is_new=not slug)
    folder = folder_of(upload)
    folder.mkdir(parents=True)
    for table, file in files.items():
        with (folder / _kept_name(table, file.name)).open("wb") as kept:
            shutil.copyfileobj(file, kept)
    check_again(upload)
    upload.save()
    return upload


def check_again(upload):
    """Check the files in the upload's folder, and note on it what they hold."""
    study, paths = paths_of(upload)
    loading = check_files(study, paths, upload.slug, new=upload.is_new)
    upload.slug = (upload.slug or loading.study.slug)[:60]
    upload.files = [preview(table, file) for table, file in loading.files.items()]
    _note(upload, loading)


def _kept_name(table, name):
    if table == "study":
        return "study.yaml"
    return table + (".jsonl" if name.lower().endswith((".jsonl", ".ndjson")) else ".csv")


def preview(table, file):
    """Return the first rows of a file, as the page shows them."""
    rows = file.first_rows(PREVIEW_ROWS) if file.header else []
    short = [[cell[:PREVIEW_CELL] for cell in row] for row in rows]
    return {"table": table, "name": file.name, "header": file.header, "rows": short}


def _note(upload, loading):
    upload.counts = {table: counts.as_dict() for table, counts in loading.counts.items()}
    for table, counts in upload.counts.items():
        if words := what_else(loading, table):
            counts["note"] = words
        if loading.counts[table].differing:
            counts["stays"] = True
    upload.problems = traced(upload, loading.problems.as_dict())
    outside = loading.off_scale
    upload.off_scale = {"lines": outside.lines, "asks": outside.asks, "chosen": outside.policy}


# The worker's part


def load_upload(pk):
    """Load the upload's files; that it is loaded is committed with the rows themselves."""
    _note_begun(pk)
    try:
        upload = Upload.objects.filter(pk=pk, state=Upload.State.LOADING).first()
        if upload is not None:
            _load(upload)
    except (DatabaseError, connection.Database.Error) as error:
        # Rolled back whole. What the database said names rows, which the researcher may see.
        first = (str(error).splitlines() or [type(error).__name__])[0]
        _fail(pk, "database", f"refused the rows: {first[:300]}")
    except NotMade as error:
        _fail(pk, error.where, str(error))
    except OSError as error:
        # Not the whole error: it names folders of the server.
        _fail(pk, "folder", f"the files could not be read or kept: {error.strerror or 'no reason'}")
    except (ValueError, TypeError) as error:
        _fail(pk, "load", _reason(error))
    except Exception as error:
        # Else it would be taken up again for ever; raised, so that the log has it.
        _fail(pk, "load", _reason(error))
        raise


def _note_begun(pk):
    """Keep that the load no longer waits for a worker, where that can be written in time."""
    try:
        Upload.objects.note_begun(pk)
    except OperationalError as error:
        if not is_passing(error):
            raise
        log.warning("upload %s: the database was busy, so its begin is not noted", pk)


def _reason(error):
    return f"stopped by {type(error).__name__}: {quoted(error, 300)}"


def _fail(pk, where, message):
    """Mark a load as failed; a killed worker never comes here, so its load is taken up again."""
    problems = Problems()
    problems.add(where, message)
    loading = Upload.objects.filter(pk=pk, state=Upload.State.LOADING)
    loading.update(state=Upload.State.FAILED, problems=problems.as_dict())


def _load(upload):
    load = partial(_take_in, upload)
    if upload.making:
        import_module(MAKER).make(upload, load)
    else:
        load(Progress(upload))


def _take_in(upload, progress):
    study, paths = paths_of(upload)
    chosen = upload.off_scale.get("chosen", MISSING)
    loading = check_files(study, paths, upload.slug, upload.is_new, progress, out_of_range=chosen)
    with transaction.atomic():
        # Two workers with the same message: the second one finds it loaded, or still locked.
        uploads = Upload.objects.select_for_update(skip_locked=True)
        if uploads.filter(pk=upload.pk, state=Upload.State.LOADING).first() is not None:
            _write(upload, loading)
            return
    if Upload.objects.filter(pk=upload.pk, state=Upload.State.LOADED).exists():
        # This worker may have noted its progress while the other one removed the folder.
        shutil.rmtree(folder_of(upload), ignore_errors=True)


def _write(upload, loading):
    if not loading.problems:
        owner = upload.user if upload.is_new else None
        loading = write_files(loading, owner, upload.user, upload.bringing.get("name", ""))
    if upload.making and not loading.problems:
        import_module(MAKER).after_load(loading.study)
    upload.state = Upload.State.FAILED if loading.problems else Upload.State.LOADED
    upload.load = loading.load
    _note(upload, loading)
    upload.save()
    if upload.state == Upload.State.LOADED:
        transaction.on_commit(lambda: shutil.rmtree(folder_of(upload), ignore_errors=True))


class Progress:
    """Write how far a load is to a small file: its transaction hides the rows themselves."""

    def __init__(self, upload):
        self.path = folder_of(upload) / "progress.json"
        self.total = sum(counts["new"] for counts in upload.counts.values())
        self.table, self.rows = "", 0
        self.made: dict = {}
        self._write()

    def __call__(self, table, rows):
        self.table, self.rows = table, self.rows + rows
        self._write()

    def making(self, done, whole):
        """Write how many questions are made; the rows come after them."""
        self._keep_made({"making": True, "rows": done, "total": whole})

    def trained(self, done, whole):
        """Write how many trainings these took and the question under way."""
        self._keep_made({"trained": done, "trainings": whole})

    def _keep_made(self, now):
        self.made |= now
        self._keep(self.made)

    def _write(self):
        rows = min(self.rows, self.total)
        self._keep({"table": self.table, "rows": rows, "total": self.total})

    def _keep(self, now):
        part = self.path.with_suffix(f".{secrets.token_hex(6)}.part")
        part.write_text(json.dumps(now))
        # Readers see the whole old file or the whole new one.
        os.replace(part, self.path)


def progress_of(upload):
    """Read what the worker last wrote; None before it began."""
    try:
        return json.loads((folder_of(upload) / "progress.json").read_text())
    except FileNotFoundError:
        return None


def discard(upload):
    """Delete the upload and its files; return False where a worker loads them, or has done it.

    Of a study that is still being made nothing is loaded yet, until a worker holds the row to write
    what was made: on PostgreSQL it is passed over then, on SQLite waited for.
    """
    with transaction.atomic():
        rows = Upload.objects.select_for_update(skip_locked=True).filter(pk=upload.pk)
        is_under_way = Q(state=Upload.State.LOADING, making={})
        discarded = rows.exclude(is_under_way | Q(state=Upload.State.LOADED)).first()
        if discarded is None:
            return False
        discarded.delete()
    shutil.rmtree(folder_of(upload), ignore_errors=True)
    return True


# The clock's part


def silent_uploads():
    """Return the primary keys of loads that no worker reports on."""
    return _silent(Upload.objects.all())


def _silent(uploads):
    loading = uploads.filter(state=Upload.State.LOADING)
    return [upload.pk for upload in loading if _silence(upload) > SILENT_SECONDS]


def _silence(upload):
    try:
        return time.time() - (folder_of(upload) / "progress.json").stat().st_mtime
    except FileNotFoundError:
        return (timezone.now() - upload.created_at).total_seconds()


def remove_old():
    """Remove uploads, and folders without an upload, that are older than a day."""
    old = timezone.now() - KEPT_FOR
    uploads = Upload.objects.filter(created_at__lt=old)
    uploads.exclude(state=Upload.State.LOADING).delete()
    # What is being made is kept question by question, and may take days: its maker discards it.
    uploads.filter(pk__in=_silent(uploads.filter(making={}))).delete()
    root = Path(settings.MEDIA_ROOT) / "uploads"
    kept = set(Upload.objects.values_list("token", flat=True))
    for folder in root.iterdir() if root.is_dir() else ():
        if folder.name not in kept and folder.stat().st_mtime < old.timestamp():
            shutil.rmtree(folder, ignore_errors=True)
