"""Allow pictures and recordings only from hosts that the study names, and only by https."""

import re
from urllib.parse import urlsplit

from annotate.values.wrong import quoted

MOST_HOSTS = 20
LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# The last part has a letter: no numeric addresses.
HOST = re.compile(rf"(?=.{{1,253}}\Z)(?:{LABEL}\.)+(?=[a-z0-9-]*[a-z]){LABEL}")


def check_hosts(hosts):
    """Return the names in lower case, each once; ValueError names an invalid host."""
    names = list(dict.fromkeys(host.strip().lower() for host in hosts))
    for name in names:
        if not HOST.fullmatch(name):
            raise ValueError(
                f"found {quoted(name)}; allowed is the name of a host, such as media.example.org, "
                "without https://, path, port or *"
            )
    if len(names) > MOST_HOSTS:
        raise ValueError(f"found {len(names)} hosts; allowed are {MOST_HOSTS}")
    return names


def allowed(url, hosts):
    """Return the address if a rater's page may load it, else an empty text."""
    try:
        parts = urlsplit(url)
        plain = parts.scheme == "https" and parts.port in (None, 443) and "@" not in parts.netloc
    except ValueError:
        return ""
    return url if plain and parts.hostname in hosts else ""


def allow(response, study):
    """Let the page load pictures and recordings from the study's hosts, and from no other."""
    if study.media_hosts:
        sources = [f"https://{host}" for host in study.media_hosts]
        before = getattr(response, "_csp_update", {})
        response._csp_update = before | {"img-src": sources, "media-src": sources}
    return response
