"""Edit where raters come from: the platform, personal links, payment."""

from decimal import Decimal

from django import forms

from annotate.design.platform import CODE, KEEP_DAYS, MOST_KEEP_DAYS, Name, Outcome, Platform
from annotate.files.reading.columns import refuse_unseen
from annotate.models import Rater
from annotate.recruitment import participants
from annotate.recruitment.participants_file import KNOWN, problems_of
from annotate.sessions import links
from annotate.values.texts import composed, lines_of

MOST_LINKS = 1000
CODED = [Outcome(value) for value in Outcome.values if value != Outcome.COMPLETE]


class PlatformForm(forms.Form):
    """The `platform` of a study."""

    name = forms.ChoiceField(label="Raters come from", choices=Name.choices)
    open_link = forms.BooleanField(
        label="The open link works",
        required=False,
        help_text="Whoever has it can take part. Without it only personal links and the platform "
        "lead into the study. Choosing a platform turns it off, since people could come twice; "
        "tick it afterwards if it is to work.",
    )

    keep_for_recipients = forms.BooleanField(
        label="Keep a place on each item for the recipient it was recommended to",
        required=False,
        help_text="For recipients with a personal link, until their visit is over or the link is "
        "withdrawn. Without it others may take all places before a recipient comes.",
    )
    keep_days = forms.IntegerField(
        label="Days for which a place is kept",
        min_value=1,
        max_value=MOST_KEEP_DAYS,
        required=False,
        help_text="Counted from when the link was made, or the recipient was last heard of. Then "
        f"everybody may take the place; the link still works. Empty: {KEEP_DAYS}.",
    )

    def __init__(self, platform, *args, **kwargs):
        codes = {f"code_{outcome}": code for outcome, code in platform.codes.items()}
        names = ("name", "open_link", "keep_for_recipients", "keep_days")
        initial = {name: getattr(platform, name) for name in names} | codes
        super().__init__(*args, initial=initial, **kwargs)
        self.name_before = platform.name
        for outcome in CODED:
            self.fields[f"code_{outcome}"] = forms.RegexField(
                rf"^{CODE.pattern}\Z",
                label=outcome.label,
                required=False,
                strip=True,
                max_length=40,
                error_messages={"invalid": "A code is 1 to 40 letters, digits, - and _."},
            )

    @property
    def code_fields(self):
        """Return the fields of the codes."""
        return [self[f"code_{outcome}"] for outcome in CODED]

    @property
    def closes_link(self):
        """Tell whether a newly chosen platform turns the open link off."""
        is_new = self.name_before == Name.NONE != self.cleaned_data["name"]
        return is_new and self.cleaned_data["open_link"]

    def platform(self):
        """Return the Platform that was chosen."""
        data = self.cleaned_data
        codes = {
            str(outcome): data[f"code_{outcome}"] for outcome in CODED if data[f"code_{outcome}"]
        }
        keep = data["keep_for_recipients"]
        days = data["keep_days"] or KEEP_DAYS
        is_open = data["open_link"] and not self.closes_link
        return Platform(Name(data["name"]), is_open, codes, keep, days)


class LinksForm(forms.Form):
    """A choice of the personal links to make."""

    how = forms.ChoiceField(
        label="For whom",
        choices=[
            ("count", "A number of people"),
            ("names", "The people of a list"),
            ("recipients", "One for each recipient of the study who has none yet"),
        ],
    )
    count = forms.IntegerField(
        label="How many", min_value=1, max_value=MOST_LINKS, required=False, initial=10
    )
    names = forms.CharField(
        label="The list",
        widget=forms.Textarea(attrs={"rows": 4}),
        required=False,
        max_length=100_000,
        help_text="One a line. They stand in exports: take pseudonyms, not people’s names.",
    )
    role = forms.ChoiceField(
        choices=Rater.Role,
        initial=Rater.Role.THIRD_PARTY,
        help_text="As recipients the people of a list are called as in the study’s files; each "
        "rates only what was recommended to them.",
    )

    def __init__(self, study, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.study = study

    def clean(self):
        """Add the raters to create, as links.make takes them."""
        data = super().clean()
        if not self.errors:
            data["raters"] = getattr(self, f"_by_{data['how']}")(**data)
        return data

    def _by_count(self, count, role, **_others):
        if not count:
            self.add_error("count", "How many links are to be made?")
        elif role == Rater.Role.RECIPIENT:
            self.add_error(
                "role", "A recipient has a name: choose the list, or one for each recipient."
            )
        return [(name, role, None) for name in links.new_names(count or 0)]

    def _by_names(self, names, role, **_others):
        names = lines_of(composed(names))
        self._check(names)
        if role != Rater.Role.RECIPIENT:
            self._check_new(names)
            return [(name, role, None) for name in names]
        recipients = {
            recipient.key: recipient for recipient in self.study.recipients.filter(key__in=names)
        }
        if unknown := [name for name in names if name not in recipients]:
            self.add_error("names", f"No recipient of this study is called {_few(unknown)}.")
        return [(name, role, recipients.get(name)) for name in names]

    def _check(self, names):
        twice = sorted({name for name in names if names.count(name) > 1})
        if not names:
            self.add_error("names", "The list is empty.")
        elif len(names) > MOST_LINKS:
            self.add_error("names", f"{len(names):,} names; at most {MOST_LINKS:,} at a time.")
        elif twice:
            self.add_error("names", f"Twice in the list: {_few(twice)}.")
        if long := [name for name in names if len(name) > 200]:
            self.add_error("names", f"Longer than 200 characters: {_few(long)}.")

    def _check_new(self, names):
        """Refuse invisible characters; a recipient's name stands in the study already."""
        try:
            for name in names:
                refuse_unseen(name)
        except ValueError as error:
            self.add_error("names", str(error))

    def _by_recipients(self, **_others):
        raters = links.for_recipients(self.study)
        if not raters:
            self.add_error("how", "Every recipient with items has a link, or there is none.")
        return raters

    def save(self):
        """Make the links and return how many; if names are taken, add an error and return 0."""
        try:
            return links.make(self.study, self.cleaned_data["raters"])
        except links.Taken as taken:
            self.add_error("names", f"Raters of this study already: {_few(taken.args)}.")
            return 0


def _few(names):
    shown = ", ".join(f"“{name[:40]}”" for name in names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown


class BonusForm(forms.Form):
    """The bonus that is paid for an item."""

    amount = forms.DecimalField(
        label="Bonus for an item",
        min_value=Decimal("0.0001"),
        max_value=100,
        decimal_places=4,
        help_text="In the currency of the study on the platform, such as 0.05.",
    )
    everybody = forms.BooleanField(
        label="Also to those who did not complete, for what they rated", required=False
    )


class ReturnsForm(forms.Form):
    """Submissions that ended on the platform."""

    ids = forms.CharField(
        label="Participant or submission ids",
        widget=forms.Textarea(attrs={"rows": 3}),
        max_length=100_000,
        help_text="As the platform shows them, separated by spaces, commas or lines.",
    )

    def clean_ids(self):
        """Return the ids as a list."""
        return self.cleaned_data["ids"].replace(",", " ").split()


NAMED = {
    "participant": "who it is",
    "rate": "the approval rate, in percent",
    "approved": "how many tasks were approved",
    "rejected": "how many tasks were rejected",
    "tasks": "how many tasks were done",
}


class ParticipantsForm(forms.Form):
    """The platform's own file of its participants; columns with other names are named here."""

    file = forms.FileField(
        label="File (CSV)",
        allow_empty_file=True,
        help_text="Prolific: the study’s demographic data. MTurk: the results of the batch, or the "
        "list of workers.",
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )

    def __init__(self, study, *args, **kwargs):
        super().__init__(*args, auto_id="people-%s", **kwargs)
        self.study = study
        for what, label in NAMED.items():
            self.fields[what] = forms.CharField(
                label=f"Column that tells {label}",
                required=False,
                max_length=200,
                help_text=f"Known without a name: {', '.join(KNOWN[what])}.",
            )

    @property
    def columns(self):
        """Return the fields of the columns' names."""
        return [self[what] for what in NAMED]

    def clean(self):
        """Add `people`, the file's contents; errors name the line and the column."""
        data = super().clean()
        if self.errors:
            return data
        file = data["file"]
        data["people"], problems = problems_of(file.name, file.read(), data)
        for problem in problems.shown:
            self.add_error("file", str(problem))
        if not problems and not participants.count_known(self.study, data["people"].told):
            self.add_error("file", "None of its participants has taken part in this study.")
        return data
