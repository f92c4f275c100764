"""What a run stands on: its environment, its folders, and a small disk that may be filled."""

import os
import secrets
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

# Before anything of Django: importing it gives this process a CONCORD_VAR of its own.
KEPT_UNDER = Path(os.environ.get("CONCORD_VAR") or "var")
from tests.bench import scratch  # noqa: E402
from tests.chaos.product import free_port  # noqa: E402

DISK_MB = 96
POSTGRES = "postgres://postgres@127.0.0.1:5432/concord_chaos"


@dataclass
class Ground:
    """Folders and ports; `disk` says why the disk cannot be filled, or nothing where it can."""

    var: Path
    kept: Path
    redis_port: int
    disk: str = ""

    @property
    def tmp(self):
        """The folder of temporary files, on the same disk."""
        return self.var / "tmp"

    def mount(self):
        """Put a small disk of its own under CONCORD_VAR, where that is allowed."""
        size = f"size={DISK_MB}m"
        command = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(self.var)]
        with suppress(FileNotFoundError):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.disk = "" if done.returncode == 0 else done.stderr.strip() or "mount failed"
        self.tmp.mkdir()

    def unmount(self):
        """Take the disk and all files away again."""
        if not self.disk:
            subprocess.run(["umount", "-l", str(self.var)], check=False)
        shutil.rmtree(self.var, ignore_errors=True)

    def fill(self):
        """Leave no byte on the disk."""
        block = b"0" * 65_536
        with suppress(OSError), (self.var / "filler").open("wb", buffering=0) as filler:
            while filler.write(block):
                pass

    def free(self):
        """Give the space back."""
        (self.var / "filler").unlink(missing_ok=True)


def prepare(database, seed):
    """Return the Ground of a run, its environment set: before Django reads any of it."""
    kept = KEPT_UNDER / "chaos" / f"{database}-seed-{seed}"
    kept.mkdir(parents=True, exist_ok=True)
    for log in kept.glob("*.log"):
        log.unlink()
    redis_port = free_port()
    if database == "sqlite":
        os.environ.pop("DATABASE_URL", None)
    elif not os.environ.get("DATABASE_URL", "").startswith("postgres"):
        os.environ["DATABASE_URL"] = POSTGRES
    os.environ["REDIS_URL"] = f"redis://127.0.0.1:{redis_port}/0"
    os.environ["SECRET_KEY"] = secrets.token_urlsafe(60)
    return Ground(Path(os.environ["CONCORD_VAR"]), kept.resolve(), redis_port, disk="no mount")


__all__ = ["Ground", "prepare", "scratch"]
