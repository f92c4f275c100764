"""Count the yes of judges that know nothing, or one thing, and of good judges."""

from functools import partial

import numpy as np

from analysis.stats.validation.echo import find_echoes
from analysis.stats.validation.evidence import gather_evidence
from analysis.stats.validation.systems import compare_systems
from analysis.stats.validation.verdict import decide
from tests.analysis.stats.validation.simulated import FIVE, simulate, tricks
from tests.calibration.crowds import RELIABILITIES, SHARES, follow_quality
from tests.calibration.experiments import Experiment
from tests.calibration.tables import Line, Table
from tests.calibration.targets import least, most, not_above

NAME = "false yes and power"
TITLE = "A yes on rating items"
STUDIES, FEW = 600, 12
ECHOES, FEW_ECHOES, PERMUTATIONS = 300, 6, 199
TRICKS = (
    *("constant", "coin", "marginal draw", "length", "rounded length", "system"),
    *("random score per system", "system and noise", "random score per content"),
)
BIASED, SELF_PREFERRING = "q = .8, +.75 points", "q = .8, +.5 SD for one system"
GOOD = {"equal to one rater": None, "q = .8": 0.8, "q = .9": 0.9}
COMPARES = "compares: "
PASTED = (0.0, 0.1, 0.3)
YES, FLAGGED, UNWARNED = "yes", "study is flagged", "yes without the flag"

# What explains the items beside systems: (options, judges that know only this)
EFFECTS = {
    "contents carry .4, 75 × 4 systems": (
        {"system_share": 0.0, "content_share": 0.4},
        ("content", "people's own content means", "random score per content", "content and noise"),
    ),
    "contents carry .4, 20 × 15 recipients": (
        {"system_share": 0.0, "content_share": 0.4, "contents": 20, "systems": 15},
        ("content", "people's own content means", "random score per content", "content and noise"),
    ),
    "recipients carry .4, 30 × 10 contents": (
        {"system_share": 0.4, "contents": 10, "systems": 30, "cluster_by": "system"},
        (
            "recipient",
            "people's own recipient means",
            "random score per recipient",
            "recipient and noise",
        ),
    ),
}


def is_yes(reference, judge):
    """Say whether the judge may rate items."""
    return decide(gather_evidence(reference, judge)).answer == "yes"


def may_compare(study, judge):
    """Say whether the judge may compare systems."""
    people = study.reference.people
    rows = people.rows
    return compare_systems(people, judge[rows], study.system[rows], FIVE).answer == "yes"


def try_judges(reliability, share, rng):
    """Ask the verdict on every judge of one study."""
    study = simulate(rng, reliability, share)
    judges = {name: judge for name, judge in tricks(study).items() if name in TRICKS}
    judges[BIASED] = follow_quality(study, 0.8) + 0.75
    judges[SELF_PREFERRING] = follow_quality(study, 0.8) + 0.5 * (study.system == 0)
    for name, q in GOOD.items():
        judges[name] = study.draw_rating(reliability) if q is None else follow_quality(study, q)
    outcomes = {name: is_yes(study.reference, judge) for name, judge in judges.items()}
    for name in ("constant", "coin", SELF_PREFERRING, "q = .8"):
        outcomes[COMPARES + name] = may_compare(study, judges[name])
    return outcomes


def try_effects(effect, reliability, rng):
    """Ask the verdict on judges that know only contents, or only recipients."""
    options, names = EFFECTS[effect]
    study = simulate(rng, reliability, **options)
    is_recipient = "recipient" in names
    codes = study.system if is_recipient else study.content
    effects = study.by_system if is_recipient else study.by_content
    means = study.reference.people.means[:, 0]  # of all items: each has three ratings
    of_people = np.bincount(codes, means) / np.bincount(codes)
    scores = 3 + effects, of_people, study.rng.uniform(1, 5, len(effects))
    judges = [own[codes] for own in scores]
    judges.append(of_people[codes] + 0.3 * study.rng.normal(size=len(codes)))
    outcomes = {
        name: is_yes(study.reference, judge) for name, judge in zip(names, judges, strict=True)
    }
    outcomes["q = .8"] = is_yes(study.reference, follow_quality(study, 0.8))
    return outcomes


def try_pasting(pasting, reliability, share, rng):
    """Ask about a judge that knows nothing and whose answers some raters paste."""
    study = simulate(rng, reliability, share, pasting=pasting)
    judge = study.pasted
    if judge is None:
        judge = study.points(study.rng.normal(size=len(study.quality)))
    people = study.reference.people
    echo = find_echoes(people, judge[None, people.rows], n_draws=PERMUTATIONS, seed=study.rng)
    flagged, yes = bool(echo.study_p[0] < 0.05), is_yes(study.reference, judge)
    return {YES: yes, FLAGGED: flagged, UNWARNED: yes and not flagged}


def experiments():
    """Return every design at every reliability."""
    grid = [
        Experiment(_grid(share, rho), partial(try_judges, rho, share), STUDIES, FEW)
        for share in SHARES
        for rho in RELIABILITIES
    ]
    effects = [
        Experiment(f"{name} at {rho}", partial(try_effects, name, rho), STUDIES, FEW)
        for name in EFFECTS
        for rho in RELIABILITIES
    ]
    pasting = [
        Experiment(
            _pasting(pasted, share, rho),
            partial(try_pasting, pasted, rho, share),
            ECHOES,
            FEW_ECHOES,
        )
        for pasted in PASTED
        for share in SHARES
        for rho in RELIABILITIES
    ]
    return [*grid, *effects, *pasting]


def _grid(share, reliability):
    return f"judges at share {share}, reliability {reliability}"


def _pasting(pasted, share, reliability):
    return f"{pasted} paste at share {share}, reliability {reliability}"


def tables(tallies):
    """Return the tables of false yes, of power, and of raters who paste."""
    columns = ("judge", "system share", *map(_short, RELIABILITIES))
    return [
        Table("False yes: judges that know nothing, or one thing", FALSE, columns, _false(tallies)),
        Table(
            "False yes: judges that know only the content, or only the recipient",
            CONTENTS,
            ("judge", "design", *map(_short, RELIABILITIES)),
            _of_effects(tallies),
        ),
        Table("Raters who paste a judge's answers", PASTING, columns, _of_pasting(tallies)),
        Table("A judge that favours one system", FAVOURING, columns, _of_systems(tallies)),
        Table("Power", POWER, columns, _of_power(tallies)),
    ]


FALSE = (
    "The columns are reliabilities. *System* is people's own mean of each system; *q* is a judge's "
    "correlation with quality."
)
CONTENTS = "As above; the means of people hold the item's own ratings."
PASTING = (
    "The judge knows nothing, and a share of the raters enter its answers in place of their own. "
    "The flag of the study is the permutation test of raters who follow the judge more than "
    f"people (at .05, {PERMUTATIONS} permutations)."
)
FAVOURING = (
    "A judge with q = .8 that adds .5 points to one of four systems, asked for both uses; a "
    "constant and a coin that are asked whether they may compare systems; and a judge without a "
    "preference, but spread wider than people."
)
POWER = "A judge that is one more rater, and unrounded judges that correlate q with quality."
PASTING_SAYS = (
    "Such a yes is printed with the flag and its words beside it, where the flag is raised; how "
    "often it is, the lines above say."
)
FLAG_SAYS = "The report prints the flag; how often it is raised for nothing, no page says."
FAVOURING_SAYS = (
    "Within systems the judge is good, so that it may rate items. The report has a row of its "
    "own for comparing systems, which is the line below."
)


def _short(reliability):
    return f"{reliability:g}"[1:]


def _line(labels, names, outcome, tallies, targets, missed=""):
    cells = tuple(tallies[name, outcome] for name in names)
    return Line(labels, cells, targets, missed)


def _over_grid(tallies, label, outcome, target, missed="", name=_grid):
    targets = target if isinstance(target, tuple) else (target,)
    return [
        _line(
            (label, _of_share(share)),
            [name(share, rho) for rho in RELIABILITIES],
            outcome,
            tallies,
            targets,
            missed,
        )
        for share in SHARES
    ]


def _of_share(share):
    return f"{share:g}".removeprefix("0") or "0"


def _false(tallies):
    names = (*TRICKS, BIASED)
    return [line for own in names for line in _over_grid(tallies, own, own, most(0.01))]


def _of_effects(tallies):
    lines = []
    for name, (_, judges) in EFFECTS.items():
        experiments_here = [f"{name} at {rho}" for rho in RELIABILITIES]
        for judge in judges:
            lines.append(_line((judge, name), experiments_here, judge, tallies, (most(0.01),)))
        lines.append(_line(("q = .8", name), experiments_here, "q = .8", tallies, (None,)))
    return lines


def _of_pasting(tallies):
    rows = []
    for pasted in PASTED:
        name = partial(_pasting, pasted)
        who = f"{pasted:.0%} paste" if pasted else "nobody pastes"
        flag = not_above(0.05) if not pasted else least(0.8) if pasted == max(PASTED) else None
        rows += _over_grid(tallies, f"{who}: {YES}", YES, most(0.01), PASTING_SAYS, name)
        rows += _over_grid(tallies, f"{who}: {FLAGGED}", FLAGGED, flag, FLAG_SAYS, name)
        if pasted:
            rows += _over_grid(
                tallies, f"{who}: {UNWARNED}", UNWARNED, most(0.01), PASTING_SAYS, name
            )
    return rows


def _of_systems(tallies):
    rows = _over_grid(
        tallies, "+.5 SD for one system: rates items", SELF_PREFERRING, None, FAVOURING_SAYS
    )
    for label, name in (
        ("+.5 SD for one system", SELF_PREFERRING),
        ("constant", "constant"),
        ("coin", "coin"),
    ):
        rows += _over_grid(tallies, f"{label}: compares systems", COMPARES + name, most(0.01))
    return rows + _over_grid(
        tallies, "q = .8, spread wider: compares systems", COMPARES + "q = .8", None
    )


def _of_power(tallies):
    lines = []
    for name, q in GOOD.items():
        fewest = 0.5 if q is None else 0.2
        targets = tuple(least(0.8) if rho >= fewest else None for rho in RELIABILITIES)
        lines += _over_grid(tallies, name, name, targets)
    return lines
