"""Say which entry of a setting cannot be used, and why."""


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
