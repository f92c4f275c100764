"""The form of the page that makes a study of ratings."""

from django import forms

from annotate.forms_study import NameForm
from annotate.models import Study
from annotate.reading.encoding import too_large
from judges.surveys.plan import CELLS, LARGEST_SEED, MOST_RATERS, MOST_SURVEYS, Plan
from judges.surveys.reading import FILES


class SurveysForm(NameForm):
    """Name, the two files, how many surveys."""

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
        min_value=1, max_value=MOST_SURVEYS, initial=10,
        help_text=f"Each has {len(CELLS)} questions.",
    )  # fmt: skip
    raters = forms.IntegerField(
        label="Raters of each survey", min_value=1, max_value=MOST_RATERS, initial=3
    )
    seed = forms.IntegerField(
        min_value=0, max_value=LARGEST_SEED, initial=1,
        help_text="The same files and seed make the same study.",
    )  # fmt: skip
    people = forms.BooleanField(
        label="Histories of people", required=False,
        help_text="The nine films of a history are drawn from those that one person in the "
        "ratings has. Else from all that are popular, as in the paper.",
    )  # fmt: skip

    def clean(self):
        """Refuses what is too large by its size alone, and an address that is taken."""
        data = super().clean()
        for name in FILES:
            file = data.get(name)
            if file and (refused := too_large(file.size)):
                self.add_error(name, refused)
        if Study.objects.filter(slug=data.get("slug", "")).exists():
            self.add_error("slug", f"“{data['slug']}” is taken; choose another address.")
        return data

    @property
    def plan(self):
        return Plan(**{name: self.cleaned_data[name] for name in Plan.__dataclass_fields__})

    @property
    def files_given(self):
        return {name: self.cleaned_data[name] for name in FILES}
