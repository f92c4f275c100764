"""Define the form of the page that makes a study of ratings."""

from django import forms

from annotate.files.reading.encoding import too_large
from annotate.models import Study
from annotate.studies.delete import why_taken
from annotate.studies.forms_study import NameForm
from annotate.values.texts import composed
from judges.counterfactual.surveys.plan import (
    CELLS,
    LARGEST_SEED,
    MOST_RATERS,
    MOST_SEEDS,
    MOST_SURVEYS,
    Plan,
)
from judges.counterfactual.surveys.reading import FILES
from judges.scorers.settings import ModelSettings
from judges.values.setting_fields import setting_field

LONGEST = 210_000  # characters: a thousand ids of two hundred
MODEL = "form", "factors", "iterations", "regularisation", "seeds"
HOW = {
    "form": "The explicit form trains on the ratings, which all of ratings.csv needs then, and "
    "takes about 25 times as long. Somebody made up rates a film as it is rated on average.",
    "factors": "The more, the finer the model and the longer a training.",
    "iterations": "Of alternating least squares, in each training.",
    "regularisation": "The larger, the smaller the factors.",
}


def of_model(name):
    """Make the field of a setting that the study’s judges have too, with its ends; not required."""
    field = setting_field(ModelSettings, name)
    field.help_text, field.required = HOW[name], False
    return field


class SurveysForm(NameForm):
    """Asks for a name, the two files and how many surveys."""

    movies = forms.FileField(
        label="movies.csv",
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv"}),
        help_text="Columns movieId, title and genres, separated by |.",
    )
    ratings = forms.FileField(
        label="ratings.csv",
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv"}),
        help_text="Columns userId and movieId; rating and timestamp are kept.",
    )
    surveys = forms.IntegerField(
        min_value=1,
        max_value=MOST_SURVEYS,
        initial=10,
        help_text=f"Each has {len(CELLS)} questions.",
    )
    raters = forms.IntegerField(
        label="Raters of each survey", min_value=1, max_value=MOST_RATERS, initial=3
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=LARGEST_SEED,
        initial=1,
        help_text="The same files and seed make the same study.",
    )
    people = forms.BooleanField(
        label="Histories of people",
        required=False,
        help_text="The nine films of a history are drawn from those that one person in the "
        "ratings has. Else from all that are popular, as in the paper.",
    )
    real = forms.BooleanField(
        label="About real people",
        required=False,
        help_text="Each survey explains what is recommended to one person in the ratings, to whom "
        "a personal link then gives it. Else all recipients are made up, as in the paper.",
    )
    only = forms.CharField(
        label="These people alone",
        required=False,
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Of real people: one userId a line, a survey each. Empty: they are drawn.",
    )
    form = of_model("form")
    factors = of_model("factors")
    iterations = of_model("iterations")
    regularisation = of_model("regularisation")
    seeds = forms.IntegerField(
        min_value=1,
        max_value=MOST_SEEDS,
        initial=1,
        required=False,
        help_text="With several, each question is scored by as many models, of the seed and those "
        "that follow it: the report then says how far CF follows from the seed.",
    )

    def clean_only(self):
        """Return the ids as they stand, each once."""
        lines = (composed(line.strip()) for line in self.cleaned_data["only"].splitlines())
        return tuple(dict.fromkeys(line for line in lines if line))

    def clean(self):
        """Refuse files that are too large by their size alone, and an address that is taken."""
        data = super().clean()
        for name in FILES:
            file = data.get(name)
            if file and (refused := too_large(file.size)):
                self.add_error(name, refused)
        if len(only := data.get("only") or ()) > MOST_SURVEYS:
            self.add_error("only", f"At most {MOST_SURVEYS:,} people.")
        if only and not data.get("real"):
            self.add_error("only", "These are for surveys about real people; choose that too.")
        if Study.objects.filter(slug=data.get("slug", "")).exists():
            self.add_error("slug", why_taken(data["slug"]))
        return data

    @property
    def plan(self):
        """Return the Plan; named people have a survey each."""
        given = {name: self.cleaned_data[name] for name in Plan.__dataclass_fields__}
        given = {name: value for name, value in given.items() if name not in MODEL or value}
        return Plan(**given | ({"surveys": len(given["only"])} if given["only"] else {}))

    @property
    def groups(self):
        """Return (words, fields, are they open): fields that few need can be folded."""
        model = [self[name] for name in MODEL]
        plain = [field for field in self if field.name not in MODEL]
        return [("", plain, True), ("The model", model, any(field.errors for field in model))]

    @property
    def files_given(self):
        return {name: self.cleaned_data[name] for name in FILES}
