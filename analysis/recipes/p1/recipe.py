"""Measure what tables II to VII of P1 print."""

from pathlib import Path

from analysis.recipes.base import Recipe, Role
from analysis.recipes.p1.numbers import (
    ENTAILED,
    REVIEW,
    SUPPORT,
    TABLES,
    Numbers,
    role_of,
)
from analysis.recipes.printed import printed_in
from annotate.models import Item, Question
from judges.models import Judge

Against, Kind, Method = Judge.Against, Judge.Kind, Judge.Method
SPLIT = "the parts are split before a study is loaded (manage.py prepare_reviews)"
NO_SUCH = "the study has no such dataset (the column domain of items.csv) or system"
COMPUTED = {"STS": (Kind.STS, "of the kind STS"), "BERT-F1": (Kind.BERT_SCORE, "BERTScore")}


def _roles():
    yield Role(SUPPORT, "an LLM that checks statements", method=Method.SUPPORT)
    yield Role(ENTAILED, "an NLI model", kind=Kind.NLI)
    for table, metrics in TABLES.items():
        for metric, role in metrics.items():
            if not role:
                yield _of_texts(table, metric)


def _of_texts(table, metric):
    """Return the role of a metric that one judge gives: computed here, or brought by its name."""
    name = role_of(table, metric)
    if metric not in COMPUTED:
        return Role(name, f"imported and called {metric}", kind=Kind.IMPORTED, key=metric)
    kind, what = COMPUTED[metric]
    against = Against.REVIEW if table == REVIEW else Against.REFERENCE
    return Role(name, f"{what} against the {against.value}", kind, settings={"against": against})


class P1(Recipe):
    """Check explanations statement by statement, beside metrics of entailment and similarity."""

    key = "p1"
    title = "Factual consistency of explanations (P1)"
    about = (
        "Are generated explanations true to what reviews say? Statements checked one by one, "
        "beside metrics of entailment and likeness."
    )
    reads = ("factuality",)
    citation = (
        "Kabongo & Guigue, On the Factual Consistency of Text-based Explainable Recommendation "
        "Models"
    )
    published = printed_in(Path(__file__).with_name("published.csv"))
    roles = tuple(_roles())
    cannot = (
        "The recipe makes and runs no judge: it takes those that the study has.",
        "SummaC-Conv, AlignScore, QuestEval, BERTScore's precision and recall, BARTScore and "
        "BLEURT need models of their own: load their values as judgments of a judge of that name, "
        "or choose the judge for its role. Of likeness to reviews (table VII) STS and BERT-F1 "
        "alone can be computed here.",
        "Figure 2 (StEnt-bin) and the order of systems (RQ3) print no numbers. Under RQ3 stands "
        "Kendall's τ of the study's order of systems by each metric with that by St2Exp-F1.",
        "The text and the tables differ in places: AlignScore of NRT on Cellphones is .6046 in "
        "table V and 60.48 % in the text. The tables count.",
    )

    def lacks(self, study):
        """List the data of the paper that the study lacks."""
        explanations = study.items.filter(kind=Item.Kind.EXPLANATION)
        sentences = []
        if not explanations.exists():
            sentences.append("The study has no explanations.")
        if not explanations.exclude(review="").exists():
            sentences.append("No explanation has a review to be compared with.")
        if not any(
            question.applies_to_kind(Item.Kind.STATEMENT)
            for question in Question.objects.filter(study=study)
        ):
            sentences.append("The study has no question about statements.")
        return sentences

    def role_of(self, place):
        """Return the role that a printed number needs."""
        table, row, _ = place
        return role_of(table, row.rpartition(": ")[2])

    def why_not(self, place, missing):
        """Return why the study has no number for a printed one."""
        if place[1] in ("Train", "Validation", "Test"):
            return SPLIT
        return missing.get(self.role_of(place), NO_SUCH)

    def measured(self, answers, judges):
        """Return {(table, row, column): Estimate}, in the paper's spelling of names."""
        cells = Numbers(answers, judges).cells()
        spelled = {
            name.lower(): name
            for printed in self.published
            for name in (printed.column, printed.row.partition(": ")[0])
        }
        return {
            (table, _spell(row, spelled), spelled.get(column.lower(), column)): own
            for (table, row, column), own in cells.items()
        }


def _spell(row, spelled):
    name, colon, metric = row.partition(": ")
    return f"{spelled.get(name.lower(), name)}{colon}{metric}"
