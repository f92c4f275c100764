"""Keep API keys of studies' endpoints encrypted, each readable for its endpoint and address only.

The first of SECRETS_KEYS encrypts and all of them decrypt. A key that cannot be read is a failure
with a reason, never a value: else a ciphertext would be sent to a provider as if it were a key.
"""

import json
import os

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from judges.endpoints import providers

COLUMNS = ("secret", "secret_end", "secret_set_by", "secret_set_at")
END = 4  # characters of a key that pages show
CHANGED = "The key cannot be opened: the secret of this installation changed. Give the key again."
MOVED = "The key cannot be opened: it was given for another endpoint or address. Give it again."
PLACEHOLDER = "none"  # sent to servers that want no key, as the client sends something always


class KeyFailure(ValueError):
    """There is no key to send; the message says why."""


class NoKey(KeyFailure):
    """No key was given, or its variable is not set."""


class CannotOpen(KeyFailure):
    """The stored key cannot be read."""


class CannotSend(KeyFailure):
    """The key holds what no header of a request can."""


def can_keep():
    """Whether this installation has a secret that keys can be encrypted with."""
    return bool(settings.SECRETS_KEYS)


def _fernet():
    return MultiFernet([Fernet(key) for key in settings.SECRETS_KEYS])


@sensitive_variables()
def set_key(endpoint, key, user):
    """Give a stored endpoint an API key, which is not saved yet; an empty key removes it."""
    bound = {"endpoint": endpoint.pk, "address": endpoint.base_url, "key": key}
    endpoint.secret = _fernet().encrypt(json.dumps(bound).encode()).decode() if key else ""
    endpoint.secret_end = key[-END:]
    endpoint.secret_set_by, endpoint.secret_set_at = user, timezone.now()


@sensitive_variables()
def key_of(endpoint):
    """Return the API key that is sent to an endpoint; KeyFailure says why there is none."""
    if endpoint.secret:
        return _opened(endpoint)
    if name := endpoint.api_key_env:
        if key := os.environ.get(name, "").strip():
            return key
        raise NoKey(f"{name} is not set where the worker runs")
    if providers.connectable_at(endpoint.base_url) and endpoint.study_id:
        raise NoKey("the key of this model was removed; an owner of the study can give one")
    return PLACEHOLDER


@sensitive_variables()
def sendable(key):
    """Return a key without the blanks around it; CannotSend where no header can hold it."""
    key = key.strip()
    if "\n" in key or "\r" in key:
        raise CannotSend("the key cannot be sent (it holds a line end)")
    if not (key.isascii() and key.isprintable()):
        raise CannotSend("the key cannot be sent (it holds a character that no header can hold)")
    return key


@sensitive_variables()
def _opened(endpoint):
    if not can_keep():
        raise CannotOpen(CHANGED)
    try:
        bound = json.loads(_fernet().decrypt(endpoint.secret.encode()))
    except InvalidToken:
        raise CannotOpen(CHANGED) from None
    if (bound["endpoint"], bound["address"]) != (endpoint.pk, endpoint.base_url):
        raise CannotOpen(MOVED)
    return bound["key"]


def rotated(secret):
    """Encrypt a stored key anew by the first of SECRETS_KEYS; CannotOpen if none opens it."""
    try:
        return _fernet().rotate(secret.encode()).decode()
    except InvalidToken:
        raise CannotOpen(CHANGED) from None
