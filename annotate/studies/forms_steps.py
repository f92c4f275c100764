"""Edit what comes before and after the items: rows that can be added, moved and removed.

A button of a row sends the whole page: the rows come back as typed, one more or less or in another
order, and nothing is saved before “Save”. So the page works without JavaScript.
"""

from dataclasses import dataclass

from django import forms

from annotate.design import around, versions
from annotate.design.expected import misfit
from annotate.files.reading import stepspec
from annotate.studies.forms_question import SCALES, as_typed, typed_spec
from annotate.values.scales.base import FARTHEST
from annotate.values.texts import one_line_ends
from annotate.values.wrong import Wrong

MOST_LABELS = 10_000  # characters


def _lines(text):
    return [line.strip() for line in one_line_ends(text).split("\n") if line.strip()]


def _area(rows, **attrs):
    return forms.Textarea(attrs={"rows": rows, **attrs})


def _text(label, rows=2, required=True, help_text="", longest=stepspec.LONGEST):
    return forms.CharField(
        label=label, widget=_area(rows), max_length=longest, required=required, help_text=help_text
    )


class Row(forms.Form):
    """An entry of a list; entry() returns it as study.yaml has it."""

    use_required_attribute = False  # a row may be moved or removed half-filled


class CheckRow(Row):
    """A question about the instructions."""

    text = _text("Question")
    options = _text("Options, one a line", 4)
    answer = forms.IntegerField(
        label="The right one is line", min_value=1, max_value=stepspec.MOST_OPTIONS, initial=1
    )
    explanation = _text(
        "Explanation", required=False, help_text="Shown to who answers wrongly. May be empty."
    )

    @classmethod
    def typed(cls, entry):
        """Return the fields' values of an entry."""
        answer = 1 + entry["options"].index(entry["answer"])
        return entry | {"options": "\n".join(entry["options"]), "answer": answer}

    def entry(self):
        """Return the entry as study.yaml has it."""
        data = self.cleaned_data
        options = _lines(data["options"])
        right = options[data["answer"] - 1] if data["answer"] <= len(options) else ""
        entry = {"text": one_line_ends(data["text"]), "options": options, "answer": right}
        return entry | {"explanation": one_line_ends(data["explanation"])}


class PracticeRow(Row):
    """An item to practise on, with the answers that are expected."""

    item = forms.CharField(
        label="Item",
        max_length=200,
        widget=forms.TextInput(attrs={"list": "items"}),
        help_text="Its id. It gets no ratings: its open places are closed.",
    )
    feedback = _text(
        "Feedback", 3, required=False, help_text="Shown after the answers, with what differs."
    )

    parts = _text(
        "Expected of the episodes of a pair",
        3,
        required=False,
        help_text="One a line, as episode-fit@EPISODE = 4: the key of the question, @, the id of "
        "the part of the item, =, the value.",
    )

    def __init__(self, *args, questions=(), **kwargs):
        super().__init__(*args, **kwargs)
        self.asked = {
            f"q-{asked_question.key}": asked_question
            for asked_question in questions
            if asked_question.scale.has_values
        }
        for name, question in self.asked.items():
            self.fields[name] = _expected(question)

    @classmethod
    def typed(cls, entry):
        """Return the fields' values of an entry."""
        given = entry.get("answers", {})
        answers = {f"q-{key}": value for key, value in given.items() if "@" not in key}
        parts = "\n".join(f"{key} = {value}" for key, value in given.items() if "@" in key)
        rest = {"item": entry["item"], "feedback": entry.get("feedback", ""), "parts": parts}
        return rest | answers

    def clean_parts(self):
        """Parse the lines into {KEY@ITEM: value}."""
        values = {}
        for line in filter(None, map(str.strip, self.cleaned_data["parts"].splitlines())):
            head, mark, rest = line.partition("@")
            item, _, value = rest.partition(" = " if " = " in rest else "=")  # a label may have one
            key, value = f"{head.strip()}@{item.strip()}", value.strip()
            if not (mark and item.strip() and value):
                raise forms.ValidationError(f"Found “{line[:60]}”; allowed is KEY@ITEM = VALUE.")
            values[key] = value
        return values

    def entry(self):
        """Return the entry as study.yaml has it."""
        data = self.cleaned_data
        given = {question.key: data[name] for name, question in self.asked.items() if data[name]}
        given |= data["parts"]
        return {
            "item": data["item"],
            "answers": {key: _plain(value) for key, value in given.items()},
            "feedback": one_line_ends(data["feedback"]),
        }


def _expected(question):
    label = f"Expected: {question.key}"
    if not question.scale.points:
        return forms.CharField(label=label, required=False, max_length=40)
    choices = [(str(value), words) for value, words in question.scale.points]
    return _Choice(question.scale, label=label, required=False, choices=[("", "–"), *choices])


class _Choice(forms.ChoiceField):
    """A choice that takes the label of a point too, as study.yaml may have it."""

    def __init__(self, scale, **kwargs):
        super().__init__(**kwargs)
        self.scale = scale

    def prepare_value(self, value):
        """Return the point to select."""
        try:
            return "" if value in (None, "") else str(int(self.scale.parse(value)))
        except ValueError:
            return value


def _plain(text):
    """Return a number where the text is a number, as a file would have it, else the text."""
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


class ExitRow(Row):
    """An exit question: a ready-made one with its name, or a question of the study's own."""

    ready = forms.ChoiceField(
        required=False,
        widget=forms.HiddenInput,
        choices=[("", "")] + [(n, n) for n in around.READY],
    )
    text = _text("Wording")
    key = forms.CharField(
        label="Key",
        max_length=60,
        help_text="Its short name: the column exit_… of the exports.",
    )
    scale = forms.ChoiceField(choices=SCALES)
    low = forms.IntegerField(label="From", required=False, min_value=-FARTHEST, max_value=FARTHEST)
    high = forms.IntegerField(label="To", required=False, min_value=-FARTHEST, max_value=FARTHEST)
    labels = _text("Words, one a line", 4, required=False, longest=MOST_LABELS)
    required = forms.BooleanField(label="An answer is required", required=False)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.name = self["ready"].value() or ""
        if self.name in around.READY:
            for name in ("key", "scale", "low", "high", "labels"):
                del self.fields[name]
            self.fields["text"].required = False
            self.fields["text"].help_text = f"Empty: {around.READY[self.name][0]}"

    @classmethod
    def typed(cls, entry):
        """Return the fields' values of an entry."""
        if isinstance(entry, str):
            return {"ready": entry}
        if "ready" in entry:
            return entry
        return entry | {"ready": ""} | as_typed(entry["scale"])

    def entry(self):
        """Return the entry as study.yaml has it."""
        data = self.cleaned_data
        text = one_line_ends(data["text"])
        if self.name:
            return {"ready": self.name, "text": text, "required": data["required"]}
        spec = typed_spec(data)
        return {"key": data["key"], "text": text, "scale": spec, "required": data["required"]}


@dataclass(frozen=True)
class Part:
    """One of the three lists: comprehension check, practice, exit questions."""

    key: str
    title: str
    about: str
    row: type[Row]
    most: int
    show: str  # its name in the preview


PARTS = {
    "check": Part(
        around.CHECK,
        "Comprehension check",
        "Questions about the instructions, asked after them. Who still has one wrong in the last "
        "attempt is screened out, before any item is held for them.",
        CheckRow,
        stepspec.MOST_CHECKED,
        "check",
    ),
    "practice": Part(
        around.PRACTICE,
        "Practice",
        "Items on which raters practise before the real ones, with feedback after each. What is "
        "answered there is no rating.",
        PracticeRow,
        stepspec.MOST_PRACTICE,
        "practice",
    ),
    "exit": Part(
        around.EXIT,
        "Exit questions",
        "About the raters, asked after the last item. Their answers are columns of the exports of "
        "raters and sessions.",
        ExitRow,
        stepspec.MOST_EXIT,
        "exit",
    ),
}


class AttemptsForm(forms.Form):
    """How many attempts a rater has at the check."""

    attempts = forms.IntegerField(
        label="Attempts",
        min_value=1,
        max_value=around.MOST_ATTEMPTS,
        initial=around.ATTEMPTS,
        help_text="Platforms as a rule ask for two.",
    )


class RowsForm:
    """All rows of a part: those that are stored, or those that a page has sent."""

    def __init__(self, study, part, data=None):
        self.study, self.part, self.data = study, part, data
        stored = study.extra.get(part.key) or {}
        is_check = part.key == around.CHECK
        entries = stored.get("questions", []) if is_check else list(stored)
        self.initial = [part.row.typed(entry) for entry in entries]
        first = {"attempts": stored.get("attempts", around.ATTEMPTS)} if is_check else {}
        self.head = AttemptsForm(data, initial=first) if is_check else None
        options = {"questions": versions.asked(study)} if part.row is PracticeRow else {}
        self.options = options
        if data is None:
            self.rows = [self._row(n, initial=values) for n, values in enumerate(self.initial)]
        else:
            self.rows = [self._row(n, data=data) for n in range(self._sent())]
        self.error = ""

    def _row(self, number, **given):
        return self.part.row(prefix=f"r{number}", **given, **self.options)

    def _sent(self):
        sent = self.data.get("rows", "0")
        return min(int(sent), self.part.most) if sent.isdecimal() and len(sent) < 4 else 0

    @property
    def can_add(self):
        return len(self.rows) < self.part.most

    @property
    def ready_left(self):
        """List the ready-made exit questions that are not in the list yet."""
        there = {row.name for row in self.rows} if self.part.row is ExitRow else set(around.READY)
        return [name for name in around.READY if name not in there]

    def change(self, do):
        """Change the typed rows by a button: add, add-NAME, up-N, down-N or remove-N."""
        typed = [{name: row[name].value() for name in row.fields} for row in self.rows]
        what, _, which = do.partition("-")
        number = int(which) if which.isdecimal() and len(which) < 4 else -1
        if what == "add" and self.can_add:
            typed.append({"ready": which} if which in around.READY else {})
        elif 0 <= number < len(typed) and what in ("up", "down", "remove"):
            row = typed.pop(number)
            if what != "remove":
                typed.insert(max(number + (-1 if what == "up" else 1), 0), row)
        self.rows = [self._row(n, initial=values) for n, values in enumerate(typed)]
        if self.head:
            self.head = AttemptsForm(initial={"attempts": self.head["attempts"].value()})

    def value(self):
        """Return the rows as study.yaml has them; None after adding errors to the rows."""
        fine = [row.is_valid() for row in self.rows]  # all of them, each to say what is wrong
        if (self.head and not self.head.is_valid()) or not all(fine):
            return None
        entries = [row.entry() for row in self.rows]
        if self.head:
            entries = {"attempts": self.head.cleaned_data["attempts"], "questions": entries}
        try:
            value = stepspec.READERS[self.part.key](entries)
            self._check(value)
        except Wrong as wrong:
            self._blame(wrong)
            return None
        return value

    def _check(self, value):
        """Raise Wrong if the value does not fit the study."""
        if self.part.key == around.EXIT and (keys := around.frozen_keys(self.study, value)):
            raise Wrong(
                f"{', '.join(keys)} has answers, so its scale stays; give the changed question a "
                "key of its own"
            )
        if self.part.key == around.PRACTICE:
            wrong = self._misfit([around.Practice(**entry) for entry in value])
            if wrong:
                raise wrong

    def _misfit(self, practice):
        keys = [entry.item for entry in practice]
        items = self.study.items.filter(parent=None, key__in=keys)
        kinds = dict(items.values_list("key", "kind"))
        parts: dict = {}
        rows = self.study.items.filter(parent__key__in=keys)
        for parent, key, kind in rows.values_list("parent__key", "key", "kind"):
            parts.setdefault(parent, {})[key] = kind
        return misfit(practice, versions.asked(self.study), kinds, parts)

    def _blame(self, wrong):
        """Add the message to its row and field, or above all rows."""
        words = str(wrong)[:1].upper() + str(wrong)[1:] + "."
        if wrong.entry is None:
            self.error = words
            return
        row = self.rows[wrong.entry]
        row.add_error(wrong.key if wrong.key in row.fields else None, words)
