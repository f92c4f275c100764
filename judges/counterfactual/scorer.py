"""Score explanations that name contents of the history (Yao, Wang & Li 2022, sections 3, 4.2).

A model is trained on all histories of the study; what is scored is the effect that the explaining
contents have on the recommendation, or how like they are to it.
"""

import json
from abc import ABC, abstractmethod
from collections import OrderedDict
from dataclasses import replace

from annotate.models import Content
from annotate.values.texts import composed
from judges.counterfactual import histories, kept_models, proximity
from judges.counterfactual.factorisation import (
    EXPLICIT,
    Model,
    Recipe,
    contents_of,
    fold_in,
    train,
    without,
)
from judges.counterfactual.proximity import NoScore
from judges.models import Judge
from judges.scorers.base import Score, same_for_all

NO_RECIPIENT = "the item has no recipient, whose history the explanation is about"
NO_CONTENT = "the item has no content that was recommended"
NO_EXPLANATION = "the item names no explaining contents"
CHANGED = "the study’s interactions were changed since the run was planned"
OTHER_GENRES = "genres of the study’s contents were changed since the run was planned"
KEPT = 4  # models of hypothetical recipients at a time


class Trained:
    """The models of one study by one recipe, which all scores here are made of."""

    def __init__(self, study, recipe, frozen):
        trained, made_up = histories.hashes(study)
        sha256 = trained["interactions_sha256"]
        if sha256 != frozen["interactions_sha256"] or not _are_as_frozen(made_up, frozen):
            raise NoScore(CHANGED)
        self.histories, self.recipe, self.sha256 = histories.read_histories(study), recipe, sha256
        if recipe.form == EXPLICIT and self.histories.unrated:
            raise NoScore(
                f"the explicit form needs ratings, and {self.histories.unrated} interactions "
                "have none"
            )
        self.models = OrderedDict()

    def model_for(self, recipient):
        """Return (matrix, row, Model) for a recipient; one model serves all rows of its matrix."""
        matrix, row = self.histories.matrix_for(recipient)
        key = recipient if recipient in self.histories.apart else None
        if key not in self.models:
            self.models[key] = self._model(matrix, None if key is None else row)
            while len(self.models) > KEPT:
                self.models.popitem(last=False)
        self.models.move_to_end(key)
        return matrix, row, self.models[key]

    def _model(self, matrix, made_up):
        """Load a model or train it; files keep it by the hash of its making.

        So judges of other kinds have it too. made_up: the row of somebody made up, whose history is
        in this matrix alone.
        """
        made_of = {"interactions_sha256": self.sha256, **self.recipe.settings}
        is_of_one = made_up is not None
        if is_of_one:
            mine = slice(matrix.indptr[made_up], matrix.indptr[made_up + 1])
            made_of["columns"] = matrix.indices[mine].tolist()
            made_of["ratings"] = matrix.data[mine].tolist()
        words = json.dumps(made_of, sort_keys=True)
        if kept := kept_models.load(words, is_of_one):
            contents = kept["contents"] if "contents" in kept else contents_of(matrix, kept["half"])
            return Model(kept["recipients"], contents)
        model = train(matrix, self.recipe)
        # Of one among many the smaller part, of which the rest is made again in little time.
        is_small = is_of_one and model.half is not None
        rest = {"half": model.half} if is_small else {"contents": model.contents}
        kept_models.save(words, is_of_one, recipients=model.recipients, **rest)
        return model


def _are_as_frozen(hashes, frozen):
    """Whether data is what it was at the plan; where its hash was not kept, it counts as that."""
    return all(frozen.get(name, value) == value for name, value in hashes.items())


def explaining_keys(item):
    """Return keys of the contents that an explanation names: a list, or a text with | between."""
    named = item.data.get("explaining_contents") or []
    names = named if isinstance(named, list) else str(named).split("|")
    return list(dict.fromkeys(key for name in names if (key := composed(str(name).strip()))))


class _Scorer(ABC):
    """Loads the contents of a batch of items at once; each kind computes its score from them."""

    def __init__(self, frozen):
        self.frozen, self.trained, self.refused = frozen, None, None
        names = ("form", "factors", "iterations", "regularisation", "confidence", "seed")
        self.recipe = Recipe(**{name: frozen[name] for name in names if name in frozen})

    def __call__(self, units):
        study = units[0].item.study_id
        contents = self.contents_of(study, [unit.item for unit in units])
        try:
            self.prepare(study)
        except NoScore as error:
            return [same_for_all(unit, Score(reason=str(error))) for unit in units]
        return [same_for_all(unit, self.guarded(unit.item, contents)) for unit in units]

    def prepare(self, study):
        """Prepare what all items share, once.

        NoScore where no item can be scored, which is found out once too.
        """
        if self.refused:
            raise self.refused
        try:
            self.trained = self.trained or self.shared(study)
        except NoScore as error:
            self.refused = error
            raise

    def shared(self, study):
        """Make what `prepare` keeps."""
        return Trained(study, self.recipe, self.frozen)

    def contents_of(self, study, items):
        """Load {key: Content} of all contents that these items name."""
        keys = {key for item in items for key in explaining_keys(item)}
        rows = Content.objects.filter(study=study, key__in=keys)
        return {content.key: content for content in rows}

    def guarded(self, item, contents):
        """Return the Score of an item, or the reason why it has none."""
        try:
            keys = explaining_keys(item)
            for missing, why in (
                (item.recipient_id, NO_RECIPIENT),
                (item.content_id, NO_CONTENT),
                (keys, NO_EXPLANATION),
            ):
                if not missing:
                    raise NoScore(why)
            if unknown := [key for key in keys if key not in contents]:
                raise NoScore(f"the study has no content {unknown[0]}, which the item names")
            return self.score(item, [contents[key] for key in keys])
        except NoScore as error:
            return Score(reason=str(error))

    @abstractmethod
    def score(self, item, explaining):
        """Score an item; NoScore says why it cannot be."""

    def column(self, content):
        """Return the column of a content in the matrix; NoScore where nobody has it."""
        column = self.trained.histories.columns.get(content.pk)
        if column is None:
            raise NoScore(f"nobody has the content {content.key} in their history")
        return column


class Proximity(_Scorer):
    """Scores how far a recommendation falls when the explaining interactions are forgotten."""

    def score(self, item, explaining):
        matrix, row, model = self.trained.model_for(item.recipient_id)
        wanted, named = self.column(item.content), [self.column(content) for content in explaining]
        seen = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
        for content, column in zip(explaining, named, strict=True):
            if column not in seen:
                raise NoScore(f"the explanation names {content.key}, which is not in the history")
        if wanted in seen:
            raise NoScore("the recommended content is in the history already")
        if len(named) == len(seen):
            raise NoScore("without the explanation nothing is left of the history")
        after = self.forgotten(matrix, row, model, named)
        effect = proximity.proximity(
            model.scores(row), after, wanted, seen, named, self.frozen["top"]
        )
        return _scored(effect, self.frozen["effect"])

    def forgotten(self, matrix, row, model, columns):
        """Compute scores of all contents by the model that forgot these columns of the row."""
        kind, rest = self.frozen["kind"], without(matrix, row, columns)
        if kind == Judge.Kind.CF_APPROXIMATE:
            left = slice(rest.indptr[row], rest.indptr[row + 1])
            history = rest.indices[left], rest.data[left]
            return model.contents @ fold_in(model.contents, [history], self.recipe)[0]
        if kind == Judge.Kind.CF_WARM:
            again = replace(self.recipe, iterations=self.frozen["warm_iterations"])
            return train(rest, again, begin=model).scores(row)
        return train(rest, self.recipe).scores(row)


def _scored(moved, effect):
    words = "would no longer be" if moved.raw > 0 else "would still be"
    rationale = (
        f"{words} recommended; rank {moved.rank_before} before, {moved.rank_after} after; "
        f"difference of scores {moved.raw:.6g}, of a range of {moved.spread:.6g}"
    ) + (", clipped" if moved.is_clipped else "")
    return Score(float(moved.moved) if effect == Judge.Effect.RANK else moved.value, "", rationale)


class Similarity(_Scorer):
    """Scores Item-Sim: the model's similarity of the explaining contents to the recommended one."""

    def score(self, item, explaining):
        _, _, model = self.trained.model_for(item.recipient_id)
        named = [self.column(content) for content in explaining]
        return Score(proximity.similarity(model.contents, self.column(item.content), named))


class Genres(_Scorer):
    """Scores Genre-Jacc: how many genres the explaining contents share with the recommended one."""

    def shared(self, study):
        """Check the genres; nothing is trained."""
        if not _are_as_frozen(histories.genres(study), self.frozen):
            raise NoScore(OTHER_GENRES)
        return True

    def score(self, item, explaining):
        own = genres_of(item.content)
        return Score(proximity.overlap(own, [genres_of(content) for content in explaining]))


def genres_of(content):
    """Return the set of a content's genres, from its column `genres`."""
    return proximity.genre_set(content.data.get("genres"))
