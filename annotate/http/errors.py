"""Keep secrets out of error pages."""

from django.views.debug import SafeExceptionReporterFilter


class AlwaysFiltered(SafeExceptionReporterFilter):
    """Hide what views mark as sensitive under DEBUG too: a key that is pasted there is as real."""

    def is_active(self, request):
        return True
