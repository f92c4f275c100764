"""Take in raters and send them back: by Prolific, by MTurk, or by the study's own link.

What a platform puts into an address names people and visits. It is no secret: whoever knows it may
begin, and opens nothing that exists unless all of it matches.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.db.models import TextChoices

from annotate.models import Latecomer, RepeatVisit, Session
from annotate.values.wrong import quoted


class Name(TextChoices):
    """The platforms from which raters may come."""

    NONE = "none", "no platform"
    PROLIFIC = "prolific", "Prolific"
    MTURK = "mturk", "Amazon Mechanical Turk"


class Outcome(TextChoices):
    """How a visit ends; each outcome may have its own code on the platform."""

    COMPLETE = "complete", "Complete"
    SCREENED_OUT = "screened_out", "Screened out"
    FAILED_ATTENTION = "failed_attention", "Failed the attention checks"
    NO_CONSENT = "no_consent", "No consent"
    TOO_LATE = "too_late", "Came too late: no place was left"
    WITHDRAWN = "withdrawn", "Withdrew"


OUTCOMES = {
    Session.State.COMPLETED: Outcome.COMPLETE,
    Session.State.SCREENED_OUT: Outcome.SCREENED_OUT,
    Session.State.FAILED_ATTENTION: Outcome.FAILED_ATTENTION,
    Session.State.DECLINED: Outcome.NO_CONSENT,
    Session.State.WITHDRAWN: Outcome.WITHDRAWN,
}
# The person, the visit, what else stands in the address.
PARAMETERS = {
    Name.PROLIFIC: ("PROLIFIC_PID", "SESSION_ID", "STUDY_ID"),
    Name.MTURK: ("workerId", "assignmentId", "hitId", "turkSubmitTo"),
}
PARTICIPANT_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}")
CODE = re.compile(r"[A-Za-z0-9_-]{1,40}")
# Pay for an hour, by currency. https://researcher-help.prolific.com/hc/en-gb/articles/4407695146002
LEAST_PAY = {Name.PROLIFIC: {"USD": 8.0, "GBP": 6.0}}
PROLIFIC_SITE = "https://app.prolific.com"
MTURK_SITES = ("https://www.mturk.com", "https://workersandbox.mturk.com")
MTURK_FRAMES = ("https://worker.mturk.com", *MTURK_SITES)
MTURK_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
KEEP_DAYS = 14  # how long places are kept for a recipient of whom nothing is heard
MOST_KEEP_DAYS = 365
MOST_REPEATS = 20  # that are recorded of one rater: anybody can make up visits
MOST_LATE = 5000  # in a study


# What a study says


@dataclass(frozen=True)
class Platform:
    """The `platform` of a study: its name, whether the open link works, codes by outcome."""

    name: Name = Name.NONE  # type: ignore[assignment]  # Django comes without types
    open_link: bool = True
    codes: Mapping[str, str] = field(default_factory=dict)
    keep_for_recipients: bool = True
    keep_days: int = KEEP_DAYS

    def as_data(self):
        """Return the mapping as study.yaml holds it."""
        data = {"name": str(self.name), "open_link": self.open_link}
        data |= {"keep_for_recipients": self.keep_for_recipients, "keep_days": self.keep_days}
        return data | ({"codes": dict(self.codes)} if self.codes else {})


KEYS = ("name", "open_link", "codes", "keep_for_recipients", "keep_days")


def platform_of(study):
    """Return the study's Platform."""
    return read_platform(study.extra.get("platform"))


def check_platform(value):
    """Return the `platform` of a file as it is; ValueError says what is wrong with it."""
    read_platform(value)
    return value


def read_platform(value):
    """Parse a Platform from a name or {name, open_link, codes}; ValueError says what is wrong.

    By default the open link works only without a platform: on a platform it would let people take
    part twice.
    """
    data = {"name": value or "none"} if value is None or isinstance(value, str) else value
    if not isinstance(data, dict):
        raise ValueError(
            f"found {quoted(data)}; allowed is a name ({', '.join(Name.values)}) or a mapping"
        )
    for key in data.keys() - set(KEYS):
        raise ValueError(f"“{key}” is not a known key; allowed are {', '.join(KEYS)}")
    name = data.get("name") or "none"
    if name not in Name.values:
        raise ValueError(f"found the name {quoted(name)}; allowed is {', '.join(Name.values)}")
    open_link = data.get("open_link", name == Name.NONE)
    if not isinstance(open_link, bool):
        raise ValueError(f"found {quoted(open_link)}; open_link is true or false")
    keep = data.get("keep_for_recipients", True)
    if not isinstance(keep, bool):
        raise ValueError(f"found {quoted(keep)}; keep_for_recipients is true or false")
    days = data.get("keep_days", KEEP_DAYS)
    if isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= MOST_KEEP_DAYS:
        raise ValueError(
            f"found {quoted(days)}; keep_days is a whole number from 1 to {MOST_KEEP_DAYS}"
        )
    return Platform(Name(name), open_link, _codes(data.get("codes") or {}), keep, days)


def _codes(codes):
    if not isinstance(codes, dict):
        raise ValueError(f"found {quoted(codes)}; codes are a mapping of outcomes")
    allowed = [outcome for outcome in Outcome.values if outcome != Outcome.COMPLETE]
    for outcome, code in codes.items():
        if outcome not in allowed:
            raise ValueError(
                f"found a code for “{outcome}”; allowed are {', '.join(allowed)} "
                "(the code of who completes is completion_code)"
            )
        if isinstance(code, bool) or not CODE.fullmatch(str(code)):
            raise ValueError(
                f"found {quoted(code)}; the code for {outcome} is 1 to 40 letters, digits, - and _"
            )
    return {outcome: str(code) for outcome, code in codes.items()}


def without_codes(extra):
    """Return a study's extra for a similar study, without the platform codes of this study."""
    platform = extra.get("platform")
    if not isinstance(platform, dict):
        return extra
    kept = {key: value for key, value in platform.items() if key != "codes"}
    return extra | {"platform": kept}


def entry_path(study):
    """Return the address to give to the platform, with its placeholders for the values."""
    if platform_of(study).name != Name.PROLIFIC:
        return study.join_path()
    marks = "&".join(
        f"{name}={{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
    )
    return f"{study.join_path()}?{marks}"


# Arriving


@dataclass(frozen=True)
class Arrival:
    """A rater's arrival by an address: the platform's ids, or the reason why they cannot begin."""

    ids: dict = field(default_factory=dict)
    problem: str = ""
    is_preview: bool = False

    @property
    def frames(self):
        """Return the sites that may show the page in a frame."""
        return MTURK_FRAMES if self.is_preview else frames_of(self.ids)


def arrival(study, parameters):
    """Read the Arrival at a study from the parameters of the address."""
    platform = platform_of(study)
    if platform.name == Name.MTURK and parameters.get("assignmentId") == MTURK_PREVIEW:
        return Arrival(is_preview=True)
    # Without a platform Prolific's names are kept too: studies run there before anybody says so.
    names = PARAMETERS[Name.MTURK if platform.name == Name.MTURK else Name.PROLIFIC]
    ids = platform_ids(parameters, names)
    if platform.name == Name.NONE or not any(name in parameters for name in names):
        return Arrival(ids) if platform.open_link else Arrival(problem="invitation")
    return Arrival(ids) if len(ids) == len(names) else Arrival(problem="address")


def platform_ids(parameters, names):
    """Return {name: value} of the platform's ids in an address, without invalid values."""
    values_by_name = {name: parameters.get(name, "").strip() for name in names}
    if "turkSubmitTo" in values_by_name:
        values_by_name["turkSubmitTo"] = values_by_name["turkSubmitTo"].removesuffix("/")
    return {name: value for name, value in values_by_name.items() if _is_id(name, value)}


def _is_id(name, value):
    if name == "turkSubmitTo":
        return value in MTURK_SITES
    return bool(PARTICIPANT_ID.fullmatch(value))


def participant(ids):
    """Return (name, value) of the id that names the person; ("", "") without it."""
    return _first(ids, 0)


def visit(ids):
    """Return (name, value) of the id that names the visit; ("", "") without it."""
    return _first(ids, 1)


def _first(ids, position):
    """Return (name, value) of the id at a position of PARAMETERS; ("", "") without it."""
    names_in_ids = (names[position] for names in PARAMETERS.values() if names[position] in ids)
    name = next(names_in_ids, "")
    return name, ids.get(name, "")


def earlier_visit(study, ids):
    """Return (session, is the same visit) of the platform's participant; (None, False) if new.

    Only all values together open a session again: the participant's id alone is no secret.
    """
    name, person = participant(ids)
    if not person:
        return None, False
    raters = study.raters.filter(participant=person, **{f"platform_ids__{name}": person})
    sessions = Session.objects.filter(rater__in=raters)
    session = sessions.select_related("rater").order_by("pk").first()
    if session is None:
        return None, False
    names = next(names for names in PARAMETERS.values() if name in names)
    stored_ids = session.rater.platform_ids
    return session, all(
        parameter in ids and ids[parameter] == stored_ids.get(parameter) for parameter in names
    )


def record_repeat(earlier, ids):
    """Record that a participant who already takes part came again, in another visit."""
    if RepeatVisit.objects.filter(rater=earlier.rater).count() < MOST_REPEATS:
        RepeatVisit.objects.bulk_create(
            [RepeatVisit(rater=earlier.rater, visit=visit(ids)[1])], ignore_conflicts=True
        )


def record_late(study, ids):
    """Record an MTurk worker who submits a task because no place was left: they are to be paid."""
    if study.latecomers.count() < MOST_LATE:
        person, visit, task = (ids.get(name, "") for name in PARAMETERS[Name.MTURK][:3])
        late = Latecomer(study=study, participant=person, visit=visit, task=task)
        Latecomer.objects.bulk_create([late], ignore_conflicts=True)


def ids_to_pay(ids):
    """Return the ids that the platform gave at the arrival, without what it told of the person."""
    names = {name for names in PARAMETERS.values() for name in names}
    return {name: value for name, value in ids.items() if name in names}


def kept_ids(ids, consents):
    """Return the ids to store; without consent only the site whose frame shows the last page."""
    return ids if consents else {name: ids[name] for name in ids if name == "turkSubmitTo"}


def frames_of(ids):
    """Return the sites that may show the pages of a rater with these ids in a frame."""
    return MTURK_FRAMES if "turkSubmitTo" in ids else ()


# Leaving


@dataclass(frozen=True)
class End:
    """A way back to the platform: its code, its address, the fields that are posted there."""

    platform: Name = Name.NONE  # type: ignore[assignment]
    code: str = ""
    address: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def site(self):
        """Return the site to which the page posts, by itself or after a redirect."""
        return "/".join(self.address.split("/")[:3])


def end_of(study, outcome, session=None, ids=None):
    """Return the End of a visit; before a session begins session is None and ids are the Arrival's.

    On MTurk a task that was accepted can be submitted whatever the outcome, with or without a code:
    only so can its worker be paid.
    """
    platform = platform_of(study)
    code = code_for(study, outcome)
    if session and session.source == Session.Source.LINK:
        return End(code=code)
    if platform.name == Name.PROLIFIC and code:
        address = f"{PROLIFIC_SITE}/submissions/complete?{urlencode({'cc': code})}"
        return End(platform.name, code, address)
    ids = session.rater.platform_ids if session else ids or {}
    # Looked up once more: an address in the database is not what decides where people are sent.
    site = next((site for site in MTURK_SITES if site == ids.get("turkSubmitTo")), "")
    if site and "assignmentId" in ids:
        fields = {"assignmentId": ids["assignmentId"], "code": code, "outcome": str(outcome)}
        return End(Name.MTURK, code, f"{site}/mturk/externalSubmit", fields)
    return End(platform.name, code)


def code_for(study, outcome):
    """Return the code that a rater gets for an outcome; empty where the study has none."""
    if outcome == Outcome.COMPLETE:
        return study.completion_code
    return platform_of(study).codes.get(outcome, "")
