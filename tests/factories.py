"""Plain makers of rows: make_x(**overrides)."""

from django.contrib.auth import get_user_model
from django.utils import timezone

from annotate.design.access import make_owner
from annotate.models import (
    Answer,
    Content,
    Item,
    Place,
    Question,
    Rater,
    Rating,
    Recipient,
    Screen,
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
    Question.objects.bulk_create(
        _question(study, key, text=text, position=position)
        for position, (key, text) in enumerate(questions.items())
    )
    if items:
        _make_alike(study, items)
    return study


def make_question(study, key="satisfaction", scale="likert5", **fields):
    question = _question(study, key, scale, **fields)
    question.save()
    return question


def _question(study, key, scale="likert5", **fields):
    fields = {"text": f"About {key}."} | fields
    return Question(study=study, key=key, scale_spec=parse_scale(scale).as_dict(), **fields)


def make_item(study, key="item-0", recipient="r1", content="film-1", system="good", **fields):
    """An explanation with its recipient, content, system (rows or their keys) and open places."""
    fields = _words(key) | fields
    item = Item.objects.create(
        study=study, key=key, **_parts(study, recipient, content, system), **fields
    )
    _make_places(study, [item])
    return item


def _make_alike(study, count):
    """So many of make_item's items, item-0 to the last, in a few statements."""
    parts, keys = _parts(study, "r1", "film-1", "good"), [f"item-{n}" for n in range(count)]
    items = (Item(study=study, key=key, **parts, **_words(key)) for key in keys)
    _make_places(study, Item.objects.bulk_create(items))


def _words(key):
    return {"kind": Item.Kind.EXPLANATION, "text": f"Because you like films ({key})."}


def _parts(study, recipient, content, system):
    return {
        "recipient": _row(Recipient, study, recipient),
        "content": _row(Content, study, content, title=content),
        "system": _row(System, study, system),
    }


def _make_places(study, items):
    Place.objects.bulk_create(
        Place(study=study, item=item, number=number, shuffle=item.pk % 97)
        for item in items
        for number in range(1, study.raters_per_item + 1)
    )


def _row(model, study, key, **defaults):
    """The study's row with this key, made where there is none; a row is taken as it is."""
    if not isinstance(key, str) or not key:
        return key or None
    return model.objects.get_or_create(study=study, key=key, defaults=defaults)[0]


def make_grid(study, contents, systems):
    """Explanations i0, i1, … of each content by each system, in a few statements, with places."""
    rows = [Content(study=study, key=f"c{n}", title=f"c{n}") for n in range(contents)]
    rows = Content.objects.bulk_create(rows)
    makers = System.objects.bulk_create(System(study=study, key=f"s{n}") for n in range(systems))
    items = Item.objects.bulk_create(
        Item(
            study=study,
            key=f"i{number}",
            content=rows[number // systems],
            system=makers[number % systems],
            kind=Item.Kind.EXPLANATION,
            text=f"Because you like films (i{number}).",
        )
        for number in range(contents * systems)
    )
    _make_places(study, items)
    return items


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


def make_about(session, key, value=None, text="", step="exit"):
    """What a rater told about themselves."""
    screen, _ = Screen.objects.get_or_create(session=session, kind=step)
    at = timezone.now()
    return Answer.objects.create(screen=screen, key=key, value=value, text=text, answered_at=at)


def make_attempt(session, number, passed, *answers):
    """An attempt at the comprehension check. answers: (question, answer, right)."""
    spec = {"questions": [question for question, _, _ in answers]}
    fields = {"kind": "check", "number": number, "spec": spec, "passed": passed}
    screen = Screen.objects.create(session=session, **fields)
    for place, (_, text, right) in enumerate(answers, 1):
        Answer.objects.create(
            screen=screen, key=str(place), text=text, passed=right, answered_at=timezone.now()
        )
    return screen


def make_practice(session, item, **answers):
    """The answers {question key: number} about an item for practice."""
    screen = Screen.objects.create(session=session, kind="practice", item=item)
    for key, value in answers.items():
        Answer.objects.create(screen=screen, key=key, value=value, answered_at=timezone.now())
    return screen


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
