"""List the addresses of the pages and the HTTP API of judges."""

from django.urls import path

from judges.checks import robustness_views
from judges.counterfactual import views as surveys
from judges.endpoints import connect_views as connecting
from judges.endpoints import views as endpoints
from judges.health import views as health
from judges.pages import (
    api,
    api_lists,
    drift_views,
    duplicate_views,
    judge_views,
    naming_views,
    prompt_views,
    questionnaire_views,
    recommender_views,
    run_views,
    study_file_views,
)
from judges.removal import views as removal
from judges.statements import item_views
from judges.statements import views as statements
from judges.statements.api import OneStatement, Statements
from judges.stopping import views as stopping
from judges.studies import views as deleting
from judges.uploads import bring_views as bringing
from judges.uploads import undo_views as undoing
from judges.uploads import views as loading

urlpatterns = [
    path("", deleting.studies, name="studies"),
    path("studies/being-deleted/", deleting.being_deleted, name="being_deleted"),
    path("studies/<slug:slug>/delete/", deleting.delete_study, name="delete_study"),
    path("studies/new/", loading.study_new, name="study_new"),
    path("studies/new/ratings/", surveys.surveys_new, name="surveys_new"),
    path("studies/new/bring/", bringing.bring_new, name="bring_new"),
    path("studies/<slug:slug>/load/", loading.load, name="load"),
    path("studies/<slug:slug>/loads/", undoing.loads, name="loads"),
    path("studies/<slug:slug>/loads/<int:pk>/", undoing.undo_load, name="undo_load"),
    path("studies/<slug:slug>/bring/", bringing.bring_into, name="bring_into"),
    path("studies/<slug:slug>/stopping/", stopping.stopping, name="stopping"),
    path("studies/<slug:slug>/stopping/fix/", stopping.fix_stopping, name="fix_stopping"),
    path("studies/<slug:slug>/questions/", questionnaire_views.questionnaire, name="questionnaire"),
    path(
        "studies/<slug:slug>/questions/new/", questionnaire_views.question_new, name="question_new"
    ),
    path(
        "studies/<slug:slug>/questions/<int:pk>/",
        questionnaire_views.question_edit,
        name="question_edit",
    ),
    path(
        "studies/<slug:slug>/questions/<int:pk>/move/",
        questionnaire_views.question_move,
        name="question_move",
    ),
    path(
        "studies/<slug:slug>/questions/<int:pk>/delete/",
        questionnaire_views.question_delete,
        name="question_delete",
    ),
    path(
        "studies/<slug:slug>/questions/<int:pk>/retire/",
        questionnaire_views.question_retire,
        name="question_retire",
    ),
    path(
        "studies/<slug:slug>/questions/version/",
        questionnaire_views.version_begin,
        name="version_begin",
    ),
    path(
        "studies/<slug:slug>/questions/version/give-up/",
        questionnaire_views.version_give_up,
        name="version_give_up",
    ),
    path("studies/<slug:slug>/study.yaml", study_file_views.study_file, name="study_file"),
    path("uploads/<slug:token>/", loading.upload, name="upload"),
    path("uploads/<slug:token>/load/", loading.upload_load, name="upload_load"),
    path("uploads/<slug:token>/discard/", loading.upload_discard, name="upload_discard"),
    path("uploads/<slug:token>/columns/", bringing.columns, name="columns"),
    path("uploads/<slug:token>/reading/", bringing.reading, name="reading"),
    path("uploads/<slug:token>/questions/", bringing.new_questions, name="new_questions"),
    path("uploads/<slug:token>/mapping.yaml", bringing.mapping_file, name="mapping_file"),
    path("endpoints/", endpoints.endpoints, name="endpoints"),
    path("endpoints/new/", endpoints.endpoint_new, name="endpoint_new"),
    path("endpoints/<int:pk>/", endpoints.endpoint, name="endpoint"),
    path("endpoints/<int:pk>/test/", endpoints.endpoint_test, name="endpoint_test"),
    path("studies/<slug:slug>/models/", connecting.models, name="models"),
    path("studies/<slug:slug>/models/new/<slug:provider>/", connecting.model_new, name="model_new"),
    path(
        "studies/<slug:slug>/models/new/<slug:provider>/names/",
        connecting.model_names,
        name="model_names",
    ),
    path("studies/<slug:slug>/models/<int:pk>/", connecting.model, name="model"),
    path(
        "studies/<slug:slug>/models/<int:pk>/names/",
        connecting.model_names_of,
        name="model_names_of",
    ),
    path("studies/<slug:slug>/models/<int:pk>/test/", connecting.model_test, name="model_test"),
    path(
        "studies/<slug:slug>/models/<int:pk>/remove/",
        connecting.model_remove,
        name="model_remove",
    ),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("studies/<slug:slug>/judges/", judge_views.judges, name="judges"),
    path("studies/<slug:slug>/judges/new/", judge_views.judge_new, name="judge_new"),
    path("studies/<slug:slug>/judges/<int:pk>/", judge_views.judge, name="judge"),
    path("studies/<slug:slug>/judges/<int:pk>/edit/", judge_views.judge_edit, name="judge_edit"),
    path("studies/<slug:slug>/judges/<int:pk>/run/", judge_views.judge_run, name="judge_run"),
    path("studies/<slug:slug>/judges/<int:pk>/name/", naming_views.judge_name, name="judge_name"),
    path(
        "studies/<slug:slug>/judges/<int:pk>/archive/", removal.judge_archive, name="judge_archive"
    ),
    path(
        "studies/<slug:slug>/judges/<int:pk>/bring-back/",
        removal.judge_bring_back,
        name="judge_bring_back",
    ),
    path("studies/<slug:slug>/judges/<int:pk>/delete/", removal.judge_delete, name="judge_delete"),
    path(
        "studies/<slug:slug>/judges/<int:pk>/undelete/",
        removal.judge_undelete,
        name="judge_undelete",
    ),
    path(
        "studies/<slug:slug>/judges/<int:pk>/duplicate/",
        duplicate_views.judge_duplicate,
        name="judge_duplicate",
    ),
    path("studies/<slug:slug>/judges/<int:pk>/check/", drift_views.judge_check, name="judge_check"),
    path(
        "studies/<slug:slug>/judges/<int:pk>/robustness/",
        robustness_views.judge_robustness,
        name="judge_robustness",
    ),
    path(
        "studies/<slug:slug>/judges/<int:pk>/robustness/start/",
        robustness_views.judge_robustness_start,
        name="judge_robustness_start",
    ),
    path(
        "studies/<slug:slug>/judges/<int:pk>/test/",
        recommender_views.recommender_test,
        name="recommender_test",
    ),
    path("studies/<slug:slug>/prompts/", prompt_views.prompts, name="prompts"),
    path("studies/<slug:slug>/prompts/new/", prompt_views.prompt_new, name="prompt_new"),
    path("studies/<slug:slug>/prompts/own/<slug:name>/", prompt_views.prompt, name="prompt"),
    path("studies/<slug:slug>/runs/", run_views.runs, name="runs"),
    path("studies/<slug:slug>/runs/<int:pk>/", run_views.run, name="run"),
    path(
        "studies/<slug:slug>/runs/<int:pk>/progress/", run_views.run_progress, name="run_progress"
    ),
    path("studies/<slug:slug>/runs/<int:pk>/moving/", run_views.run_moving, name="run_moving"),
    path("studies/<slug:slug>/runs/<int:pk>/cancel/", run_views.run_cancel, name="run_cancel"),
    path("studies/<slug:slug>/runs/<int:pk>/resume/", run_views.run_resume, name="run_resume"),
    path("studies/<slug:slug>/runs/<int:pk>/confirm/", run_views.run_confirm, name="run_confirm"),
    path(
        "studies/<slug:slug>/runs/<int:pk>/ask-again/",
        run_views.run_ask_again,
        name="run_ask_again",
    ),
    path("studies/<slug:slug>/runs/<int:pk>/read-again/", run_views.run_reread, name="run_reread"),
    path("studies/<slug:slug>/runs/<int:pk>/lists/", recommender_views.run_lists, name="run_lists"),
    path("studies/<slug:slug>/statements/", statements.statement_list, name="statements"),
    path(
        "studies/<slug:slug>/statements/items/",
        item_views.make_statement_items,
        name="make_statement_items",
    ),
    path(
        "studies/<slug:slug>/statements/without/<slug:side>/",
        statements.without_statements,
        name="without_statements",
    ),
    path(
        "studies/<slug:slug>/items/<int:pk>/statements/<slug:side>/",
        statements.statements_of,
        name="statements_of",
    ),
    path(
        "studies/<slug:slug>/items/<int:pk>/statements/<slug:side>/add/",
        statements.statement_add,
        name="statement_add",
    ),
    path(
        "studies/<slug:slug>/statements/<int:pk>/correct/",
        statements.statement_correct,
        name="statement_correct",
    ),
    path(
        "studies/<slug:slug>/statements/<int:pk>/remove/",
        statements.statement_remove,
        name="statement_remove",
    ),
    path(
        "studies/<slug:slug>/statements/<int:pk>/undo/",
        statements.statement_undo,
        name="statement_undo",
    ),
    # Lists that also take rows: loading is judges' part.
    path("api/v1/studies/", api.Studies.as_view(), name="api_studies"),
    path("api/v1/studies/<slug:slug>/items/", api.Items.as_view(), name="api_items"),
    path("api/v1/studies/<slug:slug>/ratings/", api.Ratings.as_view(), name="api_ratings"),
    path("api/v1/studies/<slug:slug>/judgments/", api.Judgments.as_view(), name="api_judgments"),
    path("api/v1/studies/<slug:slug>/lists/", api_lists.Lists.as_view(), name="api_lists"),
    path("api/v1/studies/<slug:slug>/judges/", api.Judges.as_view(), name="api_judges"),
    path("api/v1/studies/<slug:slug>/runs/", api.Runs.as_view(), name="api_runs"),
    path("api/v1/studies/<slug:slug>/runs/<int:pk>/", api.OneRun.as_view(), name="api_run"),
    path(
        "api/v1/studies/<slug:slug>/runs/<int:pk>/cancel/",
        api.CancelRun.as_view(),
        name="api_cancel_run",
    ),
    path(
        "api/v1/studies/<slug:slug>/statements/",
        Statements.as_view(),
        name="api_statements",
    ),
    path(
        "api/v1/studies/<slug:slug>/statements/<int:pk>/",
        OneStatement.as_view(),
        name="api_statement",
    ),
]
