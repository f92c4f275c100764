"""Tell a prompt about the recipient: the study's profile, or the newest of the history."""

from collections import defaultdict

from annotate.models import Interaction, Item
from annotate.raters import profiles
from judges.models import Judge
from judges.prompting import listening
from judges.prompting.fill import one_line

NO_RECIPIENT = "no context: the item has no recipient"
NO_PROFILE = "no context: the recipient has no profile"
NO_SUCH_PROFILE = "no context: the recipient has no profile made of {} episodes"
OWN_PROFILE = "no context: the item is a profile itself"
NO_HISTORY = "no context: the recipient has no other interactions"


MOST_KNOWN = 500  # recipients whose histories are in memory together


class Contexts:
    """The recipients' profiles or histories for one judge, few in memory at a time."""

    def __init__(self, judge, with_shows=False, compares_profiles=False):
        self.judge, self.known, self.with_shows = judge, {}, with_shows
        self.settings = judge.settings.in_effect
        self.is_profile = compares_profiles or self.settings["context"] == Judge.Context.PROFILE
        self.episodes = self.settings.get("profile_episodes", 0)

    def contexts_by_item(self, items, subjects=None):
        """Return {item id: (text, why it has none)}, in one query for some hundred new recipients.

        subjects: by item id, what is judged where it is more than the item's own content.
        """
        judged = {pk: subject.contents for pk, subject in (subjects or {}).items()}
        theirs = defaultdict(list)
        for item in items:
            theirs[item.recipient_id].append(item)
        recipients, contexts = list(theirs), {}
        for start in range(0, len(recipients), MOST_KNOWN):
            some = recipients[start : start + MOST_KNOWN]
            self._know(set(some) - {None})
            for item in (item for recipient in some for item in theirs[recipient]):
                contexts[item.pk] = self._one(item, judged.get(item.pk, {item.content_id}))
        return contexts

    def _know(self, recipients):
        """Read the recipients that are new; forget others where memory has no room."""
        new = recipients - self.known.keys()
        if len(self.known) + len(new) > MOST_KNOWN:
            self.known = {pk: context for pk, context in self.known.items() if pk in recipients}
        if new:
            contexts = self._read(self.judge.study_id, new)
            self.known |= {pk: contexts.get(pk) for pk in new}

    def _read(self, study, recipients):
        if self.is_profile:
            return _profiles(study, recipients, self.episodes)
        if self.with_shows:
            length = self.settings.get("transcript_length", 0)
            return listening.histories(study, recipients, length)
        return _histories(study, recipients)

    def _one(self, item, judged):
        if item.recipient_id is None:
            return "", NO_RECIPIENT
        context = self.known[item.recipient_id]
        if self.is_profile:
            if item.kind == Item.Kind.PROFILE:
                return "", OWN_PROFILE
            return (context, "") if context else ("", _no_profile(self.episodes))
        # What the recipient did with the judged content would be an answer, not a context.
        others = [line for content, line in context or [] if content not in judged]
        newest = others[: self.settings["history_length"]]
        text = listening.text(newest) if self.with_shows else "\n".join(newest)
        return (text, "") if text else ("", NO_HISTORY)


def _no_profile(wanted):
    return NO_SUCH_PROFILE.format(wanted) if wanted else NO_PROFILE


def _profiles(study, recipients, episodes):
    """Load {recipient: text of the newest profile, or of the newest made of so many episodes}."""
    several_by_recipient = profiles.of_recipients(study, recipients).items()
    chosen = {pk: profiles.newest(several, episodes) for pk, several in several_by_recipient}
    return {pk: profile[1] for pk, profile in chosen.items() if profile}


def _histories(study, recipients):
    """Load {recipient: [(content, line)]}, newest first; interactions without a time come last."""
    rows = Interaction.objects.filter(study=study, recipient__in=recipients)
    names = ["recipient", "content", "content__title", "content__key", "rating", "share_listened"]
    by_recipient = defaultdict(list)
    dated = [*rows.filter(at__isnull=False).order_by("-at", "-pk").values_list(*names)]
    dated += rows.filter(at=None).order_by("-pk").values_list(*names)
    for recipient, content, title, key, rating, share in dated:
        by_recipient[recipient].append((content, _line(title or key, rating, share)))
    return by_recipient


def _line(title, rating, share):
    details = [f"rated {rating:g}"] if rating is not None else []
    details += [f"{share:.0%} listened to"] if share is not None else []
    return f"- {one_line(title)}" + (f" ({', '.join(details)})" if details else "")
