"""A small real disk for tests of what happens when there is no room left."""

import os
import re
import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.conftest import missing

SYS_ADMIN = 1 << 21  # the right to mount, in the kernel's mask of rights


@contextmanager
def small_disk(folder, megabytes=4):
    """Mount a tmpfs of so many megabytes on the folder.

    Where that is refused the test is skipped; in CI it fails, but on a machine that lets nobody
    mount.
    """
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(["mount", *options], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no command that mounts a small disk")
    if done.returncode:
        refuse = missing if may_mount() else pytest.skip
        refuse(f"no small disk could be mounted (root can): {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def may_mount():
    """Return whether root may mount here, which a container's root may not."""
    if os.geteuid() != 0:
        return True
    rights = re.search(r"^CapEff:\s*([0-9a-f]+)$", read_status(), re.MULTILINE)
    return bool(rights and int(rights[1], 16) & SYS_ADMIN)


def read_status():
    """Return what the kernel says of this process; empty on other systems than Linux."""
    path = Path("/proc/self/status")
    return path.read_text() if path.exists() else ""


def fill(folder):
    """Leave no byte on the disk."""
    with suppress(OSError), (folder / "filler").open("wb", buffering=0) as filler:
        while filler.write(b"0" * 4096):
            pass


def free(folder):
    """Give the space back."""
    (folder / "filler").unlink()
