"""Plan what a recommender under test is asked, in cells, and say what is wrong with a plan."""

import math
from dataclasses import asdict, dataclass, field

from judges.models.recommended import RecommendedList
from judges.perturbations.relations import NO_CHANGE, RELATIONS, named

PLANS = RecommendedList.Plan
# What acts on single items or lists of a judge's prompt has nothing to act on here.
ACTING = ("", "numbers", "text", "history", "words")
USUAL = ("multiply", "shift", "spaces", "random_words")
KS, LS = (5, 10, 30, 50), (5, 10, 20, 30)
SWEEP_ITERATIONS = 2  # of the sweep of k, as in the paper
ABOVE = 3.0
MOST_ITERATIONS, MOST_K, MOST_L, MOST_USERS, MOST_CALLS = 100, 200, 500, 100_000, 1_000_000
MOST_SEED = 2**31 - 1


@dataclass(frozen=True)
class Cell:
    """A list to ask a recipient for.

    iteration 0 is the baseline; l 0: all contents rated above a value.
    """

    plan: str
    relation: str
    options: dict
    k: int
    l: int  # noqa: E741 - the literature's name for it
    iteration: int

    @property
    def name(self):
        return written(self.relation, self.options)


@dataclass(frozen=True)
class Trial:
    """The settings of a recommender's test; kept with the run as they are.

    users: how many recipients, drawn by the seed; None: all who rated something. relations:
    [[key, options], …]; low, high: the ends of the ratings' scale; above: the sweep of k shows all
    contents rated above it.
    """

    plans: list = field(default_factory=lambda: [str(PLANS.RELATIONS)])
    users: int | None = None
    iterations: int = 10
    k: int = 5
    l: int = 20  # noqa: E741
    relations: list = field(default_factory=lambda: [[key, {}] for key in USUAL])
    seed: int = 1
    low: float = 1
    high: float = 5
    above: float = ABOVE
    ks: list = field(default_factory=lambda: list(KS))
    ls: list = field(default_factory=lambda: list(LS))

    @property
    def stored(self):
        return asdict(self)

    @property
    def longest_k(self):
        """Return the most contents that a list is asked for."""
        return max(cell.k for cell in self.cells())

    def checked(self):
        """Fill in all options of the trial's relations; ValueError says what is wrong."""
        _check(self)
        full = [
            [key, _whole(named(key).given(options, self.low, self.high))]
            for key, options in self.relations
        ]
        names = [written(*relation) for relation in full]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"found the relation {twice[0]} twice; allowed is once.")
        return Trial(**self.stored | {"relations": full})

    def cells(self):
        """Yield all cells, each plan's baseline first."""
        if PLANS.RELATIONS in self.plans:
            kinds = [[NO_CHANGE, {}], *self.relations]
            yield Cell(PLANS.RELATIONS, NO_CHANGE, {}, self.k, self.l, 0)
            for iteration in range(1, self.iterations + 1):
                for key, options in kinds:
                    yield Cell(PLANS.RELATIONS, key, options, self.k, self.l, iteration)
        if PLANS.K_SWEEP in self.plans:
            for k in self.ks:
                for iteration in range(SWEEP_ITERATIONS):
                    yield Cell(PLANS.K_SWEEP, NO_CHANGE, {}, k, 0, iteration)
        if PLANS.L_SWEEP in self.plans:
            for shown in self.ls:
                for iteration in range(self.iterations + 1):
                    yield Cell(PLANS.L_SWEEP, NO_CHANGE, {}, self.k, shown, iteration)


def _check(trial):
    """Raise ValueError for a number that cannot be asked, or a relation with nothing to act on."""
    if not trial.plans or set(trial.plans) - set(PLANS.values):
        raise ValueError(f"allowed plans are {', '.join(PLANS.values)}; one or more.")
    ranges = {
        "users": ([trial.users or 1], MOST_USERS),
        "iterations": ([trial.iterations], MOST_ITERATIONS),
        "k": ([trial.k, *trial.ks], MOST_K),
        "l": ([trial.l, *trial.ls], MOST_L),
    }
    for name, (values, most) in ranges.items():
        if bad := [value for value in values if type(value) is not int or not 1 <= value <= most]:
            raise ValueError(f"found {name} = {bad[0]!r:.30}; allowed is 1 to {most:,}.")
    _check_sweeps(trial)
    if not math.isfinite(trial.above):
        raise ValueError(f"found {trial.above} to rate above; allowed is a finite number.")
    if not 0 <= trial.seed <= MOST_SEED:
        raise ValueError(f"found the seed {trial.seed}; allowed is 0 to {MOST_SEED:,}.")
    if not trial.low < trial.high or not math.isfinite(trial.high - trial.low):
        raise ValueError(
            f"found a scale from {trial.low:g} to {trial.high:g}; its end has to be higher "
            "than its beginning."
        )
    for key, _ in trial.relations:
        if named(key).acts_on not in ACTING or key == NO_CHANGE:
            allowed = ", ".join(relation.key for relation in offered())
            raise ValueError(f"found the relation {key!r}; allowed here are {allowed}.")


def _check_sweeps(trial):
    """Raise ValueError for a chosen sweep without a value, or any sweep with a value twice."""
    for plan, name, values in ((PLANS.K_SWEEP, "k", trial.ks), (PLANS.L_SWEEP, "l", trial.ls)):
        if plan in trial.plans and not values:
            raise ValueError(f"found no {name} to sweep; allowed are one or more.")
        if twice := [value for value in values if values.count(value) > 1]:
            raise ValueError(f"found {name} = {twice[0]} twice in its sweep; allowed is once.")


def _whole(options):
    """Write 2.0 as the number 2, so that both are one cell."""
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in options.items()
    }


def offered():
    """List the relations for a recommender's prompt, without the same prompt (always used)."""
    return [relation for relation in RELATIONS.values() if relation.acts_on in ACTING[1:]]


def written(key, options):
    """Write a relation with its options as the command takes it: "multiply:factor=2"."""
    assigned = ";".join(f"{name}={value}" for name, value in sorted(options.items()))
    return f"{key}:{assigned}"[:150] if assigned else key


def read_relations(text):
    """Parse "multiply:factor=3, spaces:rate=0.2" into [[key, options], …]; else a ValueError."""
    relations = []
    for part in text.split(","):
        key, _, assigned = part.strip().partition(":")
        if not key:
            continue
        relation, options = named(key.strip()), {}
        for option in filter(None, (piece.strip() for piece in assigned.split(";"))):
            name, equals, value = option.partition("=")
            if not equals:
                raise ValueError(f"found {option!r:.60}; allowed is an option as NAME=VALUE.")
            is_text = isinstance(relation.options.get(name.strip()), str)
            read = str if is_text else number_or_text  # the title 1984 is no number
            options[name.strip()] = read(value.strip())
        relations.append([relation.key, options])
    return relations


def number_or_text(text):
    """Return a text as a number if it is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
