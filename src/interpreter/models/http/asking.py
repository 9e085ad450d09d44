"""What adapters over HTTP do alike: ask until there is an answer, and read what it is made of."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any

from interpreter.models.http.connection import Stopped
from interpreter.models.http.provider_errors import Address, Rejected, nonsense
from interpreter.models.http.retries import persevere
from interpreter.models.options import Patience
from interpreter.protocol.events import ModelEvent
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.ports import Request

Events = Generator[ModelEvent, None, None]
Ask = Callable[[Request, Interrupt], Events]
Adapt = Callable[[Rejected], bool]
"""Changes how is asked after a refusal; False if there is nothing to change."""


def answered(
    ask: Ask, adapt: Adapt, request: Request, interrupt: Interrupt, patience: Patience
) -> Events:
    """The reply: asked for again when it is lost, in another way when that is refused."""
    attempts = persevere(
        lambda again: _adapting(ask, adapt, again, interrupt), request, interrupt, patience
    )
    with closing(attempts) as events:
        try:
            yield from events
        except Stopped:
            return


def _adapting(ask: Ask, adapt: Adapt, request: Request, interrupt: Interrupt) -> Events:
    while True:
        try:
            yield from ask(request, interrupt)
        except Rejected as rejected:
            if not adapt(rejected):
                raise
        else:
            return


def json_object(data: bytes, address: Address) -> dict[str, Any]:
    """The object that an event carries; nonsense if it is none."""
    try:
        value = json.loads(data)
    except ValueError as error:
        raise nonsense(address, data[:200].decode("utf-8", "replace")) from error
    if not isinstance(value, dict):
        raise nonsense(address, repr(value)[:200])
    return value
