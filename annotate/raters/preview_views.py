"""Preview a study as raters see it, for its researchers."""

from csp.constants import SELF
from csp.decorators import csp_update
from django import forms
from django.contrib.auth.decorators import login_required
from django.shortcuts import render

from annotate.design import access, checks, minutes, versions
from annotate.flow import around
from annotate.flow.arms import arms_of
from annotate.flow.screener import screener_of
from annotate.raters import preview as previews
from annotate.sessions.places import kinds_asked
from annotate.taste.study import taste_of

SUGGESTED = 100  # items offered while one types
SHOW = {
    "item": "An item",
    "consent": "Consent",
    "screener": "Screener",
    "questions": "Questions before",
    "taste": "What they like",
    "instructions": "Instructions",
    "check": "Comprehension check",
    "practice": "Practice",
    "waiting": "Lists being made",
    "exit": "Exit questions",
    "thanks": "Last page",
    "withdraw": "Stop and withdraw",
    "withdrawn": "End: withdrew",
    "declined": "End: no consent",
    "screened_out": "End: screened out",
    "failed_attention": "End: failed the attention checks",
    "full": "End: came too late",
}
CHECK = "check-"  # how the choice of an attention check begins; its key follows
WIDTH = {"phone": "Phone, 360 px", "wide": "Wide"}


class PreviewForm(forms.Form):
    """A choice of page, item and width; by default the first item on a phone."""

    show = forms.ChoiceField(label="Page", choices=SHOW, required=False)
    item = forms.CharField(
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"list": "items", "placeholder": "the first one"}),
    )
    arm = forms.ChoiceField(required=False)
    width = forms.ChoiceField(choices=WIDTH, required=False)

    def __init__(self, study, data):
        super().__init__({"show": "item", "width": "phone", **data.dict()})
        self.items = previews.find_items(study, kinds_asked(versions.asked(study)))
        has = {
            "screener": screener_of(study).questions,
            "questions": around.before_of(study),
            "taste": taste_of(study),
            "waiting": taste_of(study),
            "check": around.check_of(study),
            "practice": around.practice_items(study),
            "exit": around.exit_of(study),
            "screened_out": screener_of(study).questions or around.check_of(study),
            "failed_attention": study.extra.get("attention"),
            "full": not taste_of(study),
        }
        shows = [(name, label) for name, label in SHOW.items() if has.get(name, True)]
        keys = [check.key for check in checks.settings_of(study).attention]
        titles = [(f"{CHECK}{key}", f"Attention check: {key}") for key in keys]
        self.fields["show"].choices = [*shows, *titles]
        names = [arm.name for arm in arms_of(study)]
        self.fields["arm"].choices = [("", "none of them"), *((name, name) for name in names)]
        if not names:
            del self.fields["arm"]

    def clean_item(self):
        """Return the item with that id, or None for a blank field."""
        key = self.cleaned_data["item"]
        if not key:
            return None
        item = self.items.filter(key=key).first()
        if item is None:
            raise forms.ValidationError("No item with this id is shown to raters by itself.")
        return item

    @property
    def suggestions(self):
        """Return ids of items to choose from."""
        return self.items.values_list("key", flat=True)[:SUGGESTED]

    @property
    def choice(self):
        """Return what preview.begin needs, of a valid form."""
        show = self.cleaned_data["show"] or "item"
        check = show.removeprefix(CHECK) if show.startswith(CHECK) else ""
        arm = self.cleaned_data.get("arm", "")
        return {"show": show, "item": self.cleaned_data["item"], "arm": arm, "check": check}


@login_required
@csp_update({"frame-src": [SELF]})  # type: ignore[arg-type]  # its hint forgets the slug
def preview(request, slug):
    """Page: what to look at, and how wide; a POST begins a preview and shows it in a frame."""
    study = access.study_or_404(request.user, slug, access.EDITOR)
    form = PreviewForm(study, request.POST or request.GET)
    begins = form.is_valid() and request.method == "POST"
    address = previews.begin(study, request.user, **form.choice) if begins else ""
    context = {"study": study, "section": "questionnaire", "form": form, "address": address}
    context["effort"] = minutes.effort_of(study)
    return render(request, "annotate/preview.html", context, status=400 if form.errors else 200)
