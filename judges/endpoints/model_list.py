"""Ask an endpoint which models it has, so that an owner can pick one."""

from asgiref.sync import async_to_sync
from django.views.decorators.debug import sensitive_variables

from judges.endpoints.client import Client, Failure

SECONDS = 15  # somebody waits for the page
LONGEST = 1000  # names that a page offers

WORDS = {
    Failure.AUTHENTICATION: "the provider refuses the key",
    Failure.UNREACHED: "there is no network, or nothing listens at the address",
    Failure.TIMEOUT: "the address does not answer in time",
}


@sensitive_variables()
def list_models(endpoint, key=""):
    """Return (names of models, why there are none). key: of an endpoint that is not stored yet."""
    endpoint.timeout_seconds = SECONDS
    answer = async_to_sync(_listed)(endpoint, key)
    if answer.failure:
        words = WORDS.get(answer.failure, "the provider gave none")
        return [], f"{words} ({answer.failure}: {answer.detail[:200]})."
    names = answer.content.split("\n") if answer.content else []
    return names[:LONGEST], "" if names else "the provider’s list is empty."


async def _listed(endpoint, key):
    async with Client(endpoint, key) as client:
        return await client.list_models()
