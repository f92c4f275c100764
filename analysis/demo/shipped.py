"""Load HANNA's published values, which are too many for the start of the demo to wait for.

They stand packed in `hanna/`. A worker loads them as it loads files that a researcher uploads: all
or nothing, with its progress kept, and taken up again where the worker was killed.
"""

import gzip
import shutil
from pathlib import Path

from django.utils import timezone

from annotate.models import Study
from judges.models import Upload
from judges.runs.nudge import send
from judges.uploads import uploads

SLUG = "hanna"
TITLE = "HANNA: stories rated by people and by automatic metrics"  # before it is loaded
FOLDER = Path(__file__).parent / "hanna"
TABLES = ("items", "ratings", "judgments")


def queue(user):
    """Have a worker load the study, unless it is there; return the Upload, or None.

    A load that another start has queued is sent again, as its worker may have been killed.
    """
    if Study.objects.filter(slug=SLUG).exists():
        return None
    upload = _loading(user)
    send("judges.tasks.load_upload", upload.pk)
    return upload


def load_here(user):
    """Load the study in this process, as no worker is going to."""
    if not Study.objects.filter(slug=SLUG).exists():
        uploads.load_upload(_loading(user).pk)


def find_load(user):
    """Return the latest Upload that was to make the study and has not; None where there is none."""
    states = (Upload.State.LOADING, Upload.State.FAILED)
    own = Upload.objects.filter(user=user, slug=SLUG, is_new=True, state__in=states)
    return own.order_by("pk").last()


def _loading(user):
    """Return the Upload under way; a new one where there is none, or the last one failed."""
    last = find_load(user)
    if last is None or last.state == Upload.State.LOADING:
        return last or _unpack(user)
    uploads.discard(last)
    return _unpack(user)


def _unpack(user):
    """Unpack the files into the folder of a new Upload, which is then ready to be loaded."""
    upload = Upload(user=user, slug=SLUG, is_new=True, state=Upload.State.LOADING)
    upload.waiting_since = timezone.now()
    folder = uploads.folder_of(upload)
    folder.mkdir(parents=True)
    shutil.copyfile(FOLDER / "study.yaml", folder / "study.yaml")
    for table in TABLES:
        content = gzip.decompress((FOLDER / f"{table}.csv.gz").read_bytes())
        (folder / f"{table}.csv").write_bytes(content)
        rows = content.count(b"\n") - 1
        upload.counts[table] = {"rows": rows, "new": rows, "changed": 0, "unchanged": 0}
    upload.save()
    return upload
