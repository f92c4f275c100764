"""Turn a file of reviews into a study's files: histories to train on, items to explain."""

import csv
from pathlib import Path

from annotate.files.reading import TableFile
from annotate.files.reading.columns import Column, Table, key, number, time
from annotate.values.formulas import guarded
from judges.statements.review_splits import TEST, TRAIN, VALIDATION, Review, split

REVIEWS = Table(
    "reviews",
    (
        Column("recipient", "Who wrote it.", key, required=True),
        Column("content", "About what.", key, required=True),
        Column("at", "When.", time, required=True),
        Column("rating", "A number.", number),
        Column("review", "Its text."),
    ),
    aliases={
        "reviewerID": "recipient",
        "asin": "content",
        "unixReviewTime": "at",
        "overall": "rating",
        "reviewText": "review",
        "userId": "recipient",
        "movieId": "content",
        "timestamp": "at",
    },
)
INTERACTION = ("recipient", "content", "rating", "at")
ITEM = ("item", "kind", "recipient", "content", "system", "text", "review", "rating", "at")


def read_reviews(path, problems):
    """Read the Reviews of a file, CSV or JSON lines; problems collects what is wrong with it."""
    file = TableFile(REVIEWS, Path(path))
    if not file.path.is_file():
        problems.add(file.name, "there is no such file")
        return []
    if not file.open(problems):
        return []
    return [_review(line, row) for line, row in file.rows(problems)]


def _review(line, row):
    more = {name: value for name, value in row["data"].items() if name not in ITEM}
    named = {name: row[name] for name in ("recipient", "content", "rating")}
    return Review(**named, moment=row["at"], number=line, text=row["review"] or "", more=more)


def prepare(reviews, least, folder):
    """Write the files of the Split into a folder, and return the Split.

    interactions.csv is the training; items.csv the test, one item for each review, whose text and
    system are blank until a system has explained it; validation.csv is like it.
    """
    prepared = split(reviews, least)
    more = sorted({name for review in prepared.kept for name in review.more})
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "interactions.csv", INTERACTION, map(_interaction, prepared.parts[TRAIN]))
    for name, part in (("items", TEST), ("validation", VALIDATION)):
        rows = (_item(review, more) for review in prepared.parts[part])
        _write(folder / f"{name}.csv", (*ITEM, *more), rows)
    _write(folder / "counts.csv", ("count", "n"), prepared.counts)
    return prepared


def _interaction(review):
    return review.recipient, review.content, review.rating, review.moment.isoformat()


def _item(review, more):
    extra = [review.more.get(name, "") for name in more]
    told = review.text, review.rating, review.moment.isoformat()
    return (
        f"review-{review.number}",
        "explanation",
        review.recipient,
        review.content,
        "",
        "",
        *told,
        *extra,
    )


def _write(path, header, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(map(guarded, header))
        writer.writerows([_cell(value) for value in row] for row in rows)


def _cell(value):
    return guarded(value) if isinstance(value, str) else value
