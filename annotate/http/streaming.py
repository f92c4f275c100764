"""Stream responses in pieces; a failure of the first pieces still gets a page of its own."""

from itertools import islice

from django.http import StreamingHttpResponse

from annotate.db import busy
from annotate.http import gone

FIRST = 2  # pieces: a header, and the first rows behind it


class Begun:
    """The pieces of a generator, of which the first can be made before the response begins."""

    def __init__(self, pieces):
        self.first, self.rest = [], pieces

    def begin(self):
        """Make the first pieces; the others are made when they are sent."""
        self.first = list(islice(self.rest, FIRST))

    def __iter__(self):
        """Yield all pieces in their order."""
        yield from self.first
        yield from self.rest

    def close(self):
        """End the generator, as a response does that is sent or broken off."""
        self.rest.close()


class PiecesResponse(StreamingHttpResponse):
    """A response whose first pieces are made when nothing more is written for its request."""

    def __init__(self, pieces, *args, **kwargs):
        self.pieces = Begun(pieces)
        super().__init__(self.pieces, *args, **kwargs)


class PiecesMiddleware:
    """Begin a response in pieces after the session is saved, outside all that may write.

    The pieces may read in a transaction in which nothing can be written, and which lasts until
    the last of them is sent.
    """

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        if not isinstance(response, PiecesResponse):
            return response
        try:
            response.pieces.begin()
        except Exception as error:
            response.close()
            return _refuse(request, response, error)
        return response


def _refuse(request, response, error):
    """Return the page that says why there is no response; raise an error that is a fault."""
    is_passing = busy.is_passing(error)
    answer = busy.page(request, error) if is_passing else gone.answer(request, error)
    if answer is None:
        raise error
    answer.cookies.update(response.cookies)  # the session may have a new key
    if "X-Frame-Options" in response:
        answer["X-Frame-Options"] = response["X-Frame-Options"]
    return answer
