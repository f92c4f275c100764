"""Ask a recommender under test: from what a recipient rated, it names contents, best first.

It scores nothing and is itself tested (lists.py says how). What is asked about is no
item but a recipient, so its judgments have neither item nor question; the list that was read from a
reply stands in the RecommendedList of the same run and unit.
"""

from judges.methods.base import Method
from judges.methods.profile.method import Asked
from judges.methods.recommend import parse_prose, structured
from judges.models import RecommendedList
from judges.prompting import fill
from judges.prompting.materials import Shown
from judges.replies.parse import Reason, Verdict, kept

TOKENS_AN_ENTRY = 60  # of the longest titles, with room for a number and a year
CHARACTERS_AN_ENTRY = 40


def asked_for(k):
    """Return what stands where other methods have a question; pk: how many contents to name."""
    return Asked(pk=k)


class Recommender(Method):
    """One call for each recipient, perturbation and iteration."""

    recommends = True

    def items(self, items):
        return items.none()

    def questions(self, judge, questions):
        return []

    def asks(self, question, item):
        return False

    def asked(self, run, numbers):
        """Return what units ask about their recipients; see Method.asked."""
        lists = RecommendedList.objects.filter(run=run, unit__in=numbers).order_by("unit")
        return [(row.unit, asked_for(row.k), Shown(context=row.text)) for row in lists]

    def settings(self, judge):
        return {
            "method": str(judge.method),
            "content_word": judge.content_word,
            **({"json_list": True} if judge.json_list else {}),
            # Nothing is sent, so the endpoint's default holds. Never 0 by being left out.
            "temperature": None,
        }

    def messages(self, frozen, item, questions, shown=None, order=""):
        """Return the exact messages of one call, whose prompt was written with the run's plan."""
        return [{"role": "user", "content": shown.context if shown else ""}]

    def max_tokens(self, frozen, questions):
        """Return the token limit that k contents may need, or the judge's where that is higher."""
        return max(
            frozen["max_tokens"], *(TOKENS_AN_ENTRY * (question.pk or 0) for question in questions)
        )

    def schema(self, frozen, questions):
        (asked,) = questions
        return structured.schema(asked.pk or 1)

    def parse_reply(self, frozen, questions, order, reply, finish_reason):
        """Parse a reply: the value is how many contents it names, the rationale the whole reply."""
        key = Asked.key
        (asked,) = questions
        titles = entries(frozen, reply, asked.pk or 0, finish_reason)
        if isinstance(titles, Reason):
            return Verdict(reasons={key: titles})
        return Verdict(values={key: float(len(titles))}, rationale=kept(reply))

    def longest_rationale(self, frozen):
        return CHARACTERS_AN_ENTRY * frozen.get("longest_k", 1)


def entries(frozen, reply, k, finish_reason):
    """Return the titles that a reply names, best first, or the Reason why it names none."""
    if frozen.get("json_list"):
        return structured.parse_list(reply, finish_reason)
    return parse_prose.parse_list(reply, k, finish_reason)


def filled(template, judge, user, rated, scale, k):
    """Write the prompt before it is perturbed. rated: [(title, rating)]; scale: (low, high)."""
    low, high = scale
    shown = (f"{fill.one_line(title)} {rating:g}/{high:g}" for title, rating in rated)
    (message,) = fill.filled(
        template,
        user=fill.one_line(user),
        rated=", ".join(shown),
        low=f"{low:g}",
        high=f"{high:g}",
        k=k,
        word=fill.one_line(judge.content_word),
    )
    return message["content"]
