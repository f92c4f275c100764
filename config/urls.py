"""Every address begins here."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("annotate.urls")),
    path("", include("judges.urls")),
    path("", include("analysis.urls")),
]
