"""Ask which topics the reviews of a domain are about: a list for extracting statements.

It scores nothing. Its unit is a sample of reviews, so its judgments have neither item nor question;
what all samples say together is counted when it is looked at (judges/methods/topics/propose.py).
"""

from dataclasses import dataclass

from annotate.design.disclosure import Data
from judges.methods.base import ASKED, ApartMethod
from judges.methods.draft import MOST_OTHERS, Draft
from judges.methods.extract.topics import LONGEST_NAME
from judges.methods.topics import propose, reviews, shortlist
from judges.methods.topics.settings import TopicsSettings
from judges.prompting import fill
from judges.prompting.materials import Shown

USUAL_NAME = 15


@dataclass(frozen=True)
class Numbered:
    """Give a sample's number where other drafts have an item."""

    key: str


class Topics(ApartMethod):
    """One call for each sample of reviews."""

    offer = "propose topics"
    kinds = reviews.KINDS
    reads_ahead = False  # of a sample a test part may be locked before it is asked
    nobody = propose.NOBODY
    settings = TopicsSettings
    needed_places = ("reviews", "most")
    usual_prompt = "topics.v1"
    asked_about = "sample"
    about = "judges/methods/topics.html"
    preview_needs = "an explanation or a text with a review or reference"
    usual_reply = "as many topics as are asked for"
    flagged = ("item", "review", "Look at the topics before they are used")

    write_rows = staticmethod(propose.write_rows)
    attach = staticmethod(propose.attach)
    hidden_units = staticmethod(propose.hidden_units)

    def shows_of_people(self, judge):
        return [(Data.REVIEW, "")]

    def asked(self, run, numbers):
        """Return what units ask about their samples; see Method.asked."""
        samples = reviews.shown_samples(run, numbers)
        return [(unit, ASKED, Shown(context=text)) for unit, text in samples]

    def frozen(self, judge):
        return super().frozen(judge) | {"longest_review": reviews.LONGEST}

    def messages(self, frozen, item, questions, shown=None, order=""):
        """Write the exact messages of one call; its reviews were neutralised when drawn."""
        sample = shown.context if shown else ""
        most = str(frozen["most_topics"])
        return fill.filled(frozen["prompt_text"], reviews=sample, most=most)

    def schema(self, frozen, questions):
        name = {"type": "string", "maxLength": LONGEST_NAME}
        names = {"type": "array", "items": name, "maxItems": frozen["most_topics"]}
        return {
            "type": "object",
            "properties": {shortlist.KEY: names},
            "required": [shortlist.KEY],
            "additionalProperties": False,
        }

    def parse_reply(self, frozen, questions, order, reply, finish_reason, rated):
        """Parse a reply: the value is how many topics it names, the rationale all parsed."""
        parsed = shortlist.parse_names(reply, frozen["most_topics"], finish_reason, rated)
        return self.verdict_on(parsed)

    def longest_rationale(self, frozen):
        return USUAL_NAME * frozen["most_topics"]

    def run_page(self, run):
        return {"shortlist": propose.shortlist_of(run)}

    def initial_of(self, run):
        """Return what a run proposes for the form of a judge that extracts statements."""
        return propose.shortlist_of(run).as_initial

    def draft(self, judge, items, key, prompt):
        """Return the Draft of a sample of reviews, by its number."""
        drawn = propose.previewed(judge, items)
        numbered = {str(number): sample for number, sample in enumerate(drawn, 1)}
        number = key or "1"
        if number not in numbered:
            return None
        others = list(numbered)[int(number) : int(number) + MOST_OTHERS]
        text, texts = numbered[number]
        calls = [(f"sample {number}", ASKED, Shown(context=text))]
        return Draft(Numbered(number), others, calls=calls, texts=texts, count=len(drawn))
