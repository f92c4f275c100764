"""Check the forms by which a study brings its own prompts and tries them on an item."""

from django import forms

from annotate.design import versions
from annotate.models.study import slug_rule
from annotate.values.texts import one_line_ends
from judges import methods
from judges.methods.extract import topics
from judges.models import Endpoint, Judge, StudyPrompt
from judges.pages.judge_preview import preview
from judges.prompting import own
from judges.prompting.fill import Prompt

TAKEN = "This study already has a prompt of that name. Open it to make its next version."
STALE = (
    "Somebody else saved this prompt meanwhile. Copy your text, open the page anew and look at "
    "theirs first."
)
NO_ENDPOINT = "There is no endpoint yet; an owner connects a model. Cost and settings depend on it."


class PromptForm(forms.ModelForm):
    """Take a prompt's text, and for a new prompt its name and method; say what is wrong where."""

    text = forms.CharField(
        strip=False,
        max_length=own.LONGEST,
        widget=forms.Textarea(attrs={"rows": 22, "spellcheck": "false"}),
    )
    base = forms.CharField(required=False, widget=forms.HiddenInput)

    class Meta:
        model = StudyPrompt
        fields = ["name", "method", "text"]

    def __init__(self, study, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.instance.study = study
        if self.instance.pk:
            del self.fields["name"], self.fields["method"]
            self.initial["base"] = own.sha256(self.instance.text)

    def clean_name(self):
        slug_rule(self.cleaned_data["name"])
        return self.cleaned_data["name"]

    def clean(self):
        data = super().clean()
        method = data.get("method") or self.instance.method
        if "text" in data and method:
            data["text"] = one_line_ends(data["text"])
            problems = own.problems_of(data["text"], methods.named(method))
            for words in own.in_words(problems):
                self.add_error("text", words)
        return data

    def saved(self, user):
        """Return the version that has the text now, or None with the reason among the errors."""
        data = self.cleaned_data
        if self.instance.pk:
            try:
                return own.save_version(self.instance, data["text"], data["base"], user)
            except own.Stale:
                self.add_error(None, STALE)
                return None
        made = own.save_new(self.instance.study, data["name"], data["method"], data["text"], user)
        if made is None:
            self.add_error("name", TAKEN)
        return made


class TryForm(forms.Form):
    """Take the item, the endpoint and the context with which a prompt is tried."""

    item = forms.CharField(
        required=False, max_length=200, widget=forms.TextInput(attrs={"list": "preview-items"})
    )
    endpoint = forms.ModelChoiceField(Endpoint.objects.none(), empty_label=None, required=False)
    context = forms.ChoiceField(label="About the recipient", choices=Judge.Context, required=False)

    def __init__(self, study, method, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.method = method
        self.fields["endpoint"].queryset = Endpoint.objects.usable_by(study)
        self.fields["item"].label = methods.named(method).asked_about.capitalize()
        if "context" not in methods.named(method).keys:
            del self.fields["context"]

    @staticmethod
    def usual(study, method):
        """Return what a prompt of this method is tried with by default."""
        is_verdict = bool(methods.named(method).wanted)
        first = Endpoint.objects.usable_by(study).values_list("pk", flat=True).first()
        return {
            "endpoint": first or "",
            "context": str(Judge.Context.PROFILE if is_verdict else Judge.Context.NONE),
        }

    def tried(self, study, name, text):
        """Return the Preview of the text, of which nothing is kept; None without an item."""
        prompt, data = Prompt(name, text), self.cleaned_data
        if data["endpoint"] is None:
            self.add_error("endpoint", NO_ENDPOINT)
            return None
        context = data.get("context") if prompt.has("context") else ""
        judge = Judge(
            study=study,
            endpoint=data["endpoint"],
            method=self.method,
            prompt=name,
        )
        tried = {"context": context or Judge.Context.NONE}
        tried |= {"topics": next(iter(topics.ready().values()))}
        names = judge.settings_class.names()
        judge.settings = {name: value for name, value in tried.items() if name in names}
        judge.question = _question(judge)
        return preview(judge, data["item"].replace("\x00", "").strip(), prompt)


def _question(judge):
    """Return the first question that a verdict could answer."""
    method = methods.named(judge.method)
    candidates = method.candidates(versions.asked(judge.study)) if method.wanted else []
    return candidates[0].key if candidates else ""
