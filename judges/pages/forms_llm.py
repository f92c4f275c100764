"""Check the forms of LLM judges: what a method declares, and what some need besides."""

from django import forms

from judges import methods
from judges.methods.extract import topics
from judges.methods.profile.settings import MOST_NUMBERS, WRONG_NUMBERS
from judges.models import Endpoint, Judge
from judges.pages.forms_kinds import KindForm
from judges.prompting import fill
from judges.prompting.library import Library
from judges.runs import check

LONGEST_LIST = 1000
# The settings at the end of a verdict's form.
LAST = (
    "context",
    "profile_episodes",
    "history_length",
    "transcript_length",
    "temperature",
    "max_tokens",
    "samples",
)


class LlmForm(KindForm):
    """Take a judge that asks an LLM by a method."""

    usual_prompt = ""  # where it is another one than in a file
    prompt = forms.ChoiceField(
        help_text="Once used, a prompt is never changed; a new version is a new name.",
    )

    class Meta:
        model = Judge
        fields = ["key", "endpoint", "prompt"]

    def __init__(self, study, kind, *args, method=Judge.Method.QUESTIONS, **kwargs):
        super().__init__(study, kind, *args, method=method, **kwargs)
        self.method = methods.named(method)
        names = Library(study.pk).names(method)
        self.fields["prompt"].choices = [(name, name) for name in names]
        self.fields["prompt"].initial = self.usual_prompt or self.method.usual_prompt
        self.fields["endpoint"].required = True
        self.fields["endpoint"].queryset = Endpoint.objects.usable_by(study)
        self.fields["endpoint"].help_text = "A connected model of this study, or one of operators."

    def _post_clean(self):
        """Add what does not go together, once the judge has the fields' values."""
        super()._post_clean()
        if not self.errors:
            for name, problem in check.problems_of(self.instance).items():
                self.add_error(name if name in self.fields else None, problem)


class QuestionsForm(LlmForm):
    """Take a judge that answers each question on its scale."""

    usual_prompt = "explanation.v3"


class VerdictForm(LlmForm):
    """Take a judge whose verdict answers one question of the study."""

    question = forms.ChoiceField(
        label="Question that the verdict answers",
        help_text="The analysis compares the verdicts with people’s answers to it.",
    )

    class Meta(LlmForm.Meta):
        fields = [*LlmForm.Meta.fields, "question"]

    def __init__(self, study, kind, *args, **kwargs):
        super().__init__(study, kind, *args, **kwargs)
        candidates = self.method.candidates(study.questions.all())
        field = self.fields["question"]
        field.choices = [(q.key, f"{q.key}: {fill.one_line(q.text)[:80]}") for q in candidates]
        if not candidates:
            wanted = self.method.wanted
            field.choices = [("", "There is none yet")]
            field.help_text = f"The study has no such question: {wanted}. Add one first."
        if candidates and not self.initial.get("question"):
            self.initial["question"] = candidates[0].key
        own = [name for name in self.settings_class.names() if name not in LAST]
        self.order_fields([*self.Meta.fields, *own, *LAST])
        if "context" in self.fields:
            self.fields["context"].help_text = (
                "Profile: the text of their profile item. History: episodes with show, topics and "
                "the share listened to, then the shows; never what is judged."
            )


class Listed(forms.CharField):
    """Read a list, which is written with commas between its entries."""

    def write(self, values):
        return ", ".join(map(str, values))

    def prepare_value(self, value):
        return self.write(value) if isinstance(value, list) else value

    def has_changed(self, initial, data):
        return self.to_python(data) != initial


class Names(Listed):
    """Read names with commas between them as a list."""

    def to_python(self, value):
        return [name.strip() for name in (value or "").split(",") if name.strip()]


class PairwiseForm(VerdictForm):
    """Take a judge of which of two lists fits better."""

    dimensions = Names(max_length=LONGEST_LIST)


class Numbers(Listed):
    """Read whole numbers with commas between them, or a range, as a list: "5, 10" or "5-20"."""

    def to_python(self, value):
        numbers: list[int] = []
        for part in (value or "").replace("–", "-").replace("…", "-").split(","):
            if part.strip():
                numbers += self._numbers(part)
        return numbers

    def _numbers(self, part):
        ends = part.split("-")
        if len(ends) > 2 or not all(end.strip().isdecimal() for end in ends):
            raise forms.ValidationError("Enter numbers with commas between them, or one range.")
        low, high = int(ends[0]), int(ends[-1])
        if high - low >= MOST_NUMBERS:
            raise forms.ValidationError(WRONG_NUMBERS)
        return range(low, high + 1)


class ProfileForm(LlmForm):
    """Take a judge that writes a profile of each recipient."""

    episodes = Numbers(required=False, max_length=LONGEST_LIST)


class Topics(Listed):
    """Read a list of topics, each on a line with what belongs to it."""

    widget = forms.Textarea(attrs={"rows": 6})

    def write(self, values):
        return topics.written(values)

    def to_python(self, value):
        return topics.parse_topics(value or "")


class ExtractionForm(LlmForm):
    """Take a judge that extracts statements from texts."""

    opens = ("key", "endpoint", "prompt", "topic_list", "topics")
    topic_list = forms.ChoiceField(
        label="List of topics",
        choices=[*((name, name) for name in topics.ready()), (topics.OWN, "Your own, below")],
        help_text="Of the paper on factual consistency, or your own.",
    )
    topics = Topics(required=False, max_length=20_000)

    def __init__(self, study, kind, *args, **kwargs):
        super().__init__(study, kind, *args, **kwargs)
        self.order_fields([*self.Meta.fields, "sides", "topic_list", "topics"])
        if "topics" in self.initial:
            self.initial["topic_list"] = topics.name_of(self.initial["topics"])

    def clean(self):
        """Return the values, with the topics of a ready-made list."""
        values = super().clean()
        ready = topics.ready().get(values.get("topic_list"))
        return values | ({"topics": ready} if ready else {})


FORMS = {
    Judge.Method.QUESTIONS: QuestionsForm,
    Judge.Method.PAIRWISE: PairwiseForm,
    Judge.Method.PROFILE: ProfileForm,
    Judge.Method.EXTRACTION: ExtractionForm,
}


def llm_form(method):
    """Return the class of the form of judges of this method."""
    return FORMS.get(method, VerdictForm if methods.named(method).wanted else LlmForm)
