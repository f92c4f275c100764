"""A study whose recipients bring their own taste: contents with genres, and the presses of one."""

from annotate.models import Content, Session
from tests import factories

GENRES = {
    "alien": "horror|space",
    "aliens": "action|space",
    "amelie": "comedy|romance",
    "heat": "action|crime",
    "jaws": "horror|sea",
    "psycho": "crime|horror",
    "solaris": "drama|space",
    "totoro": "animation|family",
}
PAIR = {
    "least": 2,
    "most": 3,
    "length": 2,
    "sources": [
        {"system": "near", "columns": ["genres"]},
        {"system": "chance", "by": "random"},
    ],
}


def make_taste_study(owner=None, taste=None, kind="list_pair", **fields):
    """A study without any item: each rater gets those that are made for them."""
    fields = {"kind": kind, "extra": {"taste": taste or PAIR}} | fields
    study = factories.make_study(owner=owner, questions={}, **fields)
    scale = {"choice": ["A", "tie", "B"]}
    factories.make_question(study, "better", scale, applies_to=["list_pair"])
    factories.make_question(study, "fits", applies_to=["recommendation"], position=1)
    Content.objects.bulk_create(
        Content(study=study, key=key, title=key.title(), data={"genres": genres})
        for key, genres in GENRES.items()
    )
    return study


def arrive(client, slug="films"):
    client.post(f"/join/{slug}/", {"consent": "yes"})
    return Session.objects.order_by("-pk").first()


def press(client, session, follow=True, **data):
    return client.post(f"/r/{session.token}/taste/", data, follow=follow)


def pick(client, session, *keys):
    """Pick the contents by their buttons; return the last page."""
    pks = dict(session.study.contents.values_list("key", "pk"))
    return [press(client, session, add=pks[key]) for key in keys][-1]
