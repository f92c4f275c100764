"""The way in, items of every kind, and every end of a session."""

from annotate.models import Content, Item, Study
from annotate.studies import edit
from tests import factories
from tests.rater_screens.making import (
    HOST,
    JOIN,
    MTURK,
    PROLIFIC,
    Rows,
    State,
    Visit,
    films,
    on,
    query,
    rated,
    screen,
)


@screen
def consent(language):
    films(language)
    return Visit(JOIN)


@screen
def own_consent(language):
    rows = films(language)
    texts = (
        f"# {rows.title}\n\n**{rows.text}**\n\n- {rows.text}\n- [{rows.title}](https://example.org)"
    )
    Study.objects.update(consent=texts, notice=rows.text)
    return Visit(JOIN)


@screen
def consent_by_link(language):
    return Visit(rated(language, State.CONSENT))


@screen
def consent_with_programs(language):
    """A judge shows a program raters' answers, another one at a computer of the researchers'."""
    study = films(language).study
    for number, address in enumerate(("https://203.0.113.5/v1", "http://127.0.0.1:9/v1")):
        endpoint = factories.make_endpoint(address, key=f"e{number}", model=f"M{number}")
        shown = {"shots": "one", "example_role": "third_party"}
        factories.make_judge(study, f"judge-{number}", endpoint, **shown)
    Study.objects.update(extra={"delete_on": "2187-06-30"})
    return Visit(JOIN)


@screen
def instructions(language):
    return Visit(rated(language, State.INSTRUCTIONS))


@screen
def item(language):
    return Visit(rated(language, State.RATING) + "item/1/")


@screen
def last_item_with_answers(language):
    rows = films(language)
    path = rows.session()
    rows.answer_all()
    return Visit(path + "item/3/")


@screen
def item_with_gaps(language):
    rows = films(language)
    path = rows.session()
    place = rows.place(path, 2)
    return Visit(path + "item/2/", {"item": str(place.item_id), "go": "next"}, 422)


@screen
def item_with_a_wrong_answer(language):
    rows = films(language)
    path = rows.session()
    wrong = {f"q{question.pk}": "x" for question in rows.study.questions.all()}
    text = rows.study.questions.get(scale_spec__kind="text")
    wrong[f"q{text.pk}"] = rows.text * 1_000
    return Visit(path + "item/1/", {"item": str(rows.place(path, 1).item_id)} | wrong, 422)


@screen
def statement(language):
    rows = Rows(language, kind="statement").ask("binary")
    rows.fill(reference="\n\n".join([rows.text * 8] * 5), content=rows.content())
    return Visit(rows.session() + "item/1/")


@screen
def statement_without_a_document(language):
    return Visit(Rows(language, kind="statement").ask("binary").fill().session() + "item/1/")


@screen
def profile(language):
    return Visit(Rows(language, kind="profile").ask("likert5", "text").fill().session() + "item/1/")


@screen
def text_without_questions(language):
    rows = Rows(language, kind="text").ask("text", applies_to=["text"]).fill()
    path = rows.session()
    rows.study.questions.update(applies_to=["profile"])
    return Visit(path + "item/1/")


@screen
def pair(language):
    """Two lists with a profile and a history; no picture or recording may be loaded."""
    rows = Rows(language, {"show_history": 3}, kind="list_pair", items=1)
    rows.ask("likert5", applies_to=["recommendation"])
    rows.ask({"choice": ["A", "tie", "B"]}, applies_to=["list_pair"]).fill(text="")
    whole = Item.objects.get()
    fields = {"kind": "profile", "text": rows.text * 3, "content": None, "system": None}
    factories.make_item(rows.study, "p1", **fields)
    for number, side in enumerate("AABB"):
        key = rows.content(f"c{number}", image_url=f"{HOST}/a.png", audio_url=f"{HOST}/a.mp3")
        fields = {"kind": "recommendation", "text": "", "content": key, "system": None}
        factories.make_item(rows.study, key, parent=whole, side=side, position=number, **fields)
        rows.study.places.filter(item__key=key).delete()
    for content in Content.objects.all():
        rows.study.interactions.create(recipient=whole.recipient, content=content)
    return Visit(rows.session() + "item/1/")


@screen
def empty_pair(language):
    rows = Rows(language, kind="list_pair", items=1).ask({"choice": ["A", "tie", "B"]})
    return Visit(rows.fill(text="").session() + "item/1/")


@screen
def thanks(language):
    return Visit(rated(language, State.COMPLETED))


@screen
def thanks_with_debriefing(language):
    rows = films(language)
    edit.change(rows.study, lambda extra: extra.update(debrief=f"# {rows.title}\n\n*{rows.text}*"))
    return Visit(rows.session(State.COMPLETED))


@screen
def thanks_to_prolific(language):
    return Visit(rated(language, State.COMPLETED, PROLIFIC, **on("prolific")))


@screen
def thanks_to_mturk(language):
    return Visit(rated(language, State.COMPLETED, MTURK, **on("mturk")))


@screen
def task_preview(language):
    films(language, **on("mturk"))
    return Visit(JOIN + "?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")


@screen
def closed(language):
    films(language, state="closed")
    return Visit(JOIN)


@screen
def closed_meanwhile(language):
    path = rated(language, State.ABANDONED, PROLIFIC, **on("prolific"))
    Study.objects.update(state="closed")
    return Visit(path)


@screen
def full(language):
    films(language, **on("prolific", open_link=True)).study.places.update(state="held")
    return Visit(JOIN)


@screen
def finished(language):
    films(language).study.places.update(state="filled")
    return Visit(JOIN + query(PROLIFIC))


@screen
def unready(language):
    Rows(language)
    return Visit(JOIN)


@screen
def by_invitation(language):
    films(language, **on("none", open_link=False))
    return Visit(JOIN)


@screen
def from_the_platform_only(language):
    films(language, **on("prolific"))
    return Visit(JOIN)


@screen
def incomplete_address(language):
    films(language, **on("prolific"))
    return Visit(JOIN + "?PROLIFIC_PID=p1")


@screen
def twice(language):
    rated(language, State.RATING, PROLIFIC, **on("prolific"))
    return Visit(JOIN + query(PROLIFIC | {"SESSION_ID": "v2"}))


def over(state):
    """Screens of the visits that end early, on a platform."""

    def ended(language):
        return Visit(rated(language, state, PROLIFIC, **on("prolific")))

    ended.__name__ = str(state)
    return screen(ended)


STATES = ("declined", "screened_out", "failed_attention", "returned", "abandoned", "withdrawn")
for _state in STATES:
    over(_state)


@screen
def withdraw(language):
    return Visit(rated(language, State.RATING) + "withdraw/")


@screen
def withdraw_from_prolific(language):
    """With what is paid, a contact and a reference, after all is answered."""
    path = rated(language, State.COMPLETED, PROLIFIC, **on("prolific"))
    study = Study.objects.get()
    study.extra |= dict.fromkeys(("contact", "ethics_reference", "withdrawal_pay"), study.title)
    study.save()
    return Visit(path + "withdraw/")


@screen
def declined_by_link(language):
    return Visit(rated(language, State.DECLINED))


@screen
def item_after_a_pause(language):
    return Visit(rated(language, State.RATING) + "item/1/?away=1&lost=1")
