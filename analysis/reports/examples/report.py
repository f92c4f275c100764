"""Compare zero-shot, one-shot and personalised one-shot judges alike in everything else."""

from dataclasses import replace

from analysis.reports.base import Report
from analysis.reports.correlation.report import correlation
from analysis.stats.correlation.coefficients import COEFFICIENTS
from judges.models import Judge

ORDER = [str(shots) for shots in Judge.Shots.values]  # zero, one, personalised


def examples(answers, options, coefficients=COEFFICIENTS):
    """Correlate the judges that differ only in the example of their prompt, family by family."""
    families = families_of(answers.designs, options.judges or answers.judges)
    judges = {judge: (name, shots) for name, own in families.items() for judge, shots in own}
    report = Report("examples", answers.study.slug, options.as_dict())
    if not judges:
        report.notes = [
            "No two LLM judges with answers differ in nothing but the example that their prompt "
            "shows (none, one, or one of the same recipient)."
        ]
        return report
    correlations = correlation(answers, replace(options, judges=tuple(judges)), coefficients)
    entries = [entry for entry in correlations.entries if entry.judge in judges]
    entries.sort(key=lambda entry: list(judges).index(entry.judge))  # stable
    for entry in entries:
        family, shots = judges[entry.judge]
        report.entries.append(replace(entry, row={"family": family, "example": shots} | entry.row))
    report.notes = [
        "A family: judges of one endpoint, prompt and settings that differ in the example alone "
        "(who rated it, whether it is held out, and its seed may differ); its name is that of its "
        "first judge.",
        *correlations.notes,
    ]
    return report


def families_of(designs, judges):
    """Return {family: [(judge, its example)] by example} of those with several examples.

    designs: {judge: (its example, its other settings)}; judges: names of those that count.
    """
    alike: dict[tuple, list] = {}
    for judge in judges:
        if judge in designs:
            shots, settings = designs[judge]
            alike.setdefault(tuple(settings), []).append((judge, str(shots)))
    ordered = [sorted(own, key=lambda member: ORDER.index(member[1])) for own in alike.values()]
    return {own[0][0]: own for own in ordered if len({shots for _, shots in own}) > 1}
