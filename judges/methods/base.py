"""Define what all methods share, and how a method with one verdict finds its question."""

from annotate.models import Item

NO_QUESTION = "The study has no question that such a verdict answers: {}."
WHICH = "Name the question that the verdict answers: {}."
NOT_THIS = "Found the question {!r}; a verdict can answer {}."


class Method:
    """A way of asking a judge. `frozen` are the settings that a run keeps."""

    kinds: tuple[str, ...] = ()  # of items; none: all that have a text
    shows_lists = False  # whether Materials keep what is judged: contents, not a text
    writes = False  # whether it writes profiles of recipients instead of scoring items
    recommends = False  # whether it is a recommender under test
    extracts = False  # whether it extracts statements instead of scoring items
    proposes = False  # whether it proposes topics instead of scoring items
    reuses = False  # whether identical calls are always taken over, those of the same run too

    @property
    def apart(self):
        """Whether results stand in a table of their own, and no question is answered."""
        return self.writes or self.recommends or self.extracts or self.proposes

    def items(self, items):
        """Select the items that can be asked about, in their order."""
        return items.filter(kind__in=self.kinds).order_by("id")

    def questions(self, judge, questions):
        """Select the study's questions that are answered; ValueError says why none can be."""
        return [question for question in questions if question.scale.has_values]

    def asks(self, question, item):
        """Whether this question is asked of this item."""
        return question.applies_to_kind(item.kind)

    def asked(self, run, numbers):
        """Return [(unit, what stands where others have a question, Shown)] of units, in order.

        None of a method whose units ask questions about items.
        """
        return None

    def max_tokens(self, frozen, questions):
        """Return the token limit of a reply."""
        return frozen["max_tokens"]

    def beside(self, item):
        """List texts of the item that are shown besides its own text, written outside the study."""
        return []

    def orders(self, judge, item, sample):
        """List the orders in which something is shown, one call each; blank for a single order."""
        return [""]


class VerdictMethod(Method):
    """A method that asks an LLM for one verdict, which answers one question of the study."""

    shows_lists = True
    wanted = ""  # of which kind the question is, in words

    def can_answer(self, question):
        """Whether the verdict can answer a question."""
        raise NotImplementedError

    def candidates(self, questions):
        """List the questions that the verdict may answer."""
        return [
            question
            for question in questions
            if self.can_answer(question) and any(map(question.applies_to_kind, self.kinds))
        ]

    def questions(self, judge, questions):
        """Return the one question that is answered, as a list."""
        candidates = self.candidates(questions)
        keys = ", ".join(question.key for question in candidates)
        if not candidates:
            raise ValueError(NO_QUESTION.format(self.wanted))
        if judge.question and judge.question not in [question.key for question in candidates]:
            raise ValueError(NOT_THIS.format(judge.question, keys))
        if not judge.question and len(candidates) > 1:
            raise ValueError(WHICH.format(keys))
        return [question for question in candidates if judge.question in ("", question.key)]


RECOMMENDATION, LIST_PAIR = str(Item.Kind.RECOMMENDATION), str(Item.Kind.LIST_PAIR)
STATEMENT = str(Item.Kind.STATEMENT)
