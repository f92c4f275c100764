"""Parse bodies of the HTTP API: JSON of bounded size and depth, of values that a database takes."""

import json

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser

from annotate.api.errors import TooLarge
from annotate.files.reading import plainjson
from annotate.files.reading.encoding import megabytes

DEEPEST = 30


class AlwaysJSON(BaseContentNegotiation):
    """Answer with JSON, whatever a program says that it accepts."""

    def select_parser(self, request, parsers):
        media = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == media), None)

    def select_renderer(self, request, renderers, format_suffix=None):
        return renderers[0], renderers[0].media_type


class PlainJSONParser(BaseParser):
    """Parse JSON as in a file of JSON lines: no NaN, no name twice, no NUL."""

    media_type = "application/json"

    def parse(self, stream, media_type=None, parser_context=None):
        body = self._read(stream, int(parser_context["request"].META.get("CONTENT_LENGTH") or 0))
        try:
            value = plainjson.parse_json(body.decode("utf-8"))
        except UnicodeDecodeError:
            raise ParseError("The body is not UTF-8.") from None
        except ValueError as error:
            raise ParseError(f"The body cannot be read: {error}.") from None
        if too_deep(value):
            raise ParseError(f"The body is nested too deeply; allowed are {DEEPEST} levels.")
        if not _is_finite(value):
            raise ParseError("The body cannot be read: found NaN or a number beyond ±1.8e308.")
        return value

    @staticmethod
    def _read(stream, length):
        most = settings.API_MAX_BYTES
        if length > most:
            raise TooLarge(
                f"The body has {megabytes(length)}; allowed are {megabytes(most)}. "
                "Send the rows in parts."
            )
        return stream.read(most)


def _is_finite(value):
    """Return whether the numbers of a body are finite; those of `rows` are told row by row."""
    fields = value.items() if isinstance(value, dict) else [("", value)]
    try:
        json.dumps([own for name, own in fields if name != "rows"], allow_nan=False)
    except ValueError:
        return False
    return True


def too_deep(value):
    """Return whether lists and objects are nested more than DEEPEST deep."""
    level = [value]
    for _ in range(DEEPEST):
        inner = [entry for entry in level if isinstance(entry, dict | list)]
        level = [
            child
            for entry in inner
            for child in (entry.values() if isinstance(entry, dict) else entry)
        ]
        if not level:
            return False
    return True
