"""Fill the page of an extra screen: a gold or repeated item, or an attention check."""

from annotate.design import checks
from annotate.models import Question, Screen
from annotate.raters.forms import Asked, Spot, as_typed, option_on_page, read_answer, read_shown_at
from annotate.raters.option_keys import choose_keys
from annotate.raters.screens import ItemPage, missing_of, progress, shown_now
from annotate.sessions import answers
from annotate.sessions.session import SentAnswer

LONGEST = checks.MOST_OPTIONS * (checks.LONGEST_OPTION + len(checks.SEPARATOR))


class ItemAgain(ItemPage):
    """The page of a gold or repeated item: an item's page, whose answers are no ratings."""

    def stored(self):
        return list(self.place.answers.all())

    def save(self, form):
        """Store the answers that the page sent; return the questions without a required answer."""
        return answers.save(self.place, self.questions, form.answers, form.shown_at, form.emptied)

    def context(self, ratings, count, form=None, gaps=()):
        """Return an item's context; a gold item's answers are saved at an item's address too."""
        context = super().context(ratings, count, form, gaps)
        is_repeat = self.place.kind == Screen.Kind.REPEAT
        return context | ({"extra": self.place.pk} if is_repeat else {})


class CheckScreen(ItemPage):
    """The page of an attention check: a question about no item."""

    def __init__(self, extra, questions=()):
        self.place, self.item, self.study = extra, None, extra.session.study
        self.check = checks.read_check(extra.spec)
        scale = self.check.scale_in(self.study.language).as_dict()
        asked = Question(pk=0, key=self.check.key, text=self.check.text, scale_spec=scale)
        self.questions = [asked]
        self.spots = [Spot(asked, 0)]

    def form(self, data):
        return CheckForm(self.check, self.spots[0], data)

    def stored(self):
        return list(self.place.answers.all())

    def save(self, form):
        """Store the answer; return (0, question) in a list if it is missing."""
        gaps = answers.save(self.place, [], form.answers, form.shown_at)
        # What was chosen before stays stored; who takes all of it back is asked once more.
        return [(0, self.questions[0])] if gaps or not form.answers else []

    def context(self, ratings, count, form=None, gaps=()):
        """Return the context of the templates."""
        stored = ratings[0] if ratings else None
        row = AskedCheck(
            self.spots[0],
            1,
            raw=form.raw if form else as_typed(stored),
            problem=form.problems.get(self.spots[0].key, "") if form else "",
            is_saved=stored is not None,
            is_missing=bool(gaps),
            is_first_gap=bool(gaps) or bool(form and form.problems),
        )
        row.is_several = self.check.is_several
        return (
            {
                "study": self.study,
                "session": self.place.session,
                "place": self.place,
                "item": None,
                "extra": self.place.pk,
                "asked": [row],
                "count": count,
                "shown": shown_now(),
            }
            | missing_of([row])
            | progress(self.study, self.place.position, count, [row])
        )


class AskedCheck(Asked):
    """The question of a check on the page, maybe with boxes of which several can be chosen."""

    widget = "radios"

    @property
    def options(self):
        """Return the radio inputs, or the boxes: what these send is their label."""
        if not self.is_several:
            return super().options
        chosen, labels = self.raw.split(checks.SEPARATOR), self.scale.labels
        keys = choose_keys(self.scale, list(enumerate(labels, start=1)))
        return [
            option_on_page(label, label, own, label in chosen)
            for label, own in zip(labels, keys, strict=True)
        ]


class CheckForm:
    """The answer to a check as a page sends it."""

    def __init__(self, check, spot, data):
        sent = data.getlist(spot.name)
        self.raw = checks.SEPARATOR.join(sent) if check.is_several else (sent or [""])[-1]
        self.raw = self.raw.replace("\0", "")[:LONGEST]
        self.answers, self.emptied, self.problems = [], [], {}
        self.shown_at = read_shown_at(data.get("shown", ""))
        if check.is_several:
            words = check.words(check.values(sent))
            self.answers = [SentAnswer(spot.question, None, words)] if words else []
            return
        try:
            answer = read_answer(spot, self.raw)
        except ValueError as error:
            self.problems[spot.key] = str(error)
        else:
            self.answers = [answer] if answer else []

    def gaps(self, spots):
        """Return (0, question) in a list if nothing was answered."""
        return [] if self.answers else [(0, spots[0].question)]

    def only_why(self, spots):
        """Return an empty list: a check asks for no reason."""
        return []


def screen_of(place, questions):
    """Return the ItemPage of a place or of an extra screen."""
    if not isinstance(place, Screen):
        return ItemPage(place, questions)
    return (CheckScreen if place.kind == Screen.Kind.ATTENTION else ItemAgain)(place, questions)
