"""Write the page of all tables, with how it was made."""

import os
import platform
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.calibration.experiments import count_studies, load_sections

ROOT = Path(__file__).parents[2]
CHANGED = " with changes that are not in it"
HEAD = """# Calibration

What verdict, intervals, stopping rule and planner do where the truth is set: simulated studies, in
which the functions that the product calls answer. `make calibration` writes this page anew;
`tests/calibration` has the designs.

{header} {made} {machine}

A cell is the share of studies with its Monte Carlo error in brackets (Agresti & Coull, so that it
is not 0 where nothing happened). **Bold** cells miss their target. "≤ .05 + 2 errors" is met where
the share is not more than two Monte Carlo errors above .05, ".93 to .97 ± 2 errors" where it is
not more than two outside. Unless a table says otherwise, studies
have 75 contents × 4 systems, three ratings of each item on five points, a crowd whose raters rate
ten items, contents as clusters, and a quality that correlates .4 with the length of the text.
Reliability is that of ratings before they are rounded to points; a judge is tested alone, without
the correction for a family.

Not simulated here: the correction for a family of judges, choices, the recall of a rare class,
groups of items that a judge does not see, raters whose leaving depends on what they rate, and
judges that know several things at once where recipients rate their own items, where contents cut
across recipients, or where contents have fewer than five items. Scales of other than five points
are only under *Attacks*.

Contents or systems of fewer than five rated items that cut across recipients are not in the joint
check: a judge that knows only the content can then get a yes. The report says so beside each such
yes. How often that is was not measured again for the third version of the verdict.
"""


def write_header(seed, is_short, most=None):
    """Say the seed and the number of studies, in all and by section."""
    counts = [sum(own.values()) for own in count_studies(is_short, most).values()]
    names = [section.NAME for section in load_sections()]
    total = sum(counts)
    own = zip(names, counts, strict=True)
    sections = ", ".join(f"{name} {count:,}" for name, count in own)
    form = "short" if is_short else "shortened" if most else "long"
    return f"Seed {seed}, {form} form, {total:,} simulated studies: {sections}."


def write_origin():
    """Say on which day, and of which commit of the program, the page is."""
    command = ["git", "describe", "--always", "--exclude=*", f"--dirty={CHANGED}"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        commit = done.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        commit = "unknown"
    return f"Made on {datetime.now(UTC).date()}, commit {commit}."


def collect_tables(tallies):
    """Return the tables of all sections by the sections' titles."""
    return {section.TITLE: section.tables(tallies) for section in load_sections()}


@dataclass(frozen=True)
class Cost:
    """What the run took: seconds by the clock, CPU seconds of all processes, and their number."""

    wall: float
    cpu: float
    processes: int

    def __str__(self):
        return (
            f"Measured in {self.wall / 60:.1f} minutes by {self.processes} processes, which took "
            f"{self.cpu / 60:.1f} CPU minutes in all, on {platform.system()} {platform.machine()} "
            f"with {os.cpu_count()} cores and a load of {os.getloadavg()[2]:.1f} in the last "
            f"quarter of an hour, Python {platform.python_version()}. On two cores that do nothing "
            "else the minutes are half of the CPU minutes."
        )


def write_page(tallies, seed, is_short, cost, most=None):
    """Write the whole page as Markdown."""
    tables = collect_tables(tallies)
    header = write_header(seed, is_short, most)
    page = HEAD.format(header=header, made=write_origin(), machine=cost)
    page += "\n" + write_summary(tables)
    for title, own in tables.items():
        page += f"\n## {title}\n\n" + "\n".join(table.write() for table in own)
    return page


def write_summary(tables):
    """List the tables with how many of their cells have a target and miss it."""
    rows = ["| table | cells with a target | not met |", "|---|---|---|"]
    for own in tables.values():
        for table in own:
            pairs = [line.failures for line in table.lines]
            missed, asked = (sum(column) for column in zip(*pairs, strict=True))
            rows.append(f"| {table.title} | {asked} | {missed or '–'} |")
    return "\n".join(rows) + "\n"
