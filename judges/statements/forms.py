"""The form of one statement, and what the page of all can be filtered by."""

from django import forms

from judges.methods.extract.triplets import LONGEST, alike
from judges.models import Sentiment
from judges.models.statement import LONGEST_TOPIC
from judges.statements.edit import REPEATED


class StatementForm(forms.Form):
    """What is said, about which topic, and how it feels. Without names any topic can be given.

    others: what the same text says besides.
    """

    statement = forms.CharField(max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 2}))
    topic = forms.ChoiceField()
    sentiment = forms.ChoiceField(choices=Sentiment)

    def __init__(self, topics, others, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.others = {alike(said) for said in others}
        if topics:
            self.fields["topic"].choices = [(name, name) for name in topics]
        else:
            self.fields["topic"] = forms.CharField(max_length=LONGEST_TOPIC)

    def clean_statement(self):
        """In one line, as what a judge extracts."""
        said = " ".join(self.cleaned_data["statement"].split())
        if not alike(said):
            raise forms.ValidationError("Enter a statement in words.")
        is_same = alike(said) == alike(self.initial.get("statement", ""))
        if alike(said) in self.others and not is_same:
            raise forms.ValidationError(REPEATED)
        return said

    def clean_topic(self):
        return " ".join(self.cleaned_data["topic"].split())
