"""Measure what tables 1 to 4 of P4 print."""

from pathlib import Path

from analysis.recipes.base import Recipe, Role
from analysis.recipes.p4.numbers import ASPECTS, DATA, KINDS, OF_SCORES, cells
from analysis.recipes.printed import printed_in
from annotate.models import Interaction, Item, Rating
from judges.models import Judge

Kind = Judge.Kind
COUNTERFACTUAL = ("CF", "CF-A")
NO_CELLS = (
    "no item that two people or more have rated says by which score, and at which end of it, it "
    "was chosen (columns cell_score and cell_level)"
)
NO_ANSWERS = "the judge has no score of two explanations or more that people have rated"


def _roles():
    for name, kind in KINDS.items():
        settings = {}
        if name in COUNTERFACTUAL:
            settings = {"effect": Judge.Effect.SCORE, "top": 1}
        yield Role(name, f"of the kind {kind.label}", kind, settings=settings)


class P4(Recipe):
    """Score explanations by what the recommender would do without the contents they name."""

    key = "p4"
    title = "Counterfactual scores of explanations, and people's ratings (P4)"
    about = (
        "Do scores of what a recommender would do without the named contents follow people's "
        "ratings? Correlations, predictions and paired tests."
    )
    reads = ("counterfactual",)
    citation = (
        "Yao, Wang & Li (2022), Counterfactually Evaluating Explanations in Recommender Systems"
    )
    published = printed_in(Path(__file__).with_name("published.csv"))
    roles = tuple(_roles())
    cannot = (
        "The recipe makes and runs no judge: it takes those that the study has.",
        "The paper trains 40 factors in 20 iterations on MovieLens (ml-latest-small), and says "
        "neither how it weighs ratings nor its regularisation. Here each judge's own settings "
        "count.",
        "Table 2 prints the error of one random split. It is compared with the mean of 200 splits "
        "and the middle 95 % of them.",
        "The t of tables 3 and 4 grows with the number of participants; the means are what to "
        "compare.",
        "The p of tables 3 and 4 are not compared, since some contradict their t: with a t of "
        "2.0424 in table 3 stands p = 5.978e-9, and two different t have p = 4.223e-10. The "
        "study's own p stand beside.",
        "The paper's shares of participants by gender and age are not compared.",
    )

    def lacks(self, study):
        """List the data of the paper that the study lacks."""
        explanations = study.items.filter(kind=Item.Kind.EXPLANATION)
        keys = {key.lower() for key in study.questions.values_list("key", flat=True)}
        gaps = [name.lower() for name in ASPECTS if name.lower() not in keys]
        rated = Rating.objects.for_analysis().filter(session__study=study)
        sentences = []
        if not explanations.exists():
            sentences.append("The study has no explanations.")
        if not Interaction.objects.filter(study=study).exists():
            sentences.append("The study has no histories, of which a recommender could be trained.")
        if gaps:
            sentences.append(f"The study has no question called {', '.join(gaps)}.")
        if not rated.exists():
            sentences.append("No rating counts yet.")
        return sentences

    def role_of(self, place):
        """Return the role that a printed number needs; blank for people."""
        table, row, _ = place
        return row if table in OF_SCORES.values() else ""

    def why_not(self, place, missing):
        """Return why the study has no number for a printed one."""
        if place[0] in OF_SCORES.values():
            return missing.get(self.role_of(place), NO_ANSWERS)
        return super().why_not(place, missing) if place[0] == DATA else NO_CELLS

    def measured(self, answers, judges):
        """Return {(table, row, column): Estimate}. judges: {role: name of the study's judge}."""
        return cells(answers, judges)
