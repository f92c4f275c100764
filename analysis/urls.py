from django.urls import path

from analysis import study_views, views

urlpatterns = [
    path("studies/<slug:slug>/", study_views.study, name="study"),
    path("studies/<slug:slug>/items/", study_views.items, name="items"),
    path("studies/<slug:slug>/items/<int:pk>/", study_views.item, name="item"),
    path("studies/<slug:slug>/analysis/", views.index, name="analysis"),
    path("studies/<slug:slug>/analysis/headlines/", views.headlines, name="headlines"),
    path("studies/<slug:slug>/analysis/<slug:report>/", views.report, name="report"),
    path(
        "studies/<slug:slug>/analysis/<slug:report>/rows.<slug:form>",
        views.report_rows,
        name="report_rows",
    ),
    path("studies/<slug:slug>/export/", views.export, name="export"),
    path(
        "studies/<slug:slug>/export/<slug:table>.<slug:form>",
        views.export_table,
        name="export_table",
    ),
]
