"""Measure what table 1 and figures 3 and 4 of P3 print."""

from pathlib import Path

from analysis.recipes.base import Recipe, Role
from analysis.recipes.p3.numbers import (
    DATA,
    FIGURE_3,
    FIGURE_4,
    FIT,
    HISTORY,
    LISTS,
    OTHER_SYSTEMS,
    PROFILE,
    SBERT,
    SYSTEMS,
    Numbers,
)
from analysis.recipes.printed import printed_in
from annotate.design import versions
from annotate.models import Interaction, Item, Rating
from judges import methods
from judges.models import Judge

Context, Kind, Method = Judge.Context, Judge.Kind, Judge.Method
METHODS = {FIT: Method.FIT, LISTS: Method.PAIRWISE}
KINDS = {FIT: Item.Kind.RECOMMENDATION, LISTS: Item.Kind.LIST_PAIR}
EPISODES = (5, 10, 15, 20)  # on the x-axis of figure 4
LACKS = {
    FIT: "The study has no question on a scale about recommended episodes.",
    LISTS: "The study has no choice between two lists, A and B.",
}
UNRATED = {
    FIT: "Nobody has rated an episode, so that no judge of episodes can be compared.",
    LISTS: "Nobody has rated two lists, so that no judge of lists can be compared.",
}
WORDS = {FIT: "single episodes", LISTS: "two lists"}
SHOWN = {PROFILE: Context.PROFILE, HISTORY: Context.HISTORY}


def role_name(paper, about, episodes=0):
    """Name what a judge does in the recipe."""
    return f"{paper} {about}{f' {episodes}' if episodes else ''}"


def _verdict(paper, about, episodes=0):
    """Return the role of a judge; episodes: of a profile made of so many alone."""
    shown = SHOWN[paper]
    settings = {"context": shown.value}
    if paper == PROFILE:
        settings["profile_episodes"] = episodes
    made = f" made of {episodes} episodes" if episodes else ""
    what = f"an LLM that is shown the {shown.value}{made} and judges {WORDS[about]}"
    return Role(role_name(paper, about, episodes), what, method=METHODS[about], settings=settings)


class P3(Recipe):
    """Judge podcast episodes and lists by a profile, by the history, and by embeddings."""

    key = "p3"
    title = "Podcast recommendations, judged by the listener's profile (P3)"
    about = "Does an LLM that is shown a listener's profile choose podcasts as the listener does?"
    citation = (
        "Fabbri, Penha, D'Amico, Wang, De Nadai, Doremus, Gigioli, Damianou, Stål & Lalmas (2025), "
        "Evaluating Podcast Recommendations with Profile-Aware LLM-as-a-Judge, RecSys ’25"
    )
    published = printed_in(Path(__file__).with_name("published.csv"))
    roles = (
        *(_verdict(paper, about) for paper in SHOWN for about in METHODS),
        Role(SBERT, "of the kind sBERT-Sim", kind=str(Kind.SBERT)),
        *(_verdict(PROFILE, FIT, number) for number in EPISODES),
    )
    cannot = (
        "The recipe makes and runs no judge: it takes those that the study has.",
        "The paper prints no temperature, no length of transcripts and no prompt of the judges.",
        "Figure 3 prints its matrices as pictures: only the numbers that the text repeats are "
        "compared. Those of models A and B have no counterpart in another study.",
        "Figure 4 is printed as a curve: the text gives its two ends, 5 and 20 episodes. What "
        "people say of profiles is printed as bars without numbers.",
        "Wins, ties and losses are counts of the paper's 47 pairs; another number of pairs gives "
        "other counts. MSA is the share to compare.",
    )

    def lacks(self, study):
        """List the data of the paper that the study lacks."""
        questions = questions_of(study)
        sentences = [LACKS[about] for about in METHODS if not questions[about]]
        if not Interaction.objects.filter(study=study).exists():
            sentences.append("The study has no listening history, of which profiles are written.")
        rated = Rating.objects.for_analysis().filter(session__study=study)
        for about, kind in KINDS.items():
            if not rated.filter(question__key=questions[about], item__kind=kind).exists():
                sentences.append(UNRATED[about])
        return sentences

    def role_of(self, place):
        """Return the role that a printed number needs."""
        table, row, column = place
        if table == DATA:
            return ""
        if table == FIGURE_4:
            return role_name(PROFILE, FIT, int(row.split()[0]))
        if table == FIGURE_3:
            return role_name(PROFILE, FIT if row.startswith("Episodes") else LISTS)
        return SBERT if row == SBERT else role_name(row, FIT if column in ON_EPISODES else LISTS)

    def why_not(self, place, missing):
        """Return why the study has no number for a printed one."""
        if place[1] in SYSTEMS:
            return OTHER_SYSTEMS
        return super().why_not(place, missing)

    def measured(self, answers, judges):
        """Return {(table, row, column): Estimate}. judges: {role: name of the study's judge}."""
        questions = questions_of(answers.study)
        names = {
            (paper, about): judges[role]
            for paper in (PROFILE, HISTORY, SBERT)
            for about in METHODS
            if questions[about]
            and (role := SBERT if paper == SBERT else role_name(paper, about)) in judges
        }
        roles = [role_name(PROFILE, FIT, number) for number in EPISODES]
        lengths = tuple(judges[role] for role in roles if role in judges)
        return Numbers(answers, questions, names, lengths).cells()


ON_EPISODES = ("ROC-AUC", "RSM")


def questions_of(study):
    """Return {FIT, LISTS: key of the first question that such a verdict can answer, or blank}."""
    asked = versions.asked(study)
    return {
        about: next((q.key for q in methods.named(method).candidates(asked)), "")
        for about, method in METHODS.items()
    }
