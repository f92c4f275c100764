"""Show the demo's studies to its user: what each one shows, and its answer where it is known.

No answer is computed on the page. A worker is asked for those that are not kept, once the study's
judges have done their work.
"""

from dataclasses import dataclass, field

from analysis.answers.moment import one_moment
from analysis.demo import shipped
from analysis.demo.preparing import USERNAME
from analysis.serving import wait
from analysis.serving.source import Source
from analysis.serving.summaries import has_results, results_of
from judges.models import Heartbeat, Run
from judges.uploads.uploads import progress_of

REAL, SIMULATED, YOURS = "Real ratings", "Simulated ratings", "Yours to rate"
AUTHORS = "Labels by its author"


@dataclass(frozen=True)
class Exhibit:
    """A study of the demo: what it shows in a sentence, and whose ratings it has."""

    slug: str
    shows: str
    ratings: str = SIMULATED

    @property
    def is_simulated(self):
        return self.ratings == SIMULATED

    @property
    def is_open(self):
        """Whether its ratings are to be the visitor's own."""
        return self.ratings == YOURS


EXHIBITS = (
    Exhibit(
        "hanna",
        "Published ratings of 1,056 stories by three people each, on six questions, and 21 judges. "
        "It shows what can be said where people disagree.",
        REAL,
    ),
    Exhibit(
        "films-demo",
        "A judge that was named before it had judged anything, beside a count of words and other "
        "baselines. It shows how a judge gets a yes.",
    ),
    Exhibit(
        "helpdesk-demo",
        "A judge whose scores follow people’s nearly as well as another rater’s do, because it "
        "knows who wrote each reply. It shows how a judge gets a no.",
    ),
    Exhibit(
        "podcasts-demo",
        "Lists of three podcast recommenders, side by side, for sixty listeners. It shows a judge "
        "that may rate single episodes and may not yet choose between lists.",
    ),
    Exhibit(
        "films-open",
        "Rate explanations of films yourself, beside what their reader has watched. It shows what "
        "raters see.",
        YOURS,
    ),
    Exhibit(
        "surveys-demo",
        "Explanations that name films of a person’s history, chosen by four scores. It has places "
        "for twenty more raters.",
    ),
    Exhibit(
        "factuality-demo",
        "Explanations of products, checked statement by statement against reviews. It shows what "
        "texts make up and what they leave out.",
        AUTHORS,
    ),
)


@dataclass
class Card:
    """An exhibit with its study, and what can be said of it now.

    study: None before it is loaded; load: the Upload that makes it, progress: what its worker last
    wrote; answer: its first sentence, blank while it is not known; is_working: its judges are at
    work; is_computing: its answer is to come from a worker.
    """

    exhibit: Exhibit
    study: object = None
    answer: str = ""
    load: object = None
    progress: dict | None = None
    is_working: bool = False
    is_computing: bool = False

    @property
    def title(self):
        return self.study.title if self.study else shipped.TITLE

    @property
    def is_loading(self):
        return self.load is not None and self.load.state == self.load.State.LOADING

    @property
    def is_moving(self):
        """Whether the card will soon say more."""
        return self.is_loading or self.is_working or self.is_computing


@dataclass
class Gallery:
    """The cards, the user's other studies, and whether a worker is there to do what is awaited."""

    cards: list
    others: list = field(default_factory=list)
    worker_alive: bool = True

    @property
    def is_moving(self):
        return any(card.is_moving for card in self.cards)


def gallery_of(user, studies):
    """Return the Gallery of the demo's user; None for everybody else, and without its studies.

    studies: those of the user.
    """
    if user.get_username() != USERNAME:
        return None
    by_slug = {study.slug: study for study in studies}
    cards = list(filter(None, (_card(exhibit, by_slug, user) for exhibit in EXHIBITS)))
    if not cards:
        return None
    shown = {exhibit.slug for exhibit in EXHIBITS}
    others = [study for study in studies if study.slug not in shown]
    return Gallery(cards, others, Heartbeat.objects.any_alive())


def _card(exhibit, by_slug, user):
    """Return the exhibit's Card; None where it is neither there nor being loaded."""
    if exhibit.slug in by_slug:
        return _of_study(exhibit, by_slug[exhibit.slug])
    load = shipped.find_load(user) if exhibit.slug == shipped.SLUG else None
    return load and Card(exhibit, load=load, progress=progress_of(load))


def _of_study(exhibit, study):
    card = Card(exhibit, study)
    if exhibit.is_open:
        return card
    card.is_working = Run.objects.filter(judge__study=study, state=Run.State.ACTIVE).exists()
    if card.is_working:
        return card
    with one_moment():
        source = Source(study)
        if has_results(source):
            card.answer = results_of(source).answer.lead
        else:
            card.is_computing = wait.ask_for_results(source)
    return card
