"""Ask which sections a paper has, and how its numbers and figures are written."""

from django import forms
from django.http import QueryDict

from analysis.figures.vector import SANS, SERIF
from analysis.options.common import Options
from analysis.options.declare import declared
from analysis.paper.build import names_asked
from analysis.paper.files import WIDTH, Looks
from analysis.paper.sections import SECTIONS
from analysis.paper.table import FEWEST_DIGITS, MOST_DIGITS, Style

NARROWEST, WIDEST = 8.0, 30.0  # cm
FONTS = [(SANS, "Sans serif"), (SERIF, "Serif")]
DIGITS = [(n, str(n)) for n in range(FEWEST_DIGITS, MOST_DIGITS + 1)]


class PaperForm(forms.Form):
    """The sections of a paper and how it is written; what an address leaves out is as usual."""

    sections = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one section."},
    )
    digits = forms.TypedChoiceField(choices=DIGITS, coerce=int, label="Digits")
    percent = forms.BooleanField(required=False, label="Shares in per cent")
    intervals = forms.BooleanField(required=False, label="Intervals beside the numbers")
    width = forms.FloatField(min_value=NARROWEST, max_value=WIDEST, label="Figure width (cm)")
    font = forms.ChoiceField(choices=FONTS, label="Figure font")

    def __init__(self, data, choices, sections):
        """Set up the form.

        data: of an address; choices: of the study's options; sections: those that the study has.
        """
        self.is_asked = "sections" in data
        given = data.copy()
        names = {section.name for section in sections}
        if self.is_asked:
            texts = ",".join(data.getlist("sections"))
            given.setlist("sections", [*filter(None, map(str.strip, texts.split(",")))])
        else:
            usual = [section.name for section in SECTIONS if section.is_usual]
            given.setlist("sections", [name for name in usual if name in names])
        for name, value in (("digits", FEWEST_DIGITS), ("width", f"{WIDTH:g}"), ("font", SANS)):
            given.setdefault(name, str(value))
        part = declared(Options)["part"]
        given.setdefault("part", part.usual(choices))
        super().__init__(given)
        self.has_parts = choices.split is not None
        self.fields["part"] = part.make_field(choices)
        own = self.fields["sections"]
        own.choices = [(section.name, section.title) for section in sections]
        allowed = ", ".join(section.name for section in sections)
        lacking = [section for section in SECTIONS if section.name not in names]
        needs = "; ".join(f"{section.name} needs {section.lacks}" for section in lacking)
        own.error_messages["invalid_choice"] = (
            f"Found “%(value)s”; allowed are {allowed or 'none'}.{f' ({needs})' if needs else ''}"
        )

    @property
    def written(self):
        """List the fields of how numbers and figures are written, and the part of a split."""
        return [self[name] for name in ("digits", "width", "font", "part")[: 3 + self.has_parts]]

    @property
    def looks(self):
        """Return a valid form's Looks."""
        own = self.cleaned_data
        style = Style(own["digits"], own["percent"], own["intervals"])
        return Looks(style, own["width"], own["font"])

    @property
    def query(self):
        """Return what a valid form's paper is computed of: its sections, and the split's part."""
        query = QueryDict(mutable=True)
        query["sections"] = ",".join(names_asked(",".join(self.cleaned_data["sections"])))
        if self.has_parts:
            query["part"] = self.cleaned_data["part"]
        return query

    @property
    def query_string(self):
        """Return the query string that reproduces a valid form's paper."""
        own, query = self.cleaned_data, self.query
        query.update({"digits": own["digits"], "width": f"{own['width']:g}", "font": own["font"]})
        for name in ("percent", "intervals"):
            if own[name]:
                query[name] = "on"
        return query.urlencode(safe=",")

    def errors_in_words(self):
        """Return one line for each error, each naming its option."""
        return [f"{name}: {text}" for name, texts in self.errors.items() for text in texts]
