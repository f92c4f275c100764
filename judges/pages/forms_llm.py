"""Check the forms of LLM judges, one for each method."""

import math

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

from judges import methods
from judges.methods.base import LAST_KEYS
from judges.methods.extract import topics
from judges.methods.profile.method import MOST_NUMBERS, Writer, episodes_problem
from judges.methods.recommend.method import TOKENS_AN_ENTRY, Recommender
from judges.methods.topics.method import Topics as TopicsMethod
from judges.methods.verdicts.support import Support
from judges.models import Judge
from judges.pages.forms_kinds import KindForm
from judges.prompting import fill
from judges.prompting.library import Library
from judges.runs import check

LONGEST_LIST = 1000
ZERO = ("profile_episodes", "transcript_length")
CONTEXT = ("context", "profile_episodes", "history_length", "transcript_length")
REASONED = (*CONTEXT, *LAST_KEYS, "samples")


class LlmForm(KindForm):
    """Take the settings of all LLM judges."""

    method = Judge.Method.QUESTIONS
    usual_prompt = ""  # where it is another one than in a file
    prompt = forms.ChoiceField(
        help_text="Once used, a prompt is never changed; a new version is a new name.",
    )
    temperature = forms.FloatField(
        initial=0.0,
        validators=[MinValueValidator(0), MaxValueValidator(2)],
        help_text="0 asks for the likeliest answer; 2 is the most.",
    )
    max_tokens = forms.IntegerField(
        label="Most tokens of a reply",
        initial=400,
        validators=[MinValueValidator(1), MaxValueValidator(100_000)],
    )

    def __init__(self, study, kind, *args, **kwargs):
        super().__init__(study, kind, *args, **kwargs)
        self.instance.method = self.method
        names = Library(study.pk).names(self.method)
        self.fields["prompt"].choices = [(name, name) for name in names]
        method = methods.named(self.method)
        self.fields["prompt"].initial = self.usual_prompt or method.usual_prompt
        self.fields["max_tokens"].initial = method.usual_tokens
        self.fields["endpoint"].required = True
        self.fields["endpoint"].help_text = "Operators make and test endpoints."
        for name in self.fields.keys() & set(ZERO):
            self.fields[name].required = False

    def clean(self):
        """Return the values, with 0 for empty fields where 0 stands for "without"."""
        super().clean()
        return self.cleaned_data | {
            name: self.cleaned_data.get(name) or 0 for name in ZERO if name in self.fields
        }

    def _post_clean(self):
        """Add what does not go together, once the judge has the fields' values."""
        super()._post_clean()
        if not self.errors:
            for name, problem in check.problems_of(self.instance).items():
                self.add_error(name if name in self.fields else None, problem)

    def clean_temperature(self):
        value = self.cleaned_data["temperature"]
        if math.isnan(value):
            raise forms.ValidationError("Enter a number from 0 to 2.")
        return value


class QuestionsForm(LlmForm):
    """Take a judge that answers each question on its scale."""

    usual_prompt = "explanation.v3"

    class Meta:
        model = Judge
        fields = [
            "key",
            "endpoint",
            "prompt",
            "aspects",
            "rationale",
            "temperature",
            "max_tokens",
            "samples",
            "weighted",
            "shots",
            "example_role",
            "strict",
            "pool_share",
            "seed",
            "context",
            "history_length",
        ]
        labels = {"rationale": "Ask for a rationale", "aspects": "Questions"}


class VerdictForm(LlmForm):
    """Take a judge whose verdict answers one question of the study, as a rule after a reason."""

    reasoned = True

    question = forms.ChoiceField(
        label="Question that the verdict answers",
        help_text="The analysis compares the verdicts with people’s answers to it.",
    )

    def __init__(self, study, kind, *args, **kwargs):
        super().__init__(study, kind, *args, **kwargs)
        self.instance.rationale = self.reasoned
        # Not offered; who asks for it all the same is told why.
        self.instance.weighted = bool(self.data.get("weighted"))
        method = methods.named(self.method)
        candidates = method.candidates(study.questions.all())
        field = self.fields["question"]
        field.choices = [(q.key, f"{q.key}: {fill.one_line(q.text)[:80]}") for q in candidates]
        if not candidates:
            wanted = method.wanted
            field.choices = [("", "There is none yet")]
            field.help_text = f"The study has no such question: {wanted}. Add one first."
        if self.instance.pk and not self.instance.question and candidates:
            self.initial["question"] = candidates[0].key
        if "context" in self.fields:
            self._say_what_context_is()

    def _say_what_context_is(self):
        if not self.instance.pk:
            self.fields["context"].initial = Judge.Context.PROFILE
        self.fields["context"].help_text = (
            "Profile: the text of their profile item. History: episodes with show, topics and the "
            "share listened to, then the shows; never what is judged."
        )


class SupportForm(VerdictForm):
    """Take a judge of whether a document supports a statement, without reason or recipient."""

    method = Judge.Method.SUPPORT
    reasoned = False

    class Meta:
        model = Judge
        fields = ["key", *Support.keys[1:]]


class FitForm(VerdictForm):
    """Take a judge of whether a recommendation fits."""

    method = Judge.Method.FIT

    class Meta:
        model = Judge
        fields = ["key", "endpoint", "prompt", "question", "neutral", *REASONED]


class Names(forms.CharField):
    """Read names with commas between them as a list."""

    def prepare_value(self, value):
        return ", ".join(map(str, value)) if isinstance(value, list) else value

    def to_python(self, value):
        return [name.strip() for name in (value or "").split(",") if name.strip()]

    def has_changed(self, initial, data):
        return self.to_python(data) != initial


class PairwiseForm(VerdictForm):
    """Take a judge of which of two lists fits better."""

    method = Judge.Method.PAIRWISE
    dimensions = Names(
        max_length=LONGEST_LIST,
        initial=Judge._meta.get_field("dimensions").get_default,
        help_text="What the reasons are about, one after the other, before the verdict. Commas "
        "between them.",
    )

    class Meta:
        model = Judge
        fields = ["key", "endpoint", "prompt", "question", "dimensions", "order", "seed", *REASONED]


class Numbers(forms.CharField):
    """Read whole numbers with commas between them, or a range, as a list: "5, 10" or "5-20"."""

    def prepare_value(self, value):
        return ", ".join(map(str, value)) if isinstance(value, list) else value

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
            raise forms.ValidationError(episodes_problem(None))
        return range(low, high + 1)

    def has_changed(self, initial, data):
        return self.to_python(data) != initial


class WriterForm(LlmForm):
    """Take a judge that writes a profile of each recipient."""

    method = Judge.Method.PROFILE
    episodes = Numbers(
        required=False,
        max_length=LONGEST_LIST,
        help_text="Empty: one profile of all. “10”: one profile of ten. “5, 10, 15, 20” or “5-20”: "
        "one of each number. Who has fewer gets none, and the run says so.",
    )

    class Meta:
        model = Judge
        fields = ["key", *Writer.keys[1:]]


class RecommenderForm(LlmForm):
    """Take a recommender that is tested itself, at its endpoint's default temperature."""

    method = Judge.Method.RECOMMENDER
    temperature = None  # type: ignore[assignment]

    class Meta:
        model = Judge
        fields = ["key", *Recommender.keys[1:]]

    def __init__(self, study, kind, *args, **kwargs):
        super().__init__(study, kind, *args, **kwargs)
        self.fields[
            "max_tokens"
        ].help_text = (
            f"At least. Where k contents are asked for, {TOKENS_AN_ENTRY} for each are allowed."
        )


class Topics(forms.CharField):
    """Read a list of topics, each on a line with what belongs to it."""

    widget = forms.Textarea(attrs={"rows": 6})

    def prepare_value(self, value):
        return topics.written(value) if isinstance(value, list) else value

    def to_python(self, value):
        return topics.parse_topics(value or "")

    def has_changed(self, initial, data):
        return self.to_python(data) != initial


class ExtractionForm(LlmForm):
    """Take a judge that extracts statements from texts."""

    method = Judge.Method.EXTRACTION
    topic_list = forms.ChoiceField(
        label="List of topics",
        choices=[*((name, name) for name in topics.ready()), (topics.OWN, "Your own, below")],
        help_text="Of the paper on factual consistency, or your own.",
    )
    topics = Topics(
        label="Your own topics",
        required=False,
        max_length=20_000,
        help_text="One a line: its short name, a colon, what belongs to it. Read only where the "
        "list above is your own.",
    )

    class Meta:
        model = Judge
        fields = [
            "key",
            "endpoint",
            "prompt",
            "sides",
            "topic_list",
            "topics",
            "part_length",
            "most_statements",
            "temperature",
            "max_tokens",
        ]

    def __init__(self, study, kind, *args, **kwargs):
        super().__init__(study, kind, *args, **kwargs)
        self.order_fields(self.Meta.fields)
        if self.instance.pk:
            self.initial["topic_list"] = topics.name_of(self.instance.topics)

    def clean(self):
        """Return the values, with the topics of a ready-made list."""
        values = super().clean()
        ready = topics.ready().get(values.get("topic_list"))
        return values | ({"topics": ready} if ready else {})


class ShortlistForm(LlmForm):
    """Take a judge that proposes topics for a list of them."""

    method = Judge.Method.TOPICS

    class Meta:
        model = Judge
        fields = ["key", *TopicsMethod.keys[1:]]

    def __init__(self, study, kind, *args, **kwargs):
        super().__init__(study, kind, *args, **kwargs)
        if not self.instance.pk:
            # The default of the field is that of judges that extract.
            self.initial["sides"] = Judge.Sides.REFERENCE


LLM_FORMS = {
    form.method: form
    for form in (
        QuestionsForm,
        FitForm,
        PairwiseForm,
        SupportForm,
        WriterForm,
        ExtractionForm,
        RecommenderForm,
        ShortlistForm,
    )
}
