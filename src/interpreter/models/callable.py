"""Any function as a model: it takes the arguments of a chat completion and yields its chunks."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from typing import Any

from interpreter.models.dialects.text_wire import TextEncoder, instructions
from interpreter.models.dialects.toolbox import toolbox_of
from interpreter.models.openai.stream import ChunkReader, text_taker
from interpreter.models.openai.wire import NativeEncoder, tool_list
from interpreter.models.options import Dialect, ModelOptions
from interpreter.models.prices import Price, priced
from interpreter.models.wire import EncodedHistory
from interpreter.models.wording import Wording
from interpreter.protocol.errors import ModelError
from interpreter.protocol.events import ModelEvent, ReplyFinished
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.ports import Capabilities, Request

Events = Generator[ModelEvent, None, None]
Completions = Callable[..., Iterable[Any]]
"""Called with `messages`, `model`, `stream`, and what is set of the other arguments."""

Chunks = Generator[dict[str, Any], None, None]
Call = Callable[[dict[str, Any], Interrupt], Chunks]
"""Makes one call with these arguments; its chunks."""

_WINDOW = 8_000


class CallableModel:
    """A model made of a function that answers in OpenAI's chunks, as dictionaries or objects."""

    def __init__(
        self,
        call: Call,
        options: ModelOptions,
        capabilities: Capabilities,
        name: str = "callable",
        price: Price | None = None,
    ) -> None:
        self.name = name
        self.capabilities = capabilities
        self.dialect: Dialect = options.dialect or ("native" if capabilities.tools else "fenced")
        self._call = call
        self._options = options
        self._price = price
        self._wording = Wording(options.templates)
        self._history = self._new_history()

    def stream(self, request: Request, interrupt: Interrupt) -> Events:
        """Answer the request."""
        toolbox = toolbox_of(request.tools)
        reader = ChunkReader(toolbox, text_taker(toolbox, scan=self.dialect != "native"))
        with closing(self._call(self._arguments(request), interrupt)) as chunks:
            for chunk in chunks:
                if interrupt.requested:
                    return
                yield from reader.feed(chunk)
                if reader.done:
                    break
        if interrupt.requested:
            return
        yield from reader.finish()
        yield ReplyFinished(reader.end, priced(reader.usage, self._price))

    def close(self) -> None:
        """There is nothing to give back."""

    def _arguments(self, request: Request) -> dict[str, Any]:
        options = self._options
        arguments: dict[str, Any] = {"model": self.name, "stream": True, **options.extra}
        system = request.system
        if self.dialect == "fenced":
            extra = instructions(options.templates, request.tools)
            system = "\n\n".join(filter(None, (system, extra)))
        elif request.tools:
            arguments["tools"] = tool_list(request.tools)
        optional = {
            "max_tokens": options.max_tokens,
            "temperature": options.temperature,
            "api_base": options.api_base,
            "api_key": options.api_key,
            "api_version": options.api_version,
            "reasoning_effort": options.reasoning_effort,
        }
        arguments.update((key, value) for key, value in optional.items() if value is not None)
        encoded = self._history.messages(self._wording.apply(request.messages))
        first = [{"role": "system", "content": system}] if system else []
        return {**arguments, "messages": [*first, *json.loads(b"[" + encoded + b"]")]}

    def _new_history(self) -> EncodedHistory:
        images, wording = self.capabilities.images, self._wording.for_all
        if self.dialect == "fenced":
            return EncodedHistory(
                TextEncoder(self._options.templates, images, wording), alternate=True
            )
        return EncodedHistory(NativeEncoder(images, wording))


def from_function(
    completions: Completions, options: ModelOptions | None = None, name: str = "callable"
) -> CallableModel:
    """A model made of a user's function; without a word about tools it is asked for fences."""
    options = options or ModelOptions()
    capabilities = Capabilities(
        tools=bool(options.supports_functions),
        images=bool(options.supports_vision),
        context_window=options.context_window or _WINDOW,
        max_output=options.max_tokens,
    )
    return CallableModel(
        lambda arguments, interrupt: _guarded(completions, arguments), options, capabilities, name
    )


def _guarded(completions: Completions, arguments: dict[str, Any]) -> Chunks:
    """The chunks as dictionaries; whatever a user's function raises is one error of ours."""
    chunks: Any = ()
    try:
        chunks = completions(**_accepted(completions, arguments))
        whole = isinstance(chunks, dict) or hasattr(chunks, "choices")
        for chunk in (chunks,) if whole else chunks:
            yield as_dictionary(chunk)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"The completions function failed: {error!r}") from error
    finally:
        if hasattr(chunks, "close"):
            chunks.close()


def _accepted(completions: Completions, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments that a function takes; what it insists on and is not set is None."""
    try:
        parameters = inspect.signature(completions).parameters.values()
    except (TypeError, ValueError):  # built in, or written in C: it takes what there is
        return arguments
    named = {one.name: one for one in parameters if _is_named(one)}
    if not any(one.kind is one.VAR_KEYWORD for one in parameters):
        arguments = {name: value for name, value in arguments.items() if name in named}
    needed = {name: None for name, one in named.items() if one.default is one.empty}
    return needed | arguments


def _is_named(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)


def as_dictionary(chunk: Any) -> dict[str, Any]:
    """A chunk as plain data, whether it is a dictionary, a pydantic model or a simple object."""
    if isinstance(chunk, dict):
        plain = {key: _plain(value) for key, value in chunk.items()}
        return {"choices": [plain]} if "delta" in plain else plain
    if hasattr(chunk, "model_dump"):
        dumped = chunk.model_dump()
        return dumped if isinstance(dumped, dict) else {}
    plain = _plain(chunk)
    if isinstance(plain, dict):
        return plain
    raise ModelError(f"The completions function gave {type(chunk).__name__}, which is no chunk.")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "__dict__") and not isinstance(value, type):
        return {key: _plain(item) for key, item in vars(value).items()}
    return value
