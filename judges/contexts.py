"""What a prompt says of the recipient: the profile of the study, or the newest of the history."""

from collections import defaultdict

from annotate.models import Interaction, Item
from judges.models import Judge
from judges.prompting import one_line

NO_RECIPIENT = "no context: the item has no recipient"
NO_PROFILE = "no context: the recipient has no profile"
OWN_PROFILE = "no context: the item is a profile itself"
NO_HISTORY = "no context: the recipient has no other interactions"


class Contexts:
    """Reads each recipient once, however many of their items are asked about."""

    def __init__(self, judge):
        self.judge, self.known = judge, {}

    def of(self, items):
        """{item id: (text, why there is none)}, in one query for all new recipients."""
        recipients = {item.recipient_id for item in items} - {None}
        new = recipients - self.known.keys()
        if new:
            read = _profiles if self.judge.context == Judge.Context.PROFILE else _histories
            found = read(self.judge.study_id, new)
            self.known |= {pk: found.get(pk) for pk in new}
        return {item.pk: self._one(item) for item in items}

    def _one(self, item):
        if item.recipient_id is None:
            return "", NO_RECIPIENT
        known = self.known[item.recipient_id]
        if self.judge.context == Judge.Context.PROFILE:
            if item.kind == Item.Kind.PROFILE:
                return "", OWN_PROFILE
            return (known, "") if known else ("", NO_PROFILE)
        # What the recipient did with the judged content would be an answer, not a context.
        others = [line for content, line in known or [] if content != item.content_id]
        text = "\n".join(others[: self.judge.history_length])
        return (text, "") if text else ("", NO_HISTORY)


def _profiles(study, recipients):
    """{recipient: text of the newest profile item}"""
    items = Item.objects.filter(study=study, kind=Item.Kind.PROFILE, recipient__in=recipients)
    items = items.exclude(text__regex=r"^\s*$").order_by("pk")
    return dict(items.values_list("recipient", "text"))


def _histories(study, recipients):
    """{recipient: [(content, line)]}, the newest first; interactions without a time come last."""
    rows = Interaction.objects.filter(study=study, recipient__in=recipients)
    names = ["recipient", "content", "content__title", "content__key", "rating", "share_listened"]
    found = defaultdict(list)
    dated = [*rows.filter(at__isnull=False).order_by("-at", "-pk").values_list(*names)]
    dated += rows.filter(at=None).order_by("-pk").values_list(*names)
    for recipient, content, title, key, rating, share in dated:
        found[recipient].append((content, _line(title or key, rating, share)))
    return found


def _line(title, rating, share):
    said = [f"rated {rating:g}"] if rating is not None else []
    said += [f"{share:.0%} listened to"] if share is not None else []
    return f"- {one_line(title)}" + (f" ({', '.join(said)})" if said else "")
