"""Route every address to its app."""

from django.contrib import admin
from django.urls import include, path, re_path

from annotate.api.schema import Docs, Nowhere, Schema

urlpatterns = [
    path("", include("annotate.urls")),  # first, as raters wait for it
    path("admin/", admin.site.urls),
    path("", include("judges.urls")),
    path("", include("analysis.urls")),
    path("api/schema/", Schema.as_view(), name="schema"),
    path("api/docs/", Docs.as_view(), name="api_docs"),
    re_path(r"^api(?:/|$)", Nowhere.as_view()),
]
handler500 = "annotate.http.faults.server_error"
