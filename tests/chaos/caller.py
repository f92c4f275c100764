"""A researcher's browser or program, which asks again until the server answers."""

import http.client
import random
import time
from urllib.parse import urlencode

from tests.simulated_raters import PATIENCE, GaveUp

FORM = "application/x-www-form-urlencoded"
CSRF = "c" * 32  # any secret does, as long as the cookie and the form agree


def browser_headers(user):
    """Return the cookies of a researcher who has logged in."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.create()
    return {"Cookie": f"sessionid={store.session_key}; csrftoken={CSRF}"}


def program_headers(user):
    """Return the header of a program with an API token that may write."""
    from annotate.models import ApiToken

    _, secret = ApiToken.objects.issue(user, days=1, name="chaos", may_write=True)
    return {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}


class Caller:
    """One client: who it is in the ledger, and the headers that it sends."""

    def __init__(self, port, answers, who, headers):
        self.port, self.answers, self.who, self.headers = port, answers, who, headers
        self.dice = random.Random(who)

    def ask(self, kind, method, path, body=None, headers=()):
        """Return (status, headers, text) of the first answer below 500."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                response, text = self._send(method, path, body, dict(headers))
            except (OSError, http.client.HTTPException):
                pass
            else:
                self.answers.count(self.who)
                if response.status < 500:
                    return response.status, response.headers, text
                self.answers.note(self.who, kind, response, text)
            time.sleep(0.3 + self.dice.random())
        raise GaveUp(f"{method} {kind} of {self.who}")

    def _send(self, method, path, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, self.headers | headers)
            response = connection.getresponse()
            return response, response.read().decode(errors="replace")
        finally:
            connection.close()

    def post_form(self, kind, path, **fields):
        """Send a form of a page."""
        body = urlencode({"csrfmiddlewaretoken": CSRF} | fields)
        return self.ask(kind, "POST", path, body, {"Content-Type": FORM})
