"""List the reports by name, in the order of the pages."""

from analysis.options.declare import declared
from analysis.reports.agreement import page as agreement
from analysis.reports.bias import page as bias
from analysis.reports.calibration import page as calibration
from analysis.reports.confusion import page as confusion
from analysis.reports.correlation import page as correlation
from analysis.reports.cost import page as cost
from analysis.reports.counterfactual import page as counterfactual
from analysis.reports.differences import page as differences
from analysis.reports.disagreements import page as disagreements
from analysis.reports.ensembles import page as ensembles
from analysis.reports.examples import page as examples
from analysis.reports.exclusions import page as exclusions
from analysis.reports.factuality import page as factuality
from analysis.reports.metamorphic import page as metamorphic
from analysis.reports.misjudged import page as misjudged
from analysis.reports.overview import page as overview
from analysis.reports.plan import page as plan
from analysis.reports.precision_recall import page as precision_recall
from analysis.reports.prediction_powered import page as prediction_powered
from analysis.reports.preferences import page as preferences
from analysis.reports.profile import page as profile
from analysis.reports.rater_pairs import page as rater_pairs
from analysis.reports.raters import page as raters
from analysis.reports.reasons import page as reasons
from analysis.reports.robustness import page as robustness
from analysis.reports.roc import page as roc
from analysis.reports.selection import page as selection
from analysis.reports.stopping import page as stopping
from analysis.reports.substitution import page as substitution
from analysis.reports.thresholds import page as thresholds
from analysis.reports.variance import page as variance
from analysis.reports.verdict import page as verdict

# What researchers ask, and the reports that answer it; the navigation has these two levels.
GROUPS = {
    "May it stand in for people?": [
        verdict.KIND,
        plan.KIND,
        stopping.KIND,
        overview.KIND,
        substitution.KIND,
        prediction_powered.KIND,
    ],
    "How close is it?": [
        correlation.KIND,
        differences.KIND,
        examples.KIND,
        agreement.KIND,
        ensembles.KIND,
        cost.KIND,
    ],
    "Yes or no": [
        roc.KIND,
        precision_recall.KIND,
        calibration.KIND,
        thresholds.KIND,
        confusion.KIND,
        misjudged.KIND,
    ],
    "Lists and profiles": [selection.KIND, preferences.KIND, profile.KIND],
    "Explanations by contents": [counterfactual.KIND],
    "Factual consistency": [factuality.KIND],
    "Recommenders under test": [metamorphic.KIND],
    "Where does it err?": [bias.KIND, robustness.KIND, variance.KIND, disagreements.KIND],
    "People": [rater_pairs.KIND, raters.KIND, exclusions.KIND, reasons.KIND],
}
KINDS = [kind for kinds in GROUPS.values() for kind in kinds]
REPORTS = {kind.name: kind for kind in KINDS}


EVERY_OPTION = declared(*(kind.options for kind in KINDS))


def takers(name):
    """Return the names of the reports that take an option."""
    return [kind.name for kind in KINDS if name in declared(kind.options)]
