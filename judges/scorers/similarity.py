"""Score sBERT-Sim: how near a recommended episode is to the recipient's profile."""

from judges.methods.verdicts.position import TIE, sides_of
from judges.prompting import episodes
from judges.scorers.base import Score, is_latin
from judges.scorers.embedding import NOT_ENGLISH, cosine, embed, model

NO_TIE = "the lists have as many aligned episodes, and the question offers no tie"


class ProfileSimilarity:
    """Scores an episode by its cosine with the profile, and lists by their aligned episodes.

    Of two lists the better has more episodes above the threshold. What is compared was kept when
    the run was planned: the profile, and the texts of the episodes.
    """

    def __init__(self, frozen):
        self.threshold = frozen["threshold"]
        model()  # a file that is missing is found out here, before any item

    def __call__(self, units):
        refusals = [refusal(unit.shown) for unit in units]
        taken = [unit.shown for unit, why in zip(units, refusals, strict=True) if not why]
        texts = list(dict.fromkeys(text for shown in taken for text in texts_of(shown)))
        vectors = dict(zip(texts, embed(texts), strict=True))
        return [
            [Score(reason=why)] * len(unit.questions) if why else self.scores(unit, vectors)
            for unit, why in zip(units, refusals, strict=True)
        ]

    def scores(self, unit, vectors):
        """Score each question of one unit."""
        profile = vectors[unit.shown.context]
        cosines = {
            side: [cosine(profile, vectors[episodes.plain(entry)]) for entry in entries]
            for side, entries in unit.shown.subject.items()
        }
        if "item" in cosines:
            return [Score(cosines["item"][0])] * len(unit.questions)
        return [self.verdict(cosines, question) for question in unit.questions]

    def verdict(self, cosines, question):
        """Return which list has more aligned episodes, as a value of the question."""
        aligned = {side: sum(c > self.threshold for c in cosines[side]) for side in "AB"}
        rationale = "\n".join(
            f"{side}: {aligned[side]} of {len(values)} above {self.threshold:g} "
            f"({', '.join(f'{value:.3f}' for value in values)})"
            for side, values in sorted(cosines.items())
        )
        better = TIE if aligned["A"] == aligned["B"] else max(aligned, key=aligned.__getitem__)
        value = sides_of(question.scale).get(better)
        return Score(value, "" if value is not None else NO_TIE, rationale)


def texts_of(shown):
    """Return the profile and the texts of all episodes that are shown."""
    entries = [entry for entries in shown.subject.values() for entry in entries]
    return [shown.context, *map(episodes.plain, entries)]


def refusal(shown):
    """Return why nothing can be compared; "" where it can."""
    profile, *others = texts_of(shown)
    if not is_latin(profile):
        return f"the profile is {NOT_ENGLISH}"
    return "" if all(map(is_latin, others)) else f"an episode is {NOT_ENGLISH}"
