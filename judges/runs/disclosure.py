"""Say which endpoint is shown what of raters and recipients, and hold runs to their consent.

The consent page names every program that is shown what a rater gave, and a session keeps what it
was told: annotate/design/disclosure.py. A run that would show more of people who agreed here is
refused before anything is sent. For data that were loaded from files the researcher answers.
"""

from annotate.design.disclosure import Data, Showing, is_covered
from annotate.models import Item, Rating, Session
from judges import methods
from judges.endpoints.hosts import host_of, is_local
from judges.models import Judge

Source, State = Session.Source, Session.State
# Who has not agreed, or has taken back what they gave.
WITHOUT_CONSENT = (State.CONSENT, State.DECLINED, State.WITHDRAWN)
WORDS = {
    Data.ANSWERS: "answers of raters (as examples)",
    Data.PROFILE: "profiles of recipients",
    Data.HISTORY: "histories of recipients",
    Data.REVIEW: "reviews by recipients",
}
WHAT = {
    Data.ANSWERS: "answers",
    Data.PROFILE: "profiles",
    Data.HISTORY: "histories",
    Data.REVIEW: "reviews",
}
REFUSED = (
    "The judge {judge} would show {host} {what} of {count} whose consent did not name {host}. "
    "Let it ask a model on this machine or in your own network, {instead}. If the consent that "
    "they read in this study’s own words named {host}, say so: consent_covers in the settings or "
    "in study.yaml."
)
SAID_NO = (
    "The judge {judge} would show {host} {what} of {count} who declined to take part, or withdrew. "
    "Let it ask a model on this machine or in your own network, {instead}."
)
INSTEAD = {
    Data.ANSWERS: "ask without examples, or exclude these raters",
    Data.PROFILE: "or ask without profiles",
    Data.HISTORY: "or ask without histories",
    Data.REVIEW: "or ask about texts of systems alone",
}


def showings(study):
    """List the Showings of all judges of a study that are not archived."""
    judges = Judge.objects.current().filter(study=study, endpoint__isnull=False)
    judged: dict = {}  # by method, which is the same for all judges of it
    return [
        showing
        for judge in judges.select_related("endpoint")
        for showing in shown_by(judge, judged)
    ]


def shown_by(judge, judged=None):
    """List the Showings of one judge; a judge that calls nobody has none.

    judged: {method: whether it judges profiles}, which is filled, and spares a query a judge.
    """
    if judge.endpoint is None:
        return []
    method, host = methods.of_judge(judge), host_of(judge.endpoint.base_url)
    shown, judged = method.shows_of_people(judge), {} if judged is None else judged
    if (Data.PROFILE, "") not in shown:
        if type(method) not in judged:
            judged[type(method)] = _judges_profiles(judge, method)
        shown = [*shown, (Data.PROFILE, "")] if judged[type(method)] else shown
    program = host, is_local(host), judge.endpoint.model
    return [Showing(*program, data, role) for data, role in shown]


def _judges_profiles(judge, method):
    """Tell whether profiles of recipients are among what it judges."""
    if method.judges_nothing:
        return False
    profiles = Item.objects.filter(
        study=judge.study_id, kind=Item.Kind.PROFILE, recipient__isnull=False, is_practice=False
    )
    return method.items(profiles).exists()


def in_words(judge):
    """Say what of people the judge shows to whom, as a list of (data in words, host, is local)."""
    return [(WORDS[shown.data], shown.host, shown.is_local) for shown in shown_by(judge)]


def why_refused(judge, run=None):
    """Say why a run of the judge would break what raters were told; blank where it would not.

    run: one that exists, whose prompts keep the answers with which it was planned.
    """
    if judge.endpoint is None or is_local(host_of(judge.endpoint.base_url)):
        return ""
    for showing in shown_by(judge):
        if count := _said_no(judge.study, showing):
            return _refusal(SAID_NO, judge, showing, count, run)
        sessions = _sessions(judge.study, showing, run).values_list("rater", "told_endpoints")
        raters = {rater for rater, told in sessions if not is_covered(judge.study, told, showing)}
        if raters:
            return _refusal(REFUSED, judge, showing, len(raters), run)
    return ""


def why_moved(run):
    """Say why a planned run may not go on where its endpoint has another host by now.

    What a run shows was allowed for the host that it was planned with.
    """
    host = host_of(run.judge.endpoint.base_url)
    return why_refused(run.judge, run) if host != host_of(run.frozen.get("base_url", "")) else ""


def _here(study):
    return Session.objects.filter(study=study, source__in=(Source.WEB, Source.LINK))


def _said_no(study, showing):
    """Count the recipients of whom something is shown though they declined or withdrew."""
    if showing.data == Data.ANSWERS:  # they gave none, or took them back
        return 0
    gone = _here(study).filter(state__in=(State.DECLINED, State.WITHDRAWN))
    recipients = gone.filter(rater__recipient__isnull=False).values("rater__recipient")
    return recipients.distinct().count()


def _sessions(study, showing, run):
    """Return the sessions that were agreed to here and of whose raters something is shown."""
    here = _here(study).exclude(state__in=WITHOUT_CONSENT)
    if showing.data != Data.ANSWERS:
        return here.filter(rater__recipient__isnull=False)
    if run is not None:
        return here.filter(rater__in=run.materials.exclude(rater=None).values("rater"))
    counted = Rating.objects.for_analysis().filter(item__study=study, value__isnull=False)
    return here.filter(rater__role=showing.role, pk__in=counted.values("session"))


def _refusal(words, judge, showing, count, run):
    people = "rater" if showing.data == Data.ANSWERS else "recipient"
    is_planned = run is not None and showing.data == Data.ANSWERS
    return words.format(
        judge=judge.key,
        host=showing.host,
        what=WHAT[showing.data],
        count=f"{count:,} {people}{'' if count == 1 else 's'}",
        instead="or begin a new run" if is_planned else INSTEAD[showing.data],
    )
