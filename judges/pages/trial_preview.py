"""Show what a test of a recommender would send and take; send and store nothing."""

import difflib
import re
from dataclasses import dataclass, field, replace
from decimal import Decimal

from judges.methods.recommend import wordings
from judges.methods.recommend.lists import NOBODY, drawn, histories, prompt, ratings_shown
from judges.methods.recommend.method import CHARACTERS_AN_ENTRY
from judges.methods.recommend.plans import PLANS, Cell, written
from judges.pages.judge_preview import AROUND_A_CALL, CHARACTERS_A_TOKEN, estimated_tokens
from judges.perturbations.relations import NO_CHANGE, named

SAMPLE = 5  # recipients whose prompts are measured for the forecast
TOKEN = re.compile(r"\s+|\w+|[^\w\s]")
MOST_COMPARED = 4000  # words and signs; of longer prompts the difference is not marked


@dataclass
class Shown:
    """A prompt and its perturbed form: [(text, whether it differs)] of each, or what is missing."""

    user: str = ""
    relation: object = None
    name: str = ""
    original: list = field(default_factory=list)
    perturbed: list = field(default_factory=list)
    missing: str = ""
    is_marked: bool = True


@dataclass
class Forecast:
    """An estimate of what a test takes; recipients are tested; usd is None without prices."""

    recipients: int = 0
    lists: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    usd: Decimal | None = None
    measured: int = 0


def forecast(judge, trial):
    """Return the Forecast: a few recipients' prompts are measured, others taken to be as long."""
    users = drawn(judge.study, trial)
    estimate = Forecast(recipients=len(users), lists=len(users) * sum(1 for _ in trial.cells()))
    some = users[:: max(1, len(users) // SAMPLE)][:SAMPLE]
    rated = histories(judge.study, some, trial.seed)
    texts, sums = wordings.texts_of(judge, trial), [0, 0, 0]
    for pk, user in some:
        for kind, times in _kinds(trial):
            given, missing = ratings_shown(kind, rated.get(pk, []), trial.above)
            if not missing:
                text = prompt(texts, judge, trial, kind, user, given)
                sums[0] += times
                sums[1] += times * (estimated_tokens(text) + AROUND_A_CALL)
                sums[2] += times * (kind.k * CHARACTERS_AN_ENTRY // CHARACTERS_A_TOKEN)
    if some:
        whole = [round(total * len(users) / len(some)) for total in sums]
        estimate.calls, estimate.tokens_in, estimate.tokens_out = whole
        estimate.measured = len(some)
        estimate.usd = judge.endpoint.cost(estimate.tokens_in, 0, estimate.tokens_out)
    return estimate


def _kinds(trial):
    """Return [(cell, how many iterations)]: prompts of a cell's iterations are about as long."""
    by_cell = {}
    for cell in trial.cells():
        same = (cell.plan, cell.name, cell.k, cell.l)
        first, times = by_cell.get(same, (replace(cell, iteration=0), 0))
        by_cell[same] = first, times + 1
    return list(by_cell.values())


def compare(judge, trial, user="", name=""):
    """Return the Shown of a recipient, or of the first that can be asked, and of a relation."""
    users = drawn(judge.study, trial)
    chosen = [row for row in users if row[1] == user] if user else users[:SAMPLE]
    kinds = {written(*pair): pair for pair in trial.relations} or {NO_CHANGE: [NO_CHANGE, {}]}
    key, options = kinds.get(name) or next(iter(kinds.values()))
    comparison = Shown(user, named(key), written(key, options))
    if not chosen:
        comparison.missing = "no recipient of this name is tested" if user else NOBODY
    rated = histories(judge.study, chosen, trial.seed)
    for pk, comparison.user in chosen:
        cell = Cell(PLANS.RELATIONS, key, options, trial.k, trial.l, 1)
        given, comparison.missing = ratings_shown(cell, rated.get(pk, []), trial.above)
        if not comparison.missing:
            _fill(comparison, judge, trial, cell, given)
            break
    return comparison


def _fill(comparison, judge, trial, cell, given):
    filled = wordings.texts_of(judge, trial)
    plain = replace(cell, relation=NO_CHANGE, options={})
    texts = [
        prompt(filled, judge, trial, shown_cell, comparison.user, given)
        for shown_cell in (plain, cell)
    ]
    comparison.original, comparison.perturbed, comparison.is_marked = marked(*texts)


def marked(before, after):
    """Return ([(text, differs)] of one text, the same of the other, whether they were compared)."""
    ones, others = TOKEN.findall(before), TOKEN.findall(after)
    if len(ones) + len(others) > MOST_COMPARED:
        return [(before, False)], [(after, False)], False
    left, right = [], []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, ones, others, False).get_opcodes():
        left.append(("".join(ones[a:b]), tag != "equal"))
        right.append(("".join(others[c:d]), tag != "equal"))
    return [piece for piece in left if piece[0]], [piece for piece in right if piece[0]], True
