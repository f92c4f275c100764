"""Read ratings and films in MovieLens' form from a folder."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy import sparse

from annotate.files.reading import TableFile
from annotate.files.reading.columns import Column, Table, allowed, new_key, number, time
from annotate.values.wrong import quoted
from judges.counterfactual.proximity import genre_set
from judges.counterfactual.surveys.plan import QUANTILE, SEEN
from judges.models import Judge

MADE_UP = "hypothetical-"  # how the ids of recipients begin that a survey makes up


def film(text):
    """Check an id that can stand in a list with | between ids."""
    if "|" in text:
        raise allowed(text, "an id without |")
    return new_key(text)


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
        Column("userId", "Who rated.", new_key, required=True),
        Column("movieId", "What.", new_key, required=True),
        Column("rating", "Kept; the implicit form only asks who has what.", number),
        Column("timestamp", "When.", time),
    ),
    aliases={"recipient": "userId", "content": "movieId", "at": "timestamp"},
)
FILES = {"movies": MOVIES, "ratings": HISTORIES}


@dataclass(frozen=True)
class Films:
    """The films and ratings of a folder.

    matrix: recipients × contents, 1 where one has the other. people: the recipients' ids, by row;
    keys: of the contents that somebody has, by column; popular: columns that a made-up history may
    be drawn from. titles and genres of all films, by key. ratings: as matrix, the newest of a pair,
    NaN without one.
    """

    matrix: sparse.csr_matrix
    people: list[str]
    keys: list[str]
    popular: np.ndarray
    titles: dict[str, str]
    genres: dict[str, str]
    ratings: sparse.csr_matrix
    sha256: str

    @cached_property
    def genre_sets(self):
        """Return the set of genres of each content, by column."""
        return [genre_set(self.genres[key]) for key in self.keys]

    @cached_property
    def histories(self):
        """Return {row: its popular columns} of each recipient with enough of them for a history."""
        rows = np.split(self.matrix.indices, self.matrix.indptr[1:-1])
        popular_by_row = {row: np.intersect1d(own, self.popular) for row, own in enumerate(rows)}
        return {row: own for row, own in popular_by_row.items() if len(own) >= SEEN}

    @cached_property
    def unrated(self):
        """Return how many pairs have no rating."""
        return int(np.isnan(self.ratings.data).sum())

    @cached_property
    def typical(self):
        """Return the mean rating of each content that has any, by column."""
        given = self.ratings.tocsc()
        means = np.add.reduceat(given.data, given.indptr[:-1]) / np.diff(given.indptr)
        return np.round(means, 2)


def popular(matrix):
    """Return (columns, at least how many people have each), from the popularity's quantile on."""
    counts = matrix.getnnz(axis=0)
    least = np.quantile(counts, QUANTILE)
    return np.flatnonzero(counts >= least), float(least)


def files_of(folder):
    """Return {name: TableFile} of the folder's movies.csv and ratings.csv."""
    return {name: TableFile(table, Path(folder) / f"{name}.csv") for name, table in FILES.items()}


def read_folder(folder, problems):
    """Read the Films of a folder; None with what is wrong among the problems."""
    files = files_of(folder)
    needed = " and ".join(file.name for file in files.values())
    for file in files.values():
        if not file.path.is_file():
            problems.add(file.name, f"there is no such file; allowed is a folder with {needed}")
        elif file.open(problems) and file.table is MOVIES and "genres" not in file.header:
            columns = quoted(", ".join(file.header), 200)
            problems.add(file.name, f"this column is missing; found are {columns}", 1, "genres")
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
    """Read {recipient: {film: newest rating}}.

    A pair at one time stands once, as in interactions.csv. Of ratings without a time and with one,
    that with a time is the newer.
    """
    by_recipient: dict[str, dict] = {}
    more: dict[tuple, set] = {}
    for line, row in file.rows(problems):
        who, key = row["userId"], row["movieId"]
        if key is not None and key not in titles:
            problems.add(
                file.name,
                f"found {key!r}; allowed is a movieId of movies.csv",
                line,
                "movieId",
            )
        if (who or "").startswith(MADE_UP):
            words = f"allowed is an id that does not begin with {MADE_UP}"
            problems.add(file.name, f"found {who!r}; {words}", line, "userId")
        own = by_recipient.setdefault(who, {})
        when = row["timestamp"] is not None, row["timestamp"]
        times = more.setdefault((who, key), {own[key][0]}) if key in own else ()
        if when in times:
            words = (
                f"{who!r} and {key!r} stand in the file already, at the same time or without one"
            )
            problems.add(file.name, words, line)
        elif times:
            times.add(when)
        if key not in own or own[key][0] < when:
            own[key] = when, row["rating"]
    return {
        who: {key: rating for key, (_, rating) in own.items()} for who, own in by_recipient.items()
    }


def _films(pairs, titles, genres, sha256, problems):
    keys = sorted(set().union(*pairs.values()))
    columns = {key: column for column, key in enumerate(keys)}
    people = sorted(pairs)
    rows = [sorted((columns[key], rating) for key, rating in pairs[who].items()) for who in people]
    ends = np.cumsum([0, *map(len, rows)])
    shape = len(rows), len(keys)
    whole = np.array([column for row in rows for column, _ in row], dtype=int)
    given = np.array([rating for row in rows for _, rating in row], dtype=float)
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
    ratings = sparse.csr_matrix((given, whole, ends), shape=shape)
    return Films(matrix, people, keys, often, titles, genres, ratings, sha256)


def refusal(films, plan):
    """Return why these ratings cannot make the planned study, in a sentence; empty if they can."""
    if plan.form == Judge.Form.EXPLICIT and films.unrated:
        return f"the explicit form needs ratings, and {films.unrated:,} of ratings.csv have none"
    if not plan.real:
        return ""
    rows = {who: row for row, who in enumerate(films.people)}
    for who in plan.only:
        if who not in rows:
            return f"found {quoted(who)} as a recipient; allowed is a userId of ratings.csv"
        if rows[who] not in films.histories:
            return f"{quoted(who)} has fewer than {SEEN} popular films, of which a history is drawn"
    if plan.surveys > (most := len(plan.only or films.histories)):
        return f"{plan.surveys:,} surveys of people, and {most:,} people have {SEEN} popular films"
    return ""


def rows_of(films, plan):
    """Return the row of each survey's person in a study of real people, as named or else drawn."""
    if plan.only:
        return [films.people.index(who) for who in plan.only]
    return np.random.default_rng([plan.seed]).permutation([*films.histories]).tolist()
