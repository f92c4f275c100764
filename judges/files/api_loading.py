"""Load what the HTTP API sends by the loader of files: the same checks, all or nothing."""

import json
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from drf_spectacular.utils import OpenApiExample, extend_schema_field
from rest_framework import serializers

from annotate.api.errors import Conflict
from annotate.api.fields import Object, Strict, Text, Whole
from annotate.files.reading.faults import limit_of
from annotate.files.reading.studyfile import NUMBERS, TEXTS
from annotate.files.reading.studyspec import StudySpec
from annotate.files.reading.yamlfile import TOO_MANY, has_too_many
from annotate.models import Item, Question, Study
from annotate.studies.study_file import as_yaml
from annotate.studies.templates import FOLDER, NAMES
from annotate.values.scales import JSON_FORMS
from judges.files import TABLES, load_files
from judges.files.load import what_else
from judges.files.off_scale import MEANINGS, MISSING

MOST_ROWS = 10_000
MOST_QUESTIONS = 1_000
CELL = ["string", "number"]
SLUG = "^[a-z0-9][a-z0-9-]{0,59}$"


class Counted(serializers.Serializer):
    """What a load did to the rows of one table."""

    rows = serializers.IntegerField()
    new = serializers.IntegerField()
    changed = serializers.IntegerField()
    unchanged = serializers.IntegerField(help_text="Loaded before with the same values.")
    note = serializers.CharField(
        help_text="What the counts do not say, such as rows that differ in reason from a loaded "
        "rating, which stays; blank where there is nothing to say."
    )


COUNTED = {"rows": 1, "new": 1, "changed": 0, "unchanged": 0, "note": ""}


class OutOfRange(serializers.Serializer):
    """The judgments of one judge in a load, where some lie outside their question's scale."""

    judge = serializers.CharField()
    judgments = serializers.IntegerField(help_text="With a value, of questions with such a scale.")
    outside = serializers.IntegerField()
    lowest = serializers.FloatField()
    highest = serializers.FloatField()
    own_scale = serializers.BooleanField(
        help_text="The judge has a scale of its own by its settings, or because of 20 values or "
        "more that it has here more than half lie outside: they are kept as they are."
    )


class CountedJudgments(Counted):
    """What a load of judgments did, and which of them lie outside their question's scale."""

    out_of_range = OutOfRange(many=True)


OUT_OF_RANGE = serializers.ChoiceField(
    [*MEANINGS],
    required=False,
    help_text="What becomes of judgments outside their question's scale. Default: missing. "
    + "; ".join(f"{name}: {words}" for name, words in MEANINGS.items())
    + ".",
)


def row_schema(table):
    """Return the JSON schema of a row: the columns of the file, and any further ones."""
    columns = {column.name: _cell(column) for column in table.columns}
    return {"type": "object", "required": table.required, "properties": columns}


def _cell(column):
    if column.extra:
        return {"description": column.meaning}
    kinds = [*CELL, "boolean"] if column.takes_true else CELL
    filled = {"type": kinds, "minLength": 1}
    blank = {"type": [*kinds, "null"]}
    return (filled if column.required else blank) | {"description": column.meaning}


def rows_serializer(name, more=()):
    """Return the serializer of {"rows": […]} for the table of that name."""

    @extend_schema_field(row_schema(TABLES[name]) | {"required": [*TABLES[name].required, *more]})
    class Row(Object):
        pass

    rows = serializers.ListField(child=Row(), min_length=1, max_length=MOST_ROWS)
    fields = {"rows": rows} | ({"out_of_range": OUT_OF_RANGE} if name == "judgments" else {})
    return type(f"New{name.capitalize()}", (Strict,), fields | {"__doc__": f"Rows of {name}."})


def load_rows(study, table, rows, out_of_range=MISSING, by=None):
    """Load rows of a table and return the counts; raise Conflict with the problems if any."""
    with _folder() as folder:
        path = folder / f"{table}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            flat = (json.dumps(_flat(row), ensure_ascii=False) for row in rows)
            file.writelines(f"{line}\n" for line in flat)
        chosen = {"out_of_range": out_of_range, "by": by}
        loading = load_files(None, {table: path}, slug=study.slug, **chosen)
    _refuse(loading, lambda problem: (problem.row, problem.column))
    counted = loading.counts[table].as_dict() | {"note": what_else(loading, table)}
    if table == "judgments":
        counted["out_of_range"] = OutOfRange(loading.off_scale.noted, many=True).data
    return counted


def _flat(row):
    """Return a row as files have it: this API's lists have further columns under `extra`."""
    if not isinstance(row.get("extra"), dict):
        return row
    return {name: value for name, value in row.items() if name != "extra"} | row["extra"]


def load_study(data, user):
    """Make the new study that the data of a study.yaml describe, owned by the user."""
    text = as_yaml(data)
    with _folder() as folder:
        path = folder / "study.yaml"
        path.write_text(text, encoding="utf-8")
        loading = load_files(path, {}, new=True, owner=user)
    lines = text.splitlines()
    _refuse(loading, lambda problem: (None, _field(lines, problem)))
    return loading.study


@contextmanager
def _folder():
    with TemporaryDirectory(prefix="concord-api-") as name:
        yield Path(name)


def _refuse(loading, where):
    problems = loading.problems
    if not problems:
        return
    shown = [
        dict(zip(("row", "field"), where(problem), strict=True)) | {"message": problem.message}
        for problem in problems.shown
    ]
    many = "1 problem" if problems.total == 1 else f"{problems.total:,} problems"
    raise Conflict(f"{many}; nothing was loaded.", problems=shown, total=problems.total)


def _field(lines, problem):
    """Return the place in the data where a problem stands: questions.2.scale, counted from 1."""
    above = lines[: problem.row or 0]
    entry = 0
    for line in reversed(above):
        if line.startswith("- "):
            entry += 1
        elif not line.startswith(" "):
            break
    if not entry:
        return problem.column
    name, key = line.partition(":")[0], problem.column.removeprefix("judges.")
    return f"{name}.{entry}.{key}"


# A new study


QUESTION = {
    "type": "object",
    "required": ["key", "text", "scale"],
    "additionalProperties": False,
    "properties": {
        "key": {"type": "string", "pattern": SLUG},
        "text": {"type": "string", "minLength": 1, "description": "What raters read."},
        "scale": {
            "type": ["string", "object"],
            "description": f"{JSON_FORMS}.",
        },
        "required": {"type": "boolean", "default": True},
        "applies_to": {"type": "array", "items": {"type": "string", "enum": Item.Kind.values}},
        "why": {
            "enum": [True, False, str(Question.Why.REQUIRED)],
            "default": False,
            "description": "Whether raters give a reason, where they answer on a scale.",
        },
        "retired": {
            "type": "boolean",
            "default": False,
            "description": "Kept for its answers and no longer asked.",
        },
    },
}


@extend_schema_field(QUESTION)
class NewQuestion(Object):
    """Accept a question; the file's reader looks at what is in it."""


class StudyNew(Strict):
    """study.yaml as JSON, or some of it on top of a template."""

    study = Text(help_text="Its name in addresses: lower-case letters, digits and hyphens.")
    template = serializers.ChoiceField(
        NAMES, required=False, help_text="Gives what is left out here, its questions too."
    )
    kind = serializers.ChoiceField(Study.Kind, required=False)
    media_hosts = serializers.ListField(child=Text(), required=False)
    questions = serializers.ListField(
        child=NewQuestion(), required=False, min_length=1, max_length=MOST_QUESTIONS
    )

    def get_fields(self):
        """Return the fields with the texts and numbers, within the limits of the file's reader."""
        fields = super().get_fields()
        for name in TEXTS:
            most = limit_of(StudySpec, name, "max_length")
            fields[name] = Text(required=False, allow_blank=True, max_length=most)
        for name in NUMBERS:
            low, high = (limit_of(StudySpec, name, end) for end in ("ge", "le"))
            fields[name] = Whole(required=False, min_value=low, max_value=high)
        for name in ("prompts", "judges", *StudySpec.kept_keys()):
            fields[name] = serializers.JSONField(
                required=False, allow_null=True, help_text="As in study.yaml."
            )
        return fields

    def validate(self, attrs):
        """Refuse what a file may not hold before a file is made of it: that takes as long."""
        if has_too_many(attrs):
            raise serializers.ValidationError(f"The study: {TOO_MANY}.")
        return attrs

    def data_of_file(self):
        """Return the data of study.yaml that the valid request describes."""
        given = dict(self.validated_data)
        if "kind" in given:
            given["kind"] = str(given["kind"])
        name = given.pop("template", None)
        if name is None:
            return given
        text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
        return yaml.safe_load(text) | given


LOADED = OpenApiExample("Loaded", value=COUNTED, response_only=True, status_codes=["201"])
LOADED_JUDGMENTS = OpenApiExample(
    "Loaded", value=COUNTED | {"out_of_range": []}, response_only=True, status_codes=["201"]
)
