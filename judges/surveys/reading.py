"""Ratings and films in MovieLens' form: who has what, and what the films are."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy import sparse

from annotate.reading import TableFile
from annotate.reading.columns import Column, Table, allowed, key, number, time
from annotate.reading.problems import quoted
from judges.proximity import genre_set
from judges.surveys.plan import QUANTILE, SEEN

MADE_UP = "hypothetical-"  # how the ids of recipients begin that a survey makes up


def film(text):
    """An id that can stand in a list with | between ids."""
    if "|" in text:
        raise allowed(text, "an id without |")
    return key(text)


MOVIES = Table(
    "movies",
    (
        Column("movieId", "Its id.", film, required=True),
        Column("title", "Shown to raters.", required=True),
        Column("genres", "Separated by |."),
    ),
    aliases={"content": "movieId"},
)
HISTORIES = Table(
    "histories",
    (
        Column("userId", "Who rated.", key, required=True),
        Column("movieId", "What.", key, required=True),
        Column("rating", "Kept; the model only asks who has what.", number),
        Column("timestamp", "When.", time),
    ),
    aliases={"recipient": "userId", "content": "movieId", "at": "timestamp"},
)
FILES = {"movies": MOVIES, "ratings": HISTORIES}


@dataclass(frozen=True)
class Films:
    """matrix: recipients × contents, 1 where one has the other. keys: of the contents that somebody
    has, by column; popular: columns that a made-up history may be drawn from. titles and genres of
    all films, by key.
    """

    matrix: sparse.csr_matrix
    keys: list[str]
    popular: np.ndarray
    titles: dict[str, str]
    genres: dict[str, str]
    sha256: str

    @cached_property
    def genre_sets(self):
        """By column."""
        return [genre_set(self.genres[one]) for one in self.keys]

    @cached_property
    def histories(self):
        """The popular columns of each recipient who has enough of them for a history."""
        rows = np.split(self.matrix.indices, self.matrix.indptr[1:-1])
        found = [np.intersect1d(row, self.popular) for row in rows]
        return [row for row in found if len(row) >= SEEN]


def popular(matrix):
    """(columns, at least how many have each): from the quantile of the popularity on."""
    counts = matrix.getnnz(axis=0)
    least = np.quantile(counts, QUANTILE)
    return np.flatnonzero(counts >= least), float(least)


def files_of(folder):
    """{name: TableFile} of the folder's movies.csv and ratings.csv."""
    return {name: TableFile(table, Path(folder) / f"{name}.csv") for name, table in FILES.items()}


def read(folder, problems):
    """The Films of a folder, or None with what is wrong among the problems."""
    files = files_of(folder)
    needed = " and ".join(file.name for file in files.values())
    for file in files.values():
        if not file.path.is_file():
            problems.add(file.name, f"there is no such file; allowed is a folder with {needed}")
        elif file.open(problems) and file.table is MOVIES and "genres" not in file.header:
            found = quoted(", ".join(file.header), 200)
            problems.add(file.name, f"this column is missing; found are {found}", 1, "genres")
    if problems:
        return None
    titles, genres = _movies(files["movies"], problems)
    pairs = _pairs(files["ratings"], titles, problems)
    if problems:
        return None
    digest = hashlib.sha256()
    for file in files.values():
        digest.update(hashlib.sha256(file.path.read_bytes()).digest())
    return _films(pairs, titles, genres, digest.hexdigest(), problems)


def _movies(file, problems):
    titles, genres, lines = {}, {}, {}
    for line, row in file.rows(problems):
        own = row["movieId"]
        if own is not None and own in lines:
            problems.add(file.name, f"the film {own!r} stands on line {lines[own]} already", line)
        lines[own], titles[own], genres[own] = line, row["title"], row["genres"]
    return titles, genres


def _pairs(file, titles, problems):
    """{recipient: {film: when first}}; one pair at one time stands once, as in interactions.csv."""
    found: dict[str, dict] = {}
    more = set()
    for line, row in file.rows(problems):
        who, one = row["userId"], row["movieId"]
        if one is not None and one not in titles:
            problems.add(
                file.name, f"found {one!r}; allowed is a movieId of movies.csv", line, "movieId"
            )
        if (who or "").startswith(MADE_UP):
            words = f"allowed is an id that does not begin with {MADE_UP}"
            problems.add(file.name, f"found {who!r}; {words}", line, "userId")
        event = who, one, row["timestamp"]
        first = found.setdefault(who, {})
        if event in more or (one in first and first[one] == event[2]):
            words = (
                f"{who!r} and {one!r} stand in the file already, at the same time or without one"
            )
            problems.add(file.name, words, line)
        elif one in first:
            more.add(event)
        else:
            first[one] = event[2]
    return found


def _films(pairs, titles, genres, sha256, problems):
    keys = sorted(set().union(*pairs.values()))
    columns = {one: column for column, one in enumerate(keys)}
    indices = [np.sort([columns[one] for one in pairs[who]]) for who in sorted(pairs)]
    ends = np.cumsum([0, *map(len, indices)])
    shape = len(indices), len(keys)
    whole = np.concatenate(indices)
    matrix = sparse.csr_matrix((np.ones(len(whole)), whole, ends), shape=shape)
    if matrix.nnz == shape[0] * shape[1]:
        problems.add(
            "ratings.csv",
            f"found {shape[0]} people who all have the same {shape[1]} films; allowed are people "
            "who differ, or no film is recommended rather than another",
        )
        return None
    often, least = popular(matrix)
    if len(often) < SEEN or len(keys) == SEEN:
        problems.add(
            "ratings.csv",
            f"found {len(often)} films that at least {least:g} people have, the {QUANTILE:.0%} "
            f"quantile of {len(keys)} films; allowed are {SEEN} or more, and one besides: a "
            "history is drawn from them",
        )
        return None
    return Films(matrix, keys, often, titles, genres, sha256)
