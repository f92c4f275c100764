"""The studies that are swept, the people around them, and where all of it stands."""

from dataclasses import dataclass, field
from datetime import timedelta

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.auth.models import Group
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from django.utils import timezone

from analysis.stats.planning.stopping import FIRST_LOOK
from annotate.accounts.login import login_path
from annotate.design import splits
from annotate.models import (
    ApiToken,
    CodesCompared,
    FileLoad,
    Item,
    Making,
    Membership,
    Question,
    QuestionnaireVersion,
    Screen,
    StoppingPlan,
)
from annotate.raters import uploads
from judges.models import Endpoint, Heartbeat, Judge, StoppingPair, Upload
from judges.uploads import bring
from judges.uploads.uploads import folder_of
from tests import factories
from tests.sweep import canaries
from tests.sweep.answered import make_answered
from tests.sweep.judged import make_judged

OWN, DRAFT, OTHERS, NO_STUDY = "films", "draft", "others", "no-such-study"
# The draft's questions have no answers, so they can change; its test part is locked.
OF_DRAFT = (
    "studies/<slug:slug>/questions/new/",
    "studies/<slug:slug>/questions/<int:pk>/",
    "studies/<slug:slug>/questions/<int:pk>/move/",
    "studies/<slug:slug>/questions/<int:pk>/delete/",
    "studies/<slug:slug>/questions/<int:pk>/retire/",
    "studies/<slug:slug>/questions/version/give-up/",
    "studies/<slug:slug>/analysis/split/unlock/",
    "studies/<slug:slug>/stopping/",
    "studies/<slug:slug>/stopping/fix/",
)
# Parameters that name no row.
WORDS = {
    "pay/<slug:name>": "payments",
    "steps/<slug:part>": "check",
    "check/<slug:key>": "both",
    "quality/<slug:rule>": "exit_answer",
    "without/<slug:side>": "generated",
    "<slug:provider>": "other",
    "<slug:report>": "agreement",
    "paper.<slug:form>": "html",
    "<slug:paper>": "p0",
    "<slug:paper>.<slug:form>": "csv",
    "rows.<slug:form>": "csv",
    "<slug:table>": "raters",
    "<slug:table>.<slug:form>": "csv",
    "(?P<app_label>auth|axes|annotate|judges)": "annotate",
    "(?P<url>.*)": "none-such/",
}


@dataclass
class World:
    """The people by name, secrets of API tokens by name, and the values of routes' parameters."""

    people: dict = field(default_factory=dict)
    secrets: dict = field(default_factory=dict)
    values: dict = field(default_factory=dict)
    names: dict = field(default_factory=dict)  # of what forms name
    foreign: dict = field(default_factory=dict)  # values of another study's rows


def make_world():
    """Everything, with a mark in every text of the studies that the callers have a role in."""
    world = World()
    for name in ("owner", "editor", "viewer", "stranger", "neighbour", "colleague"):
        world.people[name] = factories.make_user(name)
    world.people["operator"] = factories.make_user("operator", is_staff=True, is_superuser=True)
    owner = world.people["owner"]
    questions = {f"{canaries.mark('question-key')}-{number}": "?" for number in range(2)}
    study = factories.make_study(OWN, owner, raters_per_item=4, questions=questions)
    draft = factories.make_study(DRAFT, owner, questions=questions)
    for made in (study, draft):
        for role in ("editor", "viewer"):
            Membership.objects.create(study=made, user=world.people[role], role=role)
    rows = make_answered(study, owner) | make_judged(study, owner) | _draft(draft)
    _plan_stopping(study)
    _fail_to_make(study)
    rows |= _of_people(world, study)
    canaries.put_marks()
    _make_files(rows)
    others = factories.make_study(OTHERS, world.people["neighbour"], items=3)
    world.foreign = {
        "<int:screen>": Screen.objects.order_by("session").last().pk,
        "<int:item>": others.items.first().pk,
        "<int:question>": others.questions.first().pk,
    }
    _make_tokens(world, others)
    world.values = WORDS | {"<slug:slug>": OWN} | {end: _value(row) for end, row in rows.items()}
    world.names = _names(study, rows)
    return world


def _names(study, rows):
    """What forms name: ids and keys, as they are now."""
    comment = study.sessions.first().screens.get(kind="exit").answers.get().text
    statement, fresh = rows["statements/<int:pk>"], rows["judges/<int:pk>/edit/"]
    for row in (statement, fresh):
        row.refresh_from_db()
    codes = [code.pk for code in study.codes.order_by("pk")]
    ids = {
        "comment": comment,
        "statement": statement.pk,
        "fresh": fresh.pk,
        "judge key": fresh.key,
        "topic": statement.topic,
        "study": study.pk,
        "code": codes[1],
        "other code": codes[1],
        "item": study.items.first().pk,
        "question": study.questions.first().pk,
        "endpoint": rows["endpoints/<int:pk>"].pk,
        "drafted": Judge.objects.get(study__slug=DRAFT).pk,
        "draft question": Question.objects.filter(study__slug=DRAFT).first().pk,
    }
    tables = [(name.split("/")[0], row) for name, row in rows.items() if "<path:object_id>" in name]
    return ids | {_table(row): row.pk for _, row in tables if isinstance(row, Model)}


def _table(row):
    return f"{row._meta.app_label}/{row._meta.model_name}"


def _draft(draft):
    """Its second version of the questions has no answer; its test part is locked.

    It has as many recipients, each with an item, as a stopping plan needs.
    """
    for number in range(FIRST_LOOK):
        factories.make_item(draft, f"item-{number}", recipient=f"recipient-{number}")
    QuestionnaireVersion.objects.create(study=draft, number=1, questions=[])
    draft.questionnaire_version = 2
    draft.save()
    splits.lock(draft, 1, 0.5, "owner")
    factories.make_judge(draft, "drafted")
    CodesCompared.objects.create(study=draft, by_name="owner")
    question = draft.questions.last()
    return {route: {"slug": DRAFT, "pk": question.pk} for route in OF_DRAFT}


def _plan_stopping(study):
    """The study's plan, as if it had been fixed before its ratings."""
    pair = {"judge": Judge.objects.filter(study=study).first(), "question": study.questions.first()}
    sizes = {"planned": 200, "alpha": 0.05, "decisions": 1, "raters_per_item": 4, "seed": 1}
    plan = StoppingPlan.objects.create(study=study, order=[], **sizes)
    StoppingPair.objects.create(plan=plan, **pair)


def _fail_to_make(study):
    """Lists that could not be made for a session, as they were while the study asked for taste."""
    why, state = canaries.mark("making-why"), Making.State.FAILED
    Making.objects.create(session=study.sessions.first(), state=state, why=why)


def _of_people(world, study):
    """A member to be removed, an upload and a token of the owner, a login link, admin's rows."""
    owner, colleague = world.people["owner"], world.people["colleague"]
    upload = Upload.objects.create(
        user=owner, slug=OWN, files=[], problems={"total": 0}, is_new=True
    )
    load = FileLoad.objects.create(study=study, names="items.csv", by=owner, by_name="owner")
    Item.objects.filter(study=study, ratings=None).update(load=load.pk)
    token, secret = ApiToken.objects.issue(owner, 90, name="writes", may_write=True)
    world.secrets["owner"] = secret
    uid, once = login_path(colleague).strip("/").split("/")[-2:]
    study_type = ContentType.objects.get_for_model(study)
    rows = {
        "members/<int:pk>": Membership.objects.create(study=study, user=colleague),
        "tokens/<int:pk>": token,
        "uploads/<slug:token>": (upload, "token"),
        "loads/<int:pk>": load,
        "accounts/once/<uid>/<token>/": {"uid": uid, "token": once},
        "admin/r/<path:content_type_id>/<path:object_id>/": {
            "content_type_id": study_type.pk,
            "object_id": study.pk,
        },
        "user/<path:object_id>": colleague,
        "user/<id>": colleague,
    }
    return rows | {f"{name}/<path:object_id>": row for name, row in _rows_of_admin(study).items()}


def _rows_of_admin(study):
    """A row of each table of Django's own pages."""
    now = timezone.now()
    tried = {"username": "somebody", "ip_address": "127.0.0.1", "attempt_time": now}
    return {
        "group": Group.objects.create(name="group"),
        "accessattempt": AccessAttempt.objects.create(**tried, failures_since_start=1),
        "accesslog": AccessLog.objects.create(**tried),
        "accessfailurelog": AccessFailureLog.objects.create(**tried),
        "study": study,
        "rater": study.raters.exclude(platform_ids={}).first(),
        "session": study.sessions.first(),
        "endpoint": Endpoint.objects.first(),
        "heartbeat": Heartbeat.objects.create(worker="w", at=now - timedelta(days=1)),
    }


def _make_files(rows):
    """The bytes of the media file and of the upload, under their names as they are now."""
    (file, _), (upload, _) = rows["media/<slug:token>"], rows["uploads/<slug:token>"]
    for row in (file, upload):
        row.refresh_from_db()
    path = uploads.path_of(file)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n.")
    folder_of(upload).mkdir(parents=True)
    (folder_of(upload) / bring.ORIGINAL).write_bytes(b"id,text,fit\na,A text.,4\nb,Another.,2\n")
    upload.bringing = {"name": "texts.csv"}
    bring.read_again(upload, {})
    upload.bringing["mapping"] = {"columns": upload.bringing["guesses"], "rater_is": "one"}
    bring.look_through(upload)
    upload.save()


def _make_tokens(world, others):
    """Besides the owner's token, which writes: those of programs that may do less."""
    kinds = {
        "reader": ("owner", {"may_write": False}),
        "viewer": ("viewer", {"may_write": True}),
        "elsewhere": ("owner", {"may_write": True, "studies": [others]}),
        "expired": ("owner", {"may_write": True}),
    }
    for name, (person, fields) in kinds.items():
        token, world.secrets[name] = ApiToken.objects.issue(
            world.people[person], 90, name=name, **fields
        )
        if name == "expired":
            ApiToken.objects.filter(pk=token.pk).update(expires_at=timezone.now())
    # The time of a token's last use is kept to the hour: so no call of the sweep writes it.
    ApiToken.objects.update(last_used_at=timezone.now())


def _value(row):
    """What stands in an address for a row: its key, or the named column as it is now."""
    if isinstance(row, tuple):
        row, column = row
        row.refresh_from_db()
        return getattr(row, column)
    return row.pk if isinstance(row, Model) else row
