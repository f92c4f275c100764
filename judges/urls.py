from django.urls import path

from judges.views import health, judges, loading, questionnaire, runs, study_file

urlpatterns = [
    path("studies/new/", loading.study_new, name="study_new"),
    path("studies/<slug:slug>/load/", loading.load, name="load"),
    path("studies/<slug:slug>/questions/", questionnaire.questionnaire, name="questionnaire"),
    path("studies/<slug:slug>/questions/new/", questionnaire.question_new, name="question_new"),
    path(
        "studies/<slug:slug>/questions/<int:pk>/", questionnaire.question_edit, name="question_edit"
    ),
    path(
        "studies/<slug:slug>/questions/<int:pk>/move/",
        questionnaire.question_move,
        name="question_move",
    ),
    path(
        "studies/<slug:slug>/questions/<int:pk>/delete/",
        questionnaire.question_delete,
        name="question_delete",
    ),
    path("studies/<slug:slug>/study.yaml", study_file.study_file, name="study_file"),
    path("uploads/<slug:token>/", loading.upload, name="upload"),
    path("uploads/<slug:token>/load/", loading.upload_load, name="upload_load"),
    path("uploads/<slug:token>/discard/", loading.upload_discard, name="upload_discard"),
    path("healthz", health.healthz, name="healthz"),
    path("studies/<slug:slug>/judges/", judges.judges, name="judges"),
    path("studies/<slug:slug>/judges/new/", judges.judge_new, name="judge_new"),
    path("studies/<slug:slug>/judges/<int:pk>/", judges.judge, name="judge"),
    path("studies/<slug:slug>/judges/<int:pk>/edit/", judges.judge_edit, name="judge_edit"),
    path("studies/<slug:slug>/judges/<int:pk>/run/", judges.judge_run, name="judge_run"),
    path("studies/<slug:slug>/runs/", runs.runs, name="runs"),
    path("studies/<slug:slug>/runs/<int:pk>/", runs.run, name="run"),
    path("studies/<slug:slug>/runs/<int:pk>/progress/", runs.run_progress, name="run_progress"),
    path("studies/<slug:slug>/runs/<int:pk>/cancel/", runs.run_cancel, name="run_cancel"),
    path("studies/<slug:slug>/runs/<int:pk>/resume/", runs.run_resume, name="run_resume"),
    path("studies/<slug:slug>/runs/<int:pk>/ask-again/", runs.run_ask_again, name="run_ask_again"),
    path("studies/<slug:slug>/runs/<int:pk>/read-again/", runs.run_reread, name="run_reread"),
]
