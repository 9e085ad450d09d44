"""What a user can say about a model, as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from interpreter.protocol.values import frozen

Dialect = Literal["native", "fenced", "mixed"]
"""Tool calls only; fenced blocks in text; or tool calls with an eye on the text."""

Effort = Literal["none", "minimal", "low", "medium", "high", "max"]


@frozen
class Templates:
    """How results and requests are worded to models that have no tools; see docs/models.md."""

    user_message_template: str = "{content}"
    always_apply_user_message_template: bool = False
    code_output_template: str = (
        "Output of the code:\n{content}\n\n"
        "If this answers the request, say the answer in words. Otherwise write the next block."
    )
    empty_code_output_template: str = (
        "The code ran and printed nothing. Say that it is done, or write the next block."
    )
    code_output_sender: Literal["user", "assistant"] = "user"
    execution_instructions: str = (
        "To run code, write one fenced block with its language, such as ```python, and stop "
        "after it. The output is sent to you."
    )


@frozen
class Patience:
    """How long to wait for a model, and how often to ask again."""

    connect_seconds: float = 10
    silence_seconds: float = 120
    local_silence_seconds: float = 600
    attempts: int = 5
    first_pause: float = 0.5
    longest_pause: float = 30
    longest_retry_after: float = 90


@frozen
class ModelOptions:
    """Everything about a model that is not its name; None means what is known or usual."""

    api_base: str | None = None
    api_key: str | None = None
    api_version: str | None = None
    context_window: int | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    supports_functions: bool | None = None
    supports_vision: bool | None = None
    reasoning_effort: Effort | None = None
    dialect: Dialect | None = None
    grammar: bool = True
    """Whether the built-in engine holds replies to their form while they are written."""
    offline: bool = False
    templates: Templates = field(default_factory=Templates)
    patience: Patience = field(default_factory=Patience)
    extra: Mapping[str, Any] = field(default_factory=dict)  # more fields of the request
    environ: Mapping[str, str] = field(default_factory=dict)
    price_file: str | None = None
    findings_file: str | None = None
