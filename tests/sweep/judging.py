"""What is wrong with an answer: who may is served, who may not learns and changes nothing."""

from dataclasses import replace

from tests.sweep.canaries import marks_of
from tests.sweep.policy import POLICY

# Columns that members of a role never read, on whatever page.
FROM_OWNERS = {"apitoken-digest", "endpoint-api_key_env"}
# What platforms call people is for who pays them; a token and an upload are one person's.
FROM_EDITORS = FROM_OWNERS | {
    "rater-platform_ids",
    "rater-platform_visit",
    "latecomer-participant",
    "latecomer-visit",
    "latecomer-task",
    "repeatvisit-visit",
    "apitoken-name",
    "upload-token",
}
# Who has a link or a code can answer, or be paid, in a rater's place.
FROM_VIEWERS = FROM_EDITORS | {
    "session-token",
    "study-completion_code",
    "study-platform_code",
}
WITHHELD = {"owner": FROM_OWNERS, "editor": FROM_EDITORS, "viewer": FROM_VIEWERS}
# The API names nobody as a platform does and opens no session, whoever asks.
FROM_PROGRAMS = FROM_VIEWERS
# Who is invited reads this before there is a session.
READ_BY_GUESTS = {"join/<slug:slug>/": {"study-title", "study-notice", "study-consent"}}
# What is rated, what is asked and what the study says to raters. Nothing of other raters, of
# judges, of what is right in a check, or of who leads the study.
READ_BY_RATERS = {
    "study-title",
    "study-notice",
    "study-consent",
    "study-instructions",
    "question-text",
    "item-key",
    "item-text",
    "content-title",
    "content-description",
    "content-show",
    "mediafile-name",
}
# Nobody reads these in Administration: who has them acts in somebody's place.
FROM_OPERATORS = {"session-token", "apitoken-digest", "upload-token", "mediafile-token"}
# GETs that answer who may ask with something else than a page.
OTHER_ANSWERS = {
    "admin/autocomplete/": 403,  # Django asks for the name of a field
    "admin/logout/": 405,  # left by a button
    "admin/(?P<url>.*)": 404,  # whatever is no page there
    "api(?:/|)": 404,
    "readyz": 503,  # there is no worker in a test
}


def wrong_with(caller, ask, answer):
    """What is wrong, in words; empty where nothing is."""
    if answer.status >= 500 and answer.status != OTHER_ANSWERS.get(ask.route):
        return f"answers {answer.status}"
    if caller.may(ask.who, ask.route, ask.method):
        return _wrong_with_served(caller, ask, answer)
    readers = POLICY[ask.route].get("GET", "")
    is_page = ask.method == "POST" and not ask.who and not ask.is_api
    if is_page and caller.may(readers, ask.route, "GET"):  # without a form it shows itself
        return _tells(caller, replace(ask, who=readers), answer)
    learnt = answer.marks - marks_of(ask.path)
    if learnt:
        return f"tells {sorted(learnt)} to who may not ask"
    if not _is_refusal(caller, ask, answer):
        return f"answers {answer.status} {answer.location} to who may not ask"
    return ""


def _is_refusal(caller, ask, answer):
    if ask.is_api and not caller.may("person", ask.route, "GET"):
        return answer.status in (401, 404) if ask.who else answer.status in (401, 404, 405)
    if ask.is_api:
        return answer.status in (403, 404, 405)
    is_of_django = ask.route.startswith("admin/")
    if answer.leads_to_login:
        return not caller.is_logged_in or is_of_django
    return answer.status in (404, 405) or (answer.status == 403 and is_of_django)


def _wrong_with_served(caller, ask, answer):
    if words := _tells(caller, ask, answer):
        return words
    if answer.leads_to_login:
        return "leads to the login page"
    is_bad = answer.status >= 400 if ask.method == "GET" else answer.status == 403
    if is_bad and answer.status != OTHER_ANSWERS.get(ask.route):
        return f"answers {answer.status} to who may ask"
    return ""


def _tells(caller, ask, answer):
    told = _withheld(caller, ask, answer.marks - marks_of(ask.path))
    return f"tells {sorted(told)}" if told else ""


def _withheld(caller, ask, marks):
    """Of the marks in an answer those that its reader should not have been told."""
    if ask.who == "operator":
        return marks & FROM_OPERATORS
    if ask.who == "rater":
        return marks - READ_BY_RATERS
    if ask.who == "anyone" or "viewer" not in caller.in_api:
        return marks - READ_BY_GUESTS.get(ask.route, set())
    return marks & (FROM_PROGRAMS if ask.is_api else WITHHELD[caller.name])
