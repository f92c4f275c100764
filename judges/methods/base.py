"""Define what all methods share, and what those share that answer no question of the study."""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass

from annotate.design.disclosure import Data
from judges.methods import rows
from judges.replies.parse import Reason, Verdict
from judges.values.settings import Settings


@dataclass(frozen=True)
class Asked:
    """Stand where other methods have a question. pk: how many contents a recommender names."""

    key: str = "profile"
    pk: int | None = None


ASKED = Asked()


class Method:
    """A way of asking a judge. `settings` declares what can be set; a run keeps what is `frozen`.

    A method that asks an LLM also has messages, schema, parse_reply and
    longest_rationale; questions.py says what each takes.
    """

    offer = ""  # what a new judge of it does, in words
    kinds: tuple[str, ...] = ()  # of items; none: all that have a text
    shows_lists = False  # whether Materials keep what is judged: contents, not a text
    compares_profiles = False  # whether Materials keep the recipient's profile without a prompt
    judges_nothing = False  # whether results stand in a table of their own, and answer no question
    reuses = False  # whether identical calls are always taken over, those of the same run too
    takes_over = True  # whether replies to identical calls of past runs may be taken over
    reads_ahead = True  # whether what a unit shows stays the same until it is asked
    rereads_values = True  # whether a reply that has a value is parsed again too
    changeable: tuple[str, ...] = ()  # what relations may act on in its prompts, besides the text
    scale = ""  # of its values in words, where it is not that of the question
    ends: tuple[float, float] | None = None  # of that scale
    wanted = ""  # of which kind the question is that a verdict answers; blank: it gives no verdict
    may_be_loaded = False  # whether files bring its results, by a judge that is imported
    begins_with = ""  # the method whose runs propose some of its settings
    nobody = ""  # why a run has nothing to ask, where it does not ask about items
    not_checked = ""  # why a run of it cannot be checked for drift, after the judge's name

    # What a judge of it is made of, in study.yaml and in the form:
    columns: tuple[str, ...] = ("method", "endpoint", "prompt")  # of Judge itself
    settings: type[Settings] = Settings
    usual_prompt = "explanation.v1"

    # Of its prompts: what has a place in them, and whether they say that a reply is JSON.
    needed_places: tuple[str, ...] = ()
    optional_places: tuple[str, ...] = ()
    asks_for_json = True

    # Of the pages:
    about = ""  # the template that says what is asked
    asked_about = "item"
    preview_needs = "an item with a text, and a question that the judge can answer"
    usual_reply = "the longest rationale and one answer a question"
    flagged: tuple[str, ...] = ()  # what is flagged, its text, what to look at; none: scores

    @property
    def keys(self):
        """Return the keys of study.yaml, besides a judge's name and kind, in their order."""
        return *self.columns, *self.settings.names()

    def problems_of(self, judge):
        """Return {setting: what is wrong with it} of the method's own settings together."""
        return {}

    def reply_format(self, judge):
        """Return how JSON is asked for; None where the endpoint's abilities decide."""
        return None

    def items(self, items):
        """Select the items that can be asked about, in their order."""
        return items.filter(kind__in=self.kinds).order_by("id")

    def candidates(self, questions):
        """List the questions that a verdict may answer."""
        return []

    def questions(self, judge, questions):
        """Select the study's questions that are answered; ValueError says why none can be."""
        return [question for question in questions if question.scale.has_values]

    def asks(self, question, item):
        """Whether this question is asked of this item."""
        return question.applies_to_kind(item.kind)

    # Planning; `write_rows(run, wanted)` writes all rows of a run and returns what was Written:

    write_rows = staticmethod(rows.write_rows)

    def check_trial(self, judge, trial, limit):
        """Return what a recommender is to be asked; ValueError says why it cannot be."""
        return None

    def more_prompts(self, judge, trial):
        """Return {name: Prompt} of the prompts that a run uses besides the judge's."""
        return {}

    def longest_call(self, questions, trial):
        """Return the questions of the call that takes the longest reply."""
        return questions

    def kept_by_run(self, trial, prompts):
        """Return what a run keeps besides its judge's settings. prompts: of `more_prompts`."""
        return {}

    def frozen(self, judge):
        """Return what defines a judge of it besides its settings in effect."""
        return {"method": str(judge.method)}

    # Asking:

    def calls(self, judge, item, questions):
        """List (sample, order, questions) of each call about an item.

        A call asks all questions or each by itself, once in each order of what it shows.
        """
        settings = judge.settings
        groups = [[question] for question in questions] if settings.asks_singly else [questions]
        return [
            (sample, order, together)
            for sample in range(settings.repeats)
            for order in self.orders(judge, item, sample)
            for together in groups
            if together
        ]

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

    def shows_of_people(self, judge):
        """List (Data, role of the raters) of what its prompts show of raters and recipients."""
        settings = judge.settings
        names = {place: getattr(settings, name) for place, name in settings.by_place.items()}
        shown = [(Data.ANSWERS, str(settings.example_role))] if "example" in names else []
        return shown + ([(Data(names["context"]), "")] if "context" in names else [])

    # Replies:

    def is_on_scale(self, judge, question):
        """Whether a question that it answers has its values on the scale of the question."""
        return True

    def asked_by_unit(self, run):
        """Return {unit: what stands where others have a question}, where units differ in it."""
        return {}

    def keep(self, run, units):
        """Make what is to be made of units settled now, within the transaction that settled them.

        What is made already stays.
        """

    def keep_reread(self, run, units):
        """Make the same of units whose replies were parsed again; units: those that changed."""
        self.keep(run, units)

    # Pages:

    def attach(self, judgments):
        """Attach to judgments what they are about where that is no item, without locked parts."""
        return judgments

    def hidden_units(self, run, units):
        """Return the units about a locked test part, where they are about no item."""
        return set()

    def judge_page(self, judge):
        """Return what else the page of a judge shows."""
        return {}

    def run_page(self, run):
        """Return what else the page of a run shows."""
        return {}


class ApartMethod(Method, ABC):
    """A method whose results stand in a table of their own, and that answers no question."""

    judges_nothing = True
    not_checked = "gives no answers: run it again for new texts"

    def questions(self, judge, questions):
        return []

    def asks(self, question, item):
        return False

    def verdict_on(self, parsed):
        """Make the Verdict of a list: how many entries are kept; its rationale: all parsed."""
        if isinstance(parsed, Reason):
            return Verdict(reasons={ASKED.key: parsed})
        text = json.dumps(vars(parsed), ensure_ascii=False)
        return Verdict(values={ASKED.key: float(len(parsed.kept))}, rationale=text)

    @abstractmethod
    def draft(self, judge, items, key, prompt):
        """Return the Draft of what is asked about the item, recipient or sample of that id.

        key: blank for the first. None where there is none.
        """
