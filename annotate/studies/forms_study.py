"""Edit studies: create, settings, members."""

from django import forms
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.validators import MaxLengthValidator
from django.db import IntegrityError, transaction
from django.utils.text import slugify

from annotate.design.payment import AMOUNT, CURRENCY, LARGEST, USD, read_currency
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


GROUPS = {
    "The study, and what raters read": [
        "title",
        "language",
        "state",
        "notice",
        "consent",
        "instructions",
    ],
    "Sessions and places": [
        "items_per_session",
        "raters_per_item",
        "raters_per_item_max",
        "spread_measure",
        "spread_least",
        "hold_minutes",
    ],
    "History, pictures and recordings": ["show_history", "media_hosts"],
    "After a session: code and pay": ["completion_code", AMOUNT, CURRENCY],
}


class StudyForm(forms.ModelForm):
    """The settings of a study."""

    usual_texts = ("consent", "instructions")  # raters read a text where nothing stands there

    language = forms.ChoiceField(
        label="Language of the raters’ pages",
        required=False,
        help_text=Study._meta.get_field("language").help_text,
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
        help_text="The analysis compares what people and judges cost by it. Raters do not see it.",
    )
    pay_currency = forms.CharField(
        label="Currency of the pay",
        required=False,
        max_length=3,
        help_text=f"Three letters; {USD} where nothing stands here.",
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
            "raters_per_item": "Of more the places are there at once. Of fewer the open ones go; "
            "what raters hold or have filled stays.",
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
        self.order_fields([*self.Meta.fields[:9], "spread_measure", "spread_least"])
        self.initial["media_hosts"] = "\n".join(self.instance.media_hosts)
        self.initial |= {key: self.instance.extra.get(key) for key in (AMOUNT, CURRENCY)}

    @property
    def groups(self):
        """Return the legend and the fields of each group, in the order of the page."""
        return [(legend, [self[name] for name in names]) for legend, names in GROUPS.items()]

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
        for name in ("notice", "consent", "instructions"):
            if name in data:
                data[name] = one_line_ends(data[name])
        return data

    @transaction.atomic
    def save(self):
        """Save the form's fields only: a new questionnaire version may have begun meanwhile."""
        edit.change(self.instance, self._put_pay)  # the study is locked from here on
        self.instance.save(update_fields=[*self._meta.fields, "adaptive_from"])
        if self.instance.raters_per_item != self.wanted_before:
            want_raters(self.instance)
        return self.instance

    def _put_pay(self, extra):
        """Put the pay among what study.yaml keeps; drop blank values."""
        for key in (AMOUNT, CURRENCY):
            extra.pop(key, None)
            if (value := self.cleaned_data[key]) is not None:
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
