"""Say which entry of a setting cannot be used, and why."""


class Wrong(ValueError):
    """An entry that cannot be used; the message says what is wrong.

    key: the wrong key of the entry; entry: the entry's number in its list, from 0.
    """

    def __init__(self, message, key="", entry=None):
        super().__init__(message)
        self.key, self.entry = key, entry

    @property
    def words(self):
        """Return the message with its place in the list."""
        where = "" if self.entry is None else f"number {self.entry + 1}: "
        return where + (f"{self.key}: " if self.key else "") + str(self)
