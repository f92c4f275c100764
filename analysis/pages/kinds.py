"""The reports by name, in the order of the pages."""

from analysis.pages import (
    agreement,
    bias,
    calibration,
    confusion,
    correlation,
    cost,
    counterfactual,
    differences,
    disagreements,
    ensembles,
    examples,
    exclusions,
    factuality,
    metamorphic,
    misjudged,
    overview,
    precision_recall,
    prediction_powered,
    preferences,
    profile,
    rater_pairs,
    raters,
    reasons,
    robustness,
    roc,
    selection,
    substitution,
    thresholds,
    variance,
)

# What researchers ask, and the reports that answer it; the navigation has these two levels.
GROUPS = {
    "Is it as close as a rater?": [overview.KIND, substitution.KIND, prediction_powered.KIND],
    "How close is it?": [
        correlation.KIND, differences.KIND, examples.KIND, agreement.KIND, ensembles.KIND,
        cost.KIND,
    ],
    "Yes or no": [
        roc.KIND, precision_recall.KIND, calibration.KIND, thresholds.KIND, confusion.KIND,
        misjudged.KIND,
    ],
    "Lists and profiles": [selection.KIND, preferences.KIND, profile.KIND],
    "Explanations by contents": [counterfactual.KIND],
    "Factual consistency": [factuality.KIND],
    "Recommenders under test": [metamorphic.KIND],
    "Where does it err?": [bias.KIND, robustness.KIND, variance.KIND, disagreements.KIND],
    "People": [rater_pairs.KIND, raters.KIND, exclusions.KIND, reasons.KIND],
}  # fmt: skip
KINDS = [kind for kinds in GROUPS.values() for kind in kinds]
REPORTS = {kind.name: kind for kind in KINDS}
