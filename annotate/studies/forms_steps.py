"""Edit what comes before and after the items: rows that can be added, moved and removed.

A button of a row sends the whole page: the rows come back as typed, one more or less or in another
order, and nothing is saved before “Save”. So the page works without JavaScript.
"""

from dataclasses import dataclass
from typing import Any

from django import forms

from annotate.design import versions
from annotate.design.expected import misfit
from annotate.files.reading import stepspec
from annotate.flow import arms, around
from annotate.flow.screener import screener_of
from annotate.models import Study
from annotate.studies.forms_question import SCALES, as_typed, typed_spec
from annotate.taste import study as taste
from annotate.values.numbers import parse_number
from annotate.values.scales.base import FARTHEST
from annotate.values.texts import LONGEST as LONGEST_TEXT
from annotate.values.texts import as_text, lines_of, one_line_ends
from annotate.values.wrong import Wrong

MOST_LABELS = 10_000  # characters


def _text(label, rows=2, required=True, help_text="", longest=stepspec.LONGEST):
    return forms.CharField(
        label=label,
        widget=forms.Textarea(attrs={"rows": rows}),
        max_length=longest,
        required=required,
        help_text=help_text,
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
        options = lines_of(data["options"])
        right = options[data["answer"] - 1] if data["answer"] <= len(options) else ""
        entry = {"text": one_line_ends(data["text"]), "options": options, "answer": right}
        return entry | {"explanation": one_line_ends(data["explanation"])}


class ScreenerRow(Row):
    """A question of the screener."""

    text = _text("Question")
    key = forms.CharField(
        label="Key",
        max_length=60,
        help_text="Its short name: the column screener_… of the exports.",
    )
    options = _text("Options, one a line", 4)
    screens_out = _text(
        "Options that screen out, one a line",
        2,
        required=False,
        help_text="Who chooses one of these is told kindly that the study is looking for other "
        "people. May be empty.",
    )

    @classmethod
    def typed(cls, entry):
        """Return the fields' values of an entry."""
        lines = {name: "\n".join(entry.get(name, ())) for name in ("options", "screens_out")}
        return entry | lines

    def entry(self):
        """Return the entry as study.yaml has it."""
        data = self.cleaned_data
        entry = {"key": data["key"], "text": one_line_ends(data["text"])}
        return entry | {name: lines_of(data[name]) for name in ("options", "screens_out")}


class QuotaRow(Row):
    """A quota of the screener. Its name is the field `quota`."""

    quota = forms.CharField(
        label="Name", max_length=100, help_text="For you and the study's page, such as: Women."
    )
    question = forms.ChoiceField(label="Question of the screener")
    options = _text("Options that it counts, one a line", 3)
    most = forms.IntegerField(
        label="At most",
        min_value=1,
        max_value=1_000_000,
        help_text="Sessions that run or are completed. Who comes after them is screened out.",
    )

    def __init__(self, *args, keys=(), **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["question"].choices = [(key, key) for key in keys]

    @classmethod
    def typed(cls, entry):
        """Return the fields' values of an entry."""
        rest = {"quota": entry["name"], "options": "\n".join(entry["options"])}
        return {"question": entry["question"], "most": entry["most"]} | rest

    def entry(self):
        """Return the entry as study.yaml has it."""
        data = self.cleaned_data
        entry = {"name": data["quota"], "question": data["question"]}
        return entry | {"options": lines_of(data["options"]), "most": data["most"]}


class ArmRow(Row):
    """An arm: what differs for its sessions. Its name is the field `arm`."""

    arm = forms.CharField(
        label="Name", max_length=60, help_text="In the column arm of the exports."
    )
    instructions = _text(
        "Instructions in this arm",
        6,
        required=False,
        help_text="In Markdown. Empty: those of the study.",
        longest=LONGEST_TEXT,
    )
    layout = forms.ChoiceField(
        label="Layout of the questions",
        required=False,
        choices=[("", "As in the study"), *Study.Layout.choices],
    )
    share = forms.IntegerField(
        label="Share",
        min_value=1,
        max_value=1000,
        initial=1,
        help_text="An arm with 2 gets twice as many sessions as one with 1.",
    )

    @classmethod
    def typed(cls, entry):
        """Return the fields' values of an entry."""
        return {"arm": entry["name"], "share": 1} | {k: v for k, v in entry.items() if k != "name"}

    def entry(self):
        """Return the entry as study.yaml has it."""
        data = self.cleaned_data
        entry = {"name": data["arm"], "instructions": one_line_ends(data["instructions"])}
        layout = {"layout": data["layout"]} if data["layout"] else {}
        return entry | layout | {"share": data["share"]}


class SourceRow(Row):
    """A source of recommendations for raters who bring their own taste."""

    system = forms.CharField(
        label="System", max_length=200, help_text="The name of its lists in exports and reports."
    )
    by = forms.ChoiceField(label="How it finds contents", choices=taste.By.choices)
    columns = _text(
        "Columns of contents that it compares, one a line",
        2,
        required=False,
        help_text="For the nearest contents, such as: genres. Empty for contents drawn by chance.",
    )

    @classmethod
    def typed(cls, entry):
        """Return the fields' values of an entry."""
        return {"by": taste.By.NEAREST} | entry | {"columns": "\n".join(entry.get("columns", ()))}

    def entry(self):
        """Return the entry as study.yaml has it."""
        return self.cleaned_data | {"columns": lines_of(self.cleaned_data["columns"])}


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

    def __init__(self, *args, questions=(), stored=(), **kwargs):
        super().__init__(*args, **kwargs)
        self.stored = dict(stored)
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
        before = self.stored.get(data["item"], {})  # 3 or "3", as the file had it
        return {
            "item": data["item"],
            "answers": {
                key: before[key] if as_text(before.get(key)) == value else _plain(value)
                for key, value in given.items()
            },
            "feedback": one_line_ends(data["feedback"]),
        }


def _expected(question):
    label = f"Expected: {question.key}"
    if not question.scale.points:
        return forms.CharField(label=label, required=False, max_length=40)
    points = question.scale.points
    choices = [(str(question.scale.written(value)), words) for value, words in points]
    return _Choice(question.scale, label=label, required=False, choices=[("", "–"), *choices])


class _Choice(forms.ChoiceField):
    """A choice between the points of a scale, as study.yaml has them."""

    def __init__(self, scale, **kwargs):
        super().__init__(**kwargs)
        self.scale = scale

    def prepare_value(self, value):
        """Return the point to select."""
        try:
            return "" if value in (None, "") else str(self.scale.written(self.scale.parse(value)))
        except ValueError:
            return value


def _plain(text):
    """Return a number where the text is how it is written, as a file would have it, else the text.

    1.10 stays a text: it may be a label.
    """
    try:
        number = parse_number(text)
    except ValueError:
        return text
    number = int(number) if number.is_integer() else number
    return number if str(number) == text else text


class ExitRow(Row):
    """An exit question: a ready-made one with its name, or a question of the study's own."""

    column = "exit"  # how its column begins

    ready = forms.ChoiceField(
        required=False,
        widget=forms.HiddenInput,
        choices=[("", "")] + [(n, n) for n in around.READY],
    )
    text = _text("Wording")
    key = forms.CharField(
        label="Key",
        max_length=60,
    )
    scale = forms.ChoiceField(choices=SCALES)
    low = forms.IntegerField(label="From", required=False, min_value=-FARTHEST, max_value=FARTHEST)
    high = forms.IntegerField(label="To", required=False, min_value=-FARTHEST, max_value=FARTHEST)
    labels = _text("Words, one a line", 4, required=False, longest=MOST_LABELS)
    required = forms.BooleanField(label="An answer is required", required=False)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.name = self["ready"].value() or ""
        self.fields["key"].help_text = f"Its short name: the column {self.column}_… of the exports."
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


class BeforeRow(ExitRow):
    """A question about the rater before the instructions: a ready-made one or the study's own."""

    column = "before"


class AttemptsForm(forms.Form):
    """How many attempts a rater has at the check."""

    attempts = forms.IntegerField(
        label="Attempts",
        min_value=1,
        max_value=around.MOST_ATTEMPTS,
        initial=around.ATTEMPTS,
        help_text="Platforms as a rule ask for two.",
    )


class PicksForm(forms.Form):
    """How many contents raters pick, and how many each list has."""

    least = forms.IntegerField(
        label="Picks at least", min_value=1, max_value=stepspec.MOST_PICKS, initial=taste.LEAST
    )
    most = forms.IntegerField(
        label="Picks at most", min_value=1, max_value=stepspec.MOST_PICKS, initial=taste.MOST
    )
    length = forms.IntegerField(
        label="Contents in a list",
        min_value=1,
        max_value=stepspec.LONGEST_LIST,
        initial=taste.LENGTH,
    )


@dataclass(frozen=True)
class Part:
    """One of the lists; within: where it stands in its key of Study.extra; empty: it is all."""

    key: str
    title: str
    about: str
    row: type[Row]
    most: int
    show: str  # its name in the preview
    within: str = ""
    head: Any = None  # the form of what stands beside the rows


PARTS = {
    "screener": Part(
        around.SCREENER,
        "Screener",
        "Questions right after the consent, before anything is held. Who chooses an option that "
        "screens out, or whose quota is full, gets the code for “Screened out”. Their answers are "
        "columns of the exports of raters and sessions.",
        ScreenerRow,
        stepspec.MOST_SCREENED,
        "screener",
        "questions",
    ),
    "quotas": Part(
        around.SCREENER,
        "Quotas",
        "How many people with certain answers to the screener can take part, such as 40 women and "
        "40 men. A quota counts who is at work and who completed, never one too many; who stops "
        "for too long, returns or withdraws makes room. Who is in several needs room in all.",
        QuotaRow,
        stepspec.MOST_QUOTAS,
        "screener",
        "quotas",
    ),
    "questions": Part(
        around.BEFORE,
        "Questions before the instructions",
        "About the raters, asked after the consent and before the instructions. Their answers are "
        "columns of the exports of raters and sessions.",
        BeforeRow,
        stepspec.MOST_EXIT,
        "questions",
    ),
    "arms": Part(
        arms.KEY,
        "Arms",
        "Conditions of which each session gets one at its consent, and keeps it: the arm with the "
        "fewest sessions for its share. Two or more. It is a column of the export of sessions.",
        ArmRow,
        stepspec.MOST_ARMS,
        "instructions",
    ),
    "taste": Part(
        taste.KEY,
        "What recipients like",
        "Raters search the study’s contents and pick some before the instructions. Each source "
        "makes a list from what they picked: two are rated as a pair, of one each content by "
        "itself. Ask questions about pairs of lists, or about recommendations, then.",
        SourceRow,
        stepspec.MOST_SOURCES,
        "taste",
        "sources",
        PicksForm,
    ),
    "check": Part(
        around.CHECK,
        "Comprehension check",
        "Questions about the instructions, asked after them. Who still has one wrong in the last "
        "attempt is screened out, before any item is held for them.",
        CheckRow,
        stepspec.MOST_CHECKED,
        "check",
        "questions",
        AttemptsForm,
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


def _options(study, row):
    """Return what the rows of a part need of the study besides their values."""
    if row is PracticeRow:
        stored = {entry.item: entry.answers for entry in around.practice_of(study)}
        return {"questions": versions.asked(study), "stored": stored}
    if row is QuotaRow:
        return {"keys": [question.key for question in screener_of(study).questions]}
    return {}


class RowsForm:
    """All rows of a part: those that are stored, or those that a page has sent."""

    def __init__(self, study, part, data=None):
        self.study, self.part, self.data = study, part, data
        stored = study.extra.get(part.key) or {}
        entries = stored.get(part.within, []) if part.within else list(stored)
        self.initial = [part.row.typed(entry) for entry in entries]
        self.head = part.head(data, initial=stored or None) if part.head else None
        self.options = _options(study, part.row)
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
        """List the ready-made questions about raters that are in neither list yet."""
        if not issubclass(self.part.row, ExitRow):
            return []
        there = {row.name for row in self.rows}
        other = around.before_of if self.part.key == around.EXIT else around.exit_of
        there |= {question.key for question in other(self.study)}
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
            self.head = self.part.head(initial={field.name: field.value() for field in self.head})

    def value(self):
        """Return the rows as study.yaml has them; None after adding errors to the rows."""
        fine = [row.is_valid() for row in self.rows]  # all of them, each to say what is wrong
        if (self.head and not self.head.is_valid()) or not all(fine):
            return None
        entries = [row.entry() for row in self.rows]
        if self.part.within:
            whole = self.study.extra.get(self.part.key) or {}
            entries = (
                whole | (self.head.cleaned_data if self.head else {}) | {self.part.within: entries}
            )
        try:
            value = stepspec.READERS[self.part.key](entries)
            self._check(value)
        except Wrong as wrong:
            self._blame(wrong)
            return None
        return value

    def _check(self, value):
        """Raise Wrong if the value does not fit the study."""
        if self.part.key in (around.SCREENER, around.BEFORE, around.EXIT):
            self._check_keys({self.part.key: value})
        if self.part.key == around.PRACTICE:
            wrong = self._misfit([around.Practice(**entry) for entry in value])
            if wrong:
                raise wrong

    def _check_keys(self, value):
        """Raise Wrong if answers have fixed another scale, or another list has the key."""
        if key := around.shared_key(self.study.extra | value):
            raise Wrong(f"found {key} in two lists of questions about raters; allowed is one")
        entries = around.entries_about_raters(value)[self.part.key]
        if keys := around.frozen_keys(self.study, entries):
            raise Wrong(
                f"{', '.join(keys)} has answers, so its scale stays; give the changed question a "
                "key of its own"
            )

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
        if self.head and wrong.entry is None and wrong.key in self.head.fields:
            self.head.add_error(wrong.key, words)
            return
        is_elsewhere = self.part.within and wrong.place and wrong.place[0] != self.part.within
        if wrong.entry is None or is_elsewhere:
            self.error = f"{wrong.place[0].capitalize()}: {wrong.words}." if is_elsewhere else words
            return
        row = self.rows[wrong.entry]
        row.add_error(wrong.key if wrong.key in row.fields else None, words)
