"""Say what a description of a provider of models has."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Provider:
    """What is read of a provider; where it says nothing, the rules for all endpoints hold.

    A description is a first guess: the findings of an endpoint's own test take its place.
    """

    name: str
    label: str
    base_url: str  # the address of all customers, or the usual one of a server of one's own
    keys_page: str = ""  # where customers make keys; blank: each has an address of their own
    hosts: str = ""  # pattern of the hosts of customers' own addresses
    keeps_schemas: bool = True
    # {parameter that is not taken: pattern of the models}
    refuses: dict = field(default_factory=dict)
    key_header: str = ""  # in place of Authorization
    listing_headers: dict = field(default_factory=dict)  # more, where its models are listed
    listing_key_header: str = ""
    note: str = ""

    @property
    def host(self):
        return urlsplit(self.base_url).hostname

    @property
    def has_one_address(self):
        """Whether all customers call one address, which nobody has to type."""
        return bool(self.keys_page)

    def is_at(self, base_url):
        """Whether an address is of this provider: its own, of its hosts, or of its usual port."""
        if self.has_one_address:
            return base_url == self.base_url
        try:
            parts = urlsplit(base_url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            return False
        if self.hosts:
            return bool(re.fullmatch(self.hosts, host))
        return port == urlsplit(self.base_url).port

    def headers(self, key, listing=False):
        """Return the headers of a call or of a listing; None leaves out a usual one."""
        name = listing and self.listing_key_header or self.key_header
        own = {"Authorization": None, name: key} if name else {}
        return own | (self.listing_headers if listing else {})

    def refused_by(self, model):
        """Return {parameter: why} of those that a model is known not to take."""
        why = f"Not tested; {self.label} is known to refuse it for such models."
        return {name: why for name, models in self.refuses.items() if re.search(models, model)}
