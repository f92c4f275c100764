"""Preview a study: a real session, of a copy of the study that has no members.

So nothing that reads a study's people, places or answers can meet a preview, and a rater's pages
serve it as they serve any session. The copy has the settings, the questions, and as many items as a
session rates; contents, recipients and systems are the study's own. It goes after a day, and when
the same person opens another preview of the study.
"""

from datetime import timedelta

from csp.constants import SELF
from django.db import transaction
from django.db.models import Count
from django.http import Http404
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext

from annotate.design import access, grouping, versions
from annotate.design.checks import gold_keys
from annotate.design.splits import as_seen, withheld_statements
from annotate.flow import arms, around
from annotate.http.headers import loosen
from annotate.models import Item, Making, Membership, Place, Question, Rater, Session, Study
from annotate.models.rater import PREVIEW, token_in
from annotate.sessions import mix
from annotate.sessions import session as sessions
from annotate.sessions.places import kinds_asked
from annotate.taste.study import taste_of

State = Session.State
KEPT = timedelta(days=1)
SLUG = "preview_"  # how the addresses of copies begin: no study's does, as it has no underscore
# The states in which a preview begins; that of an item, or of an exit question, comes by rating.
FIRST = {
    "screener": State.SCREENER,
    "questions": State.QUESTIONS,
    "taste": State.TASTE,
    "instructions": State.INSTRUCTIONS,
    "check": State.CHECK,
    "practice": State.PRACTICE,
    "waiting": State.WAITING,
    "thanks": State.COMPLETED,
    "withdraw": State.INSTRUCTIONS,
    "withdrawn": State.WITHDRAWN,
    "declined": State.DECLINED,
    "screened_out": State.SCREENED_OUT,
    "failed_attention": State.FAILED_ATTENTION,
    "full": State.INSTRUCTIONS,
}
AFTER_TASTE = (State.INSTRUCTIONS, State.CHECK, State.PRACTICE, State.WAITING)


@transaction.atomic
def begin(study, user, show, item=None, arm="", check=""):
    """Make the user's preview of a study, and return its address.

    show: a key of FIRST, "consent", "exit" or "item"; item: the one to be among the items, and on
    the screen; check: the key of an attention check to be on the screen instead.
    """
    # One after the other, where somebody opens two at a time.
    list(Membership.objects.select_for_update(of=("self",)).filter(study=study, user=user))
    slug = f"{SLUG}{study.pk}_{user.pk}"
    remove(Study.objects.filter(slug=slug))
    with translation.override(study.language):
        copy = _copy(study, slug, arm)
        place = _add_items(study, copy, item)
    if show == "consent":
        return copy.join_path()
    rater = Rater.objects.create(study=copy, key="preview")
    state = FIRST.get(show, State.WAITING)
    session = Session.objects.create(
        study=copy,
        rater=rater,
        token=token_in(copy),
        state=state,
        arm=arm,
        stopped_in=State.SCREENER if show == "screened_out" else "",
    )
    if taste_of(copy) and state in AFTER_TASTE:
        made = Making.State.WANTED if show == "waiting" else Making.State.MADE
        Making.objects.create(session=session, state=made)
    if show == "full":
        copy.places.update(state=Place.State.HELD)
    elif show not in FIRST and sessions.claim_items(session):
        _go_to(session, show, place if item else None, check)
    return reverse("session_withdraw" if show == "withdraw" else "session", args=[session.token])


def _go_to(session, show, place, check):
    """Lead a session that rates to its exit questions, or to an item or a check."""
    if show == "exit":
        sessions.move(session, State.EXIT, items_done_at=timezone.now())
        return
    checks = session.screens.among_items().filter(key=check)
    screens = checks if check else session.places.filter(pk=place)
    for position in screens.values_list("position", flat=True):
        sessions.go_to(session, position)


def _copy(study, slug, arm):
    """Store a copy of a study and its questions, of which a preview is a session.

    Raters come to it by the open link, in the arm or in none.
    """
    copy = Study.objects.get(pk=study.pk)
    copy.pk, copy.slug, copy.preview_of, copy._state.adding = None, slug, study, True
    copy.state, copy.split, copy.raters_per_item_max = Study.State.OPEN, {}, 0
    chosen = [entry for entry in copy.extra.get(arms.KEY) or () if entry["name"] == arm]
    left_out = (arms.KEY, "platform", grouping.KEY)
    extra = {key: value for key, value in copy.extra.items() if key not in left_out}
    copy.extra = extra | ({arms.KEY: chosen} if chosen else {})
    strip = f"{gettext('This is a preview.')} {gettext('What you answer here counts nowhere.')}"
    copy.notice = "\n".join(filter(None, [strip, study.notice]))
    copy.save()
    questions = list(study.questions.all())
    for question in questions:
        question.pk, question.study = None, copy
    Question.objects.bulk_create(questions)
    return copy


def _add_items(study, copy, chosen):
    """Copy the items that a session shows, each with a place; return the first one's place.

    Items for practice and gold items come without places.
    """
    rated = choose_items(study, study.items_per_session, chosen)
    wanted = {practice.item for practice in around.practice_of(study)} | gold_keys(study)
    wanted -= {item.key for item in rated}
    others = as_seen(study, list(study.items.filter(key__in=wanted, parent=None)))
    wholes = [*rated, *others]
    parts = as_seen(study, list(study.items.filter(parent__in=[item.pk for item in wholes])))
    by_pk = {item.pk: item for item in wholes}
    _copy_items(copy, wholes)
    for part in parts:
        part.parent = by_pk[part.parent_id]
    _copy_items(copy, parts)
    places = Place.objects.bulk_create(
        Place(study=copy, item=item, number=1, shuffle=number) for number, item in enumerate(rated)
    )
    return places[0].pk


def _copy_items(copy, items):
    """Store items as new rows of the copy; they become these rows."""
    for item in items:
        item.pk, item.study, item.load = None, copy, None
        item._state.adding = True
    Item.objects.bulk_create(items)


def choose_items(study, count, chosen=None):
    """List so many items that raters see by themselves, the chosen one first.

    Kinds are mixed as in sessions. Statements that researchers may not read come only where nothing
    else is there, without their wording. Without any item an example, which is not stored, stands
    for one.
    """
    kinds = kinds_asked(versions.asked(study))
    every = find_items(study, kinds)
    hidden = withheld_statements(study)
    open_ones = every.exclude(pk__in=hidden) if hidden else every
    counts = dict(open_ones.order_by().values_list("kind").annotate(n=Count("pk")))
    shares = mix.share_out(min(count, sum(counts.values())), counts)
    items = [item for kind, share in shares.items() for item in open_ones.filter(kind=kind)[:share]]
    items.sort(key=lambda item: item.pk)
    if chosen:
        items = [chosen, *(item for item in items if item != chosen)][:count]
    items = as_seen(study, items or list(every[:1]))
    kind = kinds[0] if kinds else study.item_kind
    text = gettext("The text of an item stands here.")
    return items or [Item(study=study, key="example", kind=kind, text=text)]


def find_items(study, kinds):
    """Return the items of these kinds that raters see by themselves."""
    items = study.items.with_places().filter(kind__in=kinds).exclude(key__in=gold_keys(study))
    return items.select_related("content")


# The end


def remove(previews):
    """Delete previews (a QuerySet of copies) with all that was answered in them."""
    previews = previews.exclude(preview_of=None)
    # Held: an answer on its way comes before, and goes too, or after, and is refused.
    held = Session.objects.filter(study__in=previews).select_for_update(of=("self",))
    with transaction.atomic():
        list(held.order_by("pk").values_list("pk"))
        previews.delete()


def remove_old():
    """Delete the previews that are older than a day."""
    remove(Study.objects.filter(created_at__lt=timezone.now() - KEPT))


# Who may see it


def is_preview(user, token="", slug="", **_):
    """Tell whether the address is a preview's; Http404 if the user may not edit its study."""
    which = {"sessions__token": token} if token.startswith(PREVIEW) else {"slug": slug}
    if not token.startswith(PREVIEW) and not slug.startswith(SLUG):
        return False
    copies = Study.objects.filter(**which).exclude(preview_of=None)
    preview = copies.select_related("preview_of").first()
    if preview is None:
        return False
    if not user.is_authenticated:
        raise Http404("a preview is for those who may edit its study")
    access.study_or_404(user, preview.preview_of.slug, access.EDITOR)
    return True


def frame(response):
    """Let this site's own pages frame the response."""
    response["X-Frame-Options"] = "SAMEORIGIN"
    return loosen(response, framed_by=[SELF])
