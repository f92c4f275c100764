"""Lists of recommenders under test, made as a run leaves them."""

from django.utils import timezone

from annotate.models import Recipient
from judges.models import Judgment, RecommendedList, Run
from tests import factories

BASE = "abcde"


def make_recommender(study, key="teller"):
    endpoint = factories.make_endpoint(key=f"{key}-endpoint")
    return factories.make_judge(study, key, endpoint, method="recommender", prompt="recommend.v1")


def make_lists(judge, lists, plan="relations", k=5, l=20):  # noqa: E741
    """A finished run. lists: {(recipient, relation, iteration): entries}, a letter a title of the
    catalogue, a capital one a title that is not in it; None where the reply could not be read.
    """
    run = Run.objects.create(judge=judge, state=Run.State.FINISHED)
    for (recipient, relation, iteration), entries in lists.items():
        add_list(run, recipient, relation, iteration, entries, plan=plan, k=k, l=l)
    return run


def add_list(run, recipient, relation, iteration, entries, **fields):
    """One list of a run, with its judgment."""
    unit = run.recommended_lists.count()
    person, _ = Recipient.objects.get_or_create(study=run.judge.study, key=recipient)
    state = Judgment.State.UNPARSABLE if entries is None else Judgment.State.DONE
    Judgment.objects.create(
        run=run,
        unit=unit,
        lead=True,
        state=state,
        settled_at=timezone.now(),
        value=None if entries is None else len(entries),
    )
    fields = {"plan": "relations", "cell": relation, "k": 5, "l": 20} | fields
    return RecommendedList.objects.create(
        run=run,
        unit=unit,
        recipient=person,
        relation=relation,
        iteration=iteration,
        entries=[entry(letter) for letter in entries or ""],
        is_parsed=entries is not None,
        unmatched=sum(letter.isupper() for letter in entries or ""),
        **fields,
    )


def entry(letter):
    known = letter.islower()
    return {
        "said": f"Film {letter}",
        "content": letter if known else None,
        "how": "exact" if known else "",
    }


def known_table():
    """Two recipients, two iterations: what every number of table 4 is follows by hand."""
    lists = {}
    for person in ("u1", "u2"):
        lists[person, "no_change", 0] = BASE
        for iteration in (1, 2):
            lists[person, "no_change", iteration] = BASE
            lists[person, "multiply", iteration] = "abcdx"  # another last entry
            lists[person, "spaces", iteration] = "vwxyz"  # disjoint
            lists[person, "history_order", iteration] = "edcba"  # reversed
    lists["u2", "no_change", 2] = "bacde"  # one swap
    return lists
