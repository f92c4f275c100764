"""Change the code in one small way at a time, and see whether a test of it fails.

python -m tests.mutants measure [TEST ...]   which tests reach which line (once, and after changes)
python -m tests.mutants run [FILE ...]       runs what has no result yet; stop it at any time
python -m tests.mutants report [FILE ...]    survivors, and the share killed with its interval

A runner of its own: mutmut changes the bodies of functions alone and chooses tests by function;
cosmic-ray runs one command for all mutants. Here a test is run where it reaches the line.
"""

import argparse
import difflib
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from queue import SimpleQueue

from analysis.stats.intervals.wilson_interval import wilson_interval
from tests.mutants.forking import run_pytest
from tests.mutants.making import Mutant, mutants_of

ROOT = Path(__file__).parents[2]
WORK = Path(os.environ.get("CONCORD_VAR") or ROOT / "var") / "mutants"
RESULTS, COVERED, SECONDS = WORK / "results.jsonl", WORK / "coverage", WORK / "seconds.json"
FRESH = WORK / "fresh.sqlite3"
# Each copy of the project has a database of its own, a file: nothing is left of a killed run.
ENV = os.environ | {"DATABASE_URL": ""}
EQUIVALENT = Path(__file__).parent / "equivalent.txt"
WHOLE = (
    "judges/runs/settle.py",
    "judges/runs/lease.py",
    "judges/endpoints/limits.py",
    "annotate/sessions/places.py",
    "annotate/sessions/save.py",
    "annotate/quality/rules.py",
)
SAMPLED, MOST, SEED = "analysis/stats", 150, 1
KILLED, SURVIVED, SLOW, UNREACHED = "killed", "survived", "killed by time", "reached by no test"
OUTCOMES = {0: SURVIVED, 1: KILLED, None: SLOW}  # by pytest's exit code


@cache
def source_of(path):
    return (ROOT / path).read_bytes()


def hash_of(path):
    return hashlib.sha256(source_of(path)).hexdigest()[:16]


def chosen(files, most):
    """The mutants of these files, or of all that are wanted; of more than `most` a sample."""
    if not files:
        stats = [str(path.relative_to(ROOT)) for path in sorted((ROOT / SAMPLED).rglob("*.py"))]
        return chosen(WHOLE, None) + chosen(stats, MOST)
    mutants = [mutant for path in files for mutant in mutants_of(path, source_of(path))]
    if not most or len(mutants) <= most:
        return mutants
    return [mutants[at] for at in sorted(random.Random(SEED).sample(range(len(mutants)), most))]


def measure(tests):
    """Run the tests once under coverage; keeps a fresh test database beside the results."""
    WORK.mkdir(parents=True, exist_ok=True)
    command = [
        "-m",
        "coverage",
        "run",
        "--data-file",
        COVERED,
        "--source",
        "annotate,judges,analysis",
        "-m",
        "pytest",
        "-q",
        "-p",
        "tests.mutants.measuring",
        "--create-db",
        "--reuse-db",
        *(tests or ["tests"]),
    ]
    env = ENV | {"CONCORD_VAR": str(WORK / "measured"), "MUTANTS_SECONDS": str(SECONDS)}
    subprocess.run([sys.executable, *map(str, command)], cwd=ROOT, env=env, check=False)
    if (made := WORK / "measured" / "concord.sqlite3.test").exists():
        shutil.copy(made, FRESH)


@cache
def tests_by_line(path):
    """{line: tests that reach it}; of line 0 all that reach the file."""
    import coverage

    data = coverage.CoverageData(basename=str(COVERED))
    data.read()
    if str(ROOT / path) not in data.measured_files():
        sys.exit(f"{path} was not measured: rm -r {WORK}, and measure again.")
    lines = data.contexts_by_lineno(str(ROOT / path))
    found = {line: set(tests) - {""} for line, tests in lines.items()}
    return found | {0: set().union(*found.values())}


def tests_of(mutant, seconds, most):
    """(tests that reach a mutant, their seconds), the quickest first, at most so many seconds.

    What runs when a module is imported is tested by whole files of tests: some only read its data.
    """
    by_line = tests_by_line(mutant.path)
    reached = set().union(*(by_line.get(line, ()) for line in mutant.lines))
    if not (mutant.place and reached) and any(line in by_line for line in mutant.lines):
        files = {test.partition("::")[0] for test in by_line[0]}
        reached |= {test for test in seconds if test.partition("::")[0] in files}
    picked, total = [], 0.0
    for test in sorted(reached & seconds.keys(), key=lambda test: (seconds[test], test)):
        if picked and total + seconds[test] > most:
            break
        picked.append(test)
        total += seconds[test]
    return picked, total


class Tree:
    """A copy of the project in which one file is changed at a time."""

    def __init__(self, number):
        self.folder, self.var = WORK / f"tree-{number}", WORK / f"var-{number}"
        shutil.rmtree(self.folder, ignore_errors=True)
        listing = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
        for name in subprocess.check_output(listing, cwd=ROOT, text=True).split("\0"):
            if (ROOT / name).is_file():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.folder / name)
        self.env = ENV | {"CONCORD_VAR": str(self.var), "CELERY_QUEUE": f"mutants-{number}"}

    def outcome(self, mutant, tests, seconds):
        """Whether these tests, which take so long without the mutant, notice it."""
        if not tests:
            return UNREACHED
        source = source_of(mutant.path)
        code = self.exit_code(mutant.path, mutant.apply(source), tests, seconds)
        if code in OUTCOMES:
            return OUTCOMES[code]
        # Most often a module that cannot be imported any more; not so, if it is the same without.
        if self.exit_code(mutant.path, source, tests, seconds) == 0:
            return KILLED
        sys.exit(f"pytest ended by {code} and told nothing of {mutant.key}: measure again.")

    def exit_code(self, path, source, tests, seconds):
        """Run the tests with another source of one file; None where they do not end in time."""
        shutil.rmtree(self.var, ignore_errors=True)
        self.var.mkdir(parents=True)
        if FRESH.exists():
            shutil.copy(FRESH, self.var / "concord.sqlite3.test")
        (self.var / "tests").write_text("\n".join(tests))
        self.write(path, source)
        arguments = ["-qx", "--reuse-db", "-p", "no:cacheprovider", f"@{self.var / 'tests'}"]
        try:
            return run_pytest(self.folder, self.env, arguments, 60 + 5 * seconds)
        finally:
            self.write(path, source_of(path))

    def write(self, path, source):
        """Write a module; its compiled file goes, which knows only its size and second."""
        file = self.folder / path
        file.write_bytes(source)
        for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
            compiled.unlink()


def results():
    """{key: outcome} of the mutants of the files as they are, the newest of each."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    rows = list(map(json.loads, lines))
    return {
        row["key"]: row["outcome"] for row in rows if row["hash"] == hash_of(row["key"].split()[0])
    }


def run(options):
    """Run mutants that no test has noticed or seen; --again also those that survived."""
    seconds, before = json.loads(SECONDS.read_text()), results()
    redone = (None, UNREACHED, SURVIVED) if options.again else (None, UNREACHED)
    due = [one for one in chosen(options.files, options.most) if before.get(one.key) in redone]
    due = [one for one in due if one.key not in equivalents()]
    trees: SimpleQueue = SimpleQueue()
    for number in range(options.jobs):
        trees.put(Tree(number))

    def outcome_of(mutant):
        tree = trees.get()
        try:
            return tree.outcome(mutant, *tests_of(mutant, seconds, options.seconds))
        finally:
            trees.put(tree)

    def work(mutant):
        outcome = outcome_of(mutant)
        row = {"key": mutant.key, "outcome": outcome, "hash": hash_of(mutant.path)}
        with RESULTS.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{outcome}: {mutant.key}", flush=True)

    def check(path):
        """See first that the tests pass on the file as it is: else they would tell nothing."""
        unchanged = Mutant(path, "as it is", "", "", 0, 0, 0, (0,))
        if outcome_of(unchanged) not in (SURVIVED, UNREACHED):
            sys.exit(f"The tests of {path} do not pass as it is.")

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(check, sorted({mutant.path for mutant in due})))
        list(pool.map(work, due))


def equivalents():
    """{key: why no test can notice it}: a line each, with a tab between."""
    lines = EQUIVALENT.read_text().splitlines()
    return dict(line.split("\t") for line in lines if line and not line.startswith("#"))


def report(options):
    """Print each survivor as a diff, and of each file the share killed of those not equivalent."""
    outcomes, named, counts = results(), equivalents(), {"all": [0, 0]}
    for mutant in chosen(options.files, options.most):
        outcome = outcomes.get(mutant.key)
        if outcome is None or mutant.key in named:
            continue
        for count in (counts.setdefault(mutant.path, [0, 0]), counts["all"]):
            count[0] += outcome in (KILLED, SLOW)
            count[1] += 1
        if outcome in (SURVIVED, UNREACHED):
            source = source_of(mutant.path)
            pair = [text.decode().splitlines() for text in (source, mutant.apply(source))]
            print(f"\n{outcome}: {mutant.key}")
            print("\n".join([*difflib.unified_diff(*pair, lineterm="", n=1)][2:]))
    for path, (killed, tried) in counts.items():
        if tried:
            low, high = wilson_interval(killed, tried)
            share = f"{killed / tried:.1%} [{low:.1%}, {high:.1%}]"
            print(f"{path}: {killed} of {tried} killed, {share}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["measure", "run", "report"])
    parser.add_argument("files", nargs="*", help="files to change; of measure: tests to run")
    parser.add_argument("--most", type=int, help="a sample of so many of the named files' mutants")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=120, help="of tests for a mutant")
    parser.add_argument("--again", action="store_true", help="survivors too")
    options = parser.parse_intermixed_args()
    if options.action == "measure":
        measure(options.files)
    else:
        {"run": run, "report": report}[options.action](options)


if __name__ == "__main__":
    main()
