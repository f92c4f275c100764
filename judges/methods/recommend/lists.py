"""Test a recommender: plan which recipients are asked what, and store the lists of the replies.

The rows of such a run are its judgments, as of any other run; beside each stands a RecommendedList.
What a recipient rated is drawn once, by the seed: a shorter list of it is the beginning of a longer
one, so that prompts of one recipient differ by what is tested and by nothing else.
"""

from collections import defaultdict
from functools import lru_cache

from django.db.models import F, Max, Min
from django.utils import timezone

from annotate.design.splits import WITHHELD, withheld_recipients
from annotate.files.loading.common import batches
from annotate.models import Content, Interaction, Recipient
from judges.methods.recommend import parse_prose, structured, wordings
from judges.methods.recommend.plans import MOST_CALLS, Trial
from judges.methods.rows import BATCH, Written
from judges.models import Judge, Judgment, RecommendedList
from judges.perturbations.relations import drawing, named
from judges.replies.parse import Reason
from judges.values.hypothetical import is_hypothetical
from judges.values.titles import Catalogue, identity

RECIPIENTS = 50  # whose ratings and prompts are in memory together
NOBODY = (
    "Nobody in this study has rated a content with a title. Load interactions with ratings first."
)
TOO_FEW = "not asked: {} rated contents are to be shown, the recipient has {}"
NONE_ABOVE = "not asked: the recipient rated no content above {:g}"
OFF_SCALE = "Found ratings up to {:g}, but the scale is said to end at {:g}. Give its real end."
BELOW_SCALE = (
    "Found ratings down to {:g}, but the scale is said to begin at {:g}. Give its real beginning."
)
TOO_MANY = "Found {:,} calls in all; allowed are {:,}. Test fewer recipients, or fewer iterations."


def raters(study):
    """Return ids and keys of recipients who rated something that has a title, by key."""
    return list(who_rated(study).order_by("key").values_list("pk", "key"))


def who_rated(study):
    """Select the recipients who rated something that has a title."""
    rated = _ratings(study).values("recipient")
    return Recipient.objects.filter(study=study, pk__in=rated)


def _ratings(study):
    rows = Interaction.objects.filter(study=study, rating__isnull=False)
    return rows.exclude(content__title="")


def drawn(study, trial):
    """Draw the recipients that are tested, by the seed: all, or as many as wanted."""
    recipients = raters(study)
    if trial.users is not None and trial.users < len(recipients):
        chosen = drawing(trial.seed, "recipients", study.slug).sample(recipients, trial.users)
        return sorted(chosen, key=lambda row: row[1])
    return recipients


def _ends(study):
    """Return (lowest, highest) of the study's ratings; None for a study without ratings."""
    return tuple(_ratings(study).aggregate(Min("rating"), Max("rating")).values())


def usual(study, **fields):
    """Return the usual Trial of a study.

    Its scale begins at 1, or where its ratings do if that is lower: those of MovieLens begin at
    0.5.
    """
    return Trial(**{"low": usual_low(study)} | fields)


def usual_low(study):
    """Return where the usual scale of a study begins."""
    least, _ = _ends(study)
    return Trial.low if least is None else min(Trial.low, least)


def problem_of(judge, trial):
    """Return why a trial cannot be asked of a judge; "" where it can."""
    study = judge.study
    try:
        wordings.texts_of(judge, trial)
    except ValueError as error:
        return f"The recommender cannot be tested so: {error}"
    recipients = drawn(study, trial)
    if not recipients:
        return NOBODY
    least, most = _ends(study)
    if most > trial.high:
        return OFF_SCALE.format(most, trial.high)
    if least < trial.low:
        return BELOW_SCALE.format(least, trial.low)
    calls = len(recipients) * sum(1 for _ in trial.cells())
    return TOO_MANY.format(calls, MOST_CALLS) if calls > MOST_CALLS else ""


def histories(study, recipients, seed):
    """Load {recipient id: [(title, rating, content key)]}, in the order drawn for each recipient.

    The newest rating of a content counts. recipients: [(id, key)].
    """
    keys = dict(recipients)
    rows = (
        _ratings(study)
        .filter(recipient__in=keys)
        .order_by("content__key", F("at").asc(nulls_first=True), "pk")
    )
    names = "recipient", "content__key", "content__title", "rating", "data__hypothetical"
    by_recipient = defaultdict(dict)
    for recipient, content, title, rating, made_up in rows.values_list(*names):
        if not is_hypothetical(made_up):
            by_recipient[recipient][content] = (title, rating, content)
    drawn_so = {}
    for recipient, rated in by_recipient.items():
        entries = list(rated.values())
        drawing(seed, "rated", keys[recipient]).shuffle(entries)
        drawn_so[recipient] = entries
    return drawn_so


def ratings_shown(cell, rated, above):
    """Return (the ratings that a cell's prompt shows, why the cell is not asked)."""
    if not cell.l:
        ratings = [entry for entry in rated if entry[1] > above]
        return ratings, "" if ratings else NONE_ABOVE.format(above)
    if len(rated) < cell.l:
        return [], TOO_FEW.format(cell.l, len(rated))
    return rated[: cell.l], ""


def prompt(texts, judge, trial, cell, user, rated):
    """Write a cell's prompt, perturbed. texts: of `wordings`; rated: [(title, rating, key)]."""
    relation = named(cell.relation)
    rng = drawing(trial.seed, cell.name, user, cell.iteration)
    low, high = trial.low, trial.high
    entries = relation.entries(rated, cell.options, rng) if relation.acts_on == "history" else rated
    numbers = [
        (title, relation.numbers(rating, low, high, cell.options)[0])
        for title, rating, _ in entries
    ]
    ends = relation.numbers(low, low, high, cell.options)[1:]
    template = wordings.text_for(texts, relation, cell.options)
    text = wordings.filled(template, judge, user, numbers, ends, cell.k)
    return relation.text(text, cell.options, rng)


def write_rows(run, wanted):
    """Write all rows of a run; return what was Written.

    A recipient who cannot be asked stands once a cell.
    """
    trial, study = wanted.trial, run.judge.study
    written, cells = Written(), list(trial.cells())
    texts = wordings.texts_of(run.judge, trial)
    for some in batches(drawn(study, trial), RECIPIENTS):
        rated = histories(study, some, trial.seed)
        rows = (
            row
            for pk, user in some
            for row in _of_one(run, texts, trial, cells, (pk, user), rated.get(pk, []))
        )
        for several in batches(rows, BATCH):
            _store(run, several, written)
    return written


def _of_one(run, texts, trial, cells, recipient, rated):
    """Yield (RecommendedList without its unit, why it is not asked) of one recipient."""
    pk, user = recipient
    for cell in cells:
        given, missing = ratings_shown(cell, rated, trial.above)
        # Once is enough to say so.
        if missing and cell.iteration:
            continue
        row = RecommendedList(
            run=run,
            recipient_id=pk,
            plan=cell.plan,
            relation=cell.relation,
            options=cell.options,
            cell=cell.name,
            iteration=cell.iteration,
            k=cell.k,
            l=cell.l,
            given=[[key, rating] for _, rating, key in given],
            text="" if missing else prompt(texts, run.judge, trial, cell, user, given),
        )
        yield row, missing


def _store(run, rows, written):
    judgments = []
    for number, (row, missing) in enumerate(rows, start=written.judgments):
        row.unit = number
        state = Judgment.beginning(missing)
        judgments.append(Judgment(run=run, unit=number, lead=True, **state))
        written.longest = max(written.longest, len(row.text.encode()))
        written.not_asked += bool(missing)
    written.judgments += len(Judgment.objects.bulk_create(judgments, BATCH))
    RecommendedList.objects.bulk_create([row for row, _ in rows], BATCH)


# Replies


def keep(run, units):
    """Parse the replies of units that are settled now into their lists.

    It runs within the transaction that settled them.
    """
    rows = Judgment.objects.filter(run=run, unit__in=list(units), call__isnull=False)
    replies = {
        unit: reply
        for unit, *reply in rows.values_list("unit", "state", "call__reply", "call__finish_reason")
    }
    lists = list(RecommendedList.objects.filter(run=run, unit__in=list(replies)))
    if not lists:
        return
    catalogue, own = _catalogue(run.judge.study_id), _histories(run, lists)
    for answer in lists:
        state, *reply = replies[answer.unit]
        titles = _read(run, answer, *reply, catalogue) if state == Judgment.State.DONE else []
        fill(answer, titles, own.get(answer.recipient_id, ()))
    RecommendedList.objects.bulk_update(lists, FILLED, batch_size=BATCH)


FILLED = ["entries", "left_out", "repeated", "unmatched", "extra", "known", "is_parsed", "read_at"]


def keep_all(run):
    """Parse the replies of all units again: what they name may be in the catalogue by now."""
    units = run.judgments.order_by("unit").values_list("unit", flat=True)
    for some in batches(list(units), BATCH):
        keep(run, some)


def entries(frozen, reply, k, finish_reason):
    """Return the titles that a reply names, best first, or the Reason why it names none."""
    if frozen.get("json_list"):
        return structured.parse_list(reply, finish_reason)
    return parse_prose.parse_list(reply, k, finish_reason)


def _read(run, answer, reply, finish_reason, catalogue):
    """Return [{said, content, how}] of all titles of a reply."""
    titles = entries(run.frozen, reply, answer.k, finish_reason)
    return [] if isinstance(titles, Reason) else [_matched(title, catalogue) for title in titles]


def _matched(title, catalogue):
    content, how = catalogue.match(title)
    return {"said": title, "content": content, "how": how}


def fill(answer, titles, own):
    """Put parsed titles into a list, each content once and at most k; note why others are left out.

    own: keys of the contents in the recipient's history.
    """
    answer.entries, answer.left_out, seen = [], [], set()
    for entry in titles:
        same = identity(entry)
        if same in seen:
            answer.left_out.append({**entry, "why": "repeated"})
        elif len(answer.entries) == answer.k:
            answer.left_out.append({**entry, "why": "extra"})
        else:
            answer.entries.append(entry)
        seen.add(same)
    why = [entry["why"] for entry in answer.left_out]
    answer.repeated, answer.extra = why.count("repeated"), why.count("extra")
    answer.unmatched = sum(entry["content"] is None for entry in answer.entries)
    answer.known = sum(entry["content"] in own for entry in answer.entries if entry["content"])
    answer.is_parsed = bool(answer.entries)
    answer.read_at = timezone.now()


def _histories(run, lists):
    """Load {recipient id: keys of all contents of their history}."""
    rows = Interaction.objects.filter(
        study=run.judge.study_id, recipient__in={answer.recipient_id for answer in lists}
    )
    by_recipient = defaultdict(set)
    for recipient, content in rows.values_list("recipient", "content__key"):
        by_recipient[recipient].add(content)
    return by_recipient


def _catalogue(study_id):
    """Return the study's Catalogue; made once for as long as no title changes."""
    rows = Content.objects.filter(study=study_id).exclude(title="").order_by("key")
    return _made(tuple(rows.values_list("key", "title")))


@lru_cache(maxsize=2)
def _made(titles):
    return Catalogue(dict(titles))


def attach(judgments):
    """Give each judgment of a run that recommends a .recommended.

    Judgments of a locked test part lose what the reply says.
    """
    units = {judgment.unit: judgment for judgment in judgments}
    if units:
        (run,) = {judgment.run_id for judgment in units.values()}
        lists = RecommendedList.objects.filter(run=run, unit__in=list(units))
        hidden = withheld_recipients(Judge.objects.select_related("study").get(runs=run).study)
        for answer in lists.select_related("recipient"):
            judgment = units[answer.unit]
            judgment.recommended = answer
            if answer.recipient_id in hidden:
                judgment.value, judgment.rationale, judgment.reason = None, "", WITHHELD
    return judgments


def hidden_units(run, units):
    """Return the units that ask for a recipient of a locked test part."""
    hidden = withheld_recipients(run.judge.study)
    rows = RecommendedList.objects.filter(run=run, unit__in=units, recipient__in=hidden)
    return set(rows.values_list("unit", flat=True)) if hidden else set()
