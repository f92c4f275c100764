"""Turn the evidence on a judge into the checks that the stopping rule bounds."""

from math import nan

from analysis.stats.planning.checks import Check, agreement_check, level_check, retention_check

HOLDS = "the judge's ratings, which it may have seen"
EXTREMES = "the items beside the plainest"
ONE_POINT = "the judge's scale, as rounded it gives one answer"
AGREEMENT, RETENTION, LEVEL = "agreement", "retention", "level"


def checks_of(evidence, criteria):
    """Return (agreement, retention, the other checks) of a verdict, in the order of their words."""
    agreement = evidence.agreement
    others = [check for part in evidence.beyond.parts for check in _beyond(*part, criteria)]
    return (
        agreement_check(agreement.rho.value, agreement.rho.error),
        _retention(agreement, criteria.retention, RETENTION),
        [*others, *_levels(evidence), *_without_bounds(evidence, criteria)],
    )


def _retention(agreement, k, name):
    theta = agreement.retention(k)
    return retention_check(agreement.rho.value, agreement.r.value, theta.error, k, name)


def _beyond(name, part, criteria):
    """Yield the checks that raters agree beyond what is known, and that the judge keeps half."""
    yield agreement_check(part.rho.value, part.rho.error, f"{AGREEMENT} beyond {name}")
    yield _retention(part, criteria.beyond_retention, f"{RETENTION} beyond {name}")


def _without_bounds(evidence, criteria):
    """Yield what keeps the verdict from a yes without any estimate: checks that stay open."""
    rest = evidence.rest
    stops = {
        HOLDS: evidence.held,
        EXTREMES: rest and not rest.p < criteria.alpha,
        ONE_POINT: evidence.has_one_point,
    }
    yield from (Check(name, nan, nan) for name, holds in stops.items() if holds)


def _levels(evidence):
    """Yield the check of the level, for a choice of each label's; a judge without one stays open.

    A judge on a scale of its own has no level, so the rule never says that it may.
    """
    margin, agreement = evidence.level_margin, evidence.agreement
    if evidence.level is None:
        yield Check(LEVEL, nan, nan, -margin, margin)
        return
    for offset in evidence.level.offsets:
        about = agreement.rho.value, agreement.r.value
        yield level_check(offset.value, offset.error, margin, *about, LEVEL)
