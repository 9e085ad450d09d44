"""What model servers say about their models, each in its own words, read into ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from interpreter.protocol.values import frozen


@frozen
class LocalModel:
    """A model that a server offers; 0 and "" mean that it does not say."""

    name: str
    size: int = 0
    context: int = 0
    details: str = ""
    loaded: bool = False
    tools: bool | None = None
    vision: bool | None = None


def ollama_models(tags: Any, shown: Mapping[str, Any]) -> tuple[LocalModel, ...]:
    """From `/api/tags`, with what `/api/show` adds: the context and what the model can do."""
    return tuple(
        _ollama_model(entry, shown.get(str(entry.get("name", ""))))
        for entry in _list(tags, "models")
    )


def _ollama_model(entry: Mapping[str, Any], shown: Any) -> LocalModel:
    details = _mapping(entry.get("details"))
    more = _mapping(shown)
    can = more.get("capabilities")
    abilities = can if isinstance(can, list) else None
    words = (details.get("parameter_size"), details.get("quantization_level"))
    return LocalModel(
        name=str(entry.get("name", "")),
        size=_count(entry.get("size")),
        context=_ollama_context(_mapping(more.get("model_info"))),
        details=" ".join(str(word) for word in words if word),
        tools=None if abilities is None else "tools" in abilities,
        vision=None if abilities is None else "vision" in abilities,
    )


def _ollama_context(information: Mapping[str, Any]) -> int:
    """It stands under the name of the architecture, such as `llama.context_length`."""
    values = [v for name, v in information.items() if name.endswith(".context_length")]
    return _count(values[0]) if values else 0


def lm_studio_models(listed: Any) -> tuple[LocalModel, ...]:
    """From `/api/v0/models`; those that make embeddings are left out."""
    entries = [entry for entry in _list(listed, "data") if entry.get("type") != "embeddings"]
    return tuple(
        LocalModel(
            name=str(entry.get("id", "")),
            context=_count(entry.get("loaded_context_length") or entry.get("max_context_length")),
            details=" ".join(str(entry[key]) for key in ("arch", "quantization") if entry.get(key)),
            loaded=entry.get("state") == "loaded",
            tools="tool_use" in entry["capabilities"] if "capabilities" in entry else None,
            vision=entry.get("type") == "vlm",
        )
        for entry in entries
    )


def llama_models(listed: Any, properties: Mapping[str, Any]) -> tuple[LocalModel, ...]:
    """From `/v1/models` and `/props` of llama.cpp's server, which serves one model."""
    generation = _mapping(properties.get("default_generation_settings"))
    context = _count(generation.get("n_ctx"))
    return tuple(
        LocalModel(
            name=str(entry.get("id", "")),
            size=_count(_mapping(entry.get("meta")).get("size")),
            context=context or _count(_mapping(entry.get("meta")).get("n_ctx_train")),
            loaded=True,
        )
        for entry in _list(listed, "data")
    )


def vllm_models(listed: Any) -> tuple[LocalModel, ...]:
    """From `/v1/models` of vLLM, which says that it owns them and how long they are."""
    return tuple(
        LocalModel(str(entry.get("id", "")), context=_count(entry["max_model_len"]), loaded=True)
        for entry in _list(listed, "data")
        if "max_model_len" in entry
    )


def openai_models(listed: Any) -> tuple[LocalModel, ...]:
    """From `/v1/models` of a server that says no more than a name."""
    return tuple(LocalModel(str(entry.get("id", ""))) for entry in _list(listed, "data"))


def _list(content: Any, key: str) -> Iterator[Mapping[str, Any]]:
    entries = _mapping(content).get(key)
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            yield entry


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
