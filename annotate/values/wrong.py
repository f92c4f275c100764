"""Say which entry of a setting cannot be used, and why."""

import json


def quoted(value, limit=80):
    """Show a value in a message as its file has it, cut if it is long: 'a text', true, [1, 2].

    A number stands in quotation marks too: nobody asks whether it was a text.
    """
    is_plain = value is None or isinstance(value, bool | list | dict)
    text = json.dumps(value, ensure_ascii=False, default=str) if is_plain else str(value)
    text = text if len(text) <= limit else text[:limit] + "…"
    return text if is_plain else repr(text)


class Wrong(ValueError):
    """An entry that cannot be used; the message says what is wrong.

    place: the keys, and the numbers from 0 of entries of lists, that lead to what is wrong.
    """

    def __init__(self, message, *place):
        super().__init__(message)
        self.place = place
        self.key = place[-1] if place and isinstance(place[-1], str) else ""
        self.entry = next((part for part in place if isinstance(part, int)), None)

    @property
    def words(self):
        """Return the message with its place in the list."""
        where = "" if self.entry is None else f"number {self.entry + 1}: "
        return where + (f"{self.key}: " if self.key else "") + str(self)
