"""Edit studies: create, settings, members."""

from django import forms
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.validators import MaxLengthValidator
from django.db import IntegrityError, transaction
from django.utils.text import slugify

from annotate.design.disclosure import COVERS, check_covered
from annotate.design.ethics import (
    CONTACT,
    DEBRIEF,
    LOCAL_ONLY,
    OWNERS_ONLY,
    REFERENCE,
    SCREEN_OUT_PAY,
    WITHDRAWAL_PAY,
)
from annotate.design.ethics import LONGEST as LONGEST_WORDS
from annotate.design.payment import AMOUNT, CURRENCY, LARGEST, TOLD, USD, read_currency
from annotate.design.retention import DELETE_ON, check_date
from annotate.files.loading.placing import want_raters
from annotate.models import Membership, Study
from annotate.models.study import study_slug_rule
from annotate.studies import edit
from annotate.studies.delete import why_taken
from annotate.studies.templates import make_study, study_templates
from annotate.values.languages import ENGLISH, name_of
from annotate.values.media import check_hosts
from annotate.values.spread import USUAL, check_spread
from annotate.values.texts import LONGEST, one_line_ends

MARKDOWN = (
    "Markdown: a blank line begins a paragraph, **bold**, *italic*, “# ” a heading, “- ” a list, "
    "[words](https://address) a link. HTML and pictures are shown as text."
)


class NameForm(forms.Form):
    """The title and the address of a new study."""

    title = forms.CharField(max_length=200, help_text="Raters and researchers read it.")
    slug = forms.CharField(
        label="Address",
        max_length=60,
        required=False,
        validators=[study_slug_rule],
        help_text="Lower-case letters, digits and hyphens; it cannot be changed later. "
        "Empty: made from the title.",
    )

    def clean(self):
        """Make an address from the title if no address was given."""
        data = super().clean()
        if "title" in data and data.get("slug") == "":
            data["slug"] = slugify(data["title"])[:60].strip("-")
            self._check_made(data["slug"])
        return data

    def _check_made(self, slug):
        try:
            study_slug_rule(slug)
        except forms.ValidationError:
            self.add_error("slug", "No address can be made from this title: please give one.")

    def made(self, template, owner):
        """Create and return the study, or None with the error that its address is taken.

        Not looked up before: between the look and the write somebody else may take it.
        """
        slug, title = self.cleaned_data["slug"], self.cleaned_data["title"]
        try:
            with transaction.atomic():
                return make_study(template, slug, title, owner)
        except IntegrityError:
            self.add_error("slug", why_taken(slug))
            return None


class NewStudyForm(NameForm):
    """A new study from one of the project's templates."""

    template = forms.ChoiceField(label="Template", widget=forms.RadioSelect)
    language = forms.ChoiceField(
        label="Language of the raters’ pages",
        required=False,
        help_text="Questions, labels and instructions of the templates are there in English and "
        "Simplified Chinese; in another language you write your own.",
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["language"].choices = settings.LANGUAGES
        names = study_templates()
        self.fields["template"].choices = [
            (name, template.title) for name, template in names.items()
        ]
        self.fields["template"].initial = next(iter(names))

    @property
    def options(self):
        """Yield (radio button, template, its questions) of each template."""
        templates = study_templates().values()
        for radio, template in zip(self["template"], templates, strict=True):
            yield radio, template, template.questions()

    def clean(self):
        """Replace the template's name by the template in the chosen language."""
        data = super().clean()
        if "template" in data and "language" in data:
            data["template"] = study_templates(data["language"] or ENGLISH)[data["template"]]
        return data


def languages_for(study):
    """List (code, name) to choose from, with the study's own even without its message file."""
    languages = dict(settings.LANGUAGES)
    return list((languages | {study.language: name_of(study.language)}).items())


def is_owned(study):
    """Tell whether the study's reader is an owner; so is a program without a user."""
    return getattr(study, "role", Membership.Role.OWNER) == Membership.Role.OWNER


GROUPS = {
    "The study": ["title", "language", "state", "layout"],
    "Sessions and places": [
        "items_per_session",
        "raters_per_item",
        "raters_per_item_max",
        "spread_measure",
        "spread_least",
        "hold_minutes",
    ],
    "What raters read: notice, consent, instructions, debriefing": [
        "notice",
        "consent",
        "instructions",
        DEBRIEF,
    ],
    "What an ethics board asks for: contact, pay, deletion, local models": [
        CONTACT,
        REFERENCE,
        WITHDRAWAL_PAY,
        SCREEN_OUT_PAY,
        DELETE_ON,
        LOCAL_ONLY,
        COVERS,
    ],
    "History, pictures and recordings": ["show_history", "media_hosts"],
    "After a session: code and pay": ["completion_code", AMOUNT, CURRENCY, TOLD],
}
UNFOLDED = ("The study", "Sessions and places")


# The fields whose values Study.extra keeps, as it keeps those keys of study.yaml.
IN_EXTRA = (
    "layout",
    AMOUNT,
    CURRENCY,
    TOLD,
    DELETE_ON,
    LOCAL_ONLY,
    COVERS,
    *LONGEST_WORDS,
)


class StudyForm(forms.ModelForm):
    """The settings of a study."""

    usual_texts = ("consent", "instructions")  # raters read a text where nothing stands there

    language = forms.ChoiceField(
        label="Language of the raters’ pages",
        required=False,
        help_text=Study._meta.get_field("language").help_text,
    )
    layout = forms.ChoiceField(
        label="How the questions of a page stand",
        required=False,
        choices=Study.Layout,
        help_text="In grids people leave out more and choose the same point more often, on phones "
        "most; there a grid is shown as one question under the other. Raters who have begun keep "
        "theirs, and the export of sessions names it.",
    )
    spread_measure = forms.ChoiceField(
        label="Raters disagree by",
        required=False,
        choices=[("sd", "standard deviation, in points"), ("labels", "different answers")],
    )
    spread_least = forms.FloatField(
        label="Raters disagree from",
        required=False,
        help_text="The least spread of the ratings of any question about the item. Judges play no "
        "part in it.",
    )
    media_hosts = forms.CharField(
        label="Hosts of pictures and recordings",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text="One name a line, such as media.example.org. The browsers of raters load images "
        "and audio of contents from these hosts, by https, and from no other; the hosts then see "
        "the raters’ network addresses.",
    )
    pays_per_session = forms.FloatField(
        label="Pay for a session",
        required=False,
        min_value=0,
        max_value=LARGEST,
        help_text="The analysis compares what people and judges cost by it.",
    )
    pay_currency = forms.CharField(
        label="Currency of the pay",
        required=False,
        max_length=3,
        help_text=f"Three letters; {USD} where nothing stands here.",
    )
    tell_pay = forms.BooleanField(
        label="Tell raters the pay, before they agree and in the instructions",
        required=False,
    )
    contact = forms.CharField(
        label="Contact",
        required=False,
        max_length=LONGEST_WORDS[CONTACT],
        help_text="Whom raters may ask, such as: Jane Doe, jane@uni.example. Every page of theirs "
        "says it.",
    )
    ethics_reference = forms.CharField(
        label="Reference of the ethics approval",
        required=False,
        max_length=LONGEST_WORDS[REFERENCE],
        help_text="Such as: IRB 2026-114. Every page of raters says it.",
    )
    withdrawal_pay = forms.CharField(
        label="Pay after withdrawing",
        required=False,
        max_length=LONGEST_WORDS[WITHDRAWAL_PAY],
        help_text="Raters read it before they withdraw, such as: You are paid for the minutes that "
        "you took part.",
    )
    delete_on = forms.DateField(
        label="Delete the study on",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="On that day, UTC, the whole study is deleted: answers, texts, platform ids, "
        "judges, results, members. Raters read the day before they agree, so a later one breaks "
        "what they were told. Only owners set it.",
    )
    local_models_only = forms.BooleanField(
        label="Judges ask local models only",
        required=False,
        help_text="A model on this machine or in a private network. No judge of the study can then "
        "be made for another one, or run; what is running stops.",
    )
    consent_covers = forms.CharField(
        label="Hosts of programs that your own consent text names",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text="One name a line, such as api.openai.com. The consent page names by itself the "
        "programs that are shown what raters give, and a judge’s run is refused that would show "
        "more. Name a host here where the text that raters agreed to names it too. Only owners "
        "set it.",
    )
    screen_out_pay = forms.CharField(
        label="Pay after screening out",
        required=False,
        max_length=LONGEST_WORDS[SCREEN_OUT_PAY],
        help_text="Raters read it when the screener or the comprehension check ends their visit, "
        "such as: You are paid $0.14.",
    )
    debrief = forms.CharField(
        label="Debriefing",
        required=False,
        widget=forms.Textarea(attrs={"rows": 6, "maxlength": LONGEST}),
        max_length=LONGEST_WORDS[DEBRIEF],
        help_text=f"Raters who completed read it on the last page, below their code. {MARKDOWN}",
    )

    class Meta:
        model = Study
        fields = [
            "title",
            "language",
            "state",
            "notice",
            "consent",
            "instructions",
            "items_per_session",
            "raters_per_item",
            "raters_per_item_max",
            "hold_minutes",
            "show_history",
            "media_hosts",
            "completion_code",
        ]
        widgets = {
            name: forms.Textarea(attrs={"rows": rows, "maxlength": LONGEST})
            for name, rows in (("notice", 2), ("consent", 6), ("instructions", 8))
        }
        labels = {
            "raters_per_item": "Raters of each item",
            "raters_per_item_max": "Most raters of an item whose raters disagree",
            "hold_minutes": "Minutes a rater may pause",
            "show_history": "Contents of the recipient’s history to show",
            "state": "For raters",
        }
        help_texts = {
            "consent": MARKDOWN,
            "instructions": MARKDOWN,
            "raters_per_item": "Raising this opens more places of each item at once. Lowering it "
            "removes open places; those that raters hold or have filled stay.",
        }

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for name in ("notice", "consent", "instructions"):
            self.fields[name].validators.append(MaxLengthValidator(LONGEST))
        self.wanted_before = self.instance.raters_per_item
        self.fields["raters_per_item"].required = False
        self.fields["show_history"].required = False
        self.fields["language"].choices = languages_for(self.instance)
        most = self.fields["raters_per_item_max"]
        most.required = False
        most.help_text = (
            "0 is off. Else an item whose raters disagree when all are done gets one more at a "
            "time, up to so many."
        )
        ((measure, least),) = (self.instance.adaptive_from or USUAL).items()
        self.initial |= {"spread_measure": measure, "spread_least": f"{least:g}"}
        self.order_fields([name for names in GROUPS.values() for name in names])
        self.initial["media_hosts"] = "\n".join(self.instance.media_hosts)
        self.initial |= {key: self.instance.extra.get(key) for key in IN_EXTRA}
        for name in OWNERS_ONLY:
            self.fields[name].disabled = not is_owned(self.instance)
        self.initial[COVERS] = "\n".join(self.instance.extra.get(COVERS) or [])

    @property
    def groups(self):
        """Return (legend, fields, whether it is open) of each group, in the order of the page."""
        open_at = {*UNFOLDED, *self.errors} | {DELETE_ON} & {*self.instance.extra}
        return [
            (legend, [self[name] for name in names], not open_at.isdisjoint([legend, *names]))
            for legend, names in GROUPS.items()
        ]

    def clean_tell_pay(self):
        """Return True, or None where the file need not say anything."""
        return self.cleaned_data["tell_pay"] or None

    def clean_delete_on(self):
        """Return a coming day as the file has it; None for a blank field."""
        day = self.cleaned_data[DELETE_ON]
        try:
            return check_date(day) if day else None
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None

    def clean_local_models_only(self):
        """Return True, or None where the file need not say anything."""
        return self.cleaned_data[LOCAL_ONLY] or None

    def clean_layout(self):
        """Return the layout; None for the usual one, which the file does not name."""
        layout = self.cleaned_data["layout"]
        return layout if layout != Study.Layout.LIST else None

    def clean_language(self):
        """Return the language; a blank field keeps the old value."""
        return self.cleaned_data["language"] or self.instance.language

    def clean_raters_per_item(self):
        """Return the number; a blank field keeps the old value."""
        return self.cleaned_data["raters_per_item"] or self.wanted_before

    def clean_raters_per_item_max(self):
        """Return the number; a blank field means off."""
        most = self.cleaned_data["raters_per_item_max"] or 0
        least = self.cleaned_data.get("raters_per_item", self.wanted_before)
        if 0 < most <= least:
            raise forms.ValidationError(f"Use 0 (off), or more than {least}.")
        return most

    def clean_spread_least(self):
        """Set a valid spread; a blank field means the usual spread."""
        given = self.cleaned_data["spread_least"]
        measure = self.cleaned_data.get("spread_measure") or "sd"
        if given is None:
            self.instance.adaptive_from = {}
            return given
        try:
            whole = measure == "labels" and given == int(given)
            self.instance.adaptive_from = check_spread({measure: int(given) if whole else given})
        except (ValueError, OverflowError) as error:
            raise forms.ValidationError(str(error)) from None
        return given

    def clean_show_history(self):
        """Return the number; a blank field means none."""
        return self.cleaned_data["show_history"] or 0

    def clean_media_hosts(self):
        """Return the list of names."""
        try:
            return check_hosts(self.cleaned_data["media_hosts"].split())
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None

    def clean_consent_covers(self):
        """Return the list of hosts; None for a blank field."""
        try:
            return check_covered(self.cleaned_data[COVERS].split()) or None
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None

    def clean_pay_currency(self):
        """Return the currency in capital letters; None for a blank field."""
        code = self.cleaned_data["pay_currency"].upper()
        try:
            return read_currency(code) if code else None
        except ValueError as error:
            raise forms.ValidationError(f"F{str(error)[1:]}.") from None

    def clean(self):
        """Give texts one kind of line end, so that the study's file reads well."""
        data = super().clean()
        for name in ("notice", "consent", "instructions", DEBRIEF):
            if name in data:
                data[name] = one_line_ends(data[name])
        return data

    @transaction.atomic
    def save(self):
        """Save the form's fields only: a new questionnaire version may have begun meanwhile."""
        edit.change(self.instance, self._put_extra)  # the study is locked from here on
        self.instance.save(update_fields=[*self._meta.fields, "adaptive_from"])
        if self.instance.raters_per_item != self.wanted_before:
            want_raters(self.instance)
        return self.instance

    def _put_extra(self, extra):
        """Put its fields among what study.yaml keeps; drop blank values, keep disabled ones."""
        for key in IN_EXTRA:
            if self.fields[key].disabled:
                continue
            extra.pop(key, None)
            if (value := self.cleaned_data[key]) not in ("", None):
                extra[key] = value


class MemberForm(forms.Form):
    """A new member of a study, and their role."""

    username = forms.CharField(max_length=150, label="User name")
    role = forms.ChoiceField(choices=Membership.Role)

    def __init__(self, study, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.study = study
        self.fields["role"].initial = Membership.Role.VIEWER

    def clean_username(self):
        """Find the active account with that name."""
        name = self.cleaned_data["username"]
        user = get_user_model().objects.filter(username=name, is_active=True).first()
        if user is None:
            raise forms.ValidationError(f"There is no account {name}. An operator can make one.")
        self.user = user
        return name

    def save(self):
        """Add the member; return False, with an error, if the person is a member already."""
        membership, is_new = Membership.objects.get_or_create(
            study=self.study, user=self.user, defaults={"role": self.cleaned_data["role"]}
        )
        if not is_new:
            self.add_error("username", f"{membership.user} already is a member.")
        return is_new
