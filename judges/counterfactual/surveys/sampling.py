"""Sample ratings that are too many for a study: some people, with all that they rated.

The file is read line by line, twice, so that only the people's ids are held.
"""

import csv
import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from annotate.values.texts import composed
from judges.counterfactual.surveys.kept import whole
from judges.counterfactual.surveys.reading import HISTORIES, files_of


@dataclass(frozen=True)
class Sample:
    """A folder with movies.csv and ratings.csv of so many people of `of`."""

    folder: Path
    people: int
    of: int


def sampled(folder, n, seed, where):
    """Sample n people of a folder, drawn by the seed, into a folder below `where`.

    None where there is nothing to leave out, or no column of people: whoever reads the folder says
    what is wrong. The same folder, n and seed give the same sample, in one folder.
    """
    files = {name: file.path for name, file in files_of(folder).items()}
    if not all(path.is_file() for path in files.values()):
        return None
    ids = _people(files["ratings"])
    if len(ids) <= n:
        return None
    chosen = np.random.default_rng([seed]).choice(len(ids), n, replace=False)
    target = where / f"sample-{_name(files['ratings'], n, seed)}"
    target.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(files["movies"], target / files["movies"].name)
    kept = {ids[place] for place in chosen.tolist()}
    with whole(target / files["ratings"].name) as file:
        csv.writer(file, lineterminator="\n").writerows(_lines(files["ratings"], kept))
    return Sample(target, n, len(ids))


def _rows(path):
    """Yield (place of the column of people, a row behind the header); the header comes first."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file)
        header = next(rows, [])
        names = [HISTORIES.aliases.get(name.strip(), name.strip()) for name in header]
        if "userId" in names:
            yield names.index("userId"), header
            yield from ((names.index("userId"), row) for row in rows if row)


def _people(path):
    """Return the ids of all people, in the order of the file."""
    rows = _rows(path)
    next(rows, None)
    return list(dict.fromkeys(_id(row, place) for place, row in rows if len(row) > place))


def _id(row, place):
    return composed(row[place].strip())


def _lines(path, kept):
    for number, (place, row) in enumerate(_rows(path)):
        if not number or (len(row) > place and _id(row, place) in kept):
            yield row


def _name(path, n, seed):
    stat = path.stat()
    made_of = f"{path.resolve()} {stat.st_size} {stat.st_mtime_ns} {n} {seed}"
    return hashlib.sha256(made_of.encode()).hexdigest()[:20]
