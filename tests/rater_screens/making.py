"""What the pages are made of: a study in a language, its sessions, the address of a page."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotate.design.platform import MTURK_SITES
from annotate.models import Content, Place, Rating, Session
from annotate.sessions import session as sessions
from annotate.values.scales import parse_scale, spec_of
from tests import factories

HOST = "https://media.example.org"
# What researchers write and what is rated, so that nothing on a page is in another language: a
# title, a text, a question, the ends of a scale.
WORDS = {
    "en": ("Films, podcasts", "Because you like quiet films.", "It convinces me", "least", "most"),
    "zh-hans": ("电影与播客", "因为您喜欢安静的电影。", "这条理由对我有说服力。", "最低", "最高"),
    "ar": ("أفلام وبودكاست", "لأنك تحب الأفلام الهادئة.", "التفسير مقنع لي.", "الأقل", "الأكثر"),
}
PROLIFIC = {"PROLIFIC_PID": "p1", "STUDY_ID": "s1", "SESSION_ID": "v1"}
MTURK = {"workerId": "w1", "assignmentId": "a1", "hitId": "h1", "turkSubmitTo": MTURK_SITES[0]}
CODES = {
    "screened_out": "OUT1",
    "failed_attention": "FAIL2",
    "no_consent": "NO3",
    "too_late": "L4",
    "withdrawn": "GONE5",
}
SCREENS = {}


@dataclass(frozen=True)
class Visit:
    """An address; with data it is posted to."""

    path: str
    data: Mapping[str, str] | None = None
    status: int = 200


def screen(make):
    """The function makes rows for a study of the language and returns the Visit of its page."""
    SCREENS[make.__name__] = make
    return make


@dataclass
class Rows:
    """A study with a question on each scale, and a session of it."""

    language: str
    fields: dict = field(default_factory=dict)
    kind: str = "explanation"
    items: int = 3

    def __post_init__(self):
        self.title, self.text, self.asks, self.least, self.most = WORDS[self.language]
        fields = {"title": self.title, "language": self.language, "kind": self.kind}
        fields |= {"items_per_session": 3, "completion_code": "23456789"}
        self.study = factories.make_study("screens", questions={}, **fields | self.fields)

    def ask(self, *scales, **more):
        """One more question on each of the scales."""
        for number, scale in enumerate(scales, start=self.study.questions.count()):
            fields = {"key": f"q{number}", "text": self.asks, "position": number} | more
            factories.make_question(self.study, scale=self.labelled(scale), **fields)
        return self

    def labelled(self, scale):
        """Ready-made scales come with their words in the language, as in study.yaml."""
        named = isinstance(scale, str)
        return spec_of(parse_scale(scale, self.language)) if named else scale

    def content(self, key="c1", **more):
        fields = {"title": self.title, "description": self.text * 9, "show": self.title} | more
        return Content.objects.create(study=self.study, key=key, **fields).key

    def fill(self, **more):
        for number in range(self.items):
            fields = {"kind": self.kind, "text": self.text, "content": None, "system": None} | more
            factories.make_item(self.study, f"i{number}", **fields)
        return self

    def session(self, state=Session.State.RATING, ids=None, **more):
        """A rater's session; one that rates has its items."""
        begun = sessions.begin_visit(self.study, ids or {}, consents=True)
        if state not in (Session.State.INSTRUCTIONS, Session.State.CONSENT):
            sessions.begin(begun)
        Session.objects.filter(pk=begun.pk).update(state=state, **more)
        return f"/r/{begun.token}/"

    def place(self, path, position):
        return Place.objects.get(session__token=path.split("/")[2], position=position)

    def answer_all(self):
        for place in Place.objects.exclude(session=None).select_related("session"):
            for question in self.study.questions.exclude(scale_spec__kind="text"):
                factories.make_rating(place.session, place.item, question, question.scale.high or 1)
        return Rating.objects.count()


def films(language, **fields):
    """Explanations, with a question on every scale."""
    rows = Rows(language, fields)
    ends = {"labels": [rows.least, rows.most]}
    rows.ask("likert5", "likert7", "binary", {"min": 1, "max": 5} | ends)
    rows.ask({"min": 0, "max": 10} | ends, {"choice": [rows.title, rows.least, rows.most]})
    rows.ask("number").ask(
        {"min": 0, "max": 100} | ends, {"slider": [rows.least, rows.most]}, "text", required=False
    )
    return rows.fill(content=rows.content())


def rated(language, state, ids=None, **fields):
    """A film study with a session in the state."""
    return films(language, **fields).session(state, ids)


def on(name, **more):
    return {"extra": {"platform": {"name": name, "codes": CODES} | more}}


def query(ids):
    return "?" + "&".join(f"{name}={value}" for name, value in ids.items())


State = Session.State
JOIN = "/join/screens/"
