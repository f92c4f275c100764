"""A study of P3 in rows: one listener, a profile, two pairs of lists with three episodes a side."""

from annotate.models import Content, Item
from annotate.studies.templates import make_study, study_templates
from tests import factories

HOST = "media.example.org"
# The questions that the paper prints.
PRINTED = (
    "profile-preferences",
    "profile-interests",
    "profile-comment",
    "episode-fit",
    "better-list",
)
SYSTEMS = {"A": "two-tower", "B": "popular"}
LONG = (
    "Two hosts talk with a historian about how lighthouses changed trade along the coast, who "
    "kept the lamps burning in winter storms, and why so many of the towers stand empty today. "
    "The second half is about the letters that a keeper's daughter wrote for forty years, and what "
    "they say about weather, loneliness and bread."
)
FACTS = {
    "show_description": "Every second week a long conversation about a trade that has gone.",
    "date": "2021-05-18T17:45:00-07:00",
    "duration": "01:00:45",
    "topics": "lighthouses|trade by sea|letters|winter storms|bread|loneliness",
}


def make_podcasts(owner, pairs=2, raters_per_item=2, **fields):
    """The study; items profile-1, pair-1 …, and pair-1-A-1 … for the episodes."""
    study = make_study(study_templates()["podcast-lists"], "podcasts", "Podcasts", owner)
    study.questions.exclude(key__in=PRINTED).delete()
    for position, question in enumerate(study.questions.all()):
        study.questions.filter(pk=question.pk).update(why="", position=position)
    fields = {"raters_per_item": raters_per_item, "items_per_session": pairs + 1} | fields
    type(study).objects.filter(pk=study.pk).update(**fields)
    study.refresh_from_db()
    text = "Listens on the way to work, mostly to the end.\n\nLikes history and long interviews."
    factories.make_item(study, "profile-1", content=None, system=None, kind="profile", text=text)
    for number in range(1, pairs + 1):
        make_pair(study, f"pair-{number}")
    return study


def tell_facts(study):
    """Give every episode a date, a duration, topics and words about its show; return the study."""
    study.contents.exclude(title="").update(data=FACTS)
    return study


def make_pair(study, key, recipient="r1"):
    """A pair of lists; only the pair has places."""
    pair = factories.make_item(
        study, key, recipient=recipient, content=None, system=None, kind="list_pair", text=""
    )
    for side in "AB":
        for position in (1, 2, 3):
            make_episode(study, pair, side, position)
    return pair


def make_episode(study, pair, side, position):
    key = f"{pair.key}-{side}-{position}"
    title = f"Episode {pair.key} {dict(A='alpha', B='beta')[side]} {position}"
    content = Content.objects.create(
        study=study,
        key=key,
        title=title,
        show=f"Show {position}",
        description=LONG,
        image_url=f"https://{HOST}/{key}.png",
        audio_url=f"https://{HOST}/{key}.mp3",
    )
    episode = factories.make_item(
        study,
        key,
        content=content.key,
        system=SYSTEMS[side],
        text="",
        kind=Item.Kind.RECOMMENDATION,
        parent=pair,
        side=side,
        position=position,
    )
    episode.places.all().delete()
    return episode
