"""`llm.vision_renderer`: pictures put into words for a model that cannot see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from interpreter import lmc
from interpreter.protocol.events import ModelEvent
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Display, Message, Part, Text
from interpreter.protocol.ports import Model, Request

Renderer = Callable[..., Any]
"""Called with `lmc=` and the dictionary of a picture; what is on it, in words."""


class VisionRenderer:
    """Keeps the model that pictures are described to, while it and the function are the same."""

    def __init__(self) -> None:
        self._kept: DescribedModel | None = None

    def for_model(self, model: Model, render: Renderer | None) -> Model:
        """The model; one that cannot see reads what the function says of pictures."""
        if render is None or model.capabilities.images:
            return model
        if self._kept is None or (self._kept.model, self._kept.render) != (model, render):
            self._kept = DescribedModel(model, render)
        return self._kept


class DescribedModel:
    """A model that reads what a function of the user's says of each picture, asked once."""

    def __init__(self, model: Model, render: Renderer) -> None:
        self.name, self.capabilities = model.name, model.capabilities
        self.model, self.render = model, render
        self._described: dict[int, tuple[Message, Message]] = {}

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[ModelEvent]:
        """Answer the request."""
        messages = tuple(map(self._in_words, request.messages))
        return self.model.stream(replace(request, messages=messages), interrupt)

    def close(self) -> None:
        """Close the model."""
        self.model.close()

    def _in_words(self, message: Message) -> Message:
        if not any(isinstance(part, Display) and part.image for part in message.parts):
            return message
        if id(message) not in self._described:
            parts = tuple(self._part_in_words(part) for part in message.parts)
            self._described[id(message)] = (message, replace(message, parts=parts))
        return self._described[id(message)][1]

    def _part_in_words(self, part: Part) -> Part:
        if not isinstance(part, Display) or not part.image:
            return part
        picture = lmc.encode(Message("user", (part,)))[0]
        return Text(f"[A picture: {self.render(lmc=picture)}]")
