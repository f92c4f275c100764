"""Kept results: unreadable ones are none, and they take no more of the disk than they may."""

import os
import pickle
import time
import zlib

import pytest

from analysis.serving.cache import ReportFiles
from tests.small_disk import fill, free, small_disk

MEGABYTE = 1 << 20


@pytest.fixture
def store(tmp_path):
    return ReportFiles(str(tmp_path), {"OPTIONS": {"MAX_ENTRIES": 5}})


def file_of(store, key):
    return store._key_to_file(key)


GONE = b"canalysis.serving.cache\nNoSuchClass\n."  # a pickle of a class that another version had
IN_AN_HOUR = pickle.dumps(time.time() + 3600)
SPOILED = {
    "nothing": b"",
    "no expiry": b"garbage",
    "truncated": IN_AN_HOUR + zlib.compress(pickle.dumps(list(range(9999))))[:-9],
    "no zlib": IN_AN_HOUR + b"garbage",
    "no pickle": IN_AN_HOUR + zlib.compress(b"garbage"),
    "another version": IN_AN_HOUR + zlib.compress(GONE),
    "half a pickle": IN_AN_HOUR + zlib.compress(pickle.dumps(list(range(9999)))[:-9]),
}


@pytest.mark.parametrize("content", SPOILED.values(), ids=SPOILED)
def test_what_cannot_be_read_is_not_there(store, content):
    store.set("report", [1], 60)
    with open(file_of(store, "report"), "wb") as file:
        file.write(content)
    assert store.get("report") is None
    assert not store.has_key("report"), "and is deleted"
    store.set("report", [2], 60)
    assert store.get("report") == [2]


def test_the_oldest_go_when_the_bytes_are_too_many(store, settings):
    settings.REPORTS_MAX_MB = 2
    for age, key in enumerate(("new", "old", "oldest")):
        store.set(key, os.urandom(MEGABYTE // 2), 60)
        os.utime(file_of(store, key), (0, 1000 - age))
    store.set("big", os.urandom(MEGABYTE), 60)
    assert [key for key in ("new", "old", "oldest", "big") if store.has_key(key)] == ["new", "big"]


def test_the_oldest_go_when_they_are_too_many(store):
    for age in range(7):
        store.set(str(age), age, 60)
        os.utime(file_of(store, str(age)), (0, 1000 + age))
    assert [age for age in range(7) if store.has_key(str(age))] == [2, 3, 4, 5, 6]


def test_one_result_that_is_too_large_alone_takes_no_others_along(store, settings):
    settings.REPORTS_MAX_MB = 1
    for key in ("one", "two"):
        store.set(key, key, 60)
    store.set("huge", os.urandom(MEGABYTE + 1), 60)
    assert [key for key in ("one", "two", "huge") if store.has_key(key)] == ["one", "two"]


def test_a_full_disk_keeps_nothing_and_fails_nothing(tmp_path, caplog):
    with small_disk(tmp_path / "disk") as folder:
        store = ReportFiles(str(folder / "reports"), {"OPTIONS": {"MAX_ENTRIES": 5}})
        store.set("before", [1], 60)
        fill(folder)
        store.set("report", os.urandom(MEGABYTE), 60)
        assert store.get("report") is None and store.get("before") == [1]
        assert "could not be kept: No space left on device" in caplog.text
        free(folder)
        store.set("report", [2], 60)
        assert store.get("report") == [2]
