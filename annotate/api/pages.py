"""List rows of the HTTP API a page at a time, by primary key: stable while rows come, no count."""

from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import CursorPagination

MOST = 1000
POSITION = 19  # digits of the largest primary key


class Pages(CursorPagination):
    """?page_size=N, and a cursor that only the addresses `next` and `previous` give."""

    ordering = "id"
    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = MOST
    invalid_cursor_message = "There is no such page: follow an address `next` or `previous`."
    cursor_query_description = "From the address `next` or `previous` of another page."
    page_size_query_description = "Rows of a page."

    def get_page_size(self, request):
        text = request.query_params.get(self.page_size_query_param)
        if text is None:
            return self.page_size
        if not (text.isascii() and text.isdecimal() and len(text) < 5 and 1 <= int(text) <= MOST):
            raise ValidationError(
                {"page_size": [f"Found {text[:80]!r}; allowed is a whole number from 1 to {MOST}."]}
            )
        return int(text)

    def decode_cursor(self, request):
        """Return the cursor, or None without it; NotFound if these pages did not make it."""
        cursor = super().decode_cursor(request)
        position = cursor.position if cursor else "0"
        # A text would be compared with a number, and a longer number does not fit the column.
        if position is None or not (
            position.isascii() and position.isdecimal() and len(position) < POSITION
        ):
            raise NotFound(self.invalid_cursor_message)
        return cursor

    def get_paginated_response_schema(self, schema):
        address = {"type": ["string", "null"], "format": "uri"}
        about = {"next": "The following page; null at the end.", "previous": "The page before."}
        example = "https://concord.example.org/api/v1/studies/films/items/?cursor="
        marks = {"next": "cD0xMDc=", "previous": "cj0xJnA9Nw=="}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {
                **{
                    name: address | {"description": words, "example": example + marks[name]}
                    for name, words in about.items()
                },
                "results": schema,
            },
        }

    def get_schema_operation_parameters(self, view):
        cursor, size = super().get_schema_operation_parameters(view)
        # Invented cursors are refused, so no example of one is given.
        size["schema"] |= {"minimum": 1, "maximum": MOST, "default": self.page_size}
        return [cursor, size]
