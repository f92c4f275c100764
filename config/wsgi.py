"""Offer the WSGI application that gunicorn serves."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
# All views are imported now, not while the first rater waits: it takes seconds.
get_resolver().url_patterns  # noqa: B018
