"""Measure what tables 1 and 2 of P0 print."""

from pathlib import Path

from analysis.recipes.base import Recipe, Role
from analysis.recipes.p0.numbers import (
    ASPECTS,
    COST,
    DATA,
    MODELS,
    MULTIPLE,
    SHOTS,
    SINGLE,
    WITH_EXAMPLES,
    Numbers,
)
from analysis.recipes.printed import printed_in
from annotate.models import Item, Rater, Rating
from judges.models import Judge

Kind = Judge.Kind
COMPUTED = {
    "Random": Kind.RANDOM,
    "BLEU-1": Kind.BLEU_1,
    "BLEU-4": Kind.BLEU_4,
    "ROUGE-1-F": Kind.ROUGE_1,
    "ROUGE-L-F": Kind.ROUGE_L,
}
# How providers and local servers write the names of the paper's models.
NAMES = {
    "Llama2-7B": r"llama-?2[-:]7b",
    "Llama2-13B": r"llama-?2[-:]13b",
    "Qwen1.5-7B": r"qwen-?1\.5[-:]7b",
    "Qwen1.5-14B": r"qwen-?1\.5[-:]14b",
    "GPT3.5-Turbo": r"gpt-?3\.5-?turbo",
    "GPT4": r"gpt-?4(-\d{4})?$",
}
ASKED = {
    SINGLE: (Judge.Aspects.SINGLE, "each question in a call of its own"),
    MULTIPLE: (Judge.Aspects.MULTIPLE, "all questions in one call"),
}
SHOWN = {
    Judge.Shots.ZERO: "without an example",
    Judge.Shots.ONE: "with another rating of the same system",
    Judge.Shots.PERSONALISED: "with the same recipient's rating of the same system",
}


def _roles():
    for name, kind in COMPUTED.items():
        against = {} if kind == Kind.RANDOM else {"against": Judge.Against.REFERENCE}
        yield Role(name, f"of the kind {kind.label}", kind, settings=against)
    for asked in ASKED:
        for model in MODELS:
            yield _of_model(model, asked)
    for model in WITH_EXAMPLES:
        for words, shots in SHOTS.items():
            yield _of_model(model, MULTIPLE, shots, f" {words}")


def _of_model(model, asked, shots=Judge.Shots.ZERO, ending=""):
    """Return the role of one of the paper's LLMs, asked as the paper asks it."""
    aspects, words = ASKED[asked]
    return Role(
        f"{model} {asked}{ending}",
        f"{model} at temperature 0, asked {words} {SHOWN[shots]}",
        settings={
            "aspects": aspects,
            "shots": shots,
            "temperature": 0,
            "rationale": False,
            "context": Judge.Context.NONE,
        },
        model=NAMES[model],
    )


class P0(Recipe):
    """Rate explanations by LLMs, texts' likeness and third parties, beside users' own ratings."""

    key = "p0"
    title = "LLMs that rate explanations as their recipients do (P0)"
    about = (
        "Do LLMs rate explanations as their recipients do? Correlations at three levels, beside "
        "likeness of texts, third parties and what it costs."
    )
    citation = (
        "Zhang, Li, Wang, Sun, Ma, Sun & Zhang (2024), Large Language Models as Evaluators for "
        "Recommendation Explanations, RecSys ’24"
    )
    published = printed_in(Path(__file__).with_name("published.csv"))
    roles = tuple(_roles())
    cannot = (
        "The recipe makes and runs no judge: it takes those that the study has.",
        "A judge is taken for one of the paper's LLMs if its model has that name and it is asked "
        "as in the paper. To put another model beside it, choose it for that role.",
        "Figures 3 (examples in the prompt) and 4 (means of several LLMs) print no numbers. The "
        "study's own stand under their names, in %, once it has such judges.",
        "As in the paper 3 stands for what a user left out, and 0 for a reply that cannot be read. "
        "Figure 4 leaves out what a user left out.",
        "The paper does not say what becomes of groups in which r is undefined: here they are left "
        "out of the mean.",
        "Table 1 leaves out zeros at the end of some numbers, such as 4.8: these are compared at "
        "the digits that are printed.",
        "Table 2 is the cost of a text on four questions. A judge's cost here is that of all "
        "questions it was asked. The numbers of texts are printed as “about”: they are not "
        "compared.",
    )

    def lacks(self, study):
        """List the data of the paper that the study lacks."""
        explanations = study.items.filter(kind=Item.Kind.EXPLANATION)
        keys = {key.lower() for key in study.questions.values_list("key", flat=True)}
        rated = Rating.objects.for_analysis().filter(session__study=study)
        roles = {*rated.order_by().values_list("session__rater__role", flat=True).distinct()}
        gaps = [name.lower() for name in ASPECTS if name.lower() not in keys]
        sentences = []
        if not explanations.exists():
            sentences.append("The study has no explanations.")
        if not explanations.exclude(reference="").exists():
            sentences.append(
                "No explanation has a reference, such as the recipient's own words, with which "
                "BLEU and ROUGE compare it."
            )
        if gaps:
            sentences.append(f"The study has no question called {', '.join(gaps)}.")
        if Rater.Role.RECIPIENT not in roles:
            sentences.append(
                "No recipient has rated: judges are compared with other people, if there are any."
            )
        if Rater.Role.THIRD_PARTY not in roles:
            sentences.append("No third party has rated.")
        return sentences

    def role_of(self, place):
        """Return the role that a printed number needs; blank for people."""
        table, row, column = place
        if table == DATA or row.startswith(("Annotator", "Human")):
            return ""
        return row.replace("GPT3.5 ", "GPT3.5-Turbo ") if column == COST else row

    def measured(self, answers, judges):
        """Return {(table, row, column): Estimate}. judges: {role: name of the study's judge}."""
        return Numbers(answers, judges).cells()
