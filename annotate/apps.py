"""Set up the app annotate."""

from django.apps import AppConfig
from django.core.checks import Tags, register

from annotate.db.replaced import check_replaced_migrations


class AnnotateConfig(AppConfig):
    """The app of studies, items, raters and ratings."""

    name = "annotate"
    verbose_name = "Studies, items, raters, ratings"

    def ready(self):
        """Check the database before each migrate."""
        register(check_replaced_migrations, Tags.database)
