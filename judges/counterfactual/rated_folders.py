"""Load a folder of ratings in MovieLens' form into a new study with nothing else in it."""

import csv
import hashlib
import tempfile
from pathlib import Path

from annotate.files.reading import Problems
from annotate.studies.edit import change
from annotate.studies.study_file import as_yaml
from annotate.values.formulas import guarded
from judges.counterfactual.surveys.reading import files_of
from judges.files import load_files

MADE_OF = "made_of_ratings"  # a key of Study.extra: the hash of the folder's files
# A study asks people at least one; a recommender is tested without people.
QUESTION = {
    "key": "fit",
    "text": "This recommendation fits this person.",
    "scale": "likert5",
    "applies_to": ["recommendation"],
}


def load(folder, slug, title, owner=None):
    """Load a folder whole or not at all: (the new study, or None, its Problems)."""
    problems = Problems()
    files = files_of(folder)
    for file in files.values():
        if not file.path.is_file():
            problems.add(file.name, "there is no such file; allowed is a folder with both")
        else:
            file.open(problems)
    if problems:
        return None, problems
    made_of = digest(folder)
    with tempfile.TemporaryDirectory() as place:
        paths = _write(Path(place), files, slug, title, problems)
        if problems:
            return None, problems
        loading = load_files(*paths, new=True, owner=owner)
    if loading.problems:
        return None, loading.problems
    # Not in the load's transaction, which must not lock while it checks: who is killed just here
    # has a study that is_made_of denies, so that another name is needed.
    change(loading.study, lambda extra: extra.update({MADE_OF: made_of}))
    return loading.study, loading.problems


def is_made_of(study, folder):
    """Whether `load` made the study of files with the same bytes, whatever was loaded since."""
    paths = [file.path for file in files_of(folder).values()]
    there = all(path.is_file() for path in paths)
    return there and study.extra.get(MADE_OF) == digest(folder)


def digest(folder):
    """Hash both files."""
    both = hashlib.sha256()
    for file in files_of(folder).values():
        with file.path.open("rb") as content:
            both.update(hashlib.file_digest(content, "sha256").digest())
    return both.hexdigest()


def _write(place, files, slug, title, problems):
    """Write study.yaml, contents.csv and interactions.csv, as load_study takes them."""
    study = place / "study.yaml"
    data = {"study": slug, "title": title, "questions": [QUESTION]}
    study.write_text(as_yaml(data), encoding="utf-8")
    header = ("content", "title", "genres")
    names = ("movieId", "title", "genres")
    contents = (
        [row.get(name) or "" for name in names] for _, row in files["movies"].rows(problems)
    )
    rated = (
        (row["userId"], row["movieId"], row["rating"], row["timestamp"])
        for _, row in files["ratings"].rows(problems)
    )
    rows = (
        (who, what, "" if rating is None else rating, time and time.isoformat())
        for who, what, rating, time in rated
    )
    paths = {"contents": place / "movies.csv", "interactions": place / "ratings.csv"}
    _table(paths["contents"], header, contents)
    _table(paths["interactions"], ("recipient", "content", "rating", "at"), rows)
    return study, paths


def _table(path, header, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(
            [guarded(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
        )
