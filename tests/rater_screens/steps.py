"""The check, practice, exit questions, and what stands among the items that is no item."""

from annotate.files.loading.practice import mark_items
from annotate.flow import around
from annotate.models import Answer, Content, Making, Pick, Screen, Session
from annotate.raters.screen_pages import AboutPage, CheckPage
from annotate.sessions import steps
from annotate.studies import edit
from annotate.studies.forms_checks import ready_check
from tests.rater_screens.making import Rows, State, Visit, films, screen

WRONG, RIGHT = 1.0, 2.0
# On scales with words at every point, at both ends, and without.
EXPECTED = {"q0": 5, "q1": 7, "q2": 1, "q3": 4, "q6": 12}


def set_up(language, **extra):
    """A film study with more keys of study.yaml, each of them said by a function of its Rows."""
    rows = films(language)
    edit.change(rows.study, lambda keys: keys.update({k: v(rows) for k, v in extra.items()}))
    mark_items(rows.study)
    return rows


def session_of(path):
    return Session.objects.select_related("study", "rater").get(token=path.split("/")[2])


def comprehension(rows):
    options = [rows.least, rows.most, rows.title]
    one = {"text": rows.asks, "options": options, "answer": rows.most, "explanation": rows.text}
    return {"attempts": 2, "questions": [one, one | {"text": rows.text, "explanation": ""}]}


def attempted(language, *values):
    """The page of a check after one attempt with these values."""
    path = set_up(language, comprehension=comprehension).session(State.CHECK)
    session = session_of(path)
    steps.attempt(session, around.check_of(session.study), 1, dict(enumerate(values, start=1)))
    return Visit(path + "check/")


def screening(rows):
    """A question of which an option screens out."""
    options = [rows.least, rows.most]
    return {
        "questions": [
            {"key": "own", "text": rows.asks, "options": options, "screens_out": [rows.least]}
        ]
    }


@screen
def screener(language):
    return Visit(set_up(language, screener=screening).session(State.SCREENER) + "screener/")


@screen
def screener_with_gaps(language):
    path = set_up(language, screener=screening).session(State.SCREENER)
    version = AboutPage(session_of(path), Screen.Kind.SCREENER).version
    return Visit(path + "screener/", {"version": version, "go": "next"}, 422)


@screen
def screened_out_by_the_screener(language):
    rows = set_up(
        language,
        screener=screening,
        comprehension=comprehension,
        screen_out_pay=lambda rows: rows.title,
    )
    return Visit(rows.session(State.SCREENED_OUT, stopped_in=State.SCREENER))


@screen
def questions_before(language):
    rows = set_up(language, questions_before=leaving)
    return Visit(rows.session(State.QUESTIONS) + "questions/")


@screen
def optional_questions_before(language):
    rows = set_up(language, questions_before=lambda rows: ["gender"])
    return Visit(rows.session(State.QUESTIONS) + "questions/")


@screen
def questions_before_with_gaps(language):
    path = set_up(language, questions_before=leaving).session(State.QUESTIONS)
    return Visit(path + "questions/", {"qage": "200", "go": "next"}, 422)


@screen
def check(language):
    return Visit(set_up(language, comprehension=comprehension).session(State.CHECK) + "check/")


@screen
def check_after_wrong_answers(language):
    return attempted(language, WRONG, WRONG)


@screen
def check_after_a_wrong_answer(language):
    return attempted(language, RIGHT, WRONG)


@screen
def check_with_gaps(language):
    path = set_up(language, comprehension=comprehension).session(State.CHECK)
    session = session_of(path)
    version = CheckPage(session, around.check_of(session.study)).version
    return Visit(path + "check/", {"attempt": "1", "version": version, "go": "next"}, 422)


@screen
def check_passed(language):
    return attempted(language, RIGHT, RIGHT)


@screen
def check_passed_before_practice(language):
    rows = set_up(language, comprehension=comprehension, practice=practised)
    path = rows.session(State.CHECK)
    session = session_of(path)
    steps.attempt(session, around.check_of(session.study), 1, {1: RIGHT, 2: RIGHT})
    return Visit(path + "check/")


@screen
def screened_out_by_the_check(language):
    return Visit(set_up(language, comprehension=comprehension).session(State.SCREENED_OUT))


def practised(rows):
    return [{"item": "i0", "answers": EXPECTED, "feedback": rows.text * 3}, {"item": "i1"}]


def practice_page(language, number, answers=None):
    """The page of an item for practice; with answers what is said after them."""
    rows = set_up(language, practice=practised)
    path = rows.session(State.PRACTICE)
    if answers is not None:
        item = rows.study.items.get(key=f"i{number - 1}")
        given = [Answer(key=key, value=value) for key, value in answers.items()]
        steps.practise(session_of(path), item, given)
    return Visit(f"{path}practice/{number}/")


@screen
def practice(language):
    return practice_page(language, 1)


@screen
def practice_with_feedback(language):
    return practice_page(language, 1, {"q0": 5, "q1": 6, "q2": 0, "q3": 1, "q6": 12})


@screen
def practice_as_expected(language):
    return practice_page(language, 1, EXPECTED)


@screen
def practice_without_expectations(language):
    return practice_page(language, 2, {})


def leaving(rows):
    """Every ready-made question, and one with a ready-made scale."""
    own = {"key": "own", "text": rows.asks, "scale": "likert5", "required": True}
    return [*around.READY, own]


@screen
def exit_questions(language):
    return Visit(set_up(language, exit=leaving).session(State.EXIT) + "exit/")


@screen
def optional_exit_questions(language):
    rows = set_up(language, exit=lambda rows: ["gender", "familiarity"])
    return Visit(rows.session(State.EXIT) + "exit/")


@screen
def exit_questions_with_gaps(language):
    path = set_up(language, exit=leaving).session(State.EXIT)
    return Visit(path + "exit/", {"qage": "200", "qgender": "1", "go": "next"}, 422)


def both(rows):
    return [ready_check(rows.language) | {"after": 0}]


def one_point(rows):
    return [{"key": "read", "text": rows.asks, "scale": "likert5", "right": 2, "after": 0}]


@screen
def attention_check_with_boxes(language):
    return Visit(set_up(language, attention=both).session() + "item/1/")


@screen
def attention_check_on_a_scale(language):
    return Visit(set_up(language, attention=one_point).session() + "item/1/")


@screen
def attention_check_without_an_answer(language):
    path = set_up(language, attention=both).session()
    extra = Screen.objects.get(session__token=path.split("/")[2])
    return Visit(path + "item/1/", {"screen": str(extra.pk), "item": "", "go": "next"}, 422)


@screen
def gold_item(language):
    rows = set_up(
        language,
        gold=lambda rows: [{"item": "i0", "answers": {"q0": 5}}],
        gold_per_session=lambda rows: 1,
    )
    path = rows.session()
    return Visit(f"{path}item/{Screen.objects.get(kind='gold').position}/")


@screen
def repeated_item(language):
    path = set_up(language, repeats=lambda rows: 1).session()
    return Visit(f"{path}item/{Screen.objects.get(kind='repeat').position}/")


@screen
def word_about_time(language):
    return Visit(set_up(language, minimum_seconds=lambda rows: 60).session() + "item/2/?pace=slow")


@screen
def item_without_its_picture_and_recording(language):
    """Uploads that the contents name, and that nobody has uploaded."""
    rows = Rows(language).ask("likert5")
    key = rows.content(image_url="upload:cover.png", audio_url="upload:episode.mp3")
    return Visit(rows.fill(content=key).session() + "item/1/")


def taste(rows):
    """One source, which compares the contents' genres."""
    source = {"system": "near", "by": "nearest", "columns": ["genres"]}
    return {"least": 1, "most": 2, "length": 2, "sources": [source]}


def picking(language, stands_in, **making):
    """The address of a session that picks, or that has picked what `making` is made from."""
    rows = set_up(language, taste=taste)
    path = rows.session(State.TASTE)
    if making:
        Making.objects.create(session=session_of(path), **making)
    Session.objects.filter(token=path.split("/")[2]).update(state=stands_in)
    return path


@screen
def taste_without_picks(language):
    return Visit(picking(language, State.TASTE) + "taste/", {"go": "next"}, 422)


@screen
def taste_with_picks(language):
    path = picking(language, State.TASTE)
    session = session_of(path)
    Pick.objects.create(session=session, content=session.study.contents.get(key="c1"))
    return Visit(path + "taste/")


@screen
def taste_with_too_many_picks(language):
    path = picking(language, State.TASTE)
    session = session_of(path)
    for key in ("c1", "c2", "c3"):
        content = Content.objects.get_or_create(study=session.study, key=key)[0]
        Pick.objects.create(session=session, content=content)
    return Visit(path + "taste/", {"go": "next"}, 422)


@screen
def taste_without_a_find(language):
    return Visit(picking(language, State.TASTE) + "taste/?q=-0-")


@screen
def lists_being_made(language):
    return Visit(picking(language, State.WAITING, state=Making.State.WANTED) + "waiting/")


@screen
def lists_ready(language):
    return Visit(picking(language, State.WAITING, state=Making.State.MADE) + "waiting/")


@screen
def lists_that_could_not_be_made(language):
    return Visit(picking(language, State.WAITING, state=Making.State.FAILED) + "waiting/")


@screen
def ended_without_lists(language):
    rows = set_up(language, taste=taste)
    return Visit(rows.session(State.SCREENED_OUT, stopped_in=State.WAITING))
