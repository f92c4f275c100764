"""The reports by name, in the order of the pages."""

from analysis.pages import agreement, confusion, correlation, roc, substitution

KINDS = [correlation.KIND, agreement.KIND, roc.KIND, confusion.KIND, substitution.KIND]
REPORTS = {kind.name: kind for kind in KINDS}
