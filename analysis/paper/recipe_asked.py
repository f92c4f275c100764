"""Read from an address which recipe is asked for and with which judges; keep what it computes."""

from dataclasses import dataclass

from django.http import QueryDict

from analysis.recipes.base import Chosen, Recipe, choose, named_in
from analysis.recipes.registry import RECIPES
from analysis.recipes.table import table_of
from analysis.reports.registry import REPORTS

PAPER, JUDGE = "paper", "judge"
ALLOWED = f"allowed are {PAPER} and {JUDGE}"


@dataclass(frozen=True)
class Asked:
    """A recipe with the judges of a study. named: {role: judge}, those that the address names."""

    recipe: Recipe
    chosen: Chosen
    named: dict

    @property
    def query(self):
        """Return the QueryDict that asks for the same."""
        query = QueryDict(mutable=True)
        query[PAPER] = self.recipe.key
        query.setlist(JUDGE, [f"{role}={name}" for role, name in self.named.items()])
        return query


def read_asked(study, data):
    """Return the Asked of an address; ValueError says in a sentence what is wrong with it."""
    if unknown := sorted({*data} - {PAPER, JUDGE}):
        raise ValueError(f"Found the option {', '.join(unknown)}; {ALLOWED}.")
    recipe = RECIPES.get(data.get(PAPER, ""))
    if recipe is None:
        raise ValueError(f"Found {PAPER}={data.get(PAPER, '')}; allowed are {', '.join(RECIPES)}.")
    named = named_in(filter(None, data.getlist(JUDGE)))
    ordered = {role.name: named[role.name] for role in recipe.roles if role.name in named}
    return Asked(recipe, choose(recipe, study, named), ordered)


def table_asked(source, asked):
    """Return the Report of a recipe, kept or computed."""
    return source.kept(
        _name_of(source, asked), lambda: table_of(asked.recipe, source.answers, asked.chosen)
    )


def computed(source, asked):
    """Return the Kept of a recipe's Report, with its time; None where it is not there."""
    return source.when(_name_of(source, asked))


def is_kept(source, query):
    """Return whether the recipe that a query asks for is there."""
    return source.has(_name_of(source, read_asked(source.study, query)))


def make(source, query):
    """Compute and keep the recipe that a query asks for."""
    table_asked(source, read_asked(source.study, query))


def _name_of(source, asked):
    stamps = " ".join(str(source.stamp(REPORTS[name])) for name in asked.recipe.reads)
    chosen, loads = asked.chosen, source.study.loads
    return f"recipe {asked.recipe.key} {chosen.judges} {chosen.missing} {loads} {stamps}"
