"""Forms of the researchers' study pages."""

from django import forms
from django.contrib.auth import get_user_model
from django.core.validators import MaxLengthValidator
from django.db import IntegrityError, transaction
from django.utils.text import slugify

from annotate.making import make_study, study_templates
from annotate.media import check_hosts
from annotate.models import Membership, Study
from annotate.models.study import study_slug_rule
from annotate.texts import LONGEST, one_line_ends

MARKDOWN = (
    "Markdown: a blank line begins a paragraph, **bold**, *italic*, “# ” a heading, “- ” a list, "
    "[words](https://address) a link. HTML and pictures are shown as text."
)


class NameForm(forms.Form):
    """What a new study is called, and where it stands."""

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
        """An address is made from the title where none was given."""
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
        """The study, or None with the reason among the form's errors: its address is taken.

        Not looked up before: between the look and the write somebody else may take it.
        """
        slug, title = self.cleaned_data["slug"], self.cleaned_data["title"]
        try:
            with transaction.atomic():
                return make_study(template, slug, title, owner)
        except IntegrityError:
            self.add_error("slug", f"“{slug}” is taken; choose another address.")
            return None


class NewStudyForm(NameForm):
    """A study from one of the project's templates."""

    template = forms.ChoiceField(label="Template", widget=forms.RadioSelect)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        names = study_templates()
        self.fields["template"].choices = [(name, one.title) for name, one in names.items()]
        self.fields["template"].initial = next(iter(names))

    @property
    def options(self):
        """(radio button, template, its questions) of each template."""
        templates = study_templates().values()
        for radio, template in zip(self["template"], templates, strict=True):
            yield radio, template, template.questions()

    def clean_template(self):
        """The template of that name."""
        return study_templates()[self.cleaned_data["template"]]


class StudyForm(forms.ModelForm):
    media_hosts = forms.CharField(
        label="Hosts of pictures and recordings",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text="One name a line, such as media.example.org. The browsers of raters load images "
        "and audio of contents from these hosts, by https, and from no other; the hosts then see "
        "the raters’ network addresses.",
    )

    class Meta:
        model = Study
        fields = [
            "title", "state", "notice", "consent", "instructions", "items_per_session",
            "hold_minutes", "show_history", "media_hosts", "completion_code",
        ]  # fmt: skip
        widgets = {
            name: forms.Textarea(attrs={"rows": rows, "maxlength": LONGEST})
            for name, rows in (("notice", 2), ("consent", 6), ("instructions", 8))
        }
        labels = {
            "hold_minutes": "Minutes a rater may pause",
            "show_history": "Contents of the recipient’s history to show",
            "state": "For raters",
        }
        help_texts = {"consent": MARKDOWN, "instructions": MARKDOWN}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for name in ("notice", "consent", "instructions"):
            self.fields[name].validators.append(MaxLengthValidator(LONGEST))
        self.fields["show_history"].required = False
        self.initial["media_hosts"] = "\n".join(self.instance.media_hosts)

    def clean_show_history(self):
        """Blank is none."""
        return self.cleaned_data["show_history"] or 0

    def clean_media_hosts(self):
        """The list of names."""
        try:
            return check_hosts(self.cleaned_data["media_hosts"].split())
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None

    def clean(self):
        """Texts with one kind of line end, so that the study's file reads well."""
        data = super().clean()
        for name in ("notice", "consent", "instructions"):
            if name in data:
                data[name] = one_line_ends(data[name])
        return data


class MemberForm(forms.Form):
    username = forms.CharField(max_length=150, label="User name")
    role = forms.ChoiceField(choices=Membership.Role)

    def __init__(self, study, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.study = study
        self.fields["role"].initial = Membership.Role.VIEWER

    def clean_username(self):
        """The account of that name."""
        name = self.cleaned_data["username"]
        user = get_user_model().objects.filter(username=name, is_active=True).first()
        if user is None:
            raise forms.ValidationError(f"There is no account {name}. An operator can make one.")
        self.user = user
        return name

    def save(self):
        """True; False, with the reason among the errors, if the person is a member already."""
        membership, is_new = Membership.objects.get_or_create(
            study=self.study, user=self.user, defaults={"role": self.cleaned_data["role"]}
        )
        if not is_new:
            self.add_error("username", f"{membership.user} already is a member.")
        return is_new
