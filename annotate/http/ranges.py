"""Send a file, whole or the part that a browser asks for: Safari plays nothing else."""

import os
import re

from django.http import FileResponse, HttpResponse

RANGE = re.compile(r"bytes=([0-9]{0,15})-([0-9]{0,15})")


class Part:
    """An open file that ends after so many bytes."""

    def __init__(self, file, length):
        self.file, self.left = file, length
        self.close = file.close

    def read(self, size=-1):
        wanted = self.left if size < 0 else min(size, self.left)
        piece = self.file.read(wanted)
        self.left -= len(piece)
        return piece


def asked_for(header, size):
    """Parse a Range header into (first, last) byte; None for the whole, () beyond the end.

    Several ranges at once, and what is no range, get the whole, as RFC 9110 allows.
    """
    match = RANGE.fullmatch(header.strip())
    if not match or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if not first:
        return (max(size - int(last), 0), size - 1) if int(last) and size else ()
    if last and int(last) < int(first):
        return None
    return (int(first), min(int(last or size - 1), size - 1)) if int(first) < size else ()


def file_response(request, path, content_type, etag):
    """Return the response to a GET or HEAD; FileNotFoundError as open() raises it."""
    file = path.open("rb")
    size = os.fstat(file.fileno()).st_size
    same = request.headers.get("If-Range", etag) == etag
    span = asked_for(request.headers.get("Range", ""), size) if same else None
    if span == ():
        file.close()
        response = HttpResponse(status=416, content_type=content_type)
        response["Content-Range"] = f"bytes */{size}"
    elif span is None:
        response = FileResponse(file, content_type=content_type)
        response["Content-Length"] = str(size)
    else:
        first, last = span
        file.seek(first)
        length = last - first + 1
        response = FileResponse(Part(file, length), status=206, content_type=content_type)
        response["Content-Length"] = str(length)
        response["Content-Range"] = f"bytes {first}-{last}/{size}"
    response["Accept-Ranges"] = "bytes"
    response["ETag"] = etag
    return response
