"""Enter a rule's parameters on the quality page, or a reason on a rater's page."""

from django import forms

LONGEST = 60  # characters of a parameter: the reason has 200


class RuleForm(forms.Form):
    """The parameters of a rule, each within its limits."""

    def __init__(self, rule, data=None):
        super().__init__(data, auto_id=f"{rule.key}-%s", initial=_defaults(rule))
        self.rule = rule
        for parameter in rule.parameters:
            self.fields[parameter.name] = parameter_field(parameter)


def _defaults(rule):
    return {parameter.name: parameter.default for parameter in rule.parameters}


def parameter_field(parameter):
    """Return the form field of a rule's parameter, with its limits."""
    if parameter.choices:
        return forms.ChoiceField(label=parameter.label, choices=parameter.choices)
    if parameter.is_text:
        return forms.CharField(label=parameter.label, max_length=LONGEST)
    kind = forms.IntegerField if parameter.is_whole else forms.FloatField
    widget = forms.NumberInput(attrs={"step": 1 if parameter.is_whole else "any"})
    return kind(
        label=parameter.label, min_value=parameter.low, max_value=parameter.high, widget=widget
    )


class ReasonForm(forms.Form):
    """The reason why a rater is excluded, in the researcher's words."""

    reason = forms.CharField(
        max_length=200,
        label="Reason",
        help_text="It stands in the exports beside every answer of this rater.",
    )
    reopen = forms.BooleanField(
        required=False, initial=True, label="Open their places again for other raters"
    )
