"""The reports by name, in the order of the pages."""

from analysis.pages import (
    agreement,
    confusion,
    correlation,
    prediction_powered,
    roc,
    selection,
    substitution,
)

KINDS = [
    correlation.KIND,
    agreement.KIND,
    roc.KIND,
    confusion.KIND,
    selection.KIND,
    substitution.KIND,
    prediction_powered.KIND,
]
REPORTS = {kind.name: kind for kind in KINDS}
