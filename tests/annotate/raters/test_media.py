"""Uploaded pictures and recordings: what is taken, who gets it, and what could not be loaded."""

import io
import os
import time
import wave
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotate.design.minutes import pace_of
from annotate.http.ranges import asked_for
from annotate.models import Content, MediaFile, Membership, MissingMedia, Place, Study
from annotate.raters import uploads
from annotate.raters.reporting import report_missing
from judges.studies import delete
from tests import factories
from tests.annotate.raters.test_views import begin
from tests.podcasts import HOST

pytestmark = pytest.mark.django_db
PAGE = "/studies/films/media/"
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c6360"
    "606000000004000127340a0a0000000049454e44ae426082"
)


def sound(seconds=1):
    """A WAV file of silence."""
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(1)
        written.setframerate(8000)
        written.writeframes(b"\x80" * 8000 * seconds)
    return file.getvalue()


@pytest.fixture(autouse=True)
def _media_root(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"


def send(client, *files, follow=True):
    given = [SimpleUploadedFile(name, data) for name, data in files]
    return client.post(f"{PAGE}upload/", {"files": given}, follow=follow)


def keep(study, name="cover.png", data=PIXEL):
    return uploads.receive(study, None, SimpleUploadedFile(name, data))


def on_disk():
    return sorted(path for path in uploads.root().rglob("*") if path.is_file())


def member(study, role):
    client, user = Client(), factories.make_user(f"a-{role}")
    Membership.objects.create(study=study, user=user, role=role)
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


# What is taken

HEADS = {
    PIXEL: ("image", "image/png"),
    b"\xff\xd8\xff\xe0\x00\x10JFIF": ("image", "image/jpeg"),
    b"GIF89a\x01\x00": ("image", "image/gif"),
    b"RIFF\x0a\x00\x00\x00WEBPVP8 ": ("image", "image/webp"),
    sound(): ("audio", "audio/wav"),
    b"OggS\x00\x02": ("audio", "audio/ogg"),
    b"\x00\x00\x00\x20ftypM4A \x00": ("audio", "audio/mp4"),
    b"\xff\xf1\x50\x80": ("audio", "audio/aac"),
    b"ID3\x03\x00": ("audio", "audio/mpeg"),
    b"\xff\xfb\x90\x64": ("audio", "audio/mpeg"),
}


@pytest.mark.parametrize("head", HEADS, ids=[kind for _, kind in HEADS.values()])
def test_a_file_is_known_by_its_content(head):
    assert uploads.kind_of(head) == HEADS[head]


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg">', "can carry scripts"),
        (b"<SVG onload=alert(1)>", "can carry scripts"),
        (b"<!doctype html><script>alert(1)</script>", "none of PNG"),
        (b"%PDF-1.7", "none of PNG"),
        (b"\x00\x00\x00\x20ftypqt  ", "none of PNG"),
        (b"RIFF....AVI ", "none of PNG"),
        (b"\xff\xff\xff\xff", "none of PNG"),
        (b" \x89PNG\r\n\x1a\n", "none of PNG"),
        (b"", "none of PNG"),
    ],
)
def test_other_files_are_refused_with_the_reason(head, words):
    with pytest.raises(uploads.Refused, match=words):
        uploads.kind_of(head)


def test_each_file_of_a_form_is_kept_or_refused_by_itself(study, as_owner):
    page = send(as_owner, ("a.png", PIXEL), ("b.png", b"<svg >"), ("c.wav", sound()))
    text = page.content.decode()
    assert "Kept 2 files." in text and "“b.png” is an SVG, which can carry scripts" in text
    kept = study.media_files.values_list("name", "kind", "content_type", "size")
    assert list(kept) == [
        ("a.png", "image", "image/png", len(PIXEL)),
        ("c.wav", "audio", "audio/wav", 8044),
    ]
    assert [path.stat().st_size for path in on_disk()] in ([69, 8044], [8044, 69])


def test_a_name_is_only_data(study, as_owner, settings):
    """Browsers' folders are dropped; what is left never becomes a path."""
    send(as_owner, ("../../evil.png", PIXEL), ("<b>x</b>.png", PIXEL))
    assert set(study.media_files.values_list("name", flat=True)) <= {"evil.png", "b>.png"}
    for path in on_disk():
        assert path.parent == Path(settings.MEDIA_ROOT) / "studies" / str(study.pk)
        assert path.name in set(study.media_files.values_list("token", flat=True))
    assert "<b>" not in as_owner.get(PAGE).content.decode()


@pytest.mark.parametrize("name", ["", "a\nb.png", "x" * 201, " a.png", "a\0.png"])
def test_names_that_no_file_could_be_asked_for_by_are_refused(study, name):
    sent = SimpleUploadedFile("a.png", PIXEL)
    sent._name = name
    with pytest.raises(uploads.Refused, match="a name that"):
        uploads.receive(study, None, sent)


def test_a_name_stands_once_and_nothing_stays_of_the_second(study, as_owner):
    send(as_owner, ("a.png", PIXEL))
    assert "is there already" in send(as_owner, ("a.png", PIXEL + b"x")).content.decode()
    assert len(on_disk()) == study.media_files.count() == 1


def test_a_study_has_a_quota_and_a_file_a_limit(study, as_owner, settings):
    settings.MEDIA_QUOTA_BYTES = 100
    page = send(as_owner, ("a.png", PIXEL), ("b.png", PIXEL)).content.decode()
    assert "“b.png” does not fit" in page and study.media_files.count() == 1
    settings.UPLOAD_MAX_BYTES = 10
    assert "is larger than" in send(as_owner, ("c.png", PIXEL)).content.decode()
    assert len(on_disk()) == 1


def test_an_empty_form_says_so(study, as_owner):
    assert (
        "Choose at least one file" in as_owner.post(f"{PAGE}upload/", follow=True).content.decode()
    )


def test_a_path_outside_the_studys_folder_is_none(study):
    for token in ("../1", "/etc/passwd", "", "..", "a/../../../x"):
        with pytest.raises(ValueError):
            uploads.path_of(MediaFile(study=study, token=token))


# Who may


def test_viewers_look_and_editors_delete_after_they_were_asked(
    study, django_capture_on_commit_callbacks
):
    address = f"{PAGE}{keep(study).pk}/delete/"
    viewer, editor = member(study, "viewer"), member(study, "editor")
    assert "cover.png" in viewer.get(PAGE).content.decode()
    assert "Upload</button>" not in viewer.get(PAGE).content.decode()
    assert "No content names it" in editor.get(address).content.decode()
    assert study.media_files.count() == 1, "it asks first"
    with django_capture_on_commit_callbacks(execute=True):
        assert editor.post(address).status_code == 302
    assert on_disk() == [] and not study.media_files.exists()


def test_a_file_of_another_study_cannot_be_deleted(study, as_owner):
    file = keep(factories.make_study("other"))
    assert as_owner.post(f"{PAGE}{file.pk}/delete/").status_code == 404


def test_deleting_names_how_many_contents_lose_it(study, as_owner):
    file = keep(study)
    Content.objects.update(image_url="upload:cover.png")
    page = as_owner.get(f"{PAGE}{file.pk}/delete/").content.decode()
    assert "1 content names it" in page


def test_the_files_go_with_the_study(study, as_owner):
    keep(study)
    as_owner.post("/studies/films/delete/", {"slug": "films"})
    assert delete.delete_study(study.pk)
    assert not Study.objects.exists() and on_disk() == []


def test_what_has_no_row_is_swept_after_an_hour(study):
    kept, gone = keep(study), keep(factories.make_study("gone"))
    Study.objects.filter(slug="gone").delete()
    fresh = uploads.path_of(kept).with_name("under-way")
    fresh.write_bytes(b"x")
    old = time.time() - 7200
    for path in (uploads.path_of(kept), uploads.path_of(gone)):
        os.utime(path, (old, old))
    uploads.remove_orphans()
    assert on_disk() == sorted([uploads.path_of(kept), fresh])


def test_the_page_takes_the_same_few_queries(study, as_owner, django_assert_num_queries):
    for number in range(20):
        keep(study, f"{number}.png")
    with django_assert_num_queries(10):
        as_owner.get(PAGE)


# Files


def test_a_file_has_headers_under_which_nothing_runs(study, client):
    file = keep(study, "Größe “1”.png")
    response = client.get(file.get_absolute_url())
    assert b"".join(response) == PIXEL
    headers = response.headers
    assert headers["Content-Type"] == "image/png" and headers["Content-Length"] == str(len(PIXEL))
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert headers["Cache-Control"] == "private, max-age=31536000, immutable"
    assert headers["Content-Disposition"].startswith("inline; filename*=utf-8''Gr%C3%B6")
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Accept-Ranges"] == "bytes" and "Set-Cookie" not in headers


@pytest.mark.parametrize(
    ("header", "span"),
    [
        ("bytes=0-1", (0, 1)),
        ("bytes=5-", (5, 99)),
        ("bytes=-10", (90, 99)),
        ("bytes=0-999", (0, 99)),
        ("bytes=-999", (0, 99)),
        ("bytes=99-99", (99, 99)),
        ("bytes=100-", ()),
        ("bytes=-0", ()),
        ("bytes=5-4", None),
        ("bytes=-", None),
        ("bytes=0-1,5-6", None),
        ("items=0-1", None),
        ("", None),
        ("bytes=a-b", None),
    ],
)
def test_a_range_is_read_as_rfc_9110_says(header, span):
    assert asked_for(header, 100) == span


def test_browsers_that_seek_get_the_part_they_ask_for(study, client):
    data = sound()
    url = keep(study, "a.wav", data).get_absolute_url()
    gzip = {"Accept-Encoding": "gzip"}
    part = client.get(url, headers={"Range": "bytes=100-199", **gzip})
    assert part.status_code == 206 and b"".join(part) == data[100:200]
    assert part["Content-Range"] == f"bytes 100-199/{len(data)}"
    assert part["Content-Length"] == "100" and part["Content-Encoding"] == "identity"
    whole = client.get(url, headers=gzip)
    assert whole.status_code == 200 and b"".join(whole) == data
    beyond = client.get(url, headers={"Range": "bytes=999999-"})
    assert beyond.status_code == 416 and beyond["Content-Range"] == f"bytes */{len(data)}"
    other = client.get(url, headers={"Range": "bytes=0-1", "If-Range": '"another"'})
    assert other.status_code == 200
    head = client.head(url)
    assert head["Content-Length"] == str(len(data)) and not b"".join(head)


def test_no_file_no_page(study, client):
    assert client.get("/media/no-such-file/").status_code == 404
    file = keep(study)
    uploads.path_of(file).unlink()
    assert client.get(file.get_absolute_url()).status_code == 404
    assert client.post(file.get_absolute_url()).status_code == 405


# On raters' pages


def test_a_content_shows_an_upload_of_its_own_study(client, study):
    other = keep(factories.make_study("other"), "cover.png")
    Content.objects.update(image_url="upload:cover.png", audio_url="upload:talk.wav")
    address = f"/r/{begin(client, study)}/item/1/"
    page = client.get(address).content.decode()
    assert 'aria-label="No picture: film-1"' in page and other.token not in page
    picture, talk = keep(study, "cover.png"), keep(study, "talk.wav", sound())
    page = client.get(address).content.decode()
    assert f'src="/media/{picture.token}/" alt="Picture: film-1"' in page
    assert f'src="/media/{talk.token}/" aria-label="Recording: film-1"' in page


def test_a_recording_is_no_picture(client, study):
    keep(study, "talk.wav", sound())
    Content.objects.update(image_url="upload:talk.wav")
    page = client.get(f"/r/{begin(client, study)}/item/1/").content.decode()
    assert 'aria-label="No picture: film-1"' in page


def test_a_page_of_many_uploads_takes_one_query_more(client, study, django_assert_num_queries):
    keep(study)
    Content.objects.update(image_url="upload:cover.png", audio_url="upload:cover.png")
    token = begin(client, study)
    pace_of(study)  # kept for five minutes
    with django_assert_num_queries(6):
        client.get(f"/r/{token}/item/1/")


# What could not be loaded


@pytest.fixture
def shown(study):
    Content.objects.update(image_url=f"https://{HOST}/a.png")
    return Content.objects.get()


def tell(client, token, content, kind="image"):
    return client.post(f"/r/{token}/missing/", {"content": content, "kind": kind}).status_code


def test_a_picture_that_failed_is_one_row_however_often(client, study, shown, as_owner):
    token = begin(client, study)
    assert [tell(client, token, shown.pk) for _ in range(3)] == [204] * 3
    row = MissingMedia.objects.get()
    assert (row.kind, row.count, row.address) == ("image", 3, shown.image_url)
    assert row.first_at < row.last_at
    page = as_owner.get(PAGE).content.decode()
    assert f"{HOST}/a.png" in page and "Could not be loaded" in page
    as_owner.post(f"{PAGE}forget/")
    assert not MissingMedia.objects.exists()


def test_only_what_stands_on_the_sessions_own_screens_is_counted(client, study, shown):
    token = begin(client, study)
    elsewhere = Content.objects.create(study=study, key="elsewhere", image_url="https://x/y.png")
    foreign = factories.make_item(factories.make_study("other"), "x").content
    for content in (elsewhere.pk, foreign.pk, 0, "x", 10**30):
        assert tell(client, token, content) == 404
    assert tell(client, token, shown.pk, "video") == tell(client, token, shown.pk, "audio") == 404
    assert tell(client, "no-such-session", shown.pk) == 404
    assert not MissingMedia.objects.exists()


def test_a_part_of_a_pair_is_on_the_screen_of_the_pair(study, shown):
    pair = factories.make_item(study, "pair", content=None, kind="list_pair")
    part = factories.make_item(study, "part", content="ep", parent=pair, side="A")
    Content.objects.update(audio_url="upload:a.mp3")
    session = factories.make_session(study, state="rating", source="web")
    Place.objects.filter(item=pair, number=1).update(
        session=session, rater=session.rater, state="held"
    )
    assert report_missing(session, part.content_id, "audio")
    assert not report_missing(session, shown.pk, "audio")


def test_a_report_stands_until_the_address_changes_or_the_file_comes(client, study, shown):
    token = begin(client, study)
    tell(client, token, shown.pk)
    assert MissingMedia.objects.standing().count() == 1
    Content.objects.update(image_url="upload:cover.png")
    assert MissingMedia.objects.standing().count() == 0
    tell(client, token, shown.pk)
    assert MissingMedia.objects.standing().get().count == 1
    keep(study)
    assert not MissingMedia.objects.exists()


def test_names_without_a_file_are_listed(study, as_owner):
    Content.objects.update(image_url="upload:cover.png", audio_url="upload:<b>.mp3")
    keep(study)
    page = as_owner.get(PAGE).content.decode()
    assert "Recordings that are named but not here" in page and "upload:&lt;b&gt;.mp3" in page
    assert "Pictures that are named" not in page


def test_what_stands_on_gold_items_and_items_for_practice_is_counted_too(study, shown):
    gold = factories.make_item(study, "gold", content="g").content
    trial = factories.make_item(study, "trial", content="t", is_practice=True).content
    Content.objects.update(image_url=f"https://{HOST}/a.png")
    session = factories.make_session(study, state="practice", source="web")
    assert report_missing(session, trial.pk, "image")
    session.state = "rating"
    assert not report_missing(session, trial.pk, "image")
    assert not report_missing(session, gold.pk, "image")
    session.screens.create(kind="gold", item=study.items.get(key="gold"), position=1)
    assert report_missing(session, gold.pk, "image")
    assert MissingMedia.objects.count() == 2
