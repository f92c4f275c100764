"""Show endpoints in the administration.

Every command loads this module and `apps.py`. So neither may import the client of endpoints, the
forms of judges or the HTTP API: they would make each command start a second later.
"""

from django.contrib import admin

from judges.endpoints.forms import EndpointForm
from judges.models import Endpoint, Heartbeat


@admin.register(Endpoint)
class EndpointAdmin(admin.ModelAdmin):
    form = EndpointForm
    list_display = [
        "key",
        "model",
        "base_url",
        "api_key_env",
        "concurrency",
        "rpm",
        "tpm",
        "price_in",
        "price_out",
    ]

    def get_queryset(self, request):
        """Leave out the endpoints of studies: operators are members of none."""
        return super().get_queryset(request).filter(study=None)


@admin.register(Heartbeat)
class HeartbeatAdmin(admin.ModelAdmin):
    list_display = ["worker", "at"]

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False
