"""`llm.vision_renderer`: pictures put into words for a model that cannot see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interpreter import lmc
from interpreter.protocol.messages import Display, Message, Part, Text
from interpreter.protocol.ports import Model
from interpreter.session.request.rewritten_model import OneByOne, RewrittenModel, with_parts

Renderer = Callable[..., Any]
"""Called with `lmc=` and the dictionary of a picture; what is on it, in words."""


class VisionRenderer:
    """Keeps the model that pictures are described to, while it and the function are the same."""

    def __init__(self) -> None:
        self._render: Renderer | None = None
        self._kept: RewrittenModel | None = None

    def for_model(self, model: Model, render: Renderer | None) -> Model:
        """The model; one that cannot see reads what the function says of pictures."""
        if render is None or model.capabilities.images:
            return model
        if self._kept is None or (self._kept.model, self._render) != (model, render):
            self._kept, self._render = _with_described_pictures(model, render), render
        return self._kept


def _with_described_pictures(model: Model, render: Renderer) -> RewrittenModel:
    def in_words(part: Part) -> Part:
        if not isinstance(part, Display) or not part.image:
            return part
        picture = lmc.encode(Message("user", (part,)))[0]
        return Text(f"[A picture: {render(lmc=picture)}]")

    return RewrittenModel(model, OneByOne(lambda message: with_parts(message, in_words)))
