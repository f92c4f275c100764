"""Tell load balancers and operators whether the database answers and a worker lives."""

from django.conf import settings
from django.db import Error
from django.http import JsonResponse
from django.views.decorators.cache import never_cache

from judges.health import readiness
from judges.models import Heartbeat


@never_cache
def healthz(request):
    """Answer 200 while the database answers; name a missing worker, but the pages go on."""
    broker = "redis" if settings.REDIS_URL else "files"
    try:
        workers = Heartbeat.objects.alive().count()
    except Error:
        return JsonResponse(
            {"database": "down", "workers_alive": None, "broker": broker}, status=503
        )
    return JsonResponse({"database": "ok", "workers_alive": workers, "broker": broker})


@never_cache
def readyz(request):
    """Answer 200 while everything is there that the work needs, else 503; describe each part."""
    parts = readiness.LOOK.parts()
    ready = all(part.ok for part in parts.values())
    answer = {"ready": ready} | {name: part.as_dict() for name, part in parts.items()}
    return JsonResponse(answer, status=200 if ready else 503)
