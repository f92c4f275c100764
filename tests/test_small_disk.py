"""Where everything has to be present, a disk that could be mounted and was not is a failure."""

import subprocess

import pytest

from tests import conftest, small_disk


@pytest.fixture
def refused(monkeypatch):
    def refuse(command, **_options):
        return subprocess.CompletedProcess(command, 1, "", "mount: permission denied")

    monkeypatch.setattr(small_disk.subprocess, "run", refuse)


def mount(folder):
    with small_disk.small_disk(folder):
        pass


@pytest.mark.parametrize(
    ("ci", "may_mount", "outcome"),
    [
        (False, True, pytest.skip.Exception),
        (False, False, pytest.skip.Exception),
        (True, True, pytest.fail.Exception),
        (True, False, pytest.skip.Exception),
    ],
)
def test_a_disk_that_is_not_mounted_fails_only_where_it_has_to_be_there(
    refused, monkeypatch, tmp_path, ci, may_mount, outcome
):
    monkeypatch.setattr(conftest, "CI", ci)
    monkeypatch.setattr(small_disk, "may_mount", lambda: may_mount)
    with pytest.raises(outcome, match="permission denied"):
        mount(tmp_path / "disk")


def test_only_roots_without_the_right_to_mount_are_excused(monkeypatch):
    status = "Name:\tpython\nCapEff:\t{}\n"
    cases = [
        (0, "000001ffffffffff", True),
        (0, "00000000a80425fb", False),  # a container's root
        (1000, "0000000000000000", True),  # whoever runs it can run it as root
    ]
    for user, rights, expected in cases:
        monkeypatch.setattr(small_disk.os, "geteuid", lambda user=user: user)
        text = status.format(rights)
        monkeypatch.setattr(small_disk, "read_status", lambda text=text: text)
        assert small_disk.may_mount() is expected
