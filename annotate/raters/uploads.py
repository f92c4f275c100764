"""Store pictures and recordings that researchers upload: known by content, kept by random names.

What a file is called is data; where its bytes lie follows from the study's number and its token.
"""

import re
import shutil
import time
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q, Sum

from annotate.models import Content, MediaFile, MediaKind, MissingMedia, Study
from annotate.models.media import UPLOAD, uploaded_name

IMAGE, AUDIO = MediaKind.IMAGE, MediaKind.AUDIO
HEAD = 1024  # bytes that tell what a file is
# (kind, content type, what the first bytes match). No library is both as small and as strict.
TYPES = [
    (kind, content_type, re.compile(pattern, re.DOTALL))
    for kind, content_type, pattern in (
        (IMAGE, "image/png", rb"\x89PNG\r\n\x1a\n"),
        (IMAGE, "image/jpeg", rb"\xff\xd8\xff"),
        (IMAGE, "image/gif", rb"GIF8[79]a"),
        (IMAGE, "image/webp", rb"RIFF....WEBP"),
        (AUDIO, "audio/wav", rb"RIFF....WAVE"),
        (AUDIO, "audio/ogg", rb"OggS\0"),
        (AUDIO, "audio/mp4", rb"....ftyp(M4A |M4B |mp4[12]|isom|iso[2-6]|dash)"),
        (AUDIO, "audio/aac", rb"\xff[\xf0\xf1\xf8\xf9]"),
        # ID3 or the first frame: MPEG 1, 2 or 2.5, layer III, a bit rate and a rate that exist
        (AUDIO, "audio/mpeg", rb"ID3[\x02-\x04]|\xff[\xe2\xe3\xf2\xf3\xfa\xfb][\x10-\xeb]"),
    )
]
ALLOWED = "PNG, JPEG, WebP, GIF, MP3, M4A, AAC, OGG and WAV"
SVG = re.compile(rb"<svg[\s>]", re.IGNORECASE)
ORPHANED = 3600  # seconds after which a file without a row belongs to no upload under way


class Refused(Exception):
    """The file is not stored; the words say why."""


def kind_of(head):
    """Return (kind, content type) of a file by its first bytes.

    Refused if it has no allowed type.
    """
    for kind, content_type, pattern in TYPES:
        if pattern.match(head):
            return kind, content_type
    if SVG.search(head):
        raise Refused("is an SVG, which can carry scripts; save it as PNG or WebP")
    raise Refused(f"is none of {ALLOWED}, whatever its name says")


def root():
    """Return the folder under which every study has its folder of files."""
    return Path(settings.MEDIA_ROOT) / "studies"


def folder_of(study_id):
    """Return the folder of a study's files."""
    return root() / str(study_id)


def path_of(file):
    """Return the path of a file's bytes; ValueError if it were outside its study's folder."""
    folder = folder_of(file.study_id).resolve()
    path = (folder / file.token).resolve()
    if path == folder or not path.is_relative_to(folder):
        raise ValueError("a file outside its study's folder")
    return path


def used(study):
    """Return how many bytes the study's files take."""
    return study.media_files.aggregate(n=Sum("size"))["n"] or 0


def receive(study, user, sent):
    """Store an uploaded file and return its MediaFile; Refused says why not."""
    name = sent.name or ""
    if not uploaded_name(name):
        raise Refused("has a name that is too long, or holds / or characters that do not print")
    if sent.size > settings.UPLOAD_MAX_BYTES:
        raise Refused(f"is larger than {settings.UPLOAD_MAX_BYTES // 2**20} MB")
    kind, content_type = kind_of(sent.read(HEAD))
    sent.seek(0)
    file = MediaFile(
        study=study, name=name, kind=kind, content_type=content_type, size=sent.size, by=user
    )
    path = path_of(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("wb") as kept:
            shutil.copyfileobj(sent, kept)
        _record(file)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return file


@transaction.atomic
def _record(file):
    """Save the file's row, if it fits: one at a time, so that two cannot take the same room."""
    study = Study.objects.select_for_update(no_key=True).get(pk=file.study_id)
    if used(study) + file.size > settings.MEDIA_QUOTA_BYTES:
        quota = settings.MEDIA_QUOTA_BYTES // 2**20
        raise Refused(f"does not fit: the files of a study may take {quota} MB in all")
    try:
        with transaction.atomic():
            file.save()
    except IntegrityError:
        raise Refused("is there already under this name; delete the old one first") from None
    MissingMedia.objects.filter(study=study, address=UPLOAD + file.name).delete()


@transaction.atomic
def remove(file):
    """Delete a file; contents that name it show a placeholder from then on."""
    path = path_of(file)
    file.delete()
    transaction.on_commit(partial(path.unlink, missing_ok=True))


def remove_orphans():
    """Delete files without a row.

    Their upload was killed, or their study was deleted in another way.
    """
    old = time.time() - ORPHANED
    for folder in root().iterdir() if root().is_dir() else ():
        files = [path for path in folder.iterdir() if path.stat().st_mtime < old]
        names = [path.name for path in files]
        kept = MediaFile.objects.filter(study_id=_number(folder.name), token__in=names)
        tokens = set(kept.values_list("token", flat=True)) if names else set()
        for path in files:
            if path.name not in tokens:
                path.unlink(missing_ok=True)


def _number(name):
    return int(name) if name.isdecimal() else 0


# What pages show


def addresses(study, contents):
    """Return {(kind, file name): address} of the uploads that these contents name."""
    urls = {url for content in contents for url in (content.image_url, content.audio_url)}
    names = {url.removeprefix(UPLOAD) for url in urls if url.startswith(UPLOAD)}
    if not names:
        return {}
    files = MediaFile.objects.filter(study=study.origin_id, name__in=names)
    return {(file.kind, file.name): file.get_absolute_url() for file in files}


def address(uploaded, kind, url):
    """Return the address of the upload that a content's url names.

    Empty if there is no such file.
    """
    return (
        (uploaded or {}).get((kind, url.removeprefix(UPLOAD)), "") if url.startswith(UPLOAD) else ""
    )


def uses(study, files):
    """Return {name: how many contents name it} of these files."""
    named = [UPLOAD + file.name for file in files]
    contents = Content.objects.filter(study=study)
    contents = contents.filter(Q(image_url__in=named) | Q(audio_url__in=named))
    counts = dict.fromkeys((file.name for file in files), 0)
    for urls in contents.values_list("image_url", "audio_url"):
        for url in set(urls) & set(named):
            counts[url.removeprefix(UPLOAD)] += 1
    return counts
