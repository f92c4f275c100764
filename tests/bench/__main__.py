"""Runs every bench, one after the other, and prints a Markdown page (docs/BENCHMARKS.md).

python -m tests.bench [name ...] [--write]
"""

import os
import platform
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
TARGET = FOLDER.parent.parent / "docs" / "BENCHMARKS.md"
HEAD = """# Benchmarks

Ratios measured in one run on one machine; `make bench` prints this page anew. Absolute times
belong to the machine named here and to nothing else.

Machine: {machine}, {cores} cores, Python {python}.
"""


def benches(names):
    found = sorted(path.stem for path in FOLDER.glob("bench_*.py"))
    return [name for name in found if not names or name.removeprefix("bench_") in names]


def section(name):
    """What one bench printed, under its first line of documentation."""
    module = (FOLDER / f"{name}.py").read_text()
    title = module.split('"""')[1].strip().splitlines()[0].rstrip(".")
    command = [sys.executable, "-m", f"tests.bench.{name}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    output = done.stdout.strip() or "(nothing printed)"
    if done.returncode:
        output += "\nfailed: " + (done.stderr.strip().splitlines() or ["without a word"])[-1]
    return f"\n## {title}\n`python -m tests.bench.{name}`\n\n```\n{output}\n```\n"


def main(arguments):
    names = {name for name in arguments if name != "--write"}
    page = HEAD.format(
        machine=f"{platform.system()} {platform.machine()}",
        cores=os.cpu_count(),
        python=platform.python_version(),
    )
    for name in benches(names):
        print(f"running {name}", file=sys.stderr, flush=True)
        page += section(name)
    print(page)
    if "--write" in arguments:
        TARGET.write_text(page)


if __name__ == "__main__":
    main(sys.argv[1:])
