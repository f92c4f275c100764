"""Look up what is known of the provider of models at an address.

PROVIDERS                 {name: Provider}
connectable()             those that owners of studies connect by name, at an address nobody types
connectable_at(base_url)  the one of these with this address, or None
provider_at(base_url)     the provider at any address, or None
"""

from judges.endpoints.providers.described import DESCRIBED
from judges.endpoints.providers.provider import Provider as Provider

OTHER = "other"  # in an address of a page: a service at a host that an operator listed
PROVIDERS = {provider.name: provider for provider in DESCRIBED}


def connectable():
    return [provider for provider in PROVIDERS.values() if provider.has_one_address]


def connectable_at(base_url):
    return next((provider for provider in connectable() if provider.is_at(base_url)), None)


def provider_at(base_url):
    return next((provider for provider in PROVIDERS.values() if provider.is_at(base_url)), None)


HOSTS = {provider.host for provider in connectable()}
