"""Show researchers where raters come from and go to: platform, links, payment."""

import csv

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotate.design import access
from annotate.design.outlook import outlook_of
from annotate.design.platform import OUTCOMES, Outcome, code_for, entry_path, platform_of
from annotate.models import RepeatVisit, Session
from annotate.recruitment import participants
from annotate.recruitment import pay as paying
from annotate.recruitment.forms import (
    BonusForm,
    LinksForm,
    ParticipantsForm,
    PlatformForm,
    ReturnsForm,
)
from annotate.sessions import links
from annotate.sessions.kept_places import kept_places, settle, too_old
from annotate.sessions.session import NotNow, end_early
from annotate.studies import edit
from annotate.values.formulas import guarded

State = Session.State


@login_required
def platform(request, slug):
    """Page: which platform raters come from, and its codes."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    form = PlatformForm(platform_of(study), request.POST or None)
    if request.method == "POST" and form.is_valid():
        edit.change(study, lambda extra: extra.update(platform=form.platform().as_data()))
        settle(study)
        messages.success(request, _saved(form))
        return redirect("platform", slug)
    context = {
        "study": study,
        "section": "settings",
        "form": form,
        "entry": request.build_absolute_uri("/")[:-1] + entry_path(study),
        "platform": platform_of(study).name,
    }
    return render(request, "annotate/platform.html", context, status=422 if form.errors else 200)


def _saved(form):
    if not form.closes_link:
        return "Saved."
    name = form.platform().name.label
    return (
        f"Saved. The open link is off now: on {name} people could come twice by it. "
        "Tick it again if it is to work."
    )


@login_required
def personal_links(request, slug):
    """Page: personal links with their state, and more of them."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    form = LinksForm(study, request.POST or None)
    if request.method == "POST" and form.is_valid() and (made := form.save()):
        messages.success(request, f"Made {made} link{'' if made == 1 else 's'}.")
        return redirect("personal_links", slug)
    rows = links.of_study(study).with_answers().order_by("pk")
    page = Paginator(rows, 50).get_page(request.GET.get("page"))
    for session in page:
        session.address = _address(request, session)
    context = {"study": study, "section": "raters", "form": form, "page": page}
    context |= {"kept": kept_places(study), "too_old": too_old(study)}
    context["keep_days"] = platform_of(study).keep_days
    # Said before anybody is invited.
    context["outlook"] = None if page.paginator.count else outlook_of(study)
    return render(request, "annotate/links.html", context, status=422 if form.errors else 200)


def _address(request, session):
    return request.build_absolute_uri(reverse("session", args=[session.token]))


@login_required
def links_file(request, slug):
    """Download: every personal link."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    rows = (
        (
            session.rater.key,
            session.rater.role,
            session.rater.recipient or "",
            session.state,
            _address(request, session),
        )
        for session in links.of_study(study).order_by("pk")
    )
    return _csv(f"{slug}-links.csv", ("rater", "role", "recipient", "state", "link"), rows)


@login_required
@require_POST
def withdraw_link(request, slug, pk):
    """Step: take back a link that nobody used."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    session = get_object_or_404(links.of_study(study), pk=pk)
    if links.withdraw(session):
        messages.success(request, f"The link of {session.rater.key} was withdrawn.")
    else:
        messages.error(request, f"{session.rater.key} has used the link; it stays.")
    return redirect("personal_links", slug)


@login_required
def return_session(request, slug, pk):
    """Page: ask once, naming what goes; a POST ends a session returned on the platform."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    held = study.sessions.exclude(source=Session.Source.FILE).with_answers()
    session = get_object_or_404(held.select_related("rater"), pk=pk)
    if request.method == "POST":
        _return(request, session)
        return redirect("raters", slug)
    context = {
        "study": study,
        "section": "raters",
        "session": session,
        "places": session.places.count(),
    }
    return render(request, "annotate/return_session.html", context)


def _return(request, session):
    try:
        opened = end_early(session, State.RETURNED)
    except NotNow:
        messages.error(request, f"The session of {session.rater.key} has ended already.")
    else:
        messages.success(
            request, f"The session of {session.rater.key} ended; {_open_again(opened)}"
        )


def _open_again(count):
    return f"{count} place{' is' if count == 1 else 's are'} open again."


@login_required
def pay(request, slug):
    """Page for owners: what the platform needs to pay raters."""
    study = access.study_or_404(request.user, slug, access.OWNER)
    return _pay_page(request, study)


def _pay_page(request, study, returns=None, people=None, status=200):
    bonus = BonusForm(request.GET if "amount" in request.GET else None)
    context = {
        "study": study,
        "section": "raters",
        "platform": platform_of(study).name,
        "counts": _outcomes(study),
        "returns": returns or ReturnsForm(),
        "people": people or ParticipantsForm(study),
        "bonus": bonus,
        "withdrawals": paying.withdrawals(study),
        "repeats": RepeatVisit.objects.filter(rater__study=study).select_related("rater")[:100],
    }
    if bonus.is_bound and bonus.is_valid():
        bonuses = paying.bonuses(study, **bonus.cleaned_data)
        context |= {"bonuses": len(bonuses), "total": sum(money for _, money in bonuses)}
    return render(request, "annotate/pay.html", context, status=status)


def _outcomes(study):
    """Yield (words, sessions, code) of every state that sessions held here are in."""
    states = list(study.sessions.visits().values_list("state", flat=True))
    for state, label in State.choices:
        if state in states:
            outcome = OUTCOMES.get(state)
            code = code_for(study, outcome) if outcome else ""
            yield label, states.count(state), code
    if late := study.latecomers.count():
        outcome = Outcome.TOO_LATE
        yield outcome.label, late, code_for(study, outcome)


@login_required
@require_POST
def take_returns(request, slug):
    """Step: end the sessions of submissions that an owner lists as returned on the platform."""
    study = access.study_or_404(request.user, slug, access.OWNER)
    form = ReturnsForm(request.POST)
    if not form.is_valid():
        return _pay_page(request, study, returns=form, status=422)
    ended, opened, idle = paying.take_returns(study, form.cleaned_data["ids"])
    if ended:
        words = f"{ended} session{'' if ended == 1 else 's'} ended; {_open_again(opened)}"
        messages.success(request, words)
    if idle:
        few = ", ".join(idle_id[:100] for idle_id in idle[:10])
        messages.warning(
            request, f"{len(idle)} of the ids belong to no session that could end: {few}"
        )
    return redirect("pay", slug)


@login_required
@require_POST
def take_participants(request, slug):
    """Step: load the platform's file of its participants, all of it or nothing."""
    study = access.study_or_404(request.user, slug, access.OWNER)
    form = ParticipantsForm(study, request.POST, request.FILES)
    if not form.is_valid():
        return _pay_page(request, study, people=form, status=422)
    people = form.cleaned_data["people"]
    messages.success(request, _told(participants.keep(study, people.told), people.unread))
    return redirect("pay", slug)


def _told(kept, unread):
    words = [f"Read of {kept.raters} rater{'' if kept.raters == 1 else 's'}."]
    if kept.lacking == 1:
        words.append("1 rater from the platform is not in the file.")
    elif kept.lacking:
        words.append(f"{kept.lacking} raters from the platform are not in the file.")
    if kept.strangers == 1:
        words.append("1 participant of the file is no rater of this study.")
    elif kept.strangers:
        words.append(f"{kept.strangers} participants of the file are no raters of this study.")
    if unread:
        words.append(f"Not read: {', '.join(name[:60] for name in unread[:40])}.")
    return " ".join(words)


@login_required
def pay_file(request, slug, name):
    """Download for owners: one of the files for paying."""
    study = access.study_or_404(request.user, slug, access.OWNER)
    if name == "payments":
        return _csv(f"{slug}-payments.csv", paying.PAYMENTS, paying.payments(study))
    if name == "mturk-approval":
        rows = paying.mturk_approval(study)
        return _csv(f"{slug}-mturk-approval.csv", paying.MTURK_APPROVAL, rows)
    if name == "bonuses":
        form = BonusForm(request.GET)
        if not form.is_valid():
            raise Http404("no such amount")
        rows = paying.bonuses(study, **form.cleaned_data)
        return _text(f"{slug}-bonuses.txt", (f"{person},{money}" for person, money in rows))
    states = {"prolific-approve": [State.COMPLETED], "prolific-return": paying.UNFINISHED}
    if name not in states:
        raise Http404("no such file")
    return _text(f"{slug}-{name}.txt", paying.participants(study, states[name]))


def _csv(name, header, rows):
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    writer = csv.writer(response)
    writer.writerow(header)
    for row in rows:
        cells = (str(cell).lower() if isinstance(cell, bool) else cell for cell in row)
        writer.writerow(
            [cell if isinstance(cell, int | float) else guarded(str(cell)) for cell in cells]
        )
    return _download(response, name)


def _text(name, lines):
    body = "".join(f"{line}\n" for line in lines)
    return _download(HttpResponse(body, content_type="text/plain; charset=utf-8"), name)


def _download(response, name):
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "no-store"
    return response
