"""Factorise a matrix by alternating least squares, as the literature trains recommenders.

Implicit form: Hu, Koren & Volinsky, "Collaborative filtering for implicit feedback datasets"
(2008), solved by the library implicit, or in fewer steps where nothing weighs more. Explicit form:
Koren, Bell & Volinsky, "Matrix factorization techniques for recommender systems" (2009), equation
2, the penalty counted once a rating.
Rows are recipients, columns contents. Nothing here knows the database.
"""

import threading
from dataclasses import asdict, dataclass

import numpy as np
from implicit.cpu.als import AlternatingLeastSquares
from scipy import sparse
from threadpoolctl import threadpool_limits

IMPLICIT, EXPLICIT = "implicit", "explicit"
SCALE = 0.01  # of the factors that training begins with, as in implicit
ROWS = 256  # whose equations are solved together
FEW = 2000  # recipients, of whom a matrix each with each is small and quick
_training = threading.Lock()


@dataclass(frozen=True)
class Recipe:
    """The settings by which a model is trained.

    confidence: weight of a seen content in the implicit form, where an unseen one has weight 1.
    """

    form: str = IMPLICIT
    factors: int = 40
    iterations: int = 20
    regularisation: float = 0.01
    confidence: float = 1.0
    seed: int = 1

    @property
    def settings(self):
        return asdict(self)


@dataclass(frozen=True)
class Model:
    """Factors of recipients (rows, factors) and contents (columns, factors).

    A score is their inner product. half: if given, `contents_of` makes the contents of it, which
    are many more.
    """

    recipients: np.ndarray
    contents: np.ndarray
    half: np.ndarray | None = None

    def scores(self, row):
        """Compute f(row, ·), a score for each content."""
        return self.contents @ self.recipients[row]


def start(recipe, shape):
    """Draw the factors that every training begins with.

    Those of a content do not depend on how many recipients there are.
    """
    rows, columns = shape
    dice = [np.random.default_rng([recipe.seed, side]) for side in (0, 1)]
    contents = dice[0].random((columns, recipe.factors)) * SCALE
    recipients = dice[1].random((rows, recipe.factors)) * SCALE
    return Model(recipients, contents)


def train(matrix, recipe, begin=None, threads=0):
    """Train a Model of `matrix` (recipients × contents, sparse; its values are the ratings).

    begin: the Model to go on from, else the seeded one. threads: 0 for one a core; the result does
    not depend on them.
    """
    begin = begin or start(recipe, matrix.shape)
    if recipe.form == EXPLICIT:
        return _explicit(matrix.tocsr().astype(float), recipe, begin)
    # Where the library of linear algebra splits a sum over threads, its last digits change. The
    # limit is the whole process's, so one training at a time.
    with _training, threadpool_limits(1, "blas"):
        if recipe.confidence == 1 and 0 < matrix.shape[0] <= FEW:
            return _unweighted(_confidences(matrix, recipe).astype(float), recipe, begin)
        model = AlternatingLeastSquares(
            factors=recipe.factors,
            regularization=recipe.regularisation,
            iterations=recipe.iterations,
            use_cg=False,  # exact: Cholesky
            num_threads=threads,
            dtype=np.float64,
        )
        model.user_factors, model.item_factors = begin.recipients.copy(), begin.contents.copy()
        model.fit(_confidences(matrix, recipe), show_progress=False)
    return Model(model.user_factors, model.item_factors)


def _confidences(matrix, recipe):
    seen = matrix.tocsr()
    values = np.full(seen.nnz, recipe.confidence, dtype="f4")
    return sparse.csr_matrix((values, seen.indices, seen.indptr), shape=seen.shape)


def _unweighted(seen, recipe, begin):
    """Solve the same least squares where everything weighs the same, for few recipients.

    Then each half of an iteration is one product, X = P Y (YᵀY + λ)⁻¹ and Y = Pᵀ Z with
    Z = X (XᵀX + λ)⁻¹, and the next X is made of Z and PPᵀ alone: contents are needed at the end.
    """
    shared = (seen @ seen.T).toarray()  # how many contents two recipients share
    recipients = _ridge(seen @ begin.contents, begin.contents.T @ begin.contents, recipe)
    for _ in range(recipe.iterations - 1):
        half = _ridge(recipients, recipients.T @ recipients, recipe)
        products = shared @ half
        recipients = _ridge(products, half.T @ products, recipe)
    half = _ridge(recipients, recipients.T @ recipients, recipe)
    return Model(recipients, seen.T @ half, half)


def contents_of(matrix, half):
    """Compute the contents of this matrix's Model from its half."""
    return _confidences(matrix, Recipe()).astype(float).T @ half


def _ridge(products, squares, recipe):
    """Multiply the products (n, factors) by the inverse of squares + λ."""
    left = squares + recipe.regularisation * np.eye(recipe.factors)
    return np.linalg.solve(left, products.T).T


def _explicit(ratings, recipe, begin):
    recipients, contents = begin.recipients, begin.contents
    turned = ratings.T.tocsr()
    with _training, threadpool_limits(1, "blas"):
        for _ in range(recipe.iterations):
            recipients = _solved(ratings, contents, recipe)
            contents = _solved(turned, recipients, recipe)
    return Model(recipients, contents)


def _solved(ratings, others, recipe):
    """Solve each row's least squares on the other side's factors, some rows at a time."""
    blocks = []
    for first in range(0, ratings.shape[0], ROWS):
        some = ratings[first : first + ROWS]
        ends = zip(some.indptr[:-1], some.indptr[1:], strict=True)
        rows = [(some.indices[begin:end], some.data[begin:end]) for begin, end in ends]
        blocks.append(fold_in(others, rows, recipe))
    return np.concatenate(blocks)


def fold_in(contents, histories, recipe):
    """Compute factors of recipients with these histories, contents' factors kept: (n, factors).

    histories: [(columns, ratings)], of any lengths; an empty one has factors of zero.
    """
    n_factors = contents.shape[1]
    if not histories:
        return np.zeros((0, n_factors))
    eye = recipe.regularisation * np.eye(n_factors)
    seen = [contents[np.asarray(columns, dtype=int)] for columns, _ in histories]
    if recipe.form == EXPLICIT:
        left = [
            factors.T @ factors + (len(factors) * eye if len(factors) else np.eye(n_factors))
            for factors in seen
        ]
        ratings = (np.asarray(ratings, dtype=float) for _, ratings in histories)
        right = [own @ factors for own, factors in zip(ratings, seen, strict=True)]
    else:
        base = contents.T @ contents + eye
        right = [recipe.confidence * factors.sum(axis=0) for factors in seen]
        if recipe.confidence == 1:  # the same equations for all
            return np.linalg.solve(base, np.array(right).T).T
        left = [base + (recipe.confidence - 1) * (factors.T @ factors) for factors in seen]
    return np.linalg.solve(np.array(left), np.array(right)[:, :, None])[:, :, 0]


def without(matrix, row, columns):
    """Return the matrix without one recipient's interactions with these contents."""
    matrix = matrix.tocsr()
    first, last = matrix.indptr[row], matrix.indptr[row + 1]
    kept = np.ones(matrix.nnz, dtype=bool)
    kept[first:last] = ~np.isin(matrix.indices[first:last], columns)
    pointers = matrix.indptr.copy()
    pointers[row + 1 :] -= np.count_nonzero(~kept)
    parts = (matrix.data[kept], matrix.indices[kept], pointers)
    return sparse.csr_matrix(parts, shape=matrix.shape)


def with_row(matrix, columns, ratings):
    """Return the matrix with one more recipient, the last."""
    columns = np.asarray(columns, dtype=int)
    row = sparse.csr_matrix(
        (np.asarray(ratings, dtype=float), (np.zeros(len(columns), dtype=int), columns)),
        shape=(1, matrix.shape[1]),
    )
    return sparse.vstack([matrix, row], format="csr")
