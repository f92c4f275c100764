"""Decide which hosts judges may call: known providers', or listed ones; none is private."""

import ipaddress
import socket
from urllib.parse import urlsplit

from django.conf import settings

from judges.endpoints.providers import HOSTS

DEFAULT_PORTS = {"http": 80, "https": 443}
# No such name leads to a public address: RFC 6761, RFC 6762, and ICANN's decision of 2024.
PRIVATE_NAMES = (".localhost", ".local", ".internal")
NAT64 = ipaddress.ip_network("64:ff9b::/96")  # RFC 6052: the last four bytes are an IPv4 address


class HostRefused(ValueError):
    """The address may not be called; the message says why and what is allowed."""


def check_listed(base_url):
    """Return (host, port) of a listed address; HostRefused says what is allowed."""
    try:
        parts = urlsplit(base_url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError as error:
        raise HostRefused(f"{base_url!r} is no address: {error}") from None
    if not base_url.isprintable():  # what one parser skips another refuses
        raise HostRefused(f"{base_url!r} is no address: it holds characters that nobody sees")
    if parts.scheme not in DEFAULT_PORTS or not host:
        raise HostRefused(f"{base_url!r} must begin with http:// or https:// and name a host")
    if parts.username or parts.password:
        raise HostRefused("the address must hold no user name or password")
    port = port or DEFAULT_PORTS[parts.scheme]
    is_known = host in HOSTS and (parts.scheme, port) == ("https", DEFAULT_PORTS["https"])
    if not is_known and not _is_listed(host, port):
        name = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        port_needed = settings.PRODUCTION and _is_this_machine(host) and _is_listed_whole(host)
        raise HostRefused(
            f"the host {name} is not in ENDPOINT_HOSTS "
            f"({', '.join(settings.ENDPOINT_HOSTS) or 'which is empty'}); an operator can add "
            + (
                f"{name} (in production, addresses of this machine need a port)"
                if port_needed
                else "it"
            )
        )
    return host, port


def _is_listed(host, port):
    """Whether the operator listed the host with this port, or with all its ports.

    In production no entry opens all ports of this machine: its database and Redis listen there.
    """
    if {f"{host}:{port}", f"[{host}]:{port}"} & _listed():
        return True
    return _is_listed_whole(host) and not (settings.PRODUCTION and _is_this_machine(host))


def _is_listed_whole(host):
    return bool({host, f"[{host}]"} & _listed())


def _listed():
    return {name.lower() for name in settings.ENDPOINT_HOSTS}


def _is_this_machine(host):
    """Whether a host is a name or an address of this machine itself."""
    if not _is_address(host):
        return host == "localhost" or host.endswith(".localhost")
    ip = ipaddress.ip_address(host.split("%")[0])
    inside = _inside(ip) if ip.version == 6 else None
    return any(address.is_loopback or address.is_unspecified for address in (ip, inside or ip))


def host_of(base_url):
    """Return the host of an address in lower case; blank where it names none."""
    try:
        return (urlsplit(base_url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def is_local(host):
    """Whether a host is this machine or in a private network, by its name or address alone.

    A name without a dot is such as a service of a compose file has.
    """
    if _is_address(host):
        return not _is_public(host)
    return bool(host) and ("." not in host or host.endswith(PRIVATE_NAMES))


def check_addresses(host, port, addresses):
    """Refuse a listed public name that leads to a private address which is not listed itself.

    A literal address or a name without a dot (localhost, a compose service) was listed on purpose.
    """
    if "." not in host or _is_address(host):
        return
    for address in addresses:
        if not _is_public(address) and not _is_listed(address, port):
            raise HostRefused(
                f"{host} leads to the private address {address}; if that is meant, "
                f"add {address} to ENDPOINT_HOSTS too"
            )


def _is_public(address):
    ip = ipaddress.ip_address(address.split("%")[0])
    if ip.version == 6:
        ip = _inside(ip) or ip
    return ip.is_global


def _inside(ip):
    """Return the IPv4 address to which a network translates an IPv6 address, or None."""
    translated = ipaddress.IPv4Address(ip.packed[-4:]) if ip in NAT64 else None
    return ip.ipv4_mapped or ip.sixtofour or translated


def _is_address(host):
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def check(base_url):
    """Check the name and where it leads now; a client checks that again at each connection.

    A name that cannot be resolved now is let pass.
    """
    host, port = check_listed(base_url)
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        return
    check_addresses(host, port, {entry[4][0] for entry in entries})
