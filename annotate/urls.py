"""Map the addresses of annotate's pages and of the HTTP API to their views."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from annotate.accounts import login, tokens
from annotate.api import views as api
from annotate.coding import views as coding
from annotate.quality import rater_views
from annotate.quality import views as quality
from annotate.raters import (
    media_views,
    preview_views,
    reporting,
    screen_views,
    taste_views,
    withdraw_views,
)
from annotate.raters import views as rating
from annotate.recruitment import more_views, raise_views
from annotate.recruitment import views as inviting
from annotate.studies import new, session_settings, step_settings
from annotate.studies import views as studies


def below(start):
    """Return a path() whose addresses all begin alike."""
    return lambda rest, *args, **named: path(f"{start}{rest}", *args, **named)


of_study = below("studies/<slug:slug>/")
of_session = below("r/<slug:token>/")
of_api = below("api/v1/studies/<slug:slug>/")

# Raters' addresses come first: each answer is sent to one, and the patterns are tried in turn.
urlpatterns = [
    path("join/<slug:slug>/", rating.join, name="join"),
    of_session("", rating.session, name="session"),
    of_session("consent/", rating.consent, name="session_consent"),
    of_session("leave/", rating.leave, name="session_leave"),
    of_session("begin/", rating.begin, name="session_begin"),
    of_session("screener/", screen_views.about, {"kind": "screener"}, name="session_screener"),
    of_session("questions/", screen_views.about, {"kind": "before"}, name="session_questions"),
    of_session("taste/", taste_views.pick, name="session_taste"),
    of_session("waiting/", taste_views.wait, name="session_waiting"),
    of_session("check/", screen_views.check, name="session_check"),
    of_session("practice/", screen_views.practice_next, name="session_practice_next"),
    of_session("practice/<int:position>/", screen_views.practice, name="session_practice"),
    of_session("exit/", screen_views.about, {"kind": "exit"}, name="session_exit"),
    of_session("withdraw/", withdraw_views.withdraw, name="session_withdraw"),
    of_session("item/<int:position>/", rating.item, name="session_item"),
    of_session("answer/<int:item>/<int:question>/", rating.answer, name="answer"),
    of_session(
        "screen/<int:screen>/<int:item>/<int:question>/",
        screen_views.answer,
        name="answer_on_screen",
    ),
    of_session("time/<int:item>/", reporting.time_spent, name="session_time"),
    of_session("missing/", reporting.missing_media, name="session_missing"),
    path("robots.txt", studies.robots),
    path("favicon.ico", studies.favicon),
    path("accounts/login/", LoginView.as_view(template_name="annotate/login.html"), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("accounts/once/<uid>/<token>/", login.login_once, name="login_once"),
    path("studies/new/template/", new.study_from_template, name="study_from_template"),
    of_study("copy/", new.study_copy, name="study_copy"),
    of_study("raters/", studies.raters, name="raters"),
    of_study("raters/find/", rater_views.find_rater, name="find_rater"),
    of_study("raters/<int:pk>/", rater_views.rater, name="rater"),
    of_study("raters/<int:pk>/exclude/", rater_views.exclude_rater, name="exclude_rater"),
    of_study("raters/<int:pk>/include/", rater_views.include_rater, name="include_rater"),
    of_study("raters/<int:pk>/delete/", rater_views.delete_rater, name="delete_rater"),
    of_study("coding/", coding.coding, name="coding"),
    of_study("coding/<int:pk>/", coding.give, name="give_code"),
    of_study("coding/compare/", coding.compare, name="compare_codes"),
    of_study("coding/compare/open/", coding.open_comparison, name="open_comparison"),
    of_study("coding/codes/", coding.put_code, name="make_code"),
    of_study("coding/codes/<int:pk>/", coding.put_code, name="rename_code"),
    *(
        of_study(
            f"coding/codes/<int:pk>/{how}/", coding.change_code, {"how": how}, name=f"{how}_code"
        )
        for how in ("merge", "delete", "restore")
    ),
    of_study("more/", more_views.more_raters, name="more_raters"),
    of_study("more/ratings/", raise_views.more_ratings, name="more_ratings"),
    of_study("more/send/", more_views.send, name="send_to_more"),
    of_study("more/<int:pk>/undo/", more_views.undo, name="undo_more"),
    of_study("quality/", quality.quality, name="quality"),
    of_study("quality/<slug:rule>/apply/", quality.apply_rule, name="apply_rule"),
    of_study("quality/<int:pk>/undo/", quality.undo, name="undo_exclusion"),
    of_study("raters/links/", inviting.personal_links, name="personal_links"),
    of_study("raters/links.csv", inviting.links_file, name="links_file"),
    of_study("raters/links/<int:pk>/withdraw/", inviting.withdraw_link, name="withdraw_link"),
    of_study("raters/sessions/<int:pk>/return/", inviting.return_session, name="return_session"),
    of_study("raters/pay/", inviting.pay, name="pay"),
    of_study("raters/pay/returned/", inviting.take_returns, name="take_returns"),
    of_study("raters/pay/participants/", inviting.take_participants, name="take_participants"),
    of_study("raters/pay/<slug:name>/", inviting.pay_file, name="pay_file"),
    of_study("settings/platform/", inviting.platform, name="platform"),
    of_study("settings/steps/<slug:part>/", step_settings.step_settings, name="step_settings"),
    of_study("settings/sessions/", session_settings.inside, name="inside"),
    of_study("settings/sessions/check/", session_settings.put_check, name="put_check"),
    of_study("settings/sessions/check/ready/", session_settings.add_ready, name="add_ready_check"),
    of_study(
        "settings/sessions/check/<slug:key>/remove/",
        session_settings.remove_check,
        name="remove_check",
    ),
    of_study("settings/sessions/gold/", session_settings.put_gold, name="put_gold"),
    of_study("settings/sessions/gold/remove/", session_settings.remove_gold, name="remove_gold"),
    of_study("settings/", studies.settings, name="settings"),
    of_study("settings/members/", studies.add_member, name="add_member"),
    of_study("settings/members/<int:pk>/remove/", studies.remove_member, name="remove_member"),
    of_study("media/", media_views.media, name="media"),
    of_study("media/upload/", media_views.upload_media, name="upload_media"),
    of_study("media/forget/", media_views.forget_missing, name="forget_missing"),
    of_study("media/<int:pk>/delete/", media_views.delete_media, name="delete_media"),
    path("media/<slug:token>/", media_views.media_file, name="media_file"),
    of_study("preview/", preview_views.preview, name="preview"),
    path("accounts/tokens/", tokens.tokens, name="tokens"),
    path("accounts/tokens/<int:pk>/revoke/", tokens.revoke, name="revoke_token"),
    of_api("", api.Study.as_view(), name="api_study"),
    of_api("items/<int:pk>/", api.Item.as_view(), name="api_item"),
    of_api("raters/", api.Raters.as_view(), name="api_raters"),
    of_api("raters/<int:pk>/", api.Rater.as_view(), name="api_rater"),
]
