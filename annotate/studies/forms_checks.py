"""Edit the inside of sessions: order, time, attention checks, gold items."""

from django import forms
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from annotate.design import checks, grouping, versions
from annotate.flow import own_answers
from annotate.values.scales import spec_of
from annotate.values.scales.base import Scale
from annotate.values.texts import composed, lines_of, one_line_ends
from annotate.values.wrong import Wrong

OPTIONS, AFTER = "options", "item"
BOTH = gettext_noop("Please choose both A and D.")
READY = {
    "key": "both",
    "text": BOTH,
    "options": ["A", "B", "C", "D"],
    "right": ["A", "D"],
    "after": checks.MIDDLE,
}
LABELS = {
    "repeats": "Items shown once more",
    "minimum_seconds": "Seconds an item takes at least",
    "attention_failures": "End a session at this failed attention check",
    "gold_per_session": "Gold items in each session",
    "order_seed": "Seed of the order",
}
HELP = {
    "repeats": "Of the session’s own items, near its end, for test–retest. The second answers are "
    "kept apart and never replace the first.",
    "minimum_seconds": "0: none. Nothing is locked: who leaves an item sooner is asked once, "
    "gently, to take their time, and a rule on the page Quality can use it.",
    "attention_failures": "0: never, failures are only recorded, so that nobody loses paid work "
    "in the middle of it; a rule on the page Quality can leave raters out afterwards.",
    "gold_per_session": "Beyond the items of a session, drawn from the list below.",
    "order_seed": "Another number draws all orders anew, for sessions that begin from then on.",
}


def ready_check(language):
    """Return the ready-made check, in a language."""
    with translation.override(language):
        return READY | {"text": gettext(BOTH)}


class InsideForm(forms.Form):
    """The order of the items, and the numbers."""

    order = forms.ChoiceField(
        choices=checks.Order.choices,
        label="Order of the items",
        help_text="Profiles come first in any case. Counterbalanced orders take one row of a "
        "design for each session, in the order in which they begin; where a session has no item of "
        "a system, its turn is passed.",
    )

    sessions_by = forms.CharField(
        label="Items of a session alike in",
        required=False,
        max_length=grouping.LONGEST,
        help_text="A column of items.csv, such as survey: a session gets only items with the same "
        "value there, up to its number of items, of the value with the fewest ratings first. "
        "Empty: any items.",
    )

    repeat_share = forms.FloatField(
        label="Share of recipients’ own items asked again",
        required=False,
        min_value=0,
        max_value=own_answers.MOST,
        help_text="0: none; .1 is usual where each item has one rating, by its recipient: the "
        "report Verdict then compares judges with the second own answer. Drawn when a session "
        "begins, at least one item, after 20 other items; in a session too short for that, items "
        "of its first half are asked again at its end. Recipients are not told that an item comes "
        "again, and do not see their first answer. It takes the place of “Items shown once more” "
        "for them.",
    )

    def __init__(self, settings, *args, **kwargs):
        names = ("order", grouping.KEY, own_answers.KEY, *checks.NUMBERS)
        initial = {name: getattr(settings, name) for name in names}
        super().__init__(*args, initial=initial, **kwargs)
        for name in (
            "order_seed",
            "repeats",
            "minimum_seconds",
            "attention_failures",
            "gold_per_session",
        ):
            low, high, _ = checks.NUMBERS[name]
            self.fields[name] = forms.IntegerField(
                label=LABELS[name], help_text=HELP[name], min_value=low, max_value=high
            )

    def clean_sessions_by(self):
        """Return a valid name of a column, as study.yaml allows it."""
        try:
            return grouping.check_column(self.cleaned_data[grouping.KEY])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None

    def clean_repeat_share(self):
        """Return the share; an empty field is none."""
        return self.cleaned_data[own_answers.KEY] or 0.0

    def put(self, extra):
        """Put the values into the study's keys; a default that was never set stays away."""
        defaults = checks.Settings()
        for name, value in self.cleaned_data.items():
            if name in extra or value != getattr(defaults, name):
                extra[name] = value


class AttentionForm(forms.Form):
    """An attention check."""

    text = forms.CharField(
        label="What raters read",
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="It has to say what to choose.",
    )
    scale = forms.ChoiceField(
        label="To choose from",
        help_text="With the scale of a question the check looks like that question.",
    )
    options = forms.CharField(
        label="Options of its own, one a line",
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    right = forms.CharField(
        label="What is right, one a line",
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="As the options or the points of the scale say it. Several: all of them, and no "
        "other, have to be chosen.",
    )
    after = forms.ChoiceField(
        label="Where",
        choices=[
            (checks.MIDDLE, "In the middle"),
            (checks.RANDOM, "At a place drawn for each session"),
            (AFTER, "After the item with this number"),
        ],
    )
    number = forms.IntegerField(label="Number", required=False, min_value=0, max_value=500)
    key = forms.SlugField(
        label="Key",
        max_length=60,
        help_text="Its short name in files and exports: lower-case letters, digits, hyphens.",
    )
    old = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput)

    def __init__(self, study, check=None, *args, **kwargs):
        super().__init__(*args, initial=_typed(check) if check else {}, **kwargs)
        self.study = study
        self.scales = _scales(study, check)
        self.fields["scale"].choices = [
            (OPTIONS, "Options of its own"),
            *((name, scale.summary) for name, scale in self.scales.items()),
        ]

    def clean(self):
        """Set the entry of study.yaml, or add the errors."""
        data = super().clean()
        if self.errors:
            return data
        try:
            self.entry = checks.read_check(self._entry(data)).as_data()
        except Wrong as error:
            name = error.key if error.key in self.fields else None
            self.add_error(name, _sentence(error))
            return data
        others = {entry["key"] for entry in self.study.extra.get("attention") or ()}
        if data["key"] in others - {data["old"]}:
            self.add_error("key", "This study already has a check with that key.")
        elif len(others | {data["key"]} - {data["old"]}) > checks.MOST_CHECKS:
            self.add_error(None, f"A study has at most {checks.MOST_CHECKS} checks.")
        return data

    def _entry(self, data):
        own = data["scale"] == OPTIONS
        shown = (
            {"options": lines_of(data["options"])}
            if own
            else {"scale": spec_of(self.scales[data["scale"]])}
        )
        after = data["number"] if data["after"] == AFTER else data["after"]
        right = lines_of(data["right"])
        return {
            "key": data["key"],
            "text": one_line_ends(data["text"]),
            **shown,
            "right": right,
            "after": after,
        }


def _scales(study, check):
    """Return {name: scale} of the study's questions that offer points, and of the check's own."""
    candidates = {f"of-{q.key}": q.scale for q in versions.asked(study)}
    candidates = (
        {"own-scale": check.scale} | candidates if check and not check.has_options else candidates
    )
    unique: dict[str, Scale] = {}
    for name, scale in candidates.items():
        if 2 <= len(scale.points) <= checks.MOST_OPTIONS and scale not in unique.values():
            unique[name] = scale
    return unique


def _typed(check):
    """Return the fields' values of a check."""
    typed = {"key": check.key, "old": check.key, "text": check.text}
    typed["right"] = check.words(check.right).replace(checks.SEPARATOR, "\n")
    typed |= {"scale": OPTIONS, "options": "\n".join(check.scale.labels)}
    if not check.has_options:
        typed |= {"scale": "own-scale", "options": ""}
    numbered = isinstance(check.after, int)
    return typed | ({"after": AFTER, "number": check.after} if numbered else {"after": check.after})


def _sentence(error):
    text = str(error)
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


class GoldForm(forms.Form):
    """An item with its known answers; a question left blank has no known answer."""

    item = forms.CharField(
        label="Item",
        max_length=200,
        widget=forms.TextInput(attrs={"list": "gold-items"}),
        help_text="Its id. It gets no ratings any more: its open places go.",
    )
    tolerance = forms.ChoiceField(
        choices=[("0", "Only the answer itself"), ("1", "One point beside it too")],
        label="Counts as right",
    )

    def __init__(self, study, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.study = study
        self.asked = {q.key: q for q in versions.asked(study) if q.scale.has_values}
        for key, question in self.asked.items():
            self.fields[f"q-{key}"] = _field(question)

    def clean_item(self):
        """Return the id of an item that raters would see by itself."""
        key = composed(self.cleaned_data["item"])
        if not self.study.items.filter(key=key, parent=None).exists():
            raise forms.ValidationError("This study has no item with this id to show by itself.")
        return key

    def clean(self):
        """Set the entry of study.yaml, or add the errors."""
        data = super().clean()
        if self.errors:
            return data
        values = {key: data[f"q-{key}"] for key in self.asked}
        answers = {key: value for key, value in values.items() if value not in (None, "")}
        scales = {key: question.scale for key, question in self.asked.items()}
        try:
            entry = {"item": data["item"], "answers": answers, "tolerance": int(data["tolerance"])}
            self.entry = checks.read_gold(entry, scales).as_data()
        except Wrong as error:
            self.add_error(None, _sentence(error) if answers else "Give at least one right answer.")
            return data
        keys = checks.gold_keys(self.study) | {data["item"]}
        if len(keys) > checks.MOST_GOLD:
            self.add_error(None, f"A study has at most {checks.MOST_GOLD} gold items.")
        return data


def _field(question):
    label = f"{question.key}: {question.text}"[:200]
    scale = question.scale
    if not scale.is_nominal and not 0 < len(scale.points) <= checks.MOST_OPTIONS:
        return forms.FloatField(label=label, required=False)
    written = [(scale.written(value), words) for value, words in scale.points]
    points = [
        (value, f"{value}: {words}" if str(value) != words else words) for value, words in written
    ]
    return forms.ChoiceField(label=label, required=False, choices=[("", "not known"), *points])
