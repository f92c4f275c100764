"""Describe the providers that are known; docs/JUDGES.md says of when that knowledge is."""

from judges.endpoints.providers.provider import Provider

# OpenAI's models that reason first; the chat models beside them take both.
REASONING = r"^(o\d|gpt-[5-9](?!.*chat))"
OF_REASONING = {"max_tokens": REASONING, "temperature": REASONING}
WORDS_ONLY = "Judges ask it for JSON in words."

DESCRIBED = (
    Provider(
        "openai",
        "OpenAI",
        "https://api.openai.com/v1",
        "https://platform.openai.com/api-keys",
        refuses=OF_REASONING,
    ),
    Provider(
        "anthropic",
        "Anthropic",
        "https://api.anthropic.com/v1",
        "https://console.anthropic.com/settings/keys",
        keeps_schemas=False,
        refuses={"temperature": r"^claude-(opus-4-[7-9]|[a-z]+-[5-9])"},
        listing_headers={"anthropic-version": "2023-06-01"},
        listing_key_header="x-api-key",
        note="It ignores JSON schemas without saying so, gives no probabilities of tokens, and "
        f"takes a temperature above 1 for 1. {WORDS_ONLY}",
    ),
    Provider(
        "gemini",
        "Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "https://aistudio.google.com/apikey",
    ),
    Provider(
        "mistral",
        "Mistral",
        "https://api.mistral.ai/v1",
        "https://console.mistral.ai/api-keys",
        note="It refuses every parameter that it does not know, probabilities of tokens too.",
    ),
    Provider(
        "xai",
        "xAI",
        "https://api.x.ai/v1",
        "https://console.x.ai",
        note="What its models think is counted, and paid, beside the tokens of the reply.",
    ),
    Provider(
        "deepseek",
        "DeepSeek",
        "https://api.deepseek.com",
        "https://platform.deepseek.com/api_keys",
        keeps_schemas=False,
        note="It has a JSON mode and no schemas. Its thinking models take a temperature without "
        "effect.",
    ),
    Provider(
        "moonshot",
        "Moonshot",
        "https://api.moonshot.ai/v1",
        "https://platform.moonshot.ai/console/api-keys",
        refuses={"temperature": r"^kimi-k(2\.[5-9]|[3-9])"},
        note="Its newer models take one temperature only; judges send them none.",
    ),
    Provider(
        "groq",
        "Groq",
        "https://api.groq.com/openai/v1",
        "https://console.groq.com/keys",
        note="It refuses probabilities of tokens, and takes a temperature of 0 for one just above.",
    ),
    Provider(
        "openrouter",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        "https://openrouter.ai/settings/keys",
        note="It hands each call on to some provider of the model, which decides what works.",
    ),
    Provider(
        "azure",
        "Azure",
        "https://RESOURCE.openai.azure.com/openai/v1",
        hosts=r".+\.(openai\.azure|services\.ai\.azure|cognitiveservices\.azure)\.com",
        refuses=OF_REASONING,
        key_header="api-key",
        note="The model is the name of a deployment. Its filters may stop prompts.",
    ),
    Provider("ollama", "Ollama", "http://localhost:11434/v1", note="It wants no key."),
    Provider("vllm", "vLLM", "http://localhost:8000/v1", note="It wants a key only if told so."),
    Provider(
        "litellm",
        "LiteLLM’s proxy",
        "http://localhost:4000/v1",
        note="It hands each call on, and words errors as the provider behind it does.",
    ),
)
