"""OpenAI's chat completions, and the many servers that speak the same protocol."""

from __future__ import annotations

import json
import re
from contextlib import closing
from dataclasses import field
from typing import Any

from interpreter.models.dialects.text_wire import TextEncoder, instructions
from interpreter.models.dialects.toolbox import toolbox_of
from interpreter.models.http.asking import Events, answered, json_object
from interpreter.models.http.connection import HttpAnswer, ServerLine, Stopped
from interpreter.models.http.provider_errors import (
    Rejected,
    Transient,
    broken_off,
    in_stream,
    refusal,
    said_in,
)
from interpreter.models.openai.stream import ChunkReader, text_taker
from interpreter.models.openai.wire import NativeEncoder, tool_list
from interpreter.models.options import Dialect, Patience, Templates
from interpreter.models.prices import Price, priced
from interpreter.models.wire import EncodedHistory, to_json
from interpreter.models.wording import Wording
from interpreter.protocol.errors import ModelError
from interpreter.protocol.events import ActionProposed, ModelEvent, ReplyFinished, Usage
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Action
from interpreter.protocol.ports import Capabilities, Request
from interpreter.protocol.values import frozen

_NO_TOOLS = re.compile(r"support.{0,40}(tool|function)|(tool|function).{0,80}support", re.I)
ONE_BLOCK = r"""
root ::= "```python\n" line+ "```"
line ::= ([^`\n] [^\n]*)? "\n"
"""
"""A reply that is one block of Python: its lines do not begin with a backtick, as no code does."""
ONE_FILE = r"""
root ::= "```python\n" first line* "```"
first ::= [ ]* [^`\n\r\t #] [^\n]* "\n"
line ::= ([^`\n] [^\n]*)? "\n"
"""
"""One that is a file, and begins with code: behind a comment small models copy the request."""
FRAMES = {"block": ONE_BLOCK, "file": ONE_FILE}
_CHARACTERS_PER_TOKEN = 3.6
_TOKENS_PER_PICTURE = 1_000
_PICTURE = re.compile(rb'"data:image/[^"]*"')


@frozen
class ChatSettings:
    """How one server wants to be spoken to."""

    model: str
    url: str
    dialect: Dialect = "native"
    parameters: dict[str, Any] = field(default_factory=dict)
    templates: Templates = field(default_factory=Templates)
    patience: Patience = field(default_factory=Patience)
    renumber_calls: bool = False
    seals_calls: bool = False
    echo_reasoning: bool = False
    frames: bool = False
    """Whether the server holds a reply to a grammar or a JSON schema, as llama.cpp's does."""


def framed(frame: str) -> dict[str, Any]:
    """The fields of a request by which llama.cpp holds the reply to a frame."""
    if frame in FRAMES:
        return {"grammar": FRAMES[frame]}
    try:
        schema = json.loads(frame) if frame else None
    except ValueError:
        return {}
    return {"json_schema": schema} if isinstance(schema, dict) else {}


class ChatCompletions:
    """A model behind a chat completions address."""

    def __init__(
        self,
        name: str,
        line: ServerLine,
        settings: ChatSettings,
        capabilities: Capabilities,
        price: Price | None = None,
    ) -> None:
        self.name = name
        self.capabilities = capabilities
        self.dialect = settings.dialect
        self._line = line
        self.settings = settings
        self._price = price
        self._parameters = dict(settings.parameters)
        self._wording = Wording(settings.templates)
        self._history = self._new_history()
        self._model = settings.model

    def stream(self, request: Request, interrupt: Interrupt) -> Events:
        """Answer the request."""
        return answered(self._ask, self._adapt, request, interrupt, self.settings.patience)

    def drafts(self, request: Request, interrupt: Interrupt) -> tuple[Action, ...]:
        """The blocks of several replies that are written at once, as many as `n` asks for."""
        toolbox = toolbox_of(request.tools)
        count = int(self._parameters.get("n", 1))
        readers = [ChunkReader(toolbox, text_taker(toolbox, scan=True)) for _ in range(count)]
        try:
            with self._line.post(self.settings.url, self._body(request), interrupt) as answer:
                events = self._of_all(answer, readers)
        except (Stopped, Transient, Rejected):
            return ()
        return tuple(event.action for event in events if isinstance(event, ActionProposed))

    def _of_all(self, answer: HttpAnswer, readers: list[ChunkReader]) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        with closing(answer.events()) as pieces:
            for data in pieces:
                if data.strip() == b"[DONE]":
                    break
                for choice in self._chunk(data).get("choices") or ():
                    reader = readers[choice.get("index", 0) % len(readers)]
                    events += reader.feed({"choices": [{**choice, "index": 0}]})
        return [*events, *(event for reader in readers for event in reader.finish())]

    def close(self) -> None:
        """Hang up."""
        self._line.close()

    def _ask(self, request: Request, interrupt: Interrupt) -> Events:
        body = self._body(request)
        with self._line.post(self.settings.url, body, interrupt) as answer:
            toolbox = toolbox_of(request.tools)
            reader = ChunkReader(toolbox, text_taker(toolbox, scan=self.dialect != "native"))
            yield from self._events(answer, reader)
        yield from reader.finish()
        costs = self._price is not None and not self.capabilities.local
        usage = reader.usage or (self._estimate(body) if reader.done and costs else None)
        yield ReplyFinished(reader.end, priced(usage, self._price))

    def _events(self, answer: HttpAnswer, reader: ChunkReader) -> Events:
        if answer.is_whole:
            yield from reader.feed(self._chunk(answer.whole()))
            return
        finished = False
        with closing(answer.events()) as events:
            for data in events:
                if data.strip() == b"[DONE]":
                    finished = True
                    continue
                yield from reader.feed(self._chunk(data))
                if reader.done:
                    return
        if not finished and not reader.ended:
            raise Transient(broken_off(self._line.address))

    def _chunk(self, data: bytes) -> dict[str, Any]:
        chunk = json_object(data, self._line.address)
        if chunk.get("error") and not chunk.get("choices"):
            raise self._error_in_stream(chunk)
        return chunk

    def _error_in_stream(self, chunk: dict[str, Any]) -> Exception:
        inner = chunk["error"]
        code = inner.get("code") if isinstance(inner, dict) else None
        message = said_in(chunk)
        if isinstance(code, int) and code >= 400:
            return in_stream(refusal(self._line.address, code, to_json(chunk), {}))
        return Transient(ModelError(f"{self._line.address.provider} broke off: {message}"))

    # What is sent.

    def _body(self, request: Request) -> bytes:
        fields: dict[str, Any] = {"model": self._model_name(), **self._parameters}
        system = request.system
        if self.dialect == "fenced":
            system = "\n\n".join(filter(None, (system, self._instructions(request))))
        elif request.tools:
            fields["tools"] = tool_list(request.tools)
        if self.settings.frames:
            fields |= framed(request.frame)
        head = to_json(fields)[:-1]
        first = to_json({"role": "system", "content": system}) if system else b""
        rest = self._history.messages(self._wording.apply(request.messages))
        messages = b",".join(filter(None, (first, rest)))
        # The messages come last, so that a longer request begins with the bytes of a shorter one.
        return head + b',"messages":[' + messages + b"]}"

    def served_window(self) -> int | None:
        """How many tokens the server says the model holds, where it says so."""
        rows = self._listed()
        row = next((row for row in rows if row.get("id") == self._model), rows[0] if rows else {})
        meta = row.get("meta") or {}
        sizes = [row.get("max_model_len"), row.get("context_length"), row.get("context_window")]
        sizes += [meta.get("n_ctx"), meta.get("n_ctx_train")]
        return next((size for size in sizes if isinstance(size, int) and size > 0), None)

    def _model_name(self) -> str:
        """The model's name; a local server that was named without one is asked what it has."""
        if not self._model:
            rows = self._listed()
            self._model = str(rows[0].get("id") or "local") if rows else "local"
        return self._model

    def _listed(self) -> list[dict[str, Any]]:
        listed = self._line.get(self.settings.url.replace("/chat/completions", "/models"))
        rows = listed.get("data") if isinstance(listed, dict) else None
        return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []

    def _instructions(self, request: Request) -> str:
        return instructions(self.settings.templates, request.tools)

    def _new_history(self) -> EncodedHistory:
        settings, images = self.settings, self.capabilities.images
        wording = self._wording.for_all
        if self.dialect == "fenced":
            return EncodedHistory(TextEncoder(settings.templates, images, wording), alternate=True)
        encoder = NativeEncoder(
            images=images,
            user_template=wording,
            renumber=settings.renumber_calls,
            seals_calls=settings.seals_calls,
            echo_reasoning=settings.echo_reasoning,
        )
        return EncodedHistory(encoder)

    # What servers do not like.

    def _adapt(self, rejected: Rejected) -> bool:
        """Leave out what the server says it does not know; True if something was changed."""
        if rejected.status not in (400, 404, 422, 500, 501):
            return False
        if "max_tokens" in self._parameters and "max_completion_tokens" in rejected.message:
            self._parameters["max_completion_tokens"] = self._parameters.pop("max_tokens")
            return True
        for name in sorted(self._parameters, key=len, reverse=True):
            if name not in ("stream", "model") and name in rejected.message:
                del self._parameters[name]
                return True
        if self.dialect != "fenced" and _NO_TOOLS.search(rejected.message):
            self.dialect = "fenced"
            self._history = self._new_history()
            return True
        return False

    # What it cost.

    def _estimate(self, body: bytes) -> Usage:
        """About what a request had, where the reply was cut before the server could say."""
        text, pictures = _PICTURE.subn(b"", body)
        return Usage(input=int(len(text) / _CHARACTERS_PER_TOKEN) + pictures * _TOKENS_PER_PICTURE)
