"""Turn the evidence on a judge into the checks that the stopping rule bounds."""

from math import nan

from analysis.stats.planning.checks import Check, agreement_check, level_check, retention_check

AGREEMENT, RETENTION, LEVEL = "agreement", "retention", "level"


def checks_of(evidence, criteria):
    """Return (agreement, retention, the other checks) of a verdict, in the order of their words."""
    agreement = evidence.agreement
    others = [check for part in evidence.beyond for check in _beyond(part, criteria)]
    return (
        agreement_check(agreement.rho.value, agreement.rho.error),
        _retention(agreement, criteria.retention, RETENTION),
        [*others, *_levels(evidence)],
    )


def _retention(agreement, k, name):
    theta = agreement.retention(k)
    return retention_check(agreement.rho.value, agreement.r.value, theta.error, k, name)


def _beyond(part, criteria):
    """Yield the checks that raters agree beyond a grouping, and that the judge keeps half of it."""
    if part.agreement is None:
        return
    rho = part.agreement.rho
    yield agreement_check(rho.value, rho.error, f"{AGREEMENT} beyond {part.name}")
    yield _retention(part.agreement, criteria.beyond_retention, f"{RETENTION} beyond {part.name}")


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
