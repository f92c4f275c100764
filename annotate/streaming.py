"""Responses in pieces that fail in their view, where it can still be said, if they fail at once."""

from itertools import chain, islice

FIRST = 2  # pieces: a header, and the first rows behind it


class Begun:
    """Pieces of which the first were made before the response begins."""

    def __init__(self, pieces):
        """Make the first of the pieces, a generator; the others when they are asked for."""
        self.first, self.rest = list(islice(pieces, FIRST)), pieces

    def __iter__(self):
        """Return all pieces in their order."""
        return chain(self.first, self.rest)

    def close(self):
        """End the generator, as a response does that is sent or broken off."""
        self.rest.close()
