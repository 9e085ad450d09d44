"""Claude, by Anthropic's own messages API: native tools, pictures, prompt caching, thinking."""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import field, replace
from typing import Any

from interpreter.models.anthropic.screen import ScreenVersion, version_after, version_for
from interpreter.models.anthropic.stream import MessageReader
from interpreter.models.anthropic.wire import AnthropicEncoder, tool_list
from interpreter.models.dialects.toolbox import toolbox_of
from interpreter.models.http.asking import Events, answered, json_object
from interpreter.models.http.connection import HttpAnswer, ServerLine
from interpreter.models.http.provider_errors import (
    Rejected,
    Transient,
    broken_off,
    in_stream,
    refusal,
)
from interpreter.models.options import Dialect, Patience, Templates
from interpreter.models.prices import Price
from interpreter.models.wire import EncodedHistory, to_json
from interpreter.models.wording import Wording
from interpreter.protocol.events import ReplyFinished, Usage
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.ports import Capabilities, Request
from interpreter.protocol.values import frozen

_STATUS = {"overloaded_error": 529, "rate_limit_error": 429, "api_error": 500}
_MAY_BE_LEFT_OUT = ("output_config", "thinking", "temperature", "cache_control")


@frozen
class MessagesSettings:
    """How one server wants to be spoken to."""

    model: str
    url: str
    parameters: dict[str, Any] = field(default_factory=dict)
    templates: Templates = field(default_factory=Templates)
    patience: Patience = field(default_factory=Patience)


class AnthropicMessages:
    """A model behind Anthropic's messages API."""

    dialect: Dialect = "native"

    def __init__(
        self,
        name: str,
        line: ServerLine,
        settings: MessagesSettings,
        capabilities: Capabilities,
        price: Price | None = None,
    ) -> None:
        self.name = name
        self.capabilities = capabilities
        self.settings = settings
        self._line = line
        self._price = price
        self._parameters = dict(settings.parameters)
        self._wording = Wording(settings.templates)
        self._screen: ScreenVersion | None = version_for(settings.model)
        self._history = self._new_history()

    def stream(self, request: Request, interrupt: Interrupt) -> Events:
        """Answer the request."""
        return answered(self._ask, self._adapt, request, interrupt, self.settings.patience)

    def close(self) -> None:
        """Hang up."""
        self._line.close()

    def _ask(self, request: Request, interrupt: Interrupt) -> Events:
        reader = MessageReader(toolbox_of(request.tools))
        url, body = self.settings.url, self._body(request)
        with self._line.post(url, body, interrupt, self._betas(request)) as answer:
            yield from self._events(answer, reader)
        yield from reader.finish()
        yield ReplyFinished(reader.end, self._priced(reader))

    def _events(self, answer: HttpAnswer, reader: MessageReader) -> Events:
        with closing(answer.events()) as events:
            for data in events:
                yield from reader.feed(self._event(data))
        if not reader.ended:
            raise Transient(broken_off(self._line.address))

    def _event(self, data: bytes) -> dict[str, Any]:
        event = json_object(data, self._line.address)
        if event.get("type") == "error":
            kind = (event.get("error") or {}).get("type", "")
            raise in_stream(refusal(self._line.address, _STATUS.get(kind, 400), data, {}))
        return event

    def _body(self, request: Request) -> bytes:
        fields: dict[str, Any] = {"model": self.settings.model, **self._parameters}
        if request.tools:
            fields["tools"] = tool_list(request.tools, self._screen)
        if request.system:
            # A breakpoint of its own: tools and system stay cached when the conversation changes.
            mark = {"cache_control": {"type": "ephemeral"}} if self._caches else {}
            fields["system"] = [{"type": "text", "text": request.system, **mark}]
        messages = self._history.messages(self._wording.apply(request.messages))
        return to_json(fields)[:-1] + b',"messages":[' + messages + b"]}"

    @property
    def _caches(self) -> bool:
        return "cache_control" in self._parameters

    def _betas(self, request: Request) -> dict[str, str]:
        if self._screen is None or not self._screen.beta:
            return {}
        has_screen = any(tool.display for tool in request.tools)
        return {"anthropic-beta": self._screen.beta} if has_screen else {}

    def _new_history(self) -> EncodedHistory:
        is_toolset = self._screen is not None and self._screen.is_toolset
        return EncodedHistory(
            AnthropicEncoder(self.capabilities.images, self._wording.for_all, is_toolset)
        )

    def _adapt(self, rejected: Rejected) -> bool:
        """Leave out what the model says it does not know; True if something was changed."""
        if rejected.status != 400:
            return False
        if self._screen is not None and "tool" in rejected.message:
            with suppress(ValueError):
                self._screen = version_after(self._screen, rejected.message)
                self._history = self._new_history()
                return True
        if (
            self._parameters.get("thinking") == {"type": "adaptive"}
            and "adaptive" in rejected.message
        ):
            room = int(self._parameters["max_tokens"])
            budget = max(1024, min(8192, room // 2))
            self._parameters["thinking"] = {"type": "enabled", "budget_tokens": budget}
            self._parameters.pop("output_config", None)
            return True
        for name in _MAY_BE_LEFT_OUT:
            if name in self._parameters and name in rejected.message:
                del self._parameters[name]
                return True
        return False

    def _priced(self, reader: MessageReader) -> Usage:
        if self._price is None:
            return reader.usage
        cost = self._price.cost(reader.usage, written=reader.written)
        return replace(reader.usage, dollars=cost)
