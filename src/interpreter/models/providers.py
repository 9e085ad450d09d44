"""Who serves chat completions, where, and in which ways they differ."""

from __future__ import annotations

from interpreter.models.options import Dialect
from interpreter.protocol.values import frozen
from interpreter.settings.keys import KEY_NAMES


@frozen
class Provider:
    """A server that speaks chat completions."""

    prefix: str
    title: str
    base: str
    key_name: str = ""
    dialect: Dialect = "native"
    start_hint: str = ""
    reports_usage_unasked: bool = False
    limit_name: str = "max_tokens"
    effort_style: str = "reasoning_effort"
    renumber_calls: bool = False
    echo_reasoning: bool = False
    seals_calls: bool = False
    caches_prompt: bool = False
    base_names: tuple[str, ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether it runs on the user's machine."""
        return not self.key_name


def _local(prefix: str, title: str, port: int, hint: str, *, llama: bool = False) -> Provider:
    base = f"http://127.0.0.1:{port}/v1"
    return Provider(prefix, title, base, dialect="mixed", start_hint=hint, caches_prompt=llama)


PROVIDERS = {
    provider.prefix: provider
    for provider in (
        Provider(
            "openai", "OpenAI", "https://api.openai.com/v1", KEY_NAMES["openai"],
            limit_name="max_completion_tokens", base_names=("OPENAI_BASE_URL", "OPENAI_API_BASE"),
        ),
        Provider("openrouter", "OpenRouter", "https://openrouter.ai/api/v1",
                 KEY_NAMES["openrouter"], effort_style="reasoning"),
        Provider("groq", "Groq", "https://api.groq.com/openai/v1", KEY_NAMES["groq"]),
        Provider("mistral", "Mistral", "https://api.mistral.ai/v1", KEY_NAMES["mistral"],
                 reports_usage_unasked=True, renumber_calls=True),
        Provider("deepseek", "DeepSeek", "https://api.deepseek.com/v1", KEY_NAMES["deepseek"],
                 echo_reasoning=True),
        Provider("gemini", "Gemini", "https://generativelanguage.googleapis.com/v1beta/openai",
                 KEY_NAMES["gemini"], seals_calls=True),
        Provider("xai", "xAI", "https://api.x.ai/v1", KEY_NAMES["xai"]),
        Provider("together", "Together", "https://api.together.xyz/v1", KEY_NAMES["together"]),
        Provider("fireworks", "Fireworks", "https://api.fireworks.ai/inference/v1",
                 KEY_NAMES["fireworks"]),
        Provider("cerebras", "Cerebras", "https://api.cerebras.ai/v1", KEY_NAMES["cerebras"]),
        Provider("moonshot", "Moonshot", "https://api.moonshot.ai/v1", KEY_NAMES["moonshot"],
                 echo_reasoning=True),
        Provider("azure", "Azure", "", KEY_NAMES["azure"], base_names=("AZURE_API_BASE",)),
        _local("ollama", "Ollama", 11434, "start it with `ollama serve`"),
        _local("lmstudio", "LM Studio", 1234, "start the server in LM Studio (Developer tab)"),
        _local("jan", "Jan", 1337, "start the local API server in Jan"),
        _local("llamafile", "llamafile", 8080, "start the llamafile with --server", llama=True),
        _local("llamacpp", "llama.cpp", 8080, "start `llama-server`", llama=True),
        _local("vllm", "vLLM", 8000, "start it with `vllm serve`"),
    )
}  # fmt: skip

_FAMILIES = (
    (("gpt-", "chatgpt-", "o1", "o3", "o4", "ft:gpt", "codex-"), "openai"),
    (("gemini-", "gemma-"), "gemini"),
    (("mistral-", "codestral-", "magistral-", "devstral-", "ministral-", "pixtral-"), "mistral"),
    (("deepseek-",), "deepseek"),
    (("grok-",), "xai"),
    (("kimi-", "moonshot-"), "moonshot"),
)


def provider_of(name: str, *, has_base: bool) -> tuple[Provider, str] | None:
    """The provider that a model name belongs to, and the model's name there."""
    prefix, slash, rest = name.partition("/")
    if prefix in PROVIDERS and (slash or PROVIDERS[prefix].is_local):
        return PROVIDERS[prefix], rest
    if has_base:
        return PROVIDERS["openai"], name
    family = next((home for starts, home in _FAMILIES if name.startswith(starts)), None)
    return (PROVIDERS[family], name) if family and not slash else None
