"""What all methods share, and how a method that gives one verdict finds its question."""

from annotate.models import Item

NO_QUESTION = "The study has no question that such a verdict answers: {}."
WHICH = "Name the question that the verdict answers: {}."
NOT_THIS = "Found the question {!r}; a verdict can answer {}."


class Method:
    """What a judge is asked. Settings are those that a run keeps, frozen."""

    kinds: tuple[str, ...] = ()  # of items; none: all that have a text
    shows_lists = False  # whether Materials keep what is judged: contents, not a text
    writes = False  # whether it writes profiles of recipients instead of scoring items
    recommends = False  # whether it is a recommender under test
    extracts = False  # whether it extracts statements instead of scoring items
    proposes = False  # whether it proposes topics instead of scoring items
    reuses = False  # whether identical calls are always taken over, those of the same run too

    @property
    def apart(self):
        """Whether what it makes stands in a table of its own, and no question is answered."""
        return self.writes or self.recommends or self.extracts or self.proposes

    def items(self, items):
        """Those of the items that can be asked about, in their order."""
        return items.filter(kind__in=self.kinds).order_by("id")

    def questions(self, judge, questions):
        """Those of the study's questions that are answered; ValueError says why none can be."""
        return [question for question in questions if question.scale.kind != "text"]

    def asks(self, question, item):
        """Whether this question is asked of this item."""
        return question.applies_to_kind(item.kind)

    def asked(self, run, numbers):
        """Return [(unit, what stands where others have a question, Shown)] of units, in order.

        None of a method whose units ask questions about items.
        """
        return None

    def max_tokens(self, frozen, questions):
        """How long a reply may be."""
        return frozen["max_tokens"]

    def beside(self, item):
        """Texts of the item that are shown besides its text, and that the study did not write."""
        return []

    def orders(self, judge, item, sample):
        """The orders in which something is shown, one call each; blank where there is only one."""
        return [""]


class VerdictMethod(Method):
    """An LLM is asked for one verdict, which answers one question of the study."""

    shows_lists = True
    wanted = ""  # of which kind the question is, in words

    def can_answer(self, question):
        """Whether the verdict can be the answer to a question."""
        raise NotImplementedError

    def candidates(self, questions):
        """The questions that the verdict may answer."""
        return [
            question
            for question in questions
            if self.can_answer(question) and any(map(question.applies_to_kind, self.kinds))
        ]

    def questions(self, judge, questions):
        """The one question that is answered."""
        found = self.candidates(questions)
        keys = ", ".join(question.key for question in found)
        if not found:
            raise ValueError(NO_QUESTION.format(self.wanted))
        if judge.question and judge.question not in [question.key for question in found]:
            raise ValueError(NOT_THIS.format(judge.question, keys))
        if not judge.question and len(found) > 1:
            raise ValueError(WHICH.format(keys))
        return [question for question in found if judge.question in ("", question.key)]


RECOMMENDATION, LIST_PAIR = str(Item.Kind.RECOMMENDATION), str(Item.Kind.LIST_PAIR)
STATEMENT = str(Item.Kind.STATEMENT)
