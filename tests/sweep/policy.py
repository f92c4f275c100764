"""Who may do what: written by hand, never read from the views. A new route needs a line here.

A line is a route of the urlconf, then for each method who may call it. What a line does not grant
nobody may do. `POST+start` is a POST that presses that button, `GET?ids=platform` a GET with that
query.

    anyone     without logging in
    person     whoever is logged in, about what is their own
    viewer     members of the study with at least this role
    editor
    owner
    operator   superusers, who are members of no study
    rater      whoever holds the link of the session
    maker      the one person who made it: their token, their upload
"""

PAGES = """
robots.txt                                                        GET=anyone
healthz                                                           GET=anyone
readyz                                                            GET=anyone
favicon.ico                                                       GET=anyone
glossary/                                                         GET=anyone
api/docs/                                                         GET=anyone
api/schema/                                                       GET=anyone
media/<slug:token>/                                               GET=rater
accounts/login/                                                   GET=anyone POST=anyone
accounts/logout/                                                  POST=anyone
accounts/once/<uid>/<token>/                                      GET=anyone POST=anyone
accounts/tokens/                                                  GET=person POST=person
accounts/tokens/<int:pk>/revoke/                                  POST=maker
endpoints/                                                        GET=operator
endpoints/new/                                                    GET=operator POST=operator
endpoints/<int:pk>/                                               GET=operator POST=operator
endpoints/<int:pk>/test/                                          POST=operator
uploads/<slug:token>/                                             GET=maker
uploads/<slug:token>/columns/                                     GET=maker POST=maker
uploads/<slug:token>/reading/                                     POST=maker
uploads/<slug:token>/questions/                                   GET=maker POST=maker
uploads/<slug:token>/mapping.yaml                                 GET=maker
uploads/<slug:token>/load/                                        POST=maker
uploads/<slug:token>/discard/                                     POST=maker

join/<slug:slug>/                                                 GET=anyone POST=anyone
r/<slug:token>/                                                   GET=rater
r/<slug:token>/consent/                                           POST=rater
r/<slug:token>/leave/                                             POST=rater
r/<slug:token>/begin/                                             POST=rater
r/<slug:token>/screener/                                          GET=rater POST=rater
r/<slug:token>/questions/                                         GET=rater POST=rater
r/<slug:token>/taste/                                             GET=rater POST=rater
r/<slug:token>/waiting/                                           GET=rater
r/<slug:token>/check/                                             GET=rater POST=rater
r/<slug:token>/practice/                                          GET=rater
r/<slug:token>/practice/<int:position>/                           GET=rater POST=rater
r/<slug:token>/exit/                                              GET=rater POST=rater
r/<slug:token>/withdraw/                                          GET=rater POST=rater
r/<slug:token>/item/<int:position>/                               GET=rater POST=rater
r/<slug:token>/answer/<int:item>/<int:question>/                  POST=rater
r/<slug:token>/screen/<int:screen>/<int:item>/<int:question>/       POST=rater
r/<slug:token>/time/<int:item>/                                   POST=rater
r/<slug:token>/missing/                                           POST=rater

/                                                                 GET=person
plan/                                                             GET=person
studies/being-deleted/                                            GET=person
studies/new/                                                      GET=person POST=person
studies/new/bring/                                                GET=person POST=person
studies/<slug:slug>/bring/                                        GET=editor POST=editor
studies/<slug:slug>/loads/                                        GET=editor
studies/<slug:slug>/loads/<int:pk>/                               GET=owner POST=owner
studies/new/ratings/                                              GET=person POST=person
studies/new/template/                                             GET=person POST=person
studies/<slug:slug>/                                              GET=viewer
studies/<slug:slug>/live/                                         GET=viewer
studies/<slug:slug>/copy/                                         GET=editor POST=editor
studies/<slug:slug>/delete/                                       GET=owner POST=owner
studies/<slug:slug>/load/                                         GET=editor POST=editor
studies/<slug:slug>/study.yaml                                    GET=editor
studies/<slug:slug>/preview/                                      GET=editor POST=editor

studies/<slug:slug>/settings/                                     GET=editor POST=editor
studies/<slug:slug>/settings/platform/                            GET=editor POST=editor
studies/<slug:slug>/settings/steps/<slug:part>/                   GET=editor POST=editor
studies/<slug:slug>/settings/sessions/                            GET=editor POST=editor
studies/<slug:slug>/settings/sessions/check/                      POST=editor
studies/<slug:slug>/settings/sessions/check/ready/                POST=editor
studies/<slug:slug>/settings/sessions/check/<slug:key>/remove/    POST=editor
studies/<slug:slug>/settings/sessions/gold/                       POST=editor
studies/<slug:slug>/settings/sessions/gold/remove/                POST=editor
studies/<slug:slug>/settings/members/                             POST=owner
studies/<slug:slug>/settings/members/<int:pk>/remove/             POST=owner

studies/<slug:slug>/raters/                                       GET=viewer
studies/<slug:slug>/raters/find/                                  GET=viewer
studies/<slug:slug>/raters/<int:pk>/                              GET=viewer
studies/<slug:slug>/raters/<int:pk>/exclude/                      POST=editor
studies/<slug:slug>/raters/<int:pk>/include/                      POST=editor
studies/<slug:slug>/raters/<int:pk>/delete/                       GET=owner POST=owner
studies/<slug:slug>/raters/links/                                 GET=editor POST=editor
studies/<slug:slug>/raters/links.csv                              GET=editor
studies/<slug:slug>/raters/links/<int:pk>/withdraw/               POST=editor
studies/<slug:slug>/raters/sessions/<int:pk>/return/              GET=editor POST=editor
studies/<slug:slug>/raters/pay/                                   GET=owner
studies/<slug:slug>/raters/pay/returned/                          POST=owner
studies/<slug:slug>/raters/pay/participants/                      POST=owner
studies/<slug:slug>/raters/pay/<slug:name>/                       GET=owner
studies/<slug:slug>/quality/                                      GET=viewer
studies/<slug:slug>/quality/<slug:rule>/apply/                    POST=editor
studies/<slug:slug>/quality/<int:pk>/undo/                        POST=editor
studies/<slug:slug>/more/                                         GET=viewer
studies/<slug:slug>/more/ratings/                                 GET=editor POST=editor
studies/<slug:slug>/more/send/                                    POST=editor
studies/<slug:slug>/more/<int:pk>/undo/                           POST=editor

studies/<slug:slug>/stopping/                                     GET=viewer
studies/<slug:slug>/stopping/fix/                                 POST=owner

studies/<slug:slug>/coding/                                       GET=viewer
studies/<slug:slug>/coding/<int:pk>/                              POST=editor
studies/<slug:slug>/coding/compare/                               GET=viewer
studies/<slug:slug>/coding/compare/open/                          POST=editor
studies/<slug:slug>/coding/codes/                                 POST=editor
studies/<slug:slug>/coding/codes/<int:pk>/                        POST=editor
studies/<slug:slug>/coding/codes/<int:pk>/merge/                  POST=editor
studies/<slug:slug>/coding/codes/<int:pk>/delete/                 POST=editor
studies/<slug:slug>/coding/codes/<int:pk>/restore/                POST=editor

studies/<slug:slug>/media/                                        GET=viewer
studies/<slug:slug>/media/upload/                                 POST=editor
studies/<slug:slug>/media/forget/                                 POST=editor
studies/<slug:slug>/media/<int:pk>/delete/                        GET=editor POST=editor
studies/<slug:slug>/items/                                        GET=viewer
studies/<slug:slug>/items/<int:pk>/                               GET=viewer
studies/<slug:slug>/items/<int:pk>/statements/<slug:side>/        GET=viewer
studies/<slug:slug>/items/<int:pk>/statements/<slug:side>/add/    POST=editor
studies/<slug:slug>/statements/                                   GET=viewer
studies/<slug:slug>/statements/items/                             POST=editor
studies/<slug:slug>/statements/without/<slug:side>/               GET=viewer
studies/<slug:slug>/statements/<int:pk>/correct/                  POST=editor
studies/<slug:slug>/statements/<int:pk>/remove/                   POST=editor
studies/<slug:slug>/statements/<int:pk>/undo/                     POST=editor

studies/<slug:slug>/questions/                                    GET=editor
studies/<slug:slug>/questions/new/                                GET=editor POST=editor
studies/<slug:slug>/questions/<int:pk>/                           GET=editor POST=editor
studies/<slug:slug>/questions/<int:pk>/move/                      POST=editor
studies/<slug:slug>/questions/<int:pk>/delete/                    GET=editor POST=editor
studies/<slug:slug>/questions/<int:pk>/retire/                    POST=editor
studies/<slug:slug>/questions/version/                            POST=editor
studies/<slug:slug>/questions/version/give-up/                    POST=editor

studies/<slug:slug>/models/                                       GET=owner
studies/<slug:slug>/models/new/<slug:provider>/                   GET=owner POST=owner
studies/<slug:slug>/models/new/<slug:provider>/names/             POST=owner
studies/<slug:slug>/models/<int:pk>/                              GET=owner POST=owner
studies/<slug:slug>/models/<int:pk>/names/                        POST=owner
studies/<slug:slug>/models/<int:pk>/test/                         POST=owner
studies/<slug:slug>/models/<int:pk>/remove/                       POST=owner

studies/<slug:slug>/judges/                                       GET=viewer
studies/<slug:slug>/judges/new/                                   GET=editor POST=editor
studies/<slug:slug>/judges/<int:pk>/                              GET=viewer
studies/<slug:slug>/judges/<int:pk>/edit/                         POST=editor
studies/<slug:slug>/judges/<int:pk>/run/                          POST=editor
studies/<slug:slug>/judges/<int:pk>/name/                         POST=editor
studies/<slug:slug>/judges/<int:pk>/archive/                          POST=editor
studies/<slug:slug>/judges/<int:pk>/bring-back/                       POST=editor
studies/<slug:slug>/judges/<int:pk>/delete/                           GET=owner POST=owner
studies/<slug:slug>/judges/<int:pk>/undelete/                         POST=owner
studies/<slug:slug>/judges/<int:pk>/duplicate/                        GET=editor POST=editor
studies/<slug:slug>/judges/<int:pk>/check/                        POST=editor
studies/<slug:slug>/judges/<int:pk>/robustness/                   GET=viewer POST=viewer
studies/<slug:slug>/judges/<int:pk>/robustness/start/             POST=editor
studies/<slug:slug>/judges/<int:pk>/test/                GET=viewer POST=viewer POST+start=editor
studies/<slug:slug>/prompts/                                      GET=viewer
studies/<slug:slug>/prompts/new/                                  GET=editor POST=editor
studies/<slug:slug>/prompts/own/<slug:name>/             GET=viewer POST=editor POST+try=editor
studies/<slug:slug>/runs/                                         GET=viewer
studies/<slug:slug>/runs/<int:pk>/                                GET=viewer
studies/<slug:slug>/runs/<int:pk>/progress/                       GET=viewer
studies/<slug:slug>/runs/<int:pk>/moving/                         GET=viewer
studies/<slug:slug>/runs/<int:pk>/cancel/                         POST=editor
studies/<slug:slug>/runs/<int:pk>/resume/                         POST=editor
studies/<slug:slug>/runs/<int:pk>/confirm/                        POST=editor
studies/<slug:slug>/runs/<int:pk>/ask-again/                      POST=editor
studies/<slug:slug>/runs/<int:pk>/read-again/                     POST=editor
studies/<slug:slug>/runs/<int:pk>/lists/                          GET=viewer

studies/<slug:slug>/analysis/                                     GET=viewer
studies/<slug:slug>/analysis/answer/                              GET=viewer
studies/<slug:slug>/analysis/headlines/                           GET=viewer
studies/<slug:slug>/analysis/computing/<slug:key>/                GET=viewer
studies/<slug:slug>/analysis/computing/<slug:key>/again/          POST=viewer
studies/<slug:slug>/analysis/paper/                               GET=viewer
studies/<slug:slug>/analysis/paper/paper.<slug:form>              GET=viewer
studies/<slug:slug>/analysis/recipes/                             GET=viewer
studies/<slug:slug>/analysis/recipes/<slug:paper>.<slug:form>     GET=viewer
studies/<slug:slug>/analysis/report.html                          GET=viewer
studies/<slug:slug>/analysis/disagreements/                       GET=viewer
studies/<slug:slug>/analysis/split/                               GET=viewer
studies/<slug:slug>/analysis/split/lock/                          POST=owner
studies/<slug:slug>/analysis/split/unlock/                        POST=owner
studies/<slug:slug>/analysis/<slug:report>/                       GET=viewer
studies/<slug:slug>/analysis/<slug:report>/rows.<slug:form>       GET=viewer
studies/<slug:slug>/export/                                       GET=viewer
studies/<slug:slug>/export/<slug:table>.<slug:form>               GET=viewer GET?ids=platform=owner
"""

API = """
api/v1/studies/                                                   GET=person POST=person
api/v1/studies/<slug:slug>/                                       GET=viewer PATCH=editor
api/v1/studies/<slug:slug>/items/                                 GET=viewer POST=editor
api/v1/studies/<slug:slug>/items/<int:pk>/                        GET=viewer
api/v1/studies/<slug:slug>/raters/                                GET=viewer
api/v1/studies/<slug:slug>/raters/<int:pk>/                       GET=viewer
api/v1/studies/<slug:slug>/ratings/                               GET=viewer POST=editor
api/v1/studies/<slug:slug>/judgments/                             GET=viewer POST=editor
api/v1/studies/<slug:slug>/lists/                                 GET=viewer
api/v1/studies/<slug:slug>/judges/                                GET=viewer
api/v1/studies/<slug:slug>/runs/                                  GET=viewer POST=editor
api/v1/studies/<slug:slug>/runs/<int:pk>/                         GET=viewer
api/v1/studies/<slug:slug>/runs/<int:pk>/cancel/                  POST=editor
api/v1/studies/<slug:slug>/statements/                            GET=viewer
api/v1/studies/<slug:slug>/statements/<int:pk>/                   GET=viewer
api/v1/studies/<slug:slug>/reports/                               GET=viewer
api/v1/studies/<slug:slug>/reports/<slug:report>/                 GET=viewer
api(?:/|)
"""

# Django's own pages. Each table has those of TABLE below its name.
ADMIN = """
admin/                                                            GET=operator
admin/login/                                                      GET=anyone POST=anyone
admin/logout/                                                     GET=anyone POST=anyone
admin/password_change/                                            GET=operator POST=operator
admin/password_change/done/                                       GET=operator
admin/autocomplete/                                               GET=operator
admin/jsi18n/                                                     GET=operator
admin/r/<path:content_type_id>/<path:object_id>/                  GET=operator
admin/auth/user/<id>/password/                                    GET=operator POST=operator
admin/(?P<app_label>auth|axes|annotate|judges)/                   GET=operator
admin/(?P<url>.*)                                                 GET=operator
"""
TABLES = {
    "auth/group": "add change delete",
    "auth/user": "add change delete",
    "axes/accessattempt": "change delete",  # its form has no field
    "axes/accesslog": "change delete",
    "axes/accessfailurelog": "change delete",
    "annotate/study": "add change delete",
    "annotate/rater": "add change",  # never deleted alone: answers would have no rater
    "annotate/session": "change",
    "judges/endpoint": "add change delete",
    "judges/heartbeat": "delete",
}


def _lines(block):
    for line in block.split("\n"):
        if line:
            route, *grants = line.split()
            yield route, dict(grant.rsplit("=", 1) for grant in grants)


def _of_tables():
    for table, changes in TABLES.items():
        start = f"admin/{table}/"
        yield start, {"GET": "operator", "POST": "operator"}
        yield f"{start}<path:object_id>/", {"GET": "operator"}
        yield f"{start}<path:object_id>/history/", {"GET": "operator"}
        for name in ("add", "change", "delete"):
            grants = {"GET": "operator", "POST": "operator"} if name in changes else {}
            # Who may not change a row may still look at it.
            grants = grants or ({"GET": "operator"} if name == "change" else {})
            yield f"{start}{'add/' if name == 'add' else f'<path:object_id>/{name}/'}", grants


POLICY = {**dict(_lines(PAGES)), **dict(_lines(API)), **dict(_lines(ADMIN)), **dict(_of_tables())}
