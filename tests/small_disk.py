"""A small real disk for tests of what happens when there is no room left."""

import subprocess
from contextlib import contextmanager, suppress

import pytest


@contextmanager
def small_disk(folder, megabytes=4):
    """Mount a tmpfs of so many megabytes on the folder; skip the test where that is refused."""
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(["mount", *options], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no command that mounts a small disk")
    if done.returncode:
        pytest.skip(f"no small disk could be mounted: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder):
    """Leave no byte on the disk."""
    with suppress(OSError), (folder / "filler").open("wb", buffering=0) as filler:
        while filler.write(b"0" * 4096):
            pass


def free(folder):
    """Give the space back."""
    (folder / "filler").unlink()
