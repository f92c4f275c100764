"""What people did in the study that is swept: a row in every table of annotate."""

from django.utils import timezone

from annotate.models import (
    Answer,
    Code,
    Coding,
    Content,
    Interaction,
    ItemTime,
    Latecomer,
    MediaFile,
    MissingMedia,
    Place,
    RatingRevision,
    RepeatVisit,
    Screen,
    Session,
    Tombstone,
)
from annotate.recruitment import more_raters
from annotate.sessions import exclude
from annotate.sessions import session as sessions
from tests import factories
from tests.sweep.canaries import mark

CHECK = {
    "key": "both",
    "text": mark("study-check"),
    "options": ["A", "B"],
    "right": ["A"],
    "after": 1,
}
COMPREHENSION = {
    "attempts": 2,
    "questions": [{"text": mark("study-comprehension"), "options": ["Yes", "No"], "answer": "Yes"}],
}
SCREENER = {
    "questions": [
        {"key": "adult", "text": mark("study-screener"), "options": ["Yes", "No"]},
    ],
    "quotas": [{"name": mark("study-quota"), "question": "adult", "options": ["Yes"], "most": 9}],
}
ITEM = mark("item-key")
GOLD, PRACTICE = f"{ITEM}-gold", f"{ITEM}-practice"
CODES = {"screened_out": mark("study-platform_code")}


def make_answered(study, owner):
    """{the end of a route: the row that it names}, of a study whose items are made here."""
    study.extra = {
        "attention": [CHECK],
        "comprehension": COMPREHENSION,
        "gold": [{"item": GOLD, "answers": {study.questions.first().key: 5}}],
        "practice": [{"item": PRACTICE, "feedback": mark("study-feedback")}],
        "exit": ["comments"],
        "screener": SCREENER,
        "questions_before": ["age"],
        "platform": {"name": "prolific", "open_link": True, "codes": CODES},
    }
    study.questions.update(applies_to=["explanation"])
    study.media_hosts = ["media.example.org"]
    study.save()
    items = [factories.make_item(study, f"{ITEM}-{n}", f"r{n % 3}", f"film-{n}") for n in range(8)]
    for key in (GOLD, PRACTICE):
        factories.make_item(study, key, is_practice=key == PRACTICE).places.all().delete()
    values = _rated(study, items) | _at_work(study) | _quality(study, owner)
    values |= _media(study, owner) | _coded(study, owner)
    values["items/<int:pk>"] = items[0]
    values["questions/<int:pk>"] = study.questions.first()
    values["answer/<int:item>/<int:question>"] = study.questions.first()
    step = more_raters.send(study, owner, [items[1].pk], 1, words="more")
    return values | {"more/<int:pk>": step}


def _rated(study, items):
    """Three people who finished: one of them came from a platform, one is excluded later."""
    finished = [
        factories.make_session(study, key, source=Session.Source.WEB) for key in ("ann", "ben")
    ]
    finished.append(factories.make_session(study, "cas"))
    now = timezone.now()
    for number, session in enumerate(finished):
        for item in items[:4]:
            if session.source == Session.Source.WEB:
                place = item.places.filter(state=Place.State.OPEN).first()
                _fill(place, session)
            for value, question in enumerate(study.questions.all()):
                rating = factories.make_rating(
                    session, item, question, (value + number) % 5 + 1, reason="because"
                )
                RatingRevision.objects.create(rating=rating, value=1, reason="at first", at=now)
        ItemTime.objects.create(session=session, item=items[0], active_seconds=9, idle_seconds=1)
        factories.make_about(session, "comments", text="nothing more")
        factories.make_attempt(session, 1, True, ("?", mark("answer-text"), True))
    return {
        "raters/<int:pk>": finished[0].rater,
        "coding/<int:pk>": finished[0].ratings.first(),
        "sessions/<int:pk>": finished[1],
    }


def _fill(place, session):
    fields = {"state": Place.State.FILLED, "rater": session.rater, "session": session}
    Place.objects.filter(pk=place.pk).update(position=place.item_id, **fields)


def _begun(study, **ids):
    """A session that rates, with its screens."""
    session = sessions.begin_visit(study, ids, consents=True)
    sessions.move(session, Session.State.INSTRUCTIONS)  # past the questions before
    factories.make_attempt(session, 1, True, ("?", "yes", True))
    practised = study.items.get(is_practice=True)
    factories.make_practice(session, practised)
    session.refresh_from_db()
    assert sessions.begin(session), "a rater of the sweep finds no place"
    return session


def _at_work(study):
    """A session of the platform that rates, another one, and a personal link."""
    session = _begun(
        study,
        PROLIFIC_PID=mark("rater-platform_ids"),
        SESSION_ID=mark("rater-platform_visit"),
        STUDY_ID="s",
    )
    _begun(study)
    RepeatVisit.objects.create(rater=session.rater, visit="again")
    Latecomer.objects.create(study=study, participant="late", visit="late", task="late")
    link = factories.make_session(
        study, "dee", state=Session.State.CONSENT, source=Session.Source.LINK
    )
    place = session.places.order_by("position").first()
    check = session.screens.among_items().get(kind=Screen.Kind.ATTENTION)
    Answer.objects.create(
        screen=check, key=check.key, value=1, answered_at=timezone.now(), text="A"
    )
    return {
        "r/<slug:token>": (session, "token"),
        "raters/links/<int:pk>": link,
        "<int:position>": place.position,
        "<int:item>": place.item_id,
        "<int:screen>": check,
        "<int:question>": study.questions.first(),
        "practice/<int:position>": 1,
    }


def _quality(study, owner):
    """One rater excluded by hand, and the stone of one who was deleted."""
    cas = study.raters.get(key="cas")
    step = exclude.exclude_by_hand(cas, owner, mark("rater-excluded_because"), False)
    Tombstone.objects.create(study=study, by=owner, session_count=1, rating_count=1)
    return {"quality/<int:pk>": step, "raters/<int:pk>/include/": cas}


def _media(study, owner):
    """A picture, and the report of one that is missing."""
    file = MediaFile.objects.create(
        study=study, name="a.png", kind="image", content_type="image/png", size=9, by=owner
    )
    content = Content.objects.filter(study=study).first()
    Content.objects.filter(pk=content.pk).update(
        image_url="upload:gone.png", data={"genre": mark("content-data")}
    )
    now = timezone.now()
    MissingMedia.objects.create(
        study=study,
        content=content,
        kind="image",
        address="upload:gone.png",
        first_at=now,
        last_at=now,
    )
    recipient = study.recipients.first()
    study.recipients.update(data={"age": mark("recipient-data")})
    study.items.update(data={"column": mark("item-data")})
    Interaction.objects.create(
        study=study,
        recipient=recipient,
        content=content,
        rating=4,
        data={"note": mark("interaction-data")},
    )
    return {"media/<int:pk>": file, "media/<slug:token>": (file, "token")}


def _coded(study, owner):
    """Two codes, one of which a rating has; one that was deleted, to be brought back."""
    codes = [Code.objects.create(study=study, name=name) for name in ("one", "two", "three")]
    Code.objects.filter(pk=codes[2].pk).update(deleted_at=timezone.now())
    rating = study.sessions.first().ratings.first()
    Coding.objects.create(rating=rating, code=codes[0], coder=owner, coder_name="owner")
    return {"codes/<int:pk>": codes[0], "codes/<int:pk>/restore/": codes[2]}
