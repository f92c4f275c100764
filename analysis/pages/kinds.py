"""The reports by name, in the order of the pages."""

from analysis.pages import (
    agreement,
    confusion,
    correlation,
    prediction_powered,
    roc,
    substitution,
)

KINDS = [
    correlation.KIND,
    agreement.KIND,
    roc.KIND,
    confusion.KIND,
    substitution.KIND,
    prediction_powered.KIND,
]
REPORTS = {kind.name: kind for kind in KINDS}
