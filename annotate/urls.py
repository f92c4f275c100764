from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from annotate.views import accounts, making, people, preview, quality, rating, studies

urlpatterns = [
    path("", studies.studies, name="studies"),
    path("robots.txt", studies.robots),
    path("accounts/login/", LoginView.as_view(template_name="annotate/login.html"), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("accounts/once/<uid>/<token>/", accounts.login_once, name="login_once"),
    path("studies/new/template/", making.study_from_template, name="study_from_template"),
    path("studies/<slug:slug>/copy/", making.study_copy, name="study_copy"),
    path("studies/<slug:slug>/raters/", studies.raters, name="raters"),
    path("studies/<slug:slug>/raters/find/", people.find_rater, name="find_rater"),
    path("studies/<slug:slug>/raters/<int:pk>/", people.rater, name="rater"),
    path(
        "studies/<slug:slug>/raters/<int:pk>/exclude/", people.exclude_rater, name="exclude_rater"
    ),
    path(
        "studies/<slug:slug>/raters/<int:pk>/include/", people.include_rater, name="include_rater"
    ),
    path("studies/<slug:slug>/raters/<int:pk>/delete/", people.delete_rater, name="delete_rater"),
    path("studies/<slug:slug>/quality/", quality.quality, name="quality"),
    path("studies/<slug:slug>/quality/<slug:rule>/apply/", quality.apply_rule, name="apply_rule"),
    path("studies/<slug:slug>/quality/<int:pk>/undo/", quality.undo, name="undo_exclusion"),
    path("studies/<slug:slug>/settings/", studies.settings, name="settings"),
    path("studies/<slug:slug>/settings/members/", studies.add_member, name="add_member"),
    path(
        "studies/<slug:slug>/settings/members/<int:pk>/remove/",
        studies.remove_member,
        name="remove_member",
    ),
    path("studies/<slug:slug>/delete/", studies.delete_study, name="delete_study"),
    path("studies/<slug:slug>/preview/", preview.preview, name="preview"),
    # The rater's addresses with a token that is no session's; before the real ones.
    path("r/preview-<slug:slug>/", preview.start),
    path("r/preview-<slug:slug>/consent/", preview.consent),
    path("r/preview-<slug:slug>/begin/", preview.begin),
    path("r/preview-<slug:slug>/item/<int:position>/", preview.item),
    path("r/preview-<slug:slug>/answer/<int:item>/<int:question>/", preview.answer),
    path("join/<slug:slug>/", rating.join, name="join"),
    path("r/<slug:token>/", rating.session, name="session"),
    path("r/<slug:token>/consent/", rating.consent, name="session_consent"),
    path("r/<slug:token>/begin/", rating.begin, name="session_begin"),
    path("r/<slug:token>/item/<int:position>/", rating.item, name="session_item"),
    path("r/<slug:token>/answer/<int:item>/<int:question>/", rating.answer, name="answer"),
]
