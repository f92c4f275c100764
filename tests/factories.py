"""Plain makers of rows: make_x(**overrides)."""

from django.contrib.auth import get_user_model
from django.utils import timezone

from annotate.design.access import make_owner
from annotate.models import (
    Content,
    Item,
    Place,
    Question,
    Rater,
    Rating,
    Recipient,
    Session,
    Study,
    System,
)
from annotate.values.scales import parse_scale
from judges.models import Call, Endpoint, Judge, Judgment, Run

JUDGE_COLUMNS = {field.name for field in Judge._meta.concrete_fields} - {"settings"}
ASPECTS = {
    "persuasiveness": "This explanation is convincing to me.",
    "transparency": "Based on this explanation, I understand why this film is recommended.",
    "accuracy": "This explanation is consistent with my interests.",
    "satisfaction": "I am satisfied with this explanation.",
}


def make_user(username="owner", **fields):
    user = get_user_model()(username=username, **fields)
    user.set_unusable_password()
    user.save()
    return user


def make_study(slug="films", owner=None, items=0, questions=ASPECTS, **fields):
    fields = {"title": "Films", "raters_per_item": 3, "items_per_session": 4} | fields
    study = Study.objects.create(slug=slug, **fields)
    if owner is not None:
        make_owner(study, owner)
    for position, (key, text) in enumerate(questions.items()):
        make_question(study, key, text=text, position=position)
    for number in range(items):
        make_item(study, f"item-{number}")
    return study


def make_question(study, key="satisfaction", scale="likert5", **fields):
    fields = {"text": f"About {key}."} | fields
    return Question.objects.create(
        study=study, key=key, scale_spec=parse_scale(scale).as_dict(), **fields
    )


def make_item(study, key="item-0", recipient="r1", content="film-1", system="good", **fields):
    """An explanation with its recipient, content, system (rows or their keys) and open places."""
    fields = {"kind": Item.Kind.EXPLANATION, "text": f"Because you like films ({key})."} | fields
    item = Item.objects.create(
        study=study,
        key=key,
        recipient=_row(Recipient, study, recipient),
        content=_row(Content, study, content, title=content),
        system=_row(System, study, system),
        **fields,
    )
    Place.objects.bulk_create(
        Place(study=study, item=item, number=number, shuffle=item.pk % 97)
        for number in range(1, study.raters_per_item + 1)
    )
    return item


def _row(model, study, key, **defaults):
    """The study's row with this key, made where there is none; a row is taken as it is."""
    if not isinstance(key, str) or not key:
        return key or None
    return model.objects.get_or_create(study=study, key=key, defaults=defaults)[0]


def make_items(study, count):
    """So many explanations in one statement, without places."""
    Item.objects.bulk_create(
        Item(study=study, key=f"item-{n}", kind=Item.Kind.EXPLANATION, text=f"Because of {n}.")
        for n in range(count)
    )


def make_session(study, key="ann", role=Rater.Role.THIRD_PARTY, **fields):
    """A session of one rater; loaded and completed unless said otherwise."""
    fields = {"state": Session.State.COMPLETED, "source": Session.Source.FILE} | fields
    rater = Rater.objects.get_or_create(study=study, key=key, defaults={"role": role})[0]
    return Session.objects.create(study=study, rater=rater, **fields)


def make_rating(session, item, question, value, **fields):
    fields = {"answered_at": timezone.now()} | fields
    return Rating.objects.create(
        session=session, item=item, question=question, value=value, **fields
    )


def make_ratings(session, answers):
    """The ratings of (item, question, value) each, in one statement."""
    now = timezone.now()
    Rating.objects.bulk_create(
        Rating(session=session, item=item, question=question, value=value, answered_at=now)
        for item, question, value in answers
    )


def make_endpoint(base_url="http://127.0.0.1:9/v1", **fields):
    fields = {"key": "local", "model": "test-model"} | fields
    return Endpoint.objects.create(base_url=base_url, **fields)


def make_judge(study, key="judge", endpoint=None, **fields):
    """A judge of the kind given; else an LLM where an endpoint is given, else an imported one.

    fields: columns of Judge, and settings of its kind and method by their names.
    """
    kind = Judge.Kind.LLM if endpoint else Judge.Kind.IMPORTED
    fields = {"prompt": "explanation.v1"} | fields if endpoint else fields
    fields = {"kind": kind} | fields
    columns = {name: fields.pop(name) for name in JUDGE_COLUMNS if name in fields}
    judge = Judge(study=study, key=key, endpoint=endpoint, **columns)
    judge.settings = fields
    judge.save()
    return judge


def set_up(judge, **fields):
    """Give a judge other columns and settings by their names, which are not saved."""
    settings = {name: value for name, value in fields.items() if name not in JUDGE_COLUMNS}
    for name in fields.keys() - settings:
        setattr(judge, name, fields[name])
    judge.settings = judge.settings.changed(**settings)


def change_settings(judge, **settings):
    """Store other values of some of a judge's settings."""
    set_up(judge, **settings)
    judge.save(update_fields=["settings"])


def make_call(run, unit=0, **fields):
    fields = {"endpoint_key": "local", "model": "test-model", "finish_reason": "stop"} | fields
    return Call.objects.create(run=run, unit=unit, **fields)


def make_judgments(judge, values):
    """A finished run with a judgment for each {(item, question): value}."""
    run = Run.objects.create(judge=judge, state=Run.State.FINISHED)
    Judgment.objects.bulk_create(
        Judgment(
            run=run, item=item, question=question, value=value, state=Judgment.State.DONE, unit=unit
        )
        for unit, ((item, question), value) in enumerate(values.items())
    )
    return run
