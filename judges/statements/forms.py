"""Check the form by which people add or correct a statement."""

from django import forms

from judges.methods.extract.triplets import LONGEST, alike
from judges.models import Sentiment
from judges.models.statement import LONGEST_TOPIC
from judges.statements.edit import REPEATED


class StatementForm(forms.Form):
    """Take a statement, its topic and its sentiment; without names any topic can be given.

    others: the other statements of the same text.
    """

    statement = forms.CharField(max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 2}))
    topic = forms.ChoiceField()
    sentiment = forms.ChoiceField(choices=Sentiment)

    def __init__(self, topics, others, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.others = {alike(text) for text in others}
        if topics:
            self.fields["topic"].choices = [(name, name) for name in topics]
        else:
            self.fields["topic"] = forms.CharField(max_length=LONGEST_TOPIC)

    def clean_statement(self):
        """Return the statement in one line, as judges extract it; refuse one that is there."""
        statement = " ".join(self.cleaned_data["statement"].split())
        if not alike(statement):
            raise forms.ValidationError("Enter a statement in words.")
        is_same = alike(statement) == alike(self.initial.get("statement", ""))
        if alike(statement) in self.others and not is_same:
            raise forms.ValidationError(REPEATED)
        return statement

    def clean_topic(self):
        return " ".join(self.cleaned_data["topic"].split())
