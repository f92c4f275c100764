"""Choose which of a recipient's profiles stands for them, and add new profiles."""

from math import isfinite

from annotate.files.loading.placing import draw
from annotate.models import Item, Place, Study
from annotate.values.texts import BLANK

EPISODES, RUN, WRITER = "episodes", "profile_run", "written_by"


def episodes_in(data):
    """Return from how many episodes a profile was made, by its extra columns; None if unknown."""
    try:
        number = float(data.get(EPISODES, ""))
    except (TypeError, ValueError):
        return None
    return number if isfinite(number) else None


def newest(profiles, episodes=0):
    """Return the profile that counts of a recipient's [(extra columns, …)], the oldest first.

    It is the last; where a run wrote it, the run's profile made of the most episodes.
    episodes: consider only profiles made of so many. None without a profile.
    """
    if episodes:
        profiles = [profile for profile in profiles if episodes_in(profile[0]) == episodes]
    if not profiles:
        return None
    run = profiles[-1][0].get(RUN)
    same = [profile for profile in profiles if profile[0].get(RUN) == run] if run else profiles[-1:]
    return max(reversed(same), key=lambda profile: episodes_in(profile[0]) or 0)


def of_recipients(study_id, recipients):
    """Return {recipient id: [(extra columns, text)]} of whole profiles, as made, by one query."""
    items = Item.objects.filter(study=study_id, kind=Item.Kind.PROFILE, parent=None)
    items = items.filter(recipient__in=recipients).exclude(text__regex=BLANK).order_by("pk")
    profiles: dict = {}
    for recipient, data, text in items.values_list("recipient", "data", "text"):
        profiles.setdefault(recipient, []).append((data, text))
    return profiles


def add(study_id, profiles):
    """Create profile items of [(recipient id, id wanted, text, extra columns)], with open places.

    Call it in a transaction. A taken id gets a number behind it; nothing there is changed.
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
    """Return the id, or the id with the first number behind it that no item has."""
    taken = set(study.items.filter(key__startswith=key).values_list("key", flat=True))
    number = 2
    free = key
    while free in taken:
        free, number = f"{key}-{number}", number + 1
    return free
