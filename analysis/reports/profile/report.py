"""Measure whether a judge gains from a longer history, and how people rate the profiles."""

import numpy as np

from analysis.answers.families import families
from analysis.reports.base import Report, draw_notes, reason_notes
from analysis.reports.shared.evaluators import interval_note, policy_notes
from analysis.reports.shared.labels import MOST_LABELS, labels_of, positive_from
from analysis.reports.shared.scores import Scores
from analysis.stats.classification.classification import at_least, auc
from analysis.stats.correlation.correlation import dataset_correlation
from analysis.stats.estimate import Estimate
from analysis.stats.intervals.clustered_mean import clustered_mean
from annotate.models import Item
from annotate.raters import profiles
from judges.models import Judge

AUC, ALIKE = "auc", "accuracy"
MEASURES = (AUC, ALIKE, "pearson", "spearman", "kendall")
ACCURACY, RATINGS = "accuracy", "ratings"
OF_JUDGE, OF_WRITTEN, OF_PROFILE = "history_length", "profile_episodes", "profile items"
# Which setting says how much a judge knows, by what it is shown.
LENGTHS = {OF_JUDGE: Judge.Context.HISTORY, OF_WRITTEN: Judge.Context.PROFILE}
COLUMN = profiles.EPISODES
NOTHING = (
    "no two judges differ only in how much of the history they are shown (history_length) or of "
    "how many episodes the profiles are (profile_episodes), and no "
    f"profile that judges are shown says its number (column {COLUMN})"
)


def profile(answers, options, parts=None):
    """Compute a row per judge, number of episodes and question; then the ratings of profiles.

    parts: measures of MEASURES; all where none are named.
    """
    scores = Scores(answers, options)
    report = Report("profile", answers.study.slug, options.as_dict())
    measures = [measure for measure in MEASURES if not parts or measure in parts]
    ordered = [place for place, q in enumerate(scores.questions) if q.scale.is_ordered]
    settings = answers.settings
    series = [*_by_length(scores, settings), *_by_profile(scores, settings)]
    for measure in measures:
        for place in ordered:
            _add_accuracy(report, scores, series, place, measure)
    for place, question in enumerate(scores.questions):
        _add_ratings(report, scores, place, question)
    report.notes = [
        *policy_notes(scores, compared=False),
        *_notes(scores, series, report, measures),
        interval_note(scores),
        *draw_notes(report, options.draws),
        *reason_notes(report, ["question", "measure", "evaluator"]),
    ]
    return report


def _by_length(scores, settings):
    """Yield (name, source, [(n, judge, items)]) of judges that differ in one of LENGTHS alone.

    Compared on the items that all of them have. profile_episodes of 0 is no number of episodes.
    """
    shown = [design for design in settings if design["key"] in scores.judges]
    for length, context in LENGTHS.items():
        alike = [design for design in shown if design["context"] == context and design[length]]
        for family in families(alike, length):
            members = sorted(family.items())
            has_all = ~np.isnan(np.stack([scores.judge(judge) for _, judge in members])).any(axis=0)
            yield (
                f"{members[0][1]} and {len(members) - 1} more",
                length,
                [(n, judge, has_all) for n, judge in members],
            )


def _by_profile(scores, settings):
    """Yield the same of judges that are shown the profile: items by their recipient's profile."""
    numbers = _episodes_of_items(scores)
    if np.isnan(numbers).all():
        return
    for design in settings:
        newest = design["context"] == Judge.Context.PROFILE and not design[OF_WRITTEN]
        if newest and design["key"] in scores.judges:
            values = scores.judge(design["key"])
            yield (
                design["key"],
                OF_PROFILE,
                [
                    (int(n), design["key"], ~np.isnan(values) & (numbers == n)[:, None])
                    for n in np.unique(numbers[~np.isnan(numbers)])
                ],
            )


def _episodes_of_items(scores):
    """Return how many episodes each item's profile was made of (items,); NaN: unknown.

    The profile is the recipient's. Of several profiles the newest counts: judges see that one.
    """
    items = scores.answers.items
    episodes = np.full(len(scores.items), np.nan)
    if COLUMN not in items:
        return episodes
    written: dict[str, list] = {}
    rows = items[(items["kind"] == Item.Kind.PROFILE) & (items["recipient"] != "")]
    runs = rows[profiles.RUN] if profiles.RUN in rows else [""] * len(rows)
    for recipient, text, run in zip(rows["recipient"], rows[COLUMN], runs, strict=True):
        data = {COLUMN: text, profiles.RUN: run}
        written.setdefault(recipient, []).append((data, profiles.episodes_in(data)))
    of_recipient = {name: profiles.newest(episodes)[1] for name, episodes in written.items()}
    others = (scores.items["kind"] != Item.Kind.PROFILE).to_numpy()
    recipients = scores.items["recipient"].astype(str)
    numbers = np.array([of_recipient.get(name, np.nan) for name in recipients], dtype=float)
    return np.where(others, numbers, np.nan)


def _add_accuracy(report, scores, series, place, measure):
    question, reference = scores.questions[place], scores.reference()
    for name, source, steps in series:
        for n, judge, chosen in steps:
            own = scores.apart(judge, reference)[:, place]
            rows = np.flatnonzero(chosen[:, place] & ~np.isnan(own))
            own_scale = scores.answers.own_scale.get(judge)
            estimate = _estimate(
                scores,
                scores.judge(judge)[rows, place],
                own[rows],
                question,
                measure,
                rows,
                own_scale,
            )
            _row(
                report,
                ACCURACY,
                judge,
                question.key,
                measure,
                estimate,
                source=source,
                episodes=n,
                series=name,
            )
    if not series:
        estimate = Estimate(np.nan, reason=NOTHING)
        _row(report, ACCURACY, "", question.key, measure, estimate)


def _estimate(scores, x, y, question, measure, rows, own_scale):
    resampling = scores.resampling(rows)
    if measure not in (AUC, ALIKE):
        return dataset_correlation(x, y, measure, **resampling)
    cut = positive_from(question, scores.options.threshold)
    if cut is None:
        return Estimate(np.nan, n=len(x), reason="a number without ends needs a threshold")
    if measure == AUC:
        return auc(x, at_least(y, cut), **resampling)
    says_fit = own_scale and own_scale.above is not None and own_scale.replaces(question.scale)
    aligned = own_scale.fits(x) if says_fit else at_least(x, cut)
    return clustered_mean((aligned == at_least(y, cut)).astype(float), is_share=True, **resampling)


def _add_ratings(report, scores, place, question):
    """Add the share of each point among the ratings of profiles."""
    profiles = np.flatnonzero((scores.items["kind"] == Item.Kind.PROFILE).to_numpy())
    points = labels_of(question)
    if not len(profiles) or not points or len(points) > MOST_LABELS:
        return
    ratings = scores.ratings(place, scores.options.reference)[profiles]
    rows, raters = np.nonzero(~np.isnan(ratings))
    values, resampling = ratings[rows, raters], scores.resampling(profiles[rows])
    for point in points if len(values) else ():
        estimate = clustered_mean((values == point).astype(float), is_share=True, **resampling)
        _row(report, RATINGS, "people", question.key, "share", estimate, rating=point)


def _row(
    report,
    part,
    evaluator,
    question,
    measure,
    estimate,
    *,
    source="",
    episodes=None,
    rating=None,
    series="",
):
    report.add(
        {
            "part": part,
            "evaluator": evaluator,
            "source": source,
            "episodes": episodes,
            "question": question,
            "measure": measure,
            "rating": rating,
            "value": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "n": estimate.n,
        },
        reason=estimate.reason,
        judge=evaluator if part == ACCURACY else "",
        kind=series,
        undefined_draws=estimate.undefined_draws,
    )


def _notes(scores, series, report, measures):
    sources = {source for _, source, _ in series}
    if OF_JUDGE in sources:
        yield (
            "Judges that differ only in how many entries of the history they are shown, the newest "
            "ones; compared on the items that all of them have."
        )
    if OF_WRITTEN in sources:
        yield (
            "Judges that differ only in how many episodes the profiles that they are shown were "
            "written from; the same recipients, on the items that all of them have."
        )
    if OF_PROFILE in sources:
        yield (
            f"Shown the profile: items by the number of episodes (column {COLUMN}) of their "
            "recipient's newest profile. Each number belongs to other recipients, so a difference "
            "may be theirs."
        )
    if {AUC, ALIKE} & set(measures) and series:
        cuts = {
            q.key: positive_from(q, scores.options.threshold)
            for q in scores.questions
            if q.scale.is_ordered
        }
        given = [f"{key} ≥ {cut:g}" for key, cut in cuts.items() if cut is not None]
        yield f"AUC and accuracy: positive is a reference of {', '.join(given) or 'nothing'}."
        if ALIKE in measures:
            yield (
                "Accuracy: the share of items that judge and reference both call positive, or both "
                "not; a verdict of fit is positive, a neutral one is not."
            )
    if not any(row["part"] == RATINGS for row in report.rows):
        yield "No ratings of profiles: no item of the kind profile has an answer on a scale."
