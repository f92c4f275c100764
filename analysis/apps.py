"""Configure the analysis app."""

from django.apps import AppConfig
from django.core.signals import got_request_exception, request_finished, request_started


class AnalysisConfig(AppConfig):
    """The app that compares people's answers with judges'."""

    name = "analysis"
    verbose_name = "Comparison of people and judges"

    def ready(self):
        """Have every moment end with its request."""
        from analysis.answers.moment import end_with_request  # noqa: PLC0415

        for signal in (request_started, request_finished, got_request_exception):
            signal.connect(end_with_request, dispatch_uid="end_with_request")
