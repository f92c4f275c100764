"""A kept model that cannot be read is made anew, instead of failing whoever needs it; one that
cannot be kept is done without.
"""

import os
import resource
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from judges.counterfactual import kept_models


@pytest.mark.parametrize("left", [0, 10, 60])
def test_half_a_file_is_no_model_and_goes(settings, tmp_path, left):
    settings.VAR_DIR = tmp_path
    kept_models.save("words", factors=np.arange(100.0))
    (file,) = (tmp_path / "models").iterdir()
    assert kept_models.load("words")["factors"].sum() == 4950
    file.write_bytes(file.read_bytes()[:left])
    assert kept_models.load("words") is None
    assert not file.exists()


@contextmanager
def longest_file(n_bytes):
    """What a full disk does to a file: it takes so much of it and then refuses."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("room", [0, 100, 700])
def test_a_full_disk_keeps_no_model_and_no_half_of_one(settings, tmp_path, caplog, room):
    settings.VAR_DIR = tmp_path
    with longest_file(room):
        kept_models.save("words", factors=np.arange(100.0))
    assert [*(tmp_path / "models").iterdir()] == []
    assert "a model was trained and could not be kept: File too large" in caplog.text
    assert kept_models.load("words") is None
    kept_models.save("words", factors=np.arange(100.0))
    assert kept_models.load("words")["factors"].sum() == 4950


AS_ANOTHER_USER = """
import os, pathlib, sys, time
import numpy as np
from django.conf import settings
settings.configure(VAR_DIR=pathlib.Path(sys.argv[1]))
from judges.counterfactual import kept_models
kept_models.load("words")  # whatever is loaded late is loaded now: others may not read it
os.setuid(int(sys.argv[2]))
kept_models.save("others", factors=np.ones(3))
time.time = lambda: 1e10  # old enough to be removed
kept_models.remove_old()
print(kept_models.load("words")["factors"].sum(), kept_models.load("others"))
"""


@pytest.fixture
def for_all():
    """A folder that other users may read; of pytest's own they may not."""
    with tempfile.TemporaryDirectory() as path:
        Path(path).chmod(0o755)
        yield Path(path)


def test_a_folder_that_may_only_be_read_is_read(settings, for_all):
    """By a process of its own: who runs the tests may write everywhere where it is root."""
    settings.VAR_DIR, folder = for_all, for_all / "models"
    kept_models.save("words", factors=np.arange(100.0))
    (file,) = folder.iterdir()
    folder.chmod(0o555)
    try:
        user = 65534 if os.getuid() == 0 else os.getuid()
        arguments = [sys.executable, "-c", AS_ANOTHER_USER, str(for_all), str(user)]
        ran = subprocess.run(arguments, capture_output=True, text=True, check=False)
    finally:
        folder.chmod(0o755)
    assert (ran.returncode, ran.stdout) == (0, "4950.0 None\n"), ran.stderr
    assert "could not be kept: Permission denied" in ran.stderr and [*folder.iterdir()] == [file]
