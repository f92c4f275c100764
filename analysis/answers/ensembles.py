"""Describe judges and the judges made of them; `reports.shared.scores` computes the values."""

from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

from django.db.models import Exists, OuterRef, Q

from analysis.answers.families import MODEL, SETTINGS
from analysis.answers.scales import of_learned, of_members, own_scale
from judges.models import Judge, Run, StoppingPair
from judges.models.run import FROM_FILE
from judges.scorers import settings_class

SCALE = ("kind", "method", "neutral", "threshold")  # what decides on a scale of its own
# LLM judges that are alike in these differ at most in the example of their prompt.
BESIDE_THE_EXAMPLE = (
    "endpoint",
    "method",
    "prompt",
    "aspects",
    "temperature",
    "rationale",
    "max_tokens",
    "context",
    "history_length",
    "samples",
    "language",
)
# Judges of explanations by the contents that they name, and what two of these have to share
# where they are compared as ways to compute one score.
OF_EXPLANATIONS = (
    Judge.Kind.CF,
    Judge.Kind.CF_APPROXIMATE,
    Judge.Kind.CF_WARM,
    Judge.Kind.ITEM_SIM,
    Judge.Kind.GENRE_JACC,
)
RECIPE = (
    "effect",
    "top",
    "form",
    "factors",
    "iterations",
    "regularisation",
    "confidence",
    "seed",
)
NAMES = (
    "pk",
    "key",
    "rule",
    "kind",
    "method",
    "settings",
    "runs__flagged",
    "runs__checked",
    "runs__pk",
    "runs__version",
    "from_file",
    "named_at",
    "archived_at",
    "deleted_at",
    "gone_pairs",
    "undone_pairs",
    "silent",
    "tested",
    "planned",
    "members__key",
    "endpoint",
    "prompt",
    MODEL,
)


@dataclass(frozen=True)
class Ensemble:
    """A judge whose values are those of its members, combined when a report asks for them."""

    name: str
    rule: str
    members: tuple


@dataclass(frozen=True)
class Judges:
    """Everything a report needs to know about a study's judges, apart from their answers.

    runs: {run id: name of its judge}, of those that speak for it, without checks for drift;
    versions: {run id: version of the questionnaire}; ensembles: in the order they were made; asked:
    {judge: (samples, strict)} of those that are not asked plainly; own: {judge: OwnScale};
    weighted: names of those with weighted values; designs: {LLM: (the example in the prompt, the
    other settings)}; settings: of LLMs, a dictionary each, in the order they were made; flagged:
    whether a run flagged items; from_file: {judge that can be asked here: whether its values come
    from a file}, where a file has such; of_explanations: {judge: (its kind of OF_EXPLANATIONS, the
    settings of RECIPE)}; kinds: {judge: (its kind, what it compares texts with)}; named: (the judge
    that was named before it had judged anything, when), None without one; set_aside: names of
    judges that are archived or deleted: no page shows their answers, but the family counts them;
    gone: (judge, keys of the questions that it answered) where its answers are gone, as it was
    deleted or its load undone;
    tested: whether there are tests of robustness, recommends: lists of recommenders, planned:
    judges of a stopping plan, extracts: extracted statements. None of these four changes an answer,
    so that its text leaves them out.
    """

    runs: dict
    versions: dict
    ensembles: list
    asked: dict
    own: dict
    weighted: tuple
    designs: dict
    settings: list
    flagged: bool
    from_file: dict
    of_explanations: dict
    kinds: dict
    named: tuple | None = None
    set_aside: tuple = ()
    gone: tuple = ()
    tested: bool = field(default=False, repr=False)
    recommends: bool = field(default=False, repr=False)
    planned: bool = field(default=False, repr=False)
    extracts: bool = field(default=False, repr=False)


class Row:
    """A judge with a run or a member, or without either: its columns, and its settings by name."""

    def __init__(self, columns):
        self.columns = columns
        declared = settings_class(columns.kind, columns.method)
        self.settings = declared.trusted(columns.settings)

    def __getattr__(self, name):
        """Return a column or a setting; None for a setting that its kind does not have."""
        if name in self.columns._fields:
            return getattr(self.columns, name)
        return getattr(self.settings, name, None)


def _rows(study, version):
    """Return a row for every judge and run or member, also for judges that judge nothing."""
    judges = Judge.with_deleted.filter(study=study).annotate(
        from_file=Q(runs__frozen__kind=FROM_FILE) & ~Q(kind=Judge.Kind.IMPORTED),
        tested=Q(runs__frozen__has_key="robustness"),
        planned=Exists(StoppingPair.objects.filter(judge=OuterRef("pk"))),
        silent=Exists(Run.objects.silent(version).filter(pk=OuterRef("runs__pk"))),
    )
    judges = judges.order_by("runs__pk", "pk", "members__pk")
    return [Row(row) for row in judges.values_list(*NAMES, named=True)]


def judges_of(study, version=None):
    """Return the Judges of a study, in one query, with the runs of one questionnaire version only.

    An ensemble has no runs and no other judge has members, so no row is there twice.
    """
    every = _rows(study, version)
    rows = [row for row in every if row.method not in Judge.JUDGING_NOTHING]
    kept = [row for row in every if not row.deleted_at]
    recommends = any(row.method == Judge.Method.RECOMMENDER and row.runs__pk for row in kept)
    scales = {row.key: own_scale(*(getattr(row, name) for name in SCALE)) for row in rows}
    judging = [row for row in rows if row.runs__pk and not row.runs__checked]
    judging = [row for row in judging if row.gone_pairs is None]
    judging = [row for row in judging if version in (None, row.runs__version)]
    runs = {row.runs__pk: row.key for row in judging if not row.silent}
    versions = {row.runs__pk: row.runs__version for row in judging}
    from_file = {row.key: not row.silent for row in judging if row.from_file}
    designs = {row.key: _design(row) for row in rows if row.shots}
    settings = {row.pk: row for row in rows if row.kind == Judge.Kind.LLM}
    asked = {row.key: (row.settings.repeats, bool(row.strict)) for row in rows}
    members = [row for row in rows if row.members__key is not None]
    ensembles = [
        Ensemble(name, rule, tuple(row.members__key for row in group))
        for (name, rule), group in groupby(members, key=attrgetter("key", "rule"))
    ]
    for ensemble in ensembles:
        combined = of_learned if ensemble.rule == Judge.Rule.LEARNED else of_members
        scales[ensemble.name] = combined([scales[member] for member in ensemble.members])
    asked = {name: how for name, how in asked.items() if how != (1, False)}
    own = {name: scale for name, scale in scales.items() if scale}
    weighted = tuple(dict.fromkeys(row.key for row in rows if row.weighted))
    return Judges(
        runs,
        versions,
        ensembles,
        asked,
        own,
        weighted,
        designs,
        _settings(settings),
        flagged=any(row.runs__flagged for row in rows),
        from_file=from_file,
        of_explanations=_of_explanations(rows),
        tested=any(row.tested for row in rows if not row.deleted_at),
        recommends=recommends,
        planned=any(row.planned for row in rows),
        extracts=any(row.method == Judge.Method.EXTRACTION and row.runs__pk for row in kept),
        kinds={row.key: (str(row.kind), str(row.against or "")) for row in rows},
        named=next(((row.key, row.named_at) for row in rows if row.named_at), None),
        set_aside=tuple(dict.fromkeys(r.key for r in rows if r.archived_at or r.deleted_at)),
        gone=tuple(
            {
                row.key: (row.gone_pairs or []) + row.undone_pairs
                for row in rows
                if row.gone_pairs or row.undone_pairs
            }.items()
        ),
    )


def _of_explanations(rows):
    """Return {judge: (kind, recipe)} of judges with runs; an imported judge's name is its kind."""
    explanation_judges = {}
    for row in rows:
        is_imported = row.kind == Judge.Kind.IMPORTED
        kind = row.key.lower() if is_imported else row.kind
        if kind in OF_EXPLANATIONS and row.runs__pk:
            explanation_judges[row.key] = str(kind), tuple(getattr(row, name) for name in RECIPE)
    return explanation_judges


def _settings(rows):
    names = ("key", MODEL, *SETTINGS)
    return [{name: getattr(row, name) for name in names} for _, row in sorted(rows.items())]


def _design(row):
    return row.shots, tuple(getattr(row, name) for name in BESIDE_THE_EXAMPLE)


def weighted_names(judges, names):
    """Return {judge: label of its weighted values}, a label that no other judge is called by."""
    return {
        judge: f"{judge} weighted" if f"{judge} weighted" not in names else f"{judge} (weighted)"
        for judge in judges
    }
