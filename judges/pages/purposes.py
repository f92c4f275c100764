"""Say for what purposes a new judge can be made, and which of them can work in a study."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Q

from annotate.design import versions
from annotate.models import Item
from judges import methods
from judges.models import Judge

Kind, Method = Judge.Kind, Judge.Method
EXPLAINING = "explaining_contents"
BLANK = r"^\s*$"


@dataclass(frozen=True)
class Way:
    """A kind of judge, and what it is asked if it is an LLM: a way to serve a purpose."""

    kind: Any
    method: Any = Method.QUESTIONS

    @property
    def query(self):
        """Return the address's query of the form of such a judge."""
        method = "" if self.method == Method.QUESTIONS else f"&method={self.method.value}"
        return f"?kind={self.kind.value}{method}"

    @property
    def words(self):
        """Say what such a judge is."""
        if self.kind != Kind.LLM:
            return self.kind.label
        return f"A language model: {methods.named(self.method).offer}"


@dataclass(frozen=True)
class Purpose:
    """What a judge is to do, in words; needs: the data without which none of its ways can work.

    about: the kind of items that it is about, where it is about one kind.
    """

    words: str
    more: str
    needs: str
    ways: tuple[Way, ...]
    about: Any = ""


def _llm(method):
    return Way(Kind.LLM, method)


REFERENCES = (
    *(Kind.BLEU_1, Kind.BLEU_4, Kind.ROUGE_1, Kind.ROUGE_L, Kind.CHRF),
    *(Kind.STS, Kind.BERT_SCORE, Kind.NLI, Kind.PAIR_MODEL),
)
MODELS = (Kind.CF, Kind.CF_APPROXIMATE, Kind.CF_WARM, Kind.ITEM_SIM, Kind.GENRE_JACC)
PURPOSES = (
    Purpose(
        "Rate items on the study’s questions",
        "A language model reads each item and answers as a rater does; or random answers, to "
        "compare with.",
        "items with a text, and a question about them that is answered on a scale",
        (_llm(Method.QUESTIONS), Way(Kind.RANDOM)),
    ),
    Purpose(
        "Say whether a recommendation fits its recipient",
        "A language model reads the recipient’s profile or history; or the likeness of two texts.",
        "recommendations, and a Likert or yes/no question about them",
        (_llm(Method.FIT), Way(Kind.SBERT)),
        Item.Kind.RECOMMENDATION,
    ),
    Purpose(
        "Say which of two lists fits better",
        "A language model compares two lists of recommendations for the same recipient.",
        "pairs of lists, and a choice between A and B about them",
        (_llm(Method.PAIRWISE), Way(Kind.SBERT)),
        Item.Kind.LIST_PAIR,
    ),
    Purpose(
        "Check statements against a document",
        "A language model or a model of entailment says whether the document supports each one.",
        "statements as items, and a yes/no question about them",
        (_llm(Method.SUPPORT), Way(Kind.NLI)),
        Item.Kind.STATEMENT,
    ),
    Purpose(
        "Measure how close a text is to a reference",
        "Words in common (BLEU, ROUGE, chrF), or the same meaning, by models on this machine.",
        "items with a text and a reference or a review",
        tuple(map(Way, REFERENCES)),
    ),
    Purpose(
        "Measure how well an explanation tells why a content was recommended",
        "A recommender model is trained again without what the explanation names.",
        "recipients’ interactions, and explanations that name contents (explaining_contents)",
        tuple(map(Way, MODELS)),
    ),
    Purpose(
        "Write profiles of recipients",
        "A language model sums up a history, for raters to rate and for other judges to read.",
        "recipients’ interactions",
        (_llm(Method.PROFILE),),
    ),
    Purpose(
        "Extract statements from texts, or propose topics",
        "A language model takes texts apart into what they say and about which topic.",
        "explanations or other texts",
        (_llm(Method.EXTRACTION), _llm(Method.TOPICS)),
    ),
    Purpose(
        "Test a language model as a recommender",
        "It is asked for lists over and over, and the lists are compared.",
        "recipients’ ratings of contents",
        (_llm(Method.RECOMMENDER),),
    ),
    Purpose(
        "Combine judges",
        "Mean, median, majority or learned weights of judges that there are.",
        "two judges that score items",
        (Way(Kind.ENSEMBLE),),
    ),
)


def purpose_of(way):
    """Return the first purpose that a way serves."""
    return next(purpose for purpose in PURPOSES if way in purpose.ways)


class Offer:
    """The purposes in a study: `possible` [(Purpose, its ways that can work)], and `others`."""

    def __init__(self, study):
        self.study = study
        self._seen: dict = {}

    @cached_property
    def possible(self):
        """List (Purpose, ways that can work) of the purposes that some way can serve."""
        served = [(purpose, self.ways_of(purpose)) for purpose in PURPOSES]
        return [(purpose, ways) for purpose, ways in served if ways]

    @property
    def others(self):
        """List the purposes that no way can serve with the data that there are."""
        possible = [purpose for purpose, _ in self.possible]
        return [purpose for purpose in PURPOSES if purpose not in possible]

    def ways_of(self, purpose):
        """List the ways of a purpose that can work in the study."""
        if purpose.about and purpose.about not in self._kinds:
            return []
        return [way for way in purpose.ways if self._works(way)]

    def _works(self, way):
        if way.kind in MODELS:
            return self._has_interactions and self._names_contents
        if way.kind in REFERENCES:
            return self._has_references
        if way.kind == Kind.ENSEMBLE:
            return self._members > 1
        if way.method in NEEDS:
            return NEEDS[way.method](self)
        judge = Judge(study=self.study, kind=way.kind, method=way.method)
        method = methods.of_judge(judge)
        if method not in self._seen:
            self._seen[method] = self._has_items(judge, method)
        return self._seen[method]

    def _has_items(self, judge, method):
        """Whether there is an item that a judge of the method can be asked about."""
        choose = method.candidates if method.wanted else _questions_of(judge, method)
        questions = choose(self._questions)
        kinds = [kind for kind in self._kinds if any(q.applies_to_kind(kind) for q in questions)]
        return bool(kinds) and method.items(self._items.filter(kind__in=kinds)).exists()

    @cached_property
    def _questions(self):
        return versions.asked(self.study)

    @property
    def _items(self):
        return self.study.items.filter(is_practice=False)

    @cached_property
    def _kinds(self):
        return set(self._items.order_by().values_list("kind", flat=True).distinct())

    @cached_property
    def _has_references(self):
        compared = ~Q(reference__regex=BLANK) | ~Q(review__regex=BLANK)
        return self._items.exclude(text__regex=BLANK).filter(compared).exists()

    @cached_property
    def _names_contents(self):
        return self._items.filter(data__has_key=EXPLAINING).exists()

    @cached_property
    def _has_interactions(self):
        return self.study.interactions.exists()

    @cached_property
    def _has_ratings(self):
        return self.study.interactions.filter(rating__isnull=False).exists()

    @cached_property
    def _has_texts(self):
        kinds = (Item.Kind.EXPLANATION, Item.Kind.TEXT)
        return self._items.filter(kind__in=kinds).exclude(text__regex=BLANK).exists()

    @cached_property
    def _members(self):
        judges = Judge.objects.current().filter(study=self.study).exclude(kind=Kind.ENSEMBLE)
        return judges.exclude(method__in=Judge.JUDGING_NOTHING).count()


NEEDS = {
    Method.PROFILE: lambda offer: offer._has_interactions,
    Method.EXTRACTION: lambda offer: offer._has_texts,
    Method.TOPICS: lambda offer: offer._has_references,
    Method.RECOMMENDER: lambda offer: offer._has_ratings,
}


def _questions_of(judge, method):
    return lambda questions: method.questions(judge, questions)
