"""Fill the page of an item, for a rater and in the preview alike."""

import re
from dataclasses import dataclass
from functools import cached_property

from django.db.models import F, Max, Min
from django.utils import timezone
from django.utils.translation import ngettext

from annotate.design.minutes import minutes_left
from annotate.flow import around
from annotate.flow.arms import layout_of
from annotate.models import Content, Interaction, Item, MediaKind, Rating, Study
from annotate.raters import profiles, uploads
from annotate.raters.episode_facts import episode_facts
from annotate.raters.forms import Asked, ItemForm, Spot, asked, put_in_grid, share_stem
from annotate.sessions import session
from annotate.sessions.session import with_parts
from annotate.values import media
from annotate.values.markdown import to_plain

IMAGE, AUDIO = MediaKind.IMAGE, MediaKind.AUDIO
SHORT = 80  # characters of what is said about a content of the history
# Text that may take more than three lines: "more" shows the rest.
LONG = 120
LINE = 28  # characters that surely stand in one line of a phone
FACTS = ("year", "genres")
LABELLED = re.compile(r"(?:[-*•]\s+)?\**([^\W\d][^:：*]{0,39})\**[:：]\**(?!//)\s*(\S.*)")


@dataclass(frozen=True)
class Card:
    """A content as raters see it; image and audio are addresses that the page may load."""

    pk: int | None
    title: str
    show: str
    facts: str
    description: str
    about_show: str
    image: str
    audio: str
    wants_image: bool
    wants_audio: bool

    @property
    def line(self):
        """Return the show and the facts, of which one line is seen until the card is unfolded."""
        return " · ".join(filter(None, [self.show, self.facts]))

    @property
    def is_long(self):
        """Tell whether there is more of a content than stands on its card when folded."""
        is_short = len(self.description) <= LONG and "\n" not in self.description.strip()
        return bool(self.about_show) or not is_short or bool(self.facts and len(self.line) > LINE)


def card(content, study, uploaded=None):
    """Make the Card of a content, or None where there is nothing to show but an id.

    uploaded: what uploads.addresses found for it.
    """
    if content is None or not has_something_to_show(content):
        return None
    image, audio = (
        uploads.address(uploaded, kind, url) or media.allowed(url, study.media_hosts)
        for kind, url in ((IMAGE, content.image_url), (AUDIO, content.audio_url))
    )
    return Card(
        pk=content.pk,
        title=content.title,
        show=content.show,
        facts=episode_facts(content),
        description=to_plain(content.description),
        about_show=to_plain(str(content.data.get("show_description") or "")).strip(),
        image=image,
        audio=audio,
        wants_image=bool(content.image_url),
        wants_audio=bool(content.audio_url),
    )


def has_something_to_show(content):
    """Say whether a rater could read, see or hear anything of a content; an id is nothing."""
    shown = (content.title, content.description, content.show, content.image_url, content.audio_url)
    return any(text.strip() for text in shown)


@dataclass(frozen=True)
class Part:
    """An entry of a list: the item, its content, its questions."""

    item: Item
    content: Card | None
    asked: list[Asked]

    @property
    def title(self):
        return self.content.title if self.content else ""


class ItemPage:
    """The page of a place."""

    def __init__(self, place, questions):
        self.place, self.item, self.study = place, place.item, place.session.study
        self.questions = questions
        self.is_pair = self.item.kind == Item.Kind.LIST_PAIR
        self.first_side = (place.first_side or "A") if self.is_pair else ""

    @cached_property
    def parts(self):
        """Return the parts of a pair, those of the first list before those of the second."""
        if not self.is_pair:
            return []
        _, *parts = with_parts([self.item])[self.item.pk]
        return sorted(parts, key=self._rank)

    def _rank(self, part):
        return self._list_of(part), part.position or 0, part.pk

    def _list_of(self, part):
        return int((part.side or "A") != self.first_side)

    @cached_property
    def spots(self):
        """Return all questions of the page, from its top to its end."""
        every = [(part, True) for part in self.parts] + [(self.item, False)]
        return [
            Spot(question, item.pk, is_part)
            for item, is_part in every
            for question in self.questions
            if question.applies_to_kind(item.kind)
        ]

    def form(self, data):
        """Return the form of what the page sent."""
        return ItemForm(self.spots, data)

    def stored(self):
        """Return the stored answers."""
        items = [self.item, *self.parts]
        return list(Rating.objects.filter(session=self.place.session, item__in=items))

    def save(self, form):
        """Store the answers that the page sent; return the missing (item id, question).

        Return (item id, question) of those still missing.
        """
        return session.save_answers(
            self.place, self.questions, form.answers, form.shown_at, form.emptied
        )

    def context(self, ratings, count, form=None, gaps=()):
        """Return the context of the templates."""
        contents = Content.objects.in_bulk({part.content_id for part in self.parts} - {None})
        shown = [*contents.values(), *filter(None, [self.item.content])]
        uploaded = uploads.addresses(self.study, shown)
        cards = {
            part.pk: card(contents.get(part.content_id), self.study, uploaded)
            for part in self.parts
        }
        about = {pk: shown_card.title if shown_card else "" for pk, shown_card in cards.items()}
        stored = {(rating.item_id, rating.question_id): rating for rating in ratings}
        rows = asked(self.spots, stored, form, gaps, about, self.first_side)
        layout = self._layout(rows)
        content, history = card(self.item.content, self.study, uploaded), self.history()
        return (
            {
                "place": self.place,
                "item": self.item,
                "content": content,
                "history": history,
                "is_canvas": self._has_stimulus(content, history),
                **self._profile_context(),
                "lists": self._lists(cards, rows),
                "asked": [row for row in rows if not row.spot.is_part],
                "layout": layout,
                "count": count,
                "shown": shown_now(),
            }
            | missing_of(rows)
            | progress(self.study, self.place.position, count, rows)
        )

    def _layout(self, rows):
        """Lay out the rows as the session has it, and return that layout.

        Questions about single entries of lists stand with them, so such a page is a list.
        """
        layout = self.place.session.layout or layout_of(self.place.session)
        if any(row.spot.is_part for row in rows):
            layout = Study.Layout.LIST
        if layout != Study.Layout.ONE_AT_A_TIME:  # there each question says all of its words
            share_stem(rows, self.study.extra.get("stem") or "")
        if layout == Study.Layout.GRID:
            put_in_grid(rows)
        return layout

    def _lists(self, cards, rows):
        """Return the two lists of a pair, in the order in which they stand.

        The list is empty for other items.
        """
        lists: list[list[Part]] = [[], []]
        for part in self.parts:
            own = [row for row in rows if row.item_id == part.pk]
            lists[self._list_of(part)].append(Part(part, cards[part.pk], own))
        return lists if self.is_pair else []

    def profile(self):
        """Return the recipient's profile, which stands next to a pair of lists."""
        if not self.is_pair or self.item.recipient_id is None:
            return ""
        profiles_by_recipient = profiles.of_recipients(
            self.study.origin_id, [self.item.recipient_id]
        )
        profile = profiles.newest(profiles_by_recipient.get(self.item.recipient_id, []))
        return profile[1] if profile else ""

    def _has_stimulus(self, content, history):
        """Tell whether the page has something to keep in sight beside its questions."""
        is_statement = self.item.kind == Item.Kind.STATEMENT  # its document may stand alone
        return not self.is_pair and bool(content or self.item.text or history or is_statement)

    def _profile_context(self):
        """Return the profile for the templates: as labelled lines, unfolded at the first pair."""
        profile = self.profile()
        return {
            "profile": profile,
            "profile_lines": labelled_lines(profile),
            "is_profile_open": not getattr(self.place, "has_pair_before", False),
        }

    def history(self):
        """List (title, short facts) of what the recipient chose before, the latest first.

        A content without a title is left out: its id tells a rater nothing.
        """
        if not self.study.show_history or self.item.recipient_id is None:
            return []
        chosen = Interaction.objects.filter(recipient=self.item.recipient_id)
        before = chosen.exclude(content__title="").order_by()
        grouped = before.values("content").annotate(latest=Max("at"), first=Min("pk"))
        latest = grouped.order_by(F("latest").desc(nulls_last=True), "first")
        ids = list(latest.values_list("content", flat=True)[: self.study.show_history])
        contents = Content.objects.in_bulk(ids)
        return [(contents[pk].title, facts(contents[pk])) for pk in ids]


def progress(study, position, count, rows):
    """Return how far a session has come, in pages: those before, and this one's share of answers.

    The exit questions are one more page, so that the bar is full only when all is answered.
    """
    answered = sum(row.is_done for row in rows) / len(rows) if rows else 0
    pages = count + bool(study.extra.get(around.EXIT))
    done = position - 1 + answered
    left = minutes_left(study, max(count - done, 0))
    return {"pages": pages, "done": f"{done:.6g}", "minutes": left}


def labelled_lines(text):
    """Split a text whose every line is “Label: words” into pairs; return [] for any other text."""
    lines = [LABELLED.fullmatch(line.strip()) for line in text.splitlines() if line.strip()]
    return [line.groups() for line in lines] if len(lines) > 1 and all(lines) else []


def missing_of(rows):
    """Count, in words for _missing.html, the rows without an answer and those with a bad answer."""
    unusable = sum(bool(row.problem) for row in rows)
    missing = sum(row.is_missing and not row.problem for row in rows)
    # For each number that the script may count: languages have up to six forms.
    by_count = [_missing_words(n + 1) for n in range(len(rows))]
    return {
        "missing": _missing_words(missing),
        "missing_by_count": "|".join(by_count),
        "unusable": _unusable_words(unusable),
    }


def _missing_words(count):
    words = ngettext("%(count)s answer missing", "%(count)s answers missing", count)
    return words % {"count": count} if count else ""


def _unusable_words(count):
    words = ngettext(
        "%(count)s answer cannot be used: please correct it.",
        "%(count)s answers cannot be used: please correct them.",
        count,
    )
    return words % {"count": count} if count else ""


def shown_now():
    """Return the time that a page sends back: milliseconds since 1970."""
    return int(timezone.now().timestamp() * 1000)


def facts(content):
    """Return short facts about a content, in one line: show, year, genres."""
    texts = [content.show, *(str(content.data.get(name) or "") for name in FACTS)]
    short = [text.replace("|", ", ") for text in texts if 0 < len(text) <= SHORT]
    return " · ".join(short)
