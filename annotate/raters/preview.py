"""Build what a rater would see of a study, without a rater.

The rater's own templates are filled for a session that is in no table. Its token, preview- and the
study's name, can be no session's: those are random. So all addresses on the pages lead to the
preview.
"""

from django.http import Http404
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext

from annotate.design import around, checks, versions
from annotate.design.splits import as_seen, withheld_statements
from annotate.models import Extra, Item, Place, Session
from annotate.sessions import extras, places


class Shown:
    """A study with the session, the places and the items of its preview, which are never saved."""

    def __init__(self, study, arm=""):
        self.study = study
        token = f"preview-{study.slug}"
        self.session = Session(study=study, token=token, state=Session.State.RATING, arm=arm)
        self.questions = versions.asked(study)
        self.kinds = places.kinds_asked(self.questions)
        asked = study.items.filter(parent=None, kind__in=self.kinds, is_practice=False)
        self.items = asked.select_related("content")
        # The way back from a declined consent leads to the preview too.
        study.join_path = lambda: self.address("session")

    def address(self, name, *args):
        """Return the address of the preview of a named page."""
        return reverse(name, args=[self.session.token, *args])

    @cached_property
    def count(self):
        """Return how many screens a session would have."""
        return len(self.screens)

    @cached_property
    def screens(self):
        """List a session's screens: None for an item, the Extra of an attention check.

        Gold and repeated items look as all others do.
        """
        items = max(min(self.study.items_per_session, self.items.count()), 1)
        return extras.sample(self.session, checks.settings_of(self.study), items)

    def check_at(self, position):
        """Return the attention check at a position, its number as primary key, or None."""
        screen = self.screens[position - 1] if 1 <= position <= self.count else None
        return screen if isinstance(screen, Extra) else None

    def check_or_404(self, number):
        """Return the attention check with that number."""
        for screen in self.screens:
            if screen is not None and screen.pk == number:
                return screen
        raise Http404("no such check in this study")

    @cached_property
    def first(self):
        """Return the first item that may be read here, or an example before items are loaded."""
        hidden = withheld_statements(self.study)
        open_ones = self.items.exclude(pk__in=hidden) if hidden else self.items
        return (
            open_ones.first()
            or self._seen(self.items.first())
            or Item(
                pk=0,
                study=self.study,
                key="example",
                kind=self.kinds[0] if self.kinds else self.study.kind,
                text=gettext("The text of an item stands here."),
            )
        )

    def after(self, state):
        """Return the address of the page that follows the consent, or a step after it."""
        step = around.step_after(self.study, state)
        if step in around.FIRST:
            return self.address(f"session_{step}")
        return f"{self.address('session')}?show=instructions"

    @property
    def after_items(self):
        """Return the address of the page that follows the last item."""
        if around.exit_of(self.study):
            return self.address("session_exit")
        return f"{self.address('session')}?show=thanks"

    def place(self, item, position):
        """Return an unsaved place for the item."""
        if not 1 <= position <= self.count:
            raise Http404("no such item in this session")
        return Place(
            study=self.study, item=item, session=self.session, position=position, first_side="A"
        )

    def item_or_404(self, pk):
        """Return an item that raters would see by itself."""
        first = pk == self.first.pk and self.first
        item = first or self._seen(self.items.filter(pk=pk).first())
        if item is None:
            raise Http404("no such item that raters would see")
        return item

    def _seen(self, item):
        """Return the item as researchers may see it: without withheld wording."""
        return item and as_seen(self.study, [item])[0]

    def neighbour(self, item, step):
        """Return the next item or the item before; after the last comes the first."""
        if step > 0:
            return self.items.filter(pk__gt=item.pk).first() or self.first
        return self.items.filter(pk__lt=item.pk).last() or self.items.last() or self.first

    def rated_or_404(self, pk):
        """Return (an item that raters see by itself, the requested part of it or itself)."""
        part = self.study.items.filter(pk=pk, parent__in=self.items).first()
        if part is None:
            whole = self.item_or_404(pk)
            return whole, whole
        return self.item_or_404(part.parent_id), part
