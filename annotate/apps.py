"""Set up the app annotate."""

from django.apps import AppConfig
from django.core.checks import register

from annotate.db.older import check_first_migration


class AnnotateConfig(AppConfig):
    """The app of studies, items, raters and ratings."""

    name = "annotate"
    verbose_name = "Studies, items, raters, ratings"

    def ready(self):
        """Check the database before each command."""
        register(check_first_migration)
