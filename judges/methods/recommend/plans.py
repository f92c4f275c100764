"""What a recommender under test is asked: its plans, their cells, and what is wrong with either."""

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
    """One list to ask a recipient for. iteration 0 is the baseline; l 0: all rated above."""

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
    """All that a run asks a recommender; kept with the run as it is.

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
        """The most contents that a list is asked for."""
        return max(cell.k for cell in self.cells())

    def checked(self):
        """The same with the options of relations filled in; ValueError says what is wrong."""
        _check(self)
        full = [
            [key, _whole(named(key).given(options, self.low, self.high))]
            for key, options in self.relations
        ]
        names = [written(*each) for each in full]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"found the relation {twice[0]} twice; allowed is once.")
        return Trial(**self.stored | {"relations": full})

    def cells(self):
        """All cells, each plan's baseline first."""
        if PLANS.RELATIONS in self.plans:
            kinds = [[NO_CHANGE, {}], *self.relations]
            yield Cell(PLANS.RELATIONS, NO_CHANGE, {}, self.k, self.l, 0)
            for at in range(1, self.iterations + 1):
                for key, options in kinds:
                    yield Cell(PLANS.RELATIONS, key, options, self.k, self.l, at)
        if PLANS.K_SWEEP in self.plans:
            for k in self.ks:
                for at in range(SWEEP_ITERATIONS):
                    yield Cell(PLANS.K_SWEEP, NO_CHANGE, {}, k, 0, at)
        if PLANS.L_SWEEP in self.plans:
            for shown in self.ls:
                for at in range(self.iterations + 1):
                    yield Cell(PLANS.L_SWEEP, NO_CHANGE, {}, self.k, shown, at)


def _check(trial):
    """ValueError where a number is none that can be asked, or a relation has nothing to act on."""
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
    """ValueError where a chosen sweep has no value, or any sweep has one twice."""
    for plan, name, values in ((PLANS.K_SWEEP, "k", trial.ks), (PLANS.L_SWEEP, "l", trial.ls)):
        if plan in trial.plans and not values:
            raise ValueError(f"found no {name} to sweep; allowed are one or more.")
        if twice := [value for value in values if values.count(value) > 1]:
            raise ValueError(f"found {name} = {twice[0]} twice in its sweep; allowed is once.")


def _whole(options):
    """With 2.0 as the number 2, so that both are one cell."""
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in options.items()
    }


def offered():
    """The relations that can be used on a recommender's prompt; the same prompt always is."""
    return [each for each in RELATIONS.values() if each.acts_on in ACTING[1:]]


def written(key, options):
    """A relation with its options as one text, as the command takes it: "multiply:factor=2"."""
    said = ";".join(f"{name}={value}" for name, value in sorted(options.items()))
    return f"{key}:{said}"[:150] if said else key


def read_relations(text):
    """[[key, options], …] of "multiply:factor=3, spaces:rate=0.2"; else a ValueError."""
    found = []
    for part in text.split(","):
        key, _, said = part.strip().partition(":")
        if not key:
            continue
        relation, options = named(key.strip()), {}
        for each in filter(None, (one.strip() for one in said.split(";"))):
            name, equals, value = each.partition("=")
            if not equals:
                raise ValueError(f"found {each!r:.60}; allowed is an option as NAME=VALUE.")
            is_text = isinstance(relation.options.get(name.strip()), str)
            read = str if is_text else number_or_text  # the title 1984 is no number
            options[name.strip()] = read(value.strip())
        found.append([relation.key, options])
    return found


def number_or_text(text):
    """A number where it is one, else the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
