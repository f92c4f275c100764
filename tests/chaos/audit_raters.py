"""The ledgers of raters against answers, places and sessions."""

from collections import Counter, defaultdict


def write(ledger, crowd):
    """Put the checks of all waves into the ledger."""
    raters = [rater for wave in crowd.raters.values() for rater in wave]
    outcomes = Counter(rater.outcome.partition(":")[0] for rater in raters)
    told = ", ".join(f"{count:,} {name}" for name, count in sorted(outcomes.items()))
    ledger.figure("Raters", f"{len(raters):,} in {len(crowd.raters)} waves: {told}")
    ledger.figure("Requests sent again by raters", f"{sum(n.tries_again for n in raters):,}")
    strange = [n.outcome for n in raters if ":" in n.outcome or not n.outcome]
    ledger.check("No rater gave up or met something unexpected", strange)
    _answers(ledger, raters)
    _places(ledger, crowd)
    _ends(ledger, crowd)


def _answers(ledger, raters):
    from annotate.models import Rating

    stored: dict = defaultdict(list)
    rows = Rating.objects.filter(session__study__slug__startswith="wave-")
    for token, item, question, value in rows.values_list(
        "session__token", "item", "question", "value"
    ):
        stored[token, item, question].append(value)
    told = {(n.token, *key): value for n in raters for key, value in n.ledger.items()}
    counted = f"{len(told):,} answers ({sum(n.saves for n in raters):,} saves)"
    ledger.check("Confirmed answers are in the database", told.keys() - stored.keys(), counted)
    other = [key for key, value in told.items() if key in stored and stored[key][-1] != value]
    ledger.check("Confirmed answers have the value that was confirmed last", other)
    ledger.check("No answer is double", (key for key, values in stored.items() if len(values) > 1))
    on_the_way = {(n.token, *n.last_sent) for n in raters if n.last_sent}
    ledger.check("No answer is there that nobody gave", stored.keys() - told.keys() - on_the_way)


def _places(ledger, crowd):
    from annotate.models import Place

    places = Place.objects.filter(study__in=crowd.raters)
    ledger.figure("Places made", f"{places.count():,}")
    rated, most = Counter(), {}
    for study, wave in crowd.raters.items():
        for rater in wave:
            for item in {item for item, _ in rater.ledger}:
                rated[item] += 1
                most[item] = study.raters_per_item
    many = [f"item {item}: {n} of {most[item]}" for item, n in rated.items() if n > most[item]]
    ledger.check(
        "No item was rated by more raters than it has places", many, f"{len(rated):,} items"
    )
    # Who left gave back theirs after the audit put the clock forward; the others kept theirs.
    kept = set(places.exclude(state="open").values_list("session__token", "item"))
    done = [n for wave in crowd.raters.values() for n in wave if n.outcome == "done"]
    lacks = [(n.token, item) for n in done for item, _ in n.ledger if (n.token, item) not in kept]
    ledger.check("Whoever finished has the place of each item they rated", lacks)
    twice = Counter(places.exclude(rater=None).values_list("item", "rater"))
    ledger.check("No rater has two places of an item", (k for k, n in twice.items() if n > 1))


def _ends(ledger, crowd):
    from annotate.models import Session

    states = dict(Session.objects.values_list("token", "state"))
    raters = [rater for wave in crowd.raters.values() for rater in wave]
    done = [n for n in raters if n.outcome == "done"]
    short = [n.token for n in done if n.had_code_after != len(n.ledger) or not n.ledger]
    ledger.check("The completion code came after the last answer", short, f"{len(done):,} codes")
    open_still = [n.token for n in done if states.get(n.token) != "completed"]
    ledger.check("Whoever has the code has a completed session", open_still)
    others = {n.token for n in raters if n.token} - {n.token for n in done}
    free = [token for token in others if states.get(token) == "completed"]
    ledger.check("Nobody else has a completed session", free)
    ledger.check("Raters were sent away only when every place was taken", crowd.open_places)
