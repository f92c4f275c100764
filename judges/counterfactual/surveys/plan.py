"""Define what a study of counterfactual explanations is made of; light, for pages."""

from dataclasses import dataclass
from itertools import product

SEEN, SHOWN = 9, 3  # films in a history, and in an explanation
QUANTILE = 0.9  # of the films' popularity: from there on a history is drawn
SCORES = {"cf": "CF", "cf-a": "CF-A", "item-sim": "Item-Sim", "genre-jacc": "Genre-Jacc"}
COUNTERFACTUAL = ("cf", "cf-a")
HIGHEST, LOWEST, MEAN = LEVELS = ("highest", "lowest", "mean")
CELLS = tuple(product(SCORES, LEVELS))  # question n of a survey shows cell n
MOST_SURVEYS, LARGEST_SEED, MOST_RATERS = 1000, 2_147_483_647, 1000
MOST_SEEDS = 20


class NoQuestion(ValueError):
    """Raised for a study or a cell's question that cannot be made; the message says why."""


@dataclass(frozen=True)
class Plan:
    """The settings of a study of surveys.

    seed: of the draws and of the model's starting factors; raters: of each survey; people: whether
    a history is of films that one person has; real: whether a survey's recipient is a person of the
    ratings; only: the ids of these, one a survey; drawn without any; seeds: with how many models,
    of the seed and those that follow it, each question is scored.
    """

    slug: str
    title: str
    surveys: int = 10
    seed: int = 1
    raters: int = 3
    people: bool = False
    real: bool = False
    only: tuple[str, ...] = ()
    form: str = "implicit"
    factors: int = 40
    iterations: int = 20
    regularisation: float = 0.01
    seeds: int = 1

    @property
    def questions(self):
        return self.surveys * len(CELLS)

    @property
    def other_seeds(self):
        """Return the seeds that score the questions again."""
        return [self.seed + more for more in range(1, self.seeds)]

    @property
    def top(self):
        """Return how many recommendations a survey shows: of a real person, a list of them."""
        return len(CELLS) if self.real else 1
