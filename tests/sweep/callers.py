"""The nine callers, and what the policy grants each of them."""

from dataclasses import dataclass

from django.test import Client

BACKEND = "django.contrib.auth.backends.ModelBackend"
GUEST = {"anyone"}
PERSON = {"anyone", "person"}
VIEWER = PERSON | {"viewer"}
EDITOR = VIEWER | {"editor"}
OWNER = EDITOR | {"owner", "maker"}
# How each caller differs from the others: (on pages, in the API).
CALLERS = {
    "anonymous": (GUEST, GUEST),  # nobody: neither logged in nor a link or token
    "stranger": (PERSON, PERSON),  # an account and nothing else
    "neighbour": (PERSON, PERSON),  # owns another study, whose address is mixed with these rows
    "viewer": (VIEWER, VIEWER),  # reads the study
    "editor": (EDITOR, EDITOR),  # changes it
    "owner": (OWNER, OWNER),  # also pays raters, deletes, and gives roles
    "operator": (PERSON | {"operator"}, PERSON),  # runs the installation; a member of no study
    "rater": (GUEST | {"rater"}, GUEST),  # holds the link of a session
    "program": (GUEST, OWNER),  # holds an API token of the owner that may write
}
# Programs whose tokens may do less than the owner's. Methods that only read are granted apart.
PROGRAMS = {
    "reader": (GUEST, OWNER),  # a token of the owner that may only read
    "viewer": (GUEST, VIEWER),  # a token that may write, of somebody who may not
    "elsewhere": (GUEST, PERSON),  # of the owner, for another study alone
    "expired": (GUEST, GUEST),
    "revoked": (GUEST, GUEST),
}
NEVER_WRITE = {"reader", "elsewhere"}  # what such tokens may not even where the person may


@dataclass
class Caller:
    """Somebody who asks: a client, and what the policy grants on pages and in the API."""

    name: str
    client: Client
    on_pages: set
    in_api: set
    may_write: bool = True

    def may(self, who, route, method):
        """Whether a grant is theirs."""
        if not route.startswith("api/v1/"):
            return who in self.on_pages
        return who in self.in_api and (self.may_write or method == "GET")

    @property
    def is_logged_in(self):
        return "person" in self.on_pages


def make_caller(name, world):
    """One of the nine."""
    on_pages, in_api = CALLERS[name]
    headers = _bearer(world.secrets["owner"]) if name == "program" else {}
    client = Client(raise_request_exception=False, headers=headers)
    if name in world.people:
        client.force_login(world.people[name], BACKEND)
    return Caller(name, client, on_pages, in_api)


def make_program(name, world):
    """A program with another token than the owner's whole one."""
    secret = world.secrets.get(name, "concord_" + "x" * 43)
    client = Client(raise_request_exception=False, headers=_bearer(secret))
    return Caller(f"{name} program", client, *PROGRAMS[name], name not in NEVER_WRITE)


def _bearer(secret):
    return {"Authorization": f"Bearer {secret}"}
