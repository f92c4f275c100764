"""Routes that the smoke does not reach, each with the reason."""

FORWARDS = "it forwards what was an address before Django 1.9, and nothing links it"
REFUSED = "it is refused to everybody, and nothing links it"
TABLES = (
    "annotate/rater",
    "annotate/session",
    "annotate/study",
    "auth/group",
    "auth/user",
    "axes/accessattempt",
    "axes/accessfailurelog",
    "axes/accesslog",
    "judges/endpoint",
    "judges/heartbeat",
)
NEVER_BY_HAND = (
    "annotate/rater/<path:object_id>/delete/",
    "annotate/session/<path:object_id>/delete/",
    "annotate/session/add/",
    "judges/heartbeat/add/",
    "axes/accessattempt/add/",
    "axes/accessfailurelog/add/",
    "axes/accesslog/add/",
)
UNREACHED: dict[str, str] = {
    "^api(?:/|$)": "it answers whatever is no address of the API, and only by 404",
    "admin/(?P<url>.*)$": "it answers whatever is no page of the administration, and only by 404",
    "admin/autocomplete/": "no field of the administration asks for words to complete",
    "admin/r/<path:content_type_id>/<path:object_id>/": "nothing links it: operators see no study",
}
UNREACHED |= {
    f"admin/axes/accessfailurelog/<path:object_id>/{page}/": "failures are not logged apart"
    for page in ("change", "delete", "history")
}
UNREACHED |= {
    "r/<slug:token>/missing/": "a script tells of a picture of another server that is not there, "
    "and no study here has one; tests/sweep sends it",
    "studies/<slug:slug>/analysis/computing/<slug:key>/again/": "a report that failed offers it, "
    "and none does; tests/analysis/serving/test_wait.py sends it",
}
UNREACHED |= {f"admin/{table}/<path:object_id>/": FORWARDS for table in TABLES}
UNREACHED |= {f"admin/{page}": REFUSED for page in NEVER_BY_HAND}
