"""List the providers whose addresses ship with the code, for owners of studies to call."""

from dataclasses import dataclass
from urllib.parse import urlsplit

OTHER = "other"  # in an address of a page: a service at a host that an operator listed


@dataclass(frozen=True)
class Preset:
    """A provider of models at an address that nobody types."""

    name: str
    label: str
    base_url: str
    keys_page: str  # where its customers make keys
    keeps_schemas: bool = True  # a first guess, which a test of the endpoint corrects
    note: str = ""

    @property
    def host(self):
        return urlsplit(self.base_url).hostname

    def listing_headers(self, key):
        """Return headers of a request for its list of models; None leaves out a usual one."""
        return {}


class Anthropic(Preset):
    """Anthropic lists its models by its own interface only, which takes the key in a header."""

    def listing_headers(self, key):
        return {"Authorization": None, "x-api-key": key, "anthropic-version": "2023-06-01"}


PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "openai",
            "OpenAI",
            "https://api.openai.com/v1",
            "https://platform.openai.com/api-keys",
        ),
        Anthropic(
            "anthropic",
            "Anthropic",
            "https://api.anthropic.com/v1",
            "https://console.anthropic.com/settings/keys",
            keeps_schemas=False,
            note="It ignores JSON schemas without saying so, and gives no probabilities of tokens. "
            "Judges ask it for JSON in words.",
        ),
        Preset(
            "gemini",
            "Gemini",
            "https://generativelanguage.googleapis.com/v1beta/openai",
            "https://aistudio.google.com/apikey",
        ),
        Preset(
            "openrouter",
            "OpenRouter",
            "https://openrouter.ai/api/v1",
            "https://openrouter.ai/settings/keys",
            note="It hands each call on to some provider of the model, which decides what works.",
        ),
    )
}
HOSTS = {preset.host for preset in PRESETS.values()}


def preset_at(base_url):
    """Return the preset with this address, or None."""
    return next((preset for preset in PRESETS.values() if preset.base_url == base_url), None)
