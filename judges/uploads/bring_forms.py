"""Check the forms of the pages on which a table is brought."""

from difflib import get_close_matches

from django import forms

from annotate.files.reading.encoding import too_large
from annotate.models import Study
from annotate.studies.delete import why_taken
from annotate.studies.forms_study import NameForm
from judges.bringing import uses
from judges.bringing.guess import question_key
from judges.bringing.scales import KINDS, OPTIONS, ORDERED, POINTS
from judges.bringing.text_table import ENCODINGS, ONE_COLUMN, SEPARATORS
from judges.bringing.translate import EACH, ONE

ACCEPT = ".xlsx,.xlsm,.csv,.tsv,.txt,.json,.jsonl,.ndjson"


class BringForm(forms.Form):
    """Take the file of a table."""

    file = forms.FileField(
        label="Your file",
        allow_empty_file=True,
        help_text="Excel (.xlsx), CSV or JSON. Nothing is written before you "
        "have seen what it becomes.",
        widget=forms.FileInput(attrs={"accept": ACCEPT}),
        error_messages={"required": "Choose a file."},
    )

    def clean_file(self):
        """Refuse a file that is too large."""
        if refused := too_large(self.cleaned_data["file"].size):
            raise forms.ValidationError(refused)
        return self.cleaned_data["file"]


class ReadingForm(forms.Form):
    """Choose how the bytes of the file are read, where there is something to choose."""

    def __init__(self, told, *args, **kwargs):
        super().__init__(*args, initial=told["reading"], **kwargs)
        self.told = told
        if told.get("unclear") or told["reading"].get("encoding"):
            readable = told.get("unclear") or ENCODINGS
            self.fields["encoding"] = forms.ChoiceField(
                label="Encoding",
                choices=[(name, ENCODINGS[name]) for name in readable],
                initial=told["reading"].get("encoding") or next(iter(readable), ""),
                widget=forms.RadioSelect,
            )
        elif len(told.get("sheets") or ()) > 1:
            choices = [(name, name) for name in told["sheets"]]
            self.fields["sheet"] = forms.ChoiceField(label="Sheet", choices=choices)
        if not told.get("sheets") and not told.get("unclear"):
            separators = [
                ("", "as it looks"),
                *SEPARATORS.items(),
                (ONE_COLUMN, "none: one column"),
            ]
            self.fields["separator"] = forms.ChoiceField(
                label="Columns are separated by", choices=separators, required=False
            )

    @property
    def readings(self):
        """List (radio, lines of the file as that encoding reads them)."""
        samples = self.told.get("unclear") or {}
        radios = self["encoding"] if "encoding" in self.fields else ()
        return [(radio, samples.get(radio.data["value"], [])) for radio in radios]


class MappingForm(forms.Form):
    """Choose what each column is used for.

    keys: the keys of the study's questions; None for a new study.
    """

    rater_is = forms.ChoiceField(
        label="Whose answers are they?",
        required=False,
        choices=[(ONE, "All by one person"), (EACH, "Every row by another person")],
        widget=forms.RadioSelect,
        help_text="Only where no column and no column’s name tells the rater.",
    )
    rater_name = forms.CharField(
        label="That person’s pseudonym", required=False, max_length=60, initial="rater1"
    )

    def __init__(self, told, keys, *args, **kwargs):
        self.columns, self.keys = told["columns"], keys
        chosen = told.get("mapping") or {}
        initial = {name: chosen[name] for name in ("rater_is", "rater_name") if chosen.get(name)}
        super().__init__(*args, initial=initial, **kwargs)
        columns = chosen.get("columns") or told["guesses"]
        for number, column in enumerate(self.columns):
            self._add(number, column["name"], columns.get(column["name"]) or {"use": uses.SKIP})

    def _add(self, number, name, chosen):
        plain = {"required": False, "max_length": 200}
        self.fields[f"use_{number}"] = forms.ChoiceField(
            label=f"Use of the column {name}", choices=uses.LABELS.items(), initial=chosen["use"]
        )
        self.fields[f"question_{number}"] = forms.CharField(
            label="Question", initial=chosen.get("question", ""), **plain
        )
        self.fields[f"by_{number}"] = forms.CharField(
            label="Rater or judge", initial=chosen.get("by", ""), **plain
        )
        self.fields[f"reverse_{number}"] = forms.BooleanField(
            label="Reverse: the lowest point becomes the highest",
            required=False,
            initial=chosen.get("reverse", False),
        )

    @property
    def rows(self):
        """List each column with its fields."""
        return [
            {"column": column}
            | {name: self[f"{name}_{i}"] for name in ("use", "question", "by", "reverse")}
            for i, column in enumerate(self.columns)
        ]

    @property
    def asks_raters(self):
        """Whether the page has to ask whose answers they are."""
        rows = self.rows
        used = {row["use"].value() for row in rows}
        is_nameless = any(
            row["use"].value() == uses.ANSWERS and not row["by"].value() for row in rows
        )
        is_long = uses.VALUE in used and uses.JUDGE not in used
        return uses.RATER not in used and (is_nameless or is_long)

    def clean(self):
        """Check that the uses go together."""
        data = super().clean()
        chosen = {
            number: data.get(f"use_{number}", uses.SKIP) for number in range(len(self.columns))
        }
        self._check_single(chosen)
        used = set(chosen.values())
        if (uses.QUESTION in used) != (uses.VALUE in used):
            self.add_error(None, "“Question” and “Value” go together: choose a column for each.")
        if not used & {uses.ITEM, uses.TEXT, uses.CONTENT}:
            self.add_error(None, "Choose the column that is the item id, the text or the content.")
        elif self.keys is None and not used & {uses.TEXT, uses.CONTENT}:
            self.add_error(None, "A new study needs the text or the content that people rate.")
        self._check_wide(chosen, data)
        self._check_raters(chosen, data)
        return data

    def _check_single(self, chosen):
        first: dict = {}
        for number, use in chosen.items():
            if use in uses.SHARED:
                continue
            if use in first:
                other = self.columns[first[use]]["name"]
                words = f"“{uses.LABELS[use]}” is chosen for the column “{other}” already."
                self.add_error(f"use_{number}", words)
            first.setdefault(use, number)

    def _check_wide(self, chosen, data):
        first: dict = {}
        for number, use in chosen.items():
            if use not in uses.WIDE:
                continue
            name = self.columns[number]["name"]
            question = data.get(f"question_{number}") or ("" if use == uses.SCORES else name)
            data[f"question_{number}"] = self._question(number, question)
            by = data.get(f"by_{number}") or (name if use == uses.SCORES else "")
            which = (use, data[f"question_{number}"], by)
            if which in first:
                words = f"The column “{first[which]}” has the same question by the same."
                self.add_error(f"question_{number}", words)
            first.setdefault(which, name)

    def _question(self, number, words):
        """Return the key of a question: the study's, or for a new study made of the words."""
        if not words or self.keys is None:
            return question_key(words) if words else ""
        if words in self.keys:
            return words
        key = question_key(words)
        if key not in self.keys:
            near = get_close_matches(key, self.keys, 1, 0.3)
            hint = f"; the nearest is “{near[0]}”" if near else ""
            message = f"“{words}” is no question of the study: it has {', '.join(self.keys)}{hint}."
            self.add_error(f"question_{number}", message)
        return key

    def _check_raters(self, chosen, data):
        used = set(chosen.values())
        nobody = any(
            use == uses.ANSWERS and not data.get(f"by_{number}") for number, use in chosen.items()
        ) or (uses.VALUE in used and uses.JUDGE not in used)
        if nobody and uses.RATER not in used and not data.get("rater_is"):
            self.add_error(
                "rater_is", "No column tells the rater, so choose whose answers they are."
            )

    @property
    def mapping(self):
        """Return the mapping that was chosen."""
        data = self.cleaned_data
        columns = {}
        for number, column in enumerate(self.columns):
            chosen = {"use": data[f"use_{number}"]}
            if chosen["use"] in uses.WIDE:
                chosen |= {name: data[f"{name}_{number}"] for name in ("question", "by")}
                chosen |= {"reverse": True} if data[f"reverse_{number}"] else {}
            columns[column["name"]] = chosen
        return {
            "columns": columns,
            "rater_is": data["rater_is"],
            "rater_name": data["rater_name"].strip(),
        }


class NewQuestionsForm(NameForm):
    """Name the new study, and say of each question its words and its scale."""

    def __init__(self, questions, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.questions = questions
        for number, question in enumerate(questions):
            self._add(number, question)

    def _add(self, number, question):
        self.fields[f"text_{number}"] = forms.CharField(
            label="What raters read", initial=question["name"], max_length=2000
        )
        self.fields[f"kind_{number}"] = forms.ChoiceField(
            label="Scale", choices=KINDS.items(), initial=question["kind"]
        )
        for name, label in (("low", "Lowest"), ("high", "Highest")):
            self.fields[f"{name}_{number}"] = forms.IntegerField(
                label=label,
                required=False,
                initial=question[name],
                min_value=-1_000_000,
                max_value=1_000_000,
            )
        self.fields[f"words_{number}"] = forms.CharField(
            label="Words, one a line",
            required=False,
            initial="\n".join(question["words"]),
            widget=forms.Textarea(attrs={"rows": 5}),
        )

    @property
    def rows(self):
        """List each question with its fields."""
        names = ("text", "kind", "low", "high", "words")
        return [
            {"question": question} | {name: self[f"{name}_{i}"] for name in names}
            for i, question in enumerate(self.questions)
        ]

    def clean(self):
        """Refuse an address that is taken, and scales that are none."""
        data = super().clean()
        if data.get("slug") and Study.objects.filter(slug=data["slug"]).exists():
            self.add_error("slug", why_taken(data["slug"]))
        for number in range(len(self.questions)):
            self._check_scale(number, data)
        return data

    def _check_scale(self, number, data):
        kind = data.get(f"kind_{number}")
        low, high = data.get(f"low_{number}"), data.get(f"high_{number}")
        words = [line.strip() for line in data.get(f"words_{number}", "").splitlines()]
        data[f"words_{number}"] = words = [word for word in words if word]
        if kind == POINTS and (low is None or high is None or not low < high <= low + 100):
            message = "Give the lowest and the highest point, at most 100 apart."
            self.add_error(f"high_{number}", message)
        if kind in (ORDERED, OPTIONS) and (len(words) < 2 or len(set(words)) < len(words)):
            self.add_error(f"words_{number}", "Give two or more different words, one a line.")

    @property
    def study(self):
        """Return the title, the address and the questions of the study."""
        data = self.cleaned_data
        names = ("text", "kind", "low", "high", "words")
        return {
            "title": data["title"],
            "slug": data["slug"],
            "questions": [
                {"key": question["key"]} | {name: data[f"{name}_{number}"] for name in names}
                for number, question in enumerate(self.questions)
            ],
        }
