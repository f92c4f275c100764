"""Read environment variables by type; an invalid value is refused with what is wanted."""

import base64
import os
import secrets
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

FERNET_BYTES = 32
MAKE_SECRET = (
    "python3 -c 'import base64, os; print(base64.urlsafe_b64encode(os.urandom(32)).decode())'"
)
TRUE, FALSE = {"1", "true", "yes", "on"}, {"", "0", "false", "no", "off"}


def env_text(name, default=""):
    """Return a variable's text without spaces around it."""
    return os.environ.get(name, default).strip()


def env_bool(name, default=False):
    """Return a variable as a boolean; refuse other words."""
    text = env_text(name, str(default)).lower()
    if text not in TRUE | FALSE:
        raise ImproperlyConfigured(f"{name} is {text!r}; it must be one of 1, 0, true, false.")
    return text in TRUE


def env_int(name, default):
    """Return a variable as a whole number; refuse other texts."""
    text = env_text(name, str(default))
    try:
        return int(text)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is {text!r}; it must be a whole number.") from error


def env_list(name, default=""):
    """Return a variable's parts between commas, without empty parts."""
    return [part.strip() for part in env_text(name, default).split(",") if part.strip()]


def secret_key(path, required):
    """Return the key of the environment, or a key made at the first start and kept in a file."""
    key = env_text("SECRET_KEY")
    if required and len(key) < 50:
        raise ImproperlyConfigured(
            "SECRET_KEY must be set to at least 50 random characters in production, for example "
            "the output of: python -c 'import secrets; print(secrets.token_urlsafe(50))'"
        )
    return key or _kept_key(path, _new_secret_key)


def secrets_keys(path, kept):
    """Return the keys that encrypt API keys: of the environment, or one that is kept in a file.

    kept: whether a key is made at the first start where the environment names none.
    """
    keys = env_list("SECRETS_KEYS")
    for number, key in enumerate(keys, start=1):
        if not _is_fernet_key(key):
            raise ImproperlyConfigured(
                f"SECRETS_KEYS: key {number} of {len(keys)} is not 32 bytes in URL-safe base64 "
                f"(44 characters). Make one with: {MAKE_SECRET}"
            )
    return keys or ([_kept_key(path, _new_fernet_key)] if kept else [])


def _is_fernet_key(text):
    try:
        return len(base64.b64decode(text, altchars=b"-_", validate=True)) == FERNET_BYTES
    except ValueError:
        return False


def _new_fernet_key():
    return base64.urlsafe_b64encode(secrets.token_bytes(FERNET_BYTES)).decode()


def _new_secret_key():
    return secrets.token_urlsafe(50)


def _kept_key(path: Path, make):
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    key = make()
    with os.fdopen(descriptor, "w") as file:
        file.write(key)
    return key


def database(url, sqlite_path):
    """Return Django's settings for a database address; an empty address means SQLite."""
    if not url or url.startswith("sqlite"):
        return _sqlite(url.removeprefix("sqlite:///") or str(sqlite_path))
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql"):
        raise ImproperlyConfigured(
            f"DATABASE_URL begins with {parts.scheme!r}; it must begin with postgres:// or sqlite:///"
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": parts.port or "",
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": dict(parse_qsl(parts.query)),
    }


def _sqlite(name):
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": name,
        # A file, not memory: live servers and worker processes of tests open it too.
        "TEST": {"NAME": f"{name}.test"},
        "CONN_MAX_AGE": 600,
        "OPTIONS": {
            # IMMEDIATE: a transaction that starts with a read cannot fail later to become a writer.
            "transaction_mode": "IMMEDIATE",
            "timeout": env_int("SQLITE_WAIT_SECONDS", 60),
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
                "PRAGMA cache_size=-64000; PRAGMA temp_store=MEMORY"
            ),
        },
    }
