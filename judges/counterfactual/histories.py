"""Load all histories of a study as one matrix, with a hash that tells whether they changed."""

import hashlib
from dataclasses import dataclass, field

import numpy as np
from django.db.models import F
from scipy import sparse

from annotate.models import Content, Interaction
from judges.counterfactual.proximity import NoScore
from judges.values.hypothetical import is_hypothetical


@dataclass
class Histories:
    """The interactions of a study: which recipients have which contents in their history.

    matrix: recipients × contents, one value each, the newest rating (1 without). Hypothetical
    recipients, made up for a survey, are no rows of it, and what only they have is no column: a
    model that speaks for one of them is trained with that one besides.
    """

    matrix: sparse.csr_matrix
    rows: dict  # recipient id -> row
    columns: dict  # content id -> column
    apart: dict = field(default_factory=dict)  # recipient id -> {content id: rating}
    unrated: int = 0

    def matrix_for(self, recipient):
        """Return (matrix, row) that a recipient's model is trained on; NoScore without history."""
        if recipient in self.rows:
            return self.matrix, self.rows[recipient]
        if recipient not in self.apart:
            raise NoScore("the recipient has no interactions")
        own = self.apart[recipient]
        if not own.keys() <= self.columns.keys():
            raise NoScore("the recipient is hypothetical, and nobody else has all they have")
        from judges.counterfactual.factorisation import with_row  # noqa: PLC0415 - loads a library of 30 MB

        columns = [self.columns[content] for content in own]
        return with_row(self.matrix, columns, [*own.values()]), self.matrix.shape[0]


def _rows(study):
    """Select (recipient, content, rating, hypothetical) of the study, by key, newest last."""
    rows = Interaction.objects.filter(study=study).order_by(
        "recipient__key", "content__key", F("at").asc(nulls_first=True), "pk"
    )
    names = "recipient_id", "content_id", "rating", "data__hypothetical"
    return rows.values_list("recipient__key", "content__key", *names)


def hashes(study):
    """Hash what a model is trained on, and the hypothetical recipients: (settings, run).

    settings: {"interactions": how many, "interactions_sha256": …}. run: {"made_up_sha256": …};
    another hash of these changes no judge, but no run may mix scores of two.
    """
    trained, made_up, n = hashlib.sha256(), hashlib.sha256(), 0
    for recipient, content, _, _, rating, apart in _rows(study).iterator(chunk_size=20_000):
        is_apart = is_hypothetical(apart)
        (made_up if is_apart else trained).update(f"{recipient}\0{content}\0{rating}\n".encode())
        n += not is_apart
    settings = {"interactions": n, "interactions_sha256": trained.hexdigest()}
    return settings, {"made_up_sha256": made_up.hexdigest()}


def fingerprint(study):
    """Hash what a model is trained on; see `hashes`."""
    return hashes(study)[0]


def made_up(study):
    """Hash the hypothetical recipients; see `hashes`."""
    return hashes(study)[1]


def genres(study):
    """Hash the genres of the contents by key: {"genres_sha256": …}."""
    digest = hashlib.sha256()
    rows = Content.objects.filter(study=study).order_by("key")
    for row in rows.values_list("key", "data__genres").iterator(chunk_size=20_000):
        digest.update(f"{row}\n".encode())
    return {"genres_sha256": digest.hexdigest()}


def read_histories(study):
    """Load the Histories of a study, its columns in the order of the contents' keys."""
    trained, made_up, keys = {}, {}, {}
    for _, key, recipient, content, rating, apart in _rows(study).iterator(chunk_size=20_000):
        if is_hypothetical(apart):
            made_up.setdefault(recipient, {})[content] = _value(rating)
        else:
            trained.setdefault(recipient, {})[content] = rating
            keys[content] = key
    columns = {pk: column for column, pk in enumerate(sorted(keys, key=keys.__getitem__))}
    pairs = [
        (row, columns[pk], rating)
        for row, some in enumerate(trained.values())
        for pk, rating in some.items()
    ]
    return Histories(
        matrix=_matrix(pairs, (len(trained), len(columns))),
        rows={recipient: row for row, recipient in enumerate(trained)},
        columns=columns,
        apart=made_up,
        unrated=sum(rating is None for _, _, rating in pairs),
    )


def _value(rating):
    return 1.0 if rating is None else rating


def _matrix(pairs, shape):
    rows, columns, ratings = zip(*pairs, strict=True) if pairs else ((), (), ())
    values = np.array([_value(rating) for rating in ratings], dtype=float)
    return sparse.csr_matrix((values, (rows, columns)), shape=shape)
