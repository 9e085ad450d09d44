"""The models that can be chosen, for whoever has to show a list."""

from __future__ import annotations

import asyncio
from typing import Any

from interpreter.assembly.model_list import ListedModel
from interpreter.server.api.endpoint import Endpoint, EndpointCall
from interpreter.server.api.schema import fields, listed, one_of
from interpreter.server.api.shapes import FLAG, PLAIN
from interpreter.server.hub import OF_FILES


async def models(call: EndpointCall) -> dict[str, Any]:
    hub, default = call.hub, call.hub.config.settings.model
    found = [ListedModel(default, "default")] if default else []
    found += [ListedModel(info.model, "used") for info in hub.list(call.user) if info.model]
    found += await asyncio.to_thread(hub.reachable_models.get)
    chosen: dict[str, ListedModel] = {}
    for model in found:
        if call.user.is_owner or model.name == default or not model.name.startswith(OF_FILES):
            chosen.setdefault(model.name, model)
    return {
        "models": list(chosen),
        "default": default,
        "choices": [
            {"name": one.name, "source": one.source, "ready": one.ready, "note": one.note}
            for one in chosen.values()
        ],
    }


CHOICE = fields(
    *("name", "source", "ready", "note"),
    name=PLAIN,
    source=one_of("default", "used", "key", "local", "builtin"),
    ready=FLAG,
    note=PLAIN,
)
ENDPOINTS = (
    Endpoint(
        "GET", "/api/models", models, "Models that can be chosen.",
        fields("models", "default", "choices",
               models=listed(PLAIN), default=PLAIN, choices=listed(CHOICE)),
    ),
)  # fmt: skip
