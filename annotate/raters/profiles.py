"""Profiles of recipients: which one of several stands for a person, and how new ones are added."""

from math import isfinite

from annotate.files.loading.placing import draw
from annotate.models import Item, Place, Study
from annotate.values.texts import BLANK

EPISODES, RUN, WRITER = "episodes", "profile_run", "written_by"
LONGEST_KEY = 200


def episodes_in(data):
    """How many episodes a profile was made of, by its extra columns; None where they do not say."""
    try:
        number = float(data.get(EPISODES, ""))
    except (TypeError, ValueError):
        return None
    return number if isfinite(number) else None


def newest(profiles, episodes=0):
    """The one of a recipient's profiles that counts; they are [(extra columns, anything)], the
    oldest first.

    It is the last one; where a run wrote it, that of the run's profiles made of the most episodes.
    episodes: of profiles made of so many only; None where there is none.
    """
    if episodes:
        profiles = [each for each in profiles if episodes_in(each[0]) == episodes]
    if not profiles:
        return None
    run = profiles[-1][0].get(RUN)
    same = [each for each in profiles if each[0].get(RUN) == run] if run else profiles[-1:]
    return max(reversed(same), key=lambda each: episodes_in(each[0]) or 0)


def of_recipients(study_id, recipients):
    """{recipient id: [(extra columns, text)]} of whole profiles, as they were made; one query."""
    items = Item.objects.filter(study=study_id, kind=Item.Kind.PROFILE, parent=None)
    items = items.filter(recipient__in=recipients).exclude(text__regex=BLANK).order_by("pk")
    found: dict = {}
    for recipient, data, text in items.values_list("recipient", "data", "text"):
        found.setdefault(recipient, []).append((data, text))
    return found


def add(study_id, profiles):
    """New profile items [(recipient id, id wanted, text, extra columns)], with open places: [Item].

    Within a transaction. An id that is taken gets a number behind it; nothing there is changed.
    """
    # A load that changes the number of raters an item is to get waits, or is waited for.
    study = Study.objects.select_for_update(no_key=True).get(pk=study_id)
    items = [
        Item.objects.create(
            study=study,
            key=_free(study, key),
            kind=Item.Kind.PROFILE,
            recipient_id=recipient,
            text=text,
            data=data,
        )
        for recipient, key, text, data in profiles
    ]
    Place.objects.bulk_create(
        Place(study=study, item=item, number=number, shuffle=draw(study.slug, item.key))
        for item in items
        for number in range(1, study.raters_per_item + 1)
    )
    return items


def _free(study, key):
    """The id, or with the first number behind it that no item has."""
    taken = set(study.items.filter(key__startswith=key).values_list("key", flat=True))
    number = 2
    free = key
    while free in taken:
        free, number = f"{key}-{number}", number + 1
    return free
