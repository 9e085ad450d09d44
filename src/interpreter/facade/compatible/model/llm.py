"""`interpreter.llm`: the model's settings as attributes, and the model itself."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from typing import Any

from interpreter import lmc
from interpreter.facade.compatible.model.completions import answered, asked
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import ModelEvent
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.ports import Model, Request

Completions = Callable[..., Iterable[Any]]
Beside = Callable[[str, dict[str, Any]], Model]
"""Opens a model by name, with some settings of its own, beside the one of the conversation."""

MEANT = "gpt-4o"
SENT = ("max_tokens", "temperature", "api_base", "api_key", "api_version")
EXECUTION_INSTRUCTIONS = (
    "To run code, write a fenced block that names its language, and stop after it: "
    "the output is sent to you."
)


class Llm:
    """What programs set; read anew at each turn."""

    def __init__(self, model: Callable[[], Model], beside: Beside) -> None:
        self.model = ""
        """The model by name; empty: the best that can be reached, chosen as the command does."""
        self.temperature: float = 0.0
        self.supports_vision: bool | None = None
        self.supports_functions: bool | None = None
        self.vision_renderer: Callable[..., Any] | None = None
        self.execution_instructions: str | bool | None = EXECUTION_INSTRUCTIONS
        self.context_window: int | None = None
        self.max_tokens: int | None = None
        self.api_base: str | None = None
        self.api_key: str | None = None
        self.api_version: str | None = None
        self.max_budget: float | None = None
        self.reasoning_effort = ""
        """none, minimal, low, medium, high or max; empty: what is usual for the model."""
        self.dialect = ""
        """How the model calls for code: native, fenced or mixed; empty: what is known about it."""
        self.timeout = 0.0
        """Seconds that the model may be silent; 0: what is usual for it."""
        self.own_completions: Completions | None = None
        """A function of one's own, called with OpenAI's arguments; it yields OpenAI's chunks."""
        self._opened = model
        self._beside = beside

    @property
    def completions(self) -> Completions:
        """What answers: to be called with OpenAI's arguments, wrapped, or replaced."""
        return self.own_completions or self._complete

    @completions.setter
    def completions(self, function: Completions | None) -> None:
        self.own_completions = None if function == self._complete else function

    @property
    def named(self) -> str:
        """The model by name; with a key, an address or a function alone, the one that was meant."""
        return self.model or (MEANT if self._is_equipped else "")

    @property
    def _is_equipped(self) -> bool:
        return bool(self.own_completions or self.api_key or self.api_base)

    def _complete(self, messages: list[Any], model: str = "", **more: Any) -> Iterator[Any]:
        """The chunks with which the model itself answers, whatever was put in its place."""
        wanted = "" if model == MEANT and not self.model and not self.api_key else model
        opened = self._beside(wanted, {name: more[name] for name in SENT if more.get(name)})
        request = asked(messages, more.get("tools") or ())
        return answered(_stream(opened, request), in_calls=bool(request.tools))

    def run(self, messages: list[lmc.Dictionary]) -> Iterator[lmc.Dictionary]:
        """One reply to these messages, as chunks without roles; a system message may come first."""
        system = ""
        if messages and messages[0].get("role") == "system":
            system, messages = str(messages[0].get("content", "")), messages[1:]
        if any(message.get("role") == "system" for message in messages):
            raise ConfigurationError("Only the first message may be the system message.")
        request = Request(system, lmc.decode_all(messages))
        with closing(_stream(self._opened(), request)) as events:
            for chunk in lmc.ChunkWriter(confirmations=False).chunks(events):
                if "content" in chunk:
                    yield {key: value for key, value in chunk.items() if key != "role"}

    def answer(self, text: str, picture: str | None = None) -> str:
        """The answer to one question, outside the conversation; `picture` is PNG in base64."""
        said = {"role": "user", "type": "message", "content": text}
        shown = {**said, "type": "image", "format": "base64", "content": picture}
        chunks = self.run([said, shown] if picture else [said])
        return "".join(chunk.get("content", "") for chunk in chunks if chunk["type"] == "message")

    def load(self) -> None:
        """Make the model ready now rather than with the first message."""
        self._opened()


def _stream(model: Model, request: Request) -> Generator[ModelEvent, None, None]:
    yield from model.stream(request, Interrupt())
