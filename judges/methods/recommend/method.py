"""Ask a recommender under test: from what a recipient rated, it names contents, best first.

It scores nothing and is itself tested (lists.py says how). What is asked about is no
item but a recipient, so its judgments have neither item nor question; the list that was read from a
reply stands in the RecommendedList of the same run and unit.
"""

from annotate.design.disclosure import Data
from judges.methods.base import ASKED, ApartMethod, Asked
from judges.methods.draft import begin_draft
from judges.methods.recommend import lists, structured, wordings
from judges.methods.recommend.settings import RecommenderSettings
from judges.models import RecommendedList
from judges.prompting.materials import Shown
from judges.replies.parse import Reason, Verdict, kept

TOKENS_AN_ENTRY = 60  # of the longest titles, with room for a number and a year
CHARACTERS_AN_ENTRY = 40
NO_SCHEMA = (
    "The endpoint {} keeps no JSON schema, as it is set or as its test found. Choose another, or "
    "leave JSON out: lists in lines are read too."
)


def asked_for(k):
    """Return what stands where other methods have a question; pk: how many contents to name."""
    return Asked(pk=k)


class Recommender(ApartMethod):
    """One call for each recipient, perturbation and iteration."""

    offer = "recommender under test"
    takes_over = False
    has_lists = True
    nobody = lists.NOBODY
    not_checked = "recommends: a test of its own compares its lists"
    settings = RecommenderSettings
    needed_places = ("rated", "k")
    optional_places = ("user", "low", "high", "word")
    asks_for_json = False
    usual_prompt = "recommend.v1"
    asked_about = "recipient"
    about = "judges/methods/recommender.html"
    preview_needs = "recipients with a history of ratings"
    usual_reply = "a title for each content asked for"

    more_prompts = staticmethod(wordings.prompts_of)
    write_rows = staticmethod(lists.write_rows)
    keep = staticmethod(lists.keep)
    attach = staticmethod(lists.attach)
    hidden_units = staticmethod(lists.hidden_units)

    def problems_of(self, judge):
        """Check that the endpoint keeps JSON lists; planning checks that of a judge that ran."""
        endpoint = judge.endpoint
        if (
            judge.settings.json_list
            and endpoint
            and not endpoint.json_schema
            and not judge.is_frozen
        ):
            return {"json_list": NO_SCHEMA.format(endpoint.key)}
        return {}

    def reply_format(self, judge):
        """Ask for a list, a line each, unless it is to be JSON."""
        return {"json_schema": judge.settings.json_list}

    def items(self, items):
        return items.none()

    def check_trial(self, judge, trial, limit):
        try:
            trial = (trial or lists.usual(judge.study, users=limit)).checked()
        except ValueError as error:
            raise ValueError(f"The recommender cannot be tested so: {error}") from None
        if problem := lists.problem_of(judge, trial):
            raise ValueError(problem)
        return trial

    def longest_call(self, questions, trial):
        return [asked_for(trial.longest_k)]

    def kept_by_run(self, trial, prompts):
        facts = {"trial": trial.stored, "longest_k": trial.longest_k}
        return facts | wordings.kept(prompts)

    def shows_of_people(self, judge):
        return [(Data.HISTORY, "")]

    def asked(self, run, numbers):
        """Return what units ask about their recipients; see Method.asked."""
        rows = RecommendedList.objects.filter(run=run, unit__in=numbers).order_by("unit")
        return [(row.unit, asked_for(row.k), Shown(context=row.text)) for row in rows]

    def frozen(self, judge):
        # Nothing is sent, so the endpoint's default holds. Never 0 by being left out.
        return super().frozen(judge) | {"temperature": None}

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

    def parse_reply(self, frozen, questions, order, reply, finish_reason, rated):
        """Parse a reply: the value is how many contents it names, the rationale the whole reply."""
        key = ASKED.key
        (asked,) = questions
        titles = lists.entries(frozen, reply, asked.pk or 0, finish_reason)
        if isinstance(titles, Reason):
            return Verdict(reasons={key: titles})
        return Verdict(values={key: float(len(titles))}, rationale=kept(reply))

    def longest_rationale(self, frozen):
        return CHARACTERS_AN_ENTRY * frozen.get("longest_k", 1)

    def asked_by_unit(self, run):
        return {unit: asked_for(k) for unit, k in run.recommended_lists.values_list("unit", "k")}

    def keep_reread(self, run, units):
        """Match all lists again: what they name may be in the catalogue by now."""
        lists.keep_all(run)

    def draft(self, judge, items, key, prompt):
        """Return the Draft of a recipient's baseline list, as the usual test asks for it."""
        raters = lists.who_rated(judge.study)
        if (draft := begin_draft(raters.order_by("pk"), key)) is None:
            return None
        recipient, trial = draft.subject, lists.usual(judge.study)
        cell = next(trial.cells())
        rated = lists.histories(judge.study, [(recipient.pk, recipient.key)], trial.seed)
        given, draft.missing = lists.ratings_shown(cell, rated.get(recipient.pk, []), trial.above)
        if not draft.missing:
            text = lists.prompt({"": prompt.text}, judge, trial, cell, recipient.key, given)
            about = f"{cell.k} recommendations"
            draft.calls = [(about, asked_for(cell.k), Shown(context=text))]
            draft.facts, draft.count = {"longest_k": cell.k}, raters.count()
        return draft
