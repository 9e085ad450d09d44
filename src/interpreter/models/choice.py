"""Which model a first run uses: what was asked for, a key, a local server, or the built-in one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from interpreter.models.embedded.catalogue import PREFIX, CatalogueModel
from interpreter.models.local.readings import LocalModel
from interpreter.models.local.servers import LocalServer
from interpreter.protocol.errors import install_command
from interpreter.protocol.values import frozen

KEYS = {
    "OPENAI_API_KEY": "gpt-5.5",
    "ANTHROPIC_API_KEY": "anthropic/claude-sonnet-5-5",
    "OPENROUTER_API_KEY": "openrouter/auto",
    "GEMINI_API_KEY": "gemini/gemini-3.8-flash",
    "GROQ_API_KEY": "groq/openai/gpt-oss-120b",
    "MISTRAL_API_KEY": "mistral/mistral-large-latest",
    "DEEPSEEK_API_KEY": "deepseek/deepseek-chat",
}
"""The model that each key stands for, in the order of preference, where none was asked for."""

CODERS = ("coder", "code", "devstral", "qwen", "gpt-oss", "llama3", "llama-3", "mistral")


@frozen
class ChoiceFacts:
    """What the choice depends on. Servers are looked for only when nothing before decides."""

    environ: Mapping[str, str]
    find_servers: Callable[[], Sequence[LocalServer]]
    embedded: CatalogueModel
    model: str = ""
    """The model that was asked for, by a flag or a setting."""
    embedded_runs: bool = True
    """Whether llama.cpp is installed."""
    embedded_is_here: bool = False
    """Whether the built-in model's file is on this machine."""
    offline: bool = False
    better: CatalogueModel | None = None
    """A larger built-in model that this machine has room for."""


OTHER_WAYS = (
    "Or give a key (OPENAI_API_KEY and others, or `interpreter config key PROVIDER`), name another "
    "model with --model, or watch a demo without any: interpreter --model scripted/demo"
)


@frozen
class Choice:
    """The model to use, and one sentence that says why; empty when it was asked for."""

    name: str
    sentence: str = ""
    api_base: str = ""
    download: int = 0
    """Bytes that have to be downloaded first: a reason to ask."""


def choose_model(facts: ChoiceFacts) -> Choice:
    """The model by the order: asked for, a key, a running server, built in."""
    if facts.model:
        return Choice(facts.model)
    if not facts.offline and (keyed := _by_key(facts)):
        return keyed
    for server in facts.find_servers():
        if model := best_of(server.models):
            return _served(server, model)
    return _embedded(facts)


def _by_key(facts: ChoiceFacts) -> Choice | None:
    for variable, name in KEYS.items():
        if facts.environ.get(variable):
            return Choice(name, f"Using {name}: {variable} is set.")
    return None


def _served(server: LocalServer, model: LocalModel) -> Choice:
    name = f"{server.kind.prefix}/{model.name}"
    sentence = f"No API key. {server.kind.title} is running: using its {model.name}."
    return Choice(name, sentence, api_base=server.api_base)


def _embedded(facts: ChoiceFacts) -> Choice:
    name = f"{PREFIX}/{facts.embedded.name}"
    found = "No API key, no local server. "
    if not facts.embedded_runs:
        hint = f"Install the built-in model with: {install_command('local')}"
        return Choice("", f"{found}{hint}. {OTHER_WAYS}")
    if facts.embedded_is_here:
        return Choice(name, f"{found}Using the built-in {facts.embedded.name}, offline.")
    size = f"{facts.embedded.size / 1e9:.1f} GB"
    cost = f"one download of {size}, then offline."
    sentence = f"{found}Using the built-in {facts.embedded.name}: {cost}{_larger(facts.better)}"
    return Choice(name, sentence, download=facts.embedded.size)


def _larger(model: CatalogueModel | None) -> str:
    if model is None:
        return ""
    size = f"{model.size / 1e9:.1f} GB"
    named = f"--model embedded/{model.name}"
    return f" The larger {model.name} ({size}) fits this machine, too, and errs less: {named}."


def best_of(models: Sequence[LocalModel]) -> LocalModel | None:
    """The model to start with: loaded before not, made for code before not, then as listed."""
    return min(filter(can_chat, models), key=_rank, default=None)


def can_chat(model: LocalModel) -> bool:
    """Whether a model is not one that only makes vectors of texts."""
    return "embed" not in model.name.lower()


def _rank(model: LocalModel) -> tuple[bool, int]:
    name = model.name.lower()
    return not model.loaded, next((at for at, w in enumerate(CODERS) if w in name), len(CODERS))
