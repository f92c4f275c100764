"""Check the form that deletes a judge."""

from django import forms

from judges.removal import delete
from judges.runs.promised import Refused


class DeleteForm(forms.Form):
    """Take why a judge is deleted."""

    because = forms.CharField(
        label="Why is it deleted?",
        max_length=300,
        help_text="This stands in the study’s log of judges, with your name and the time.",
    )

    def delete(self, judge, user):
        """Delete the judge; False with the reason among the form's errors where that is refused."""
        try:
            delete.delete(judge, user, self.cleaned_data["because"])
        except Refused as refused:
            self.add_error(None, str(refused))
            return False
        return True
