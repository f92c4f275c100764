"""Measure what tables 2 to 4 of P2 print."""

from pathlib import Path

from analysis.recipes.base import Recipe, Role
from analysis.recipes.p2.numbers import cells
from analysis.recipes.printed import printed_in
from annotate.models import Interaction
from judges.models import Judge

RECOMMENDER = "recommender"


class P2(Recipe):
    """Ask a recommender with prompts that are changed in ways that should not matter."""

    key = "p2"
    title = "A recommender under prompts that should change nothing (P2)"
    about = (
        "Do the lists of a recommender stay when its prompt changes in ways that should not matter?"
    )
    reads = ("metamorphic",)
    citation = (
        "Khirbat, Ren, Castells & Sanderson (2024), Metamorphic Evaluation of ChatGPT as a "
        "Recommender System"
    )
    published = printed_in(Path(__file__).with_name("published.csv"))
    roles = (Role(RECOMMENDER, "a recommender under test", method=str(Judge.Method.RECOMMENDER)),)
    cannot = (
        "The recipe makes and asks no recommender: test one by manage.py test_recommender.",
        "The paper asked GPT 3.5 turbo for lists to 610 people of MovieLens. Another model, or "
        "other people, give other numbers: that is what the comparison shows.",
        "The paper does not say how Kendall's τ treats films that stand in one list only. Here it "
        "is Fagin's τ of the k best; τ of the films in both lists stands beside it.",
        "The paper does not say the p of RBO. Here it is .9.",
        "All p of table 4 are printed as < 0.0001: ours are Welch's, and stand beside.",
        "Table 3 and the baseline of table 4 print the same numbers for l = 20; here they are two "
        "runs of the same prompt.",
    )

    def lacks(self, study):
        """List the data of the paper that the study lacks."""
        rated = Interaction.objects.filter(study=study, rating__isnull=False)
        return [] if rated.exists() else ["No recipient has rated a content."]

    def role_of(self, place):
        """Return the one role: all numbers are of the recommender."""
        return RECOMMENDER

    def measured(self, answers, judges):
        """Return {(table, row, column): Estimate}. judges: {role: name of the study's judge}."""
        return cells(answers, judges[RECOMMENDER]) if RECOMMENDER in judges else {}
