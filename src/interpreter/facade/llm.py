"""`interpreter.llm`: the model's settings as attributes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Llm:
    """What Open Interpreter's programs set; read anew at each turn."""

    model: str = ""
    temperature: float = 0.0
    context_window: int | None = None
    max_tokens: int | None = None
    api_base: str | None = None
    api_key: str | None = None
    api_version: str | None = None
