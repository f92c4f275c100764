"""Parse exactly the JSON type that a field names: no "5" for 5, no 1 for true."""

import math

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotate.files.reading.problems import SHOWN
from annotate.values.texts import composed
from annotate.values.wrong import quoted

LONGEST_NAMED = 200  # characters of a name that an error repeats


class Text(serializers.CharField):
    """A text as it is, spaces at its ends too."""

    def __init__(self, **options):
        # Said in the schema only where it is said here.
        shortest = {} if options.get("allow_blank") else {"min_length": 1}
        super().__init__(**{"trim_whitespace": False} | shortest | options)

    def to_internal_value(self, data):
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Whole(serializers.IntegerField):
    """A whole number, not a text of digits."""

    def to_internal_value(self, data):
        if isinstance(data, bool) or not isinstance(data, int | float):
            self.fail("invalid")
        if data != data // 1 or not math.isfinite(data):
            self.fail("invalid")
        return super().to_internal_value(int(data))


class Number(serializers.FloatField):
    """A finite number, not a text of digits."""

    def to_internal_value(self, data):
        if isinstance(data, bool) or not isinstance(data, int | float) or not math.isfinite(data):
            self.fail("invalid")
        return super().to_internal_value(data)


class Flag(serializers.BooleanField):
    """true or false, not a word or a number for it."""

    def to_internal_value(self, data):
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class Object(serializers.JSONField):
    """A JSON object; what is in it is looked at elsewhere."""

    default_error_messages = {"no_object": "Found {found}; allowed is an object."}

    def to_internal_value(self, data):
        if not isinstance(data, dict):
            self.fail("no_object", found=quoted(data))
        return data


@extend_schema_field({"type": ["number", "string", "null"]})
class Answer(serializers.Field):
    """A rating's value: a number on the question's scale, or the text of a text question."""

    def to_representation(self, value):
        return value


class Strict(serializers.Serializer):
    """Fields that are not known are refused: a misspelt filter would filter nothing."""

    def to_internal_value(self, data):
        if isinstance(data, dict) and (
            unknown := [name for name in data if name not in self.fields]
        ):
            names = ", ".join(self.fields)
            named = [name[:LONGEST_NAMED] for name in unknown[:SHOWN]]
            raise serializers.ValidationError(
                {name: [f"This is not known here; allowed are {names}."] for name in named}
            )
        return super().to_internal_value(data)


class Filters(Strict):
    """The query of a list; every parameter may be left out."""

    PAGING = ("cursor", "page_size")

    @classmethod
    def parse_query(cls, request):
        """Parse the query into {name: value}; ValidationError says what is wrong."""
        query = {
            name: text for name, text in request.query_params.items() if name not in cls.PAGING
        }
        form = cls(data=query)
        form.is_valid(raise_exception=True)
        return form.validated_data


class _Key(serializers.CharField):
    def to_internal_value(self, data):
        return composed(super().to_internal_value(data))


def key_filter(words, source):
    """Return a filter by the key of something: exactly that text."""
    return _Key(
        required=False,
        min_length=1,
        max_length=200,
        trim_whitespace=False,
        help_text=words,
        source=source,
    )
