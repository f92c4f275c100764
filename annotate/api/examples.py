"""Give an example of each resource, for the schema of the HTTP API."""

from drf_spectacular.utils import OpenApiExample


def answer(value, status="200"):
    """Return an example of the body of a response."""
    return OpenApiExample("Answer", value=value, response_only=True, status_codes=[status])


def page(row):
    """Return an example of a page with one row; drf-spectacular puts the page around it."""
    return OpenApiExample("Page", value=row, response_only=True, status_codes=["200"])


def body(value, name="Request"):
    """Return an example of the body of a request."""
    return OpenApiExample(name, value=value, request_only=True)


QUESTION = {
    "key": "convincing",
    "text": "This explanation is convincing to me.",
    "scale": "likert5",
    "required": True,
}
STUDY = {
    "study": "films",
    "title": "Films, spring study",
    "kind": "explanation",
    "state": "open",
    "notice": "",
    "role": "owner",
    "raters_per_item": 3,
    "items_per_session": 10,
    "items": 160,
    "places": 480,
    "places_filled": 212,
    "created_at": "2026-03-02T09:00:00Z",
    "questions": [QUESTION],
}
ITEM = {
    "id": 7,
    "item": "e1",
    "kind": "explanation",
    "recipient": "anna",
    "content": "film-1",
    "system": "personal",
    "text": "Because you watched The Grand Hotel.",
    "reference": "",
    "review": "",
    "feature": "",
    "parent": None,
    "side": "",
    "position": None,
    "practice": False,
    "extra": {"length": "short"},
}
RATER = {
    "id": 12,
    "rater": "rater-3f9c2",
    "role": "third_party",
    "recipient": None,
    "excluded": False,
    "exclusion_reason": "",
    "created_at": "2026-03-03T10:15:00Z",
}
RATING = {
    "id": 301,
    "item": "e1",
    "rater": "rater-3f9c2",
    "role": "third_party",
    "question": "convincing",
    "value": 4,
    "answered_at": "2026-03-03T10:21:07Z",
    "seconds": 8.2,
    "reason": "",
    "first_side": "",
    "version": 1,
    "extra": {},
}
