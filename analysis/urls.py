"""Route the addresses of overview, analysis, export and the report API."""

from django.urls import path

from analysis.glossary.views import glossary
from analysis.overview import split_views
from analysis.overview.views import item, items, study, study_live
from analysis.paper import recipe_views
from analysis.paper import views as paper_views
from analysis.reports.how_many.views import plan
from analysis.serving import api, listing_views, results_views, views

urlpatterns = [
    path("glossary/", glossary, name="glossary"),
    path("plan/", plan, name="plan"),
    path("studies/<slug:slug>/", study, name="study"),
    path("studies/<slug:slug>/live/", study_live, name="study_live"),
    path("studies/<slug:slug>/items/", items, name="items"),
    path("studies/<slug:slug>/items/<int:pk>/", item, name="item"),
    path("studies/<slug:slug>/analysis/", results_views.index, name="analysis"),
    path("studies/<slug:slug>/analysis/headlines/", results_views.headlines, name="headlines"),
    path("studies/<slug:slug>/analysis/answer/", results_views.answer, name="answer"),
    path(
        "studies/<slug:slug>/analysis/computing/<slug:key>/again/",
        views.compute_again,
        name="compute_again",
    ),
    path(
        "studies/<slug:slug>/analysis/computing/<slug:key>/",
        views.computation,
        name="computation",
    ),
    path("studies/<slug:slug>/analysis/paper/", paper_views.paper, name="paper"),
    path(
        "studies/<slug:slug>/analysis/paper/paper.<slug:form>",
        paper_views.paper_file,
        name="paper_file",
    ),
    path("studies/<slug:slug>/analysis/recipes/", recipe_views.recipes, name="recipes"),
    path(
        "studies/<slug:slug>/analysis/recipes/<slug:paper>.<slug:form>",
        recipe_views.recipe_file,
        name="recipe_file",
    ),
    path("studies/<slug:slug>/analysis/report.html", paper_views.old_address, name="report_file"),
    path(
        "studies/<slug:slug>/analysis/disagreements/",
        listing_views.disagreements,
        name="disagreements",
    ),
    path("studies/<slug:slug>/analysis/split/", split_views.split, name="split"),
    path("studies/<slug:slug>/analysis/split/lock/", split_views.lock, name="lock_split"),
    path("studies/<slug:slug>/analysis/split/unlock/", split_views.unlock, name="unlock_split"),
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
    path("api/v1/studies/<slug:slug>/reports/", api.Reports.as_view(), name="api_reports"),
    path(
        "api/v1/studies/<slug:slug>/reports/<slug:report>/",
        api.Report.as_view(),
        name="api_report",
    ),
]
