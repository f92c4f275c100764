"""Count the yes of judges that know nothing, or one thing, and of good judges."""

from functools import partial
from math import sqrt

import numpy as np
from scipy.optimize import brentq

from analysis.stats.validation.checks import find_echoes
from analysis.stats.validation.decision import decide
from analysis.stats.validation.evidence import gather_evidence
from analysis.stats.validation.people import compare_judge
from analysis.stats.validation.systems import compare_systems
from tests.analysis.stats.validation.simulated import FIVE, simulate, tricks
from tests.calibration.crowds import KEPT, RELIABILITIES, SHARES, compute_truth, follow_quality
from tests.calibration.experiments import Experiment
from tests.calibration.tables import Line, Table
from tests.calibration.targets import least, most, not_above

NAME = "false yes and power"
TITLE = "A yes on rating items"
STUDIES, FEW = 500, 8
ECHOES, OTHER_ECHOES, FEW_ECHOES = 500, 300, 6
OBSERVED, POWERED, FEW_POWERED = 0.3, 1000, 20
# (systems, contents, their share of quality): about 300 items each
GRID = (*((4, 75, share) for share in SHARES), (2, 150, 0.4), (11, 30, 0.4))
FOUR = GRID[: len(SHARES)]
TRICKS = (
    *("constant", "coin", "marginal draw", "length", "rounded length", "system"),
    *("random score per system", "system and noise", "random score per content"),
)
BIASED, SELF_PREFERRING = "q = .8, +.75 points", "q = .8, +.5 SD for one system"
GOOD = {"equal to one rater": None, "q = .8": 0.8, "q = .9": 0.9}
COMPARES = "compares: "
PASTED = (0.0, 0.1, 0.3)
PASTED_DESIGNS = {
    pasted: tuple(
        design
        for design in GRID
        if design[-1] in (0.0, 0.4) and (design in FOUR or pasted == max(PASTED))
    )
    for pasted in PASTED
}
YES, FLAGGED, UNWARNED = "yes", "study is flagged", "yes without the flag's words"

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
    "contents carry .4, 150 × 2, 5 % missing": (
        {"system_share": 0.0, "content_share": 0.4, "contents": 150, "systems": 2},
        ("content", "people's own content means", "random score per content", "content and noise"),
    ),
}
MISSING = {"contents carry .4, 150 × 2, 5 % missing": 0.05}  # share of the judgments


def is_yes(reference, judge):
    """Say whether the judge may rate items.

    Its answers beyond the scale are set to the scale's ends; NaN is none. Without retention there
    is no yes; so it is asked first, and spares most judges that know nothing the other checks.
    """
    answers = np.clip(judge, FIVE.low, FIVE.high)
    people = reference.people.restrict(~np.isnan(answers[reference.people.rows]))
    retention = compare_judge(people, answers[people.rows, None]).retention(KEPT)
    if not retention.p_above() < 0.05:
        return False
    return decide(gather_evidence(reference, answers)).answer == "yes"


def may_compare(study, judge):
    """Say whether the judge may compare systems."""
    people = study.reference.people
    rows = people.rows
    return compare_systems(people, judge[rows], study.system[rows], FIVE).answer == "yes"


def try_judges(reliability, design, rng):
    """Ask the verdict on every judge of one study; on good ones where there are four systems."""
    systems, contents, share = design
    study = simulate(rng, reliability, share, contents=contents, systems=systems)
    judges = {name: judge for name, judge in tricks(study).items() if name in TRICKS}
    judges[BIASED] = follow_quality(study, 0.8) + 0.75
    on_peoples_scale = follow_quality(study, 0.8, spread=sqrt(reliability) / 0.8)
    judges[SELF_PREFERRING] = on_peoples_scale + 0.5 * (study.system == 0)
    compared = ["constant", "coin", SELF_PREFERRING]
    if design in FOUR:
        judges |= _good_judges(study, reliability)
        compared.append("q = .8")
    outcomes = {name: is_yes(study.reference, judge) for name, judge in judges.items()}
    return outcomes | {COMPARES + name: may_compare(study, judges[name]) for name in compared}


def _good_judges(study, reliability):
    """Return {name: answers} of one more rater, and of judges that follow quality."""
    return {
        name: study.draw_rating(reliability) if q is None else follow_quality(study, q)
        for name, q in GOOD.items()
    }


def try_power(rng):
    """Ask the verdict on good judges where two raters agree by .30 on the points, no systems."""
    reliability = brentq(lambda latent: compute_truth(latent).rho - OBSERVED, 0.1, 0.7)
    study = simulate(rng, reliability, 0.0)
    judges = _good_judges(study, reliability)
    return {name: is_yes(study.reference, judge) for name, judge in judges.items()}


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
    judges.append(follow_quality(study, 0.8))
    missing = study.rng.permutation(len(codes))[: round(MISSING.get(effect, 0) * len(codes))]
    outcomes = {}
    for name, judge in zip((*names, "q = .8"), judges, strict=True):
        judge[missing] = np.nan
        outcomes[name] = is_yes(study.reference, judge)
    return outcomes


def try_pasting(pasting, reliability, design, rng):
    """Ask about a judge that knows nothing and whose answers some raters paste."""
    systems, contents, share = design
    study = simulate(rng, reliability, share, contents=contents, systems=systems, pasting=pasting)
    judge = study.pasted
    if judge is None:
        judge = study.points(study.rng.normal(size=len(study.quality)))
    people = study.reference.people
    echo = find_echoes(people, judge[None, people.rows])
    flagged, yes = bool(echo.study_p[0] < 0.05), is_yes(study.reference, judge)
    return {YES: yes, FLAGGED: flagged, UNWARNED: yes and not flagged}


def experiments():
    """Return every design at every reliability."""
    grid = [
        Experiment(_grid(design, rho), partial(try_judges, rho, design), STUDIES, FEW)
        for design in GRID
        for rho in RELIABILITIES
    ]
    effects = [
        Experiment(f"{name} at {rho}", partial(try_effects, name, rho), STUDIES, FEW)
        for name in EFFECTS
        for rho in RELIABILITIES
    ]
    pasting = [
        Experiment(
            _pasting(pasted, design, rho),
            partial(try_pasting, pasted, rho, design),
            ECHOES if design in FOUR else OTHER_ECHOES,
            FEW_ECHOES,
        )
        for pasted in PASTED
        for design in PASTED_DESIGNS[pasted]
        for rho in RELIABILITIES
    ]
    return [*grid, *effects, *pasting, Experiment(AT_OBSERVED, try_power, POWERED, FEW_POWERED)]


def _grid(design, reliability):
    systems, _, share = design
    return f"judges of {systems} systems at share {share}, reliability {reliability}"


def _pasting(pasted, design, reliability):
    systems, _, share = design
    of = "" if design in FOUR else f" of {systems} systems"
    return f"{pasted} paste{of} at share {share}, reliability {reliability}"


def tables(tallies):
    """Return the tables of false yes, of power, and of raters who paste."""
    columns = ("judge", "systems", "system share", *map(_short, RELIABILITIES))
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
        Table(
            "Power where two raters agree by .30", OBSERVED_TEXT, ("judge", "yes"), _named(tallies)
        ),
    ]


AT_OBSERVED = "power at an observed agreement of .30"
FALSE = (
    "Two systems have 150 contents, four have 75, and eleven have 30. The columns are "
    "reliabilities. *System* is people's own mean of each system; *q* is a judge's correlation "
    "with quality. Here and below a judge's answers beyond the scale are set to the scale's ends."
)
CONTENTS = (
    "As above; the means of people hold the item's own ratings. Where judgments are missing, most "
    "of their items leave the other item of the content alone, which then is not in the check of "
    "contents."
)
PASTING = (
    "The judge knows nothing, and a share of the raters enter its answers in place of their own. "
    "The flag of the study is the test of raters who follow the judge more than "
    "people (at .05). A yes stays a yes in a flagged study: the flag "
    "seldom tells who pasted, and nobody is removed for it. So the report prints the flag in the "
    "words of each such yes, and what has to be rare is a yes without these words; the plain yes "
    "has no target."
)
FAVOURING = (
    "A judge with q = .8 on people's scale that adds .5 points to one system, asked for both uses; "
    "a constant and a coin that are asked whether they may compare systems; and a judge without a "
    "preference, but spread wider than people. (One that is spread wider and favours the worse "
    "system can be off by less than the margin, as the one cancels the other; then a yes is right.)"
)
POWER = "A judge that is one more rater, and unrounded judges that correlate q with quality."
OBSERVED_TEXT = (
    "300 items by three raters, no effects of systems, and a reliability at which two raters' "
    f"answers on five points correlate by {OBSERVED:g}; the judge is named beforehand."
)
PASTING_SAYS = "The report Verdict has words for pasted answers only where the flag is raised."
CONTENTS_SAY = "A note of the report Verdict says that they got a yes in at most 1 %."
POWER_SAYS = "The planner counts the joint check, which costs this."
FLAG_SAYS = (
    "A note of the report Verdict says that the flag is raised for nothing in 5 % of studies."
)
FAVOURING_SAYS = (
    "Within systems the judge is good, so that it may rate items. The report has a row of its "
    "own for comparing systems, which is the line below."
)


def _short(reliability):
    return f"{reliability:g}"[1:]


def _line(labels, names, outcome, tallies, targets, missed=""):
    cells = tuple(tallies[name, outcome] for name in names)
    return Line(labels, cells, targets, missed)


def _over_grid(tallies, label, outcome, target, missed="", name=_grid, designs=GRID):
    targets = target if isinstance(target, tuple) else (target,)
    return [
        _line(
            (label, str(design[0]), _of_share(design[-1])),
            [name(design, rho) for rho in RELIABILITIES],
            outcome,
            tallies,
            targets,
            missed,
        )
        for design in designs
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
            target = (most(0.01),)
            lines.append(
                _line((judge, name), experiments_here, judge, tallies, target, CONTENTS_SAY)
            )
        lines.append(_line(("q = .8", name), experiments_here, "q = .8", tallies, (None,)))
    return lines


def _of_pasting(tallies):
    rows = []
    for pasted in PASTED:
        name = partial(_pasting, pasted)
        who = f"{pasted:.0%} paste" if pasted else "nobody pastes"
        flag = not_above(0.05) if not pasted else least(0.8) if pasted == max(PASTED) else None
        shown = [(YES, None if pasted else most(0.01), ""), (FLAGGED, flag, FLAG_SAYS)]
        if pasted:
            shown.append((UNWARNED, most(0.01), PASTING_SAYS))
        for outcome, target, missed in shown:
            label = f"{who}: {outcome}"
            rows += _over_grid(
                tallies, label, outcome, target, missed, name, PASTED_DESIGNS[pasted]
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
    name, outcome = "q = .8, spread wider: compares systems", COMPARES + "q = .8"
    return rows + _over_grid(tallies, name, outcome, None, designs=FOUR)


def _of_power(tallies):
    lines = []
    for name, q in GOOD.items():
        fewest = 0.5 if q is None else 0.2
        targets = tuple(least(0.8) if rho >= fewest else None for rho in RELIABILITIES)
        lines += _over_grid(tallies, name, name, targets, POWER_SAYS, designs=FOUR)
    return lines


def _named(tallies):
    targets = {name: least(0.7 if q is None else 0.8) for name, q in GOOD.items()}
    return [
        Line((name,), (tallies[AT_OBSERVED, name],), (target,)) for name, target in targets.items()
    ]
