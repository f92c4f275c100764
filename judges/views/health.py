"""For load balancers and operators: does the database answer, does a worker live?"""

from django.conf import settings
from django.db import Error
from django.http import JsonResponse
from django.views.decorators.cache import never_cache

from judges.models import Heartbeat


@never_cache
def healthz(request):
    """200 while the database answers; a missing worker is said, but the pages go on."""
    broker = "redis" if settings.REDIS_URL else "files"
    try:
        workers = Heartbeat.objects.alive().count()
    except Error:
        return JsonResponse(
            {"database": "down", "workers_alive": None, "broker": broker}, status=503
        )
    return JsonResponse({"database": "ok", "workers_alive": workers, "broker": broker})
