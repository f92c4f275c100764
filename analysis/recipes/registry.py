"""List the recipes by their names."""

from analysis.recipes.p0.recipe import P0
from analysis.recipes.p1.recipe import P1
from analysis.recipes.p2.recipe import P2
from analysis.recipes.p3.recipe import P3
from analysis.recipes.p4.recipe import P4

RECIPES = {recipe.key: recipe for recipe in (P0(), P1(), P2(), P3(), P4())}
