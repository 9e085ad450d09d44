"""Talking at the prompt: a key, or silence, begins and ends it; the words stand in the line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application

from interpreter.protocol.voice import Heard

GRACE = 1.5  # seconds in which what was heard can still be corrected, hands-free
LISTENS = "listening; Ctrl-T ends it"
READY = "Ctrl-T talks"
SENDS = "sent in a moment; type to correct it"


class Listener(Protocol):
    """What a prompt needs of a voice."""

    hands_free: bool

    @property
    def is_listening(self) -> bool: ...
    def listen(self, heard: Callable[[Heard], None], failed: Callable[[str], object]) -> None: ...
    def enough(self) -> None: ...
    def forget(self) -> None: ...
    def be_silent(self) -> None: ...


class PromptTalk:
    """What is said, put into the line of a prompt."""

    def __init__(self, session: PromptSession[str]) -> None:
        self._session = session
        self._before = ""
        self._failed = ""
        self._sending = ""

    def hint(self, listener: Listener) -> str:
        """What stands at the right of the line."""
        if self._failed:
            return self._failed
        if self._sending and self._sending == self._session.default_buffer.text:
            return SENDS
        return LISTENS if listener.is_listening else READY

    def press(self, listener: Listener) -> None:
        """The key: begin, or end."""
        if listener.is_listening:
            listener.enough()
            return
        listener.be_silent()
        self.begin(listener)

    def begin(self, listener: Listener) -> None:
        """Listen, and show the words as they come."""
        app = self._session.app
        loop = app.loop
        if loop is None:
            return
        self._failed, self._before = "", self._session.default_buffer.text
        later = loop.call_soon_threadsafe

        def heard(words: Heard) -> None:
            later(lambda: self._show(words, listener, app, loop))

        def failed(reason: str) -> None:
            later(lambda: self._fail(reason, app))

        listener.listen(heard, failed)
        app.invalidate()

    def _fail(self, reason: str, app: Application[str]) -> None:
        self._failed = reason
        app.invalidate()

    def _show(
        self,
        words: Heard,
        listener: Listener,
        app: Application[str],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        buffer = self._session.default_buffer
        buffer.text = f"{self._before} {words.text}".strip()
        buffer.cursor_position = len(buffer.text)
        if words.final and not words.text.strip():
            self._failed = "" if listener.hands_free else "nothing was heard; Ctrl-T tries again"
            if listener.hands_free:
                loop.call_later(0.1, lambda: self.begin(listener))
        elif words.final and listener.hands_free:
            self._sending = buffer.text
            loop.call_later(GRACE, lambda: self._send(app))
        app.invalidate()

    def _send(self, app: Application[str]) -> None:
        """Unless somebody corrects it: then Enter sends, as always."""
        buffer, waiting = self._session.default_buffer, self._sending
        self._sending = ""
        if waiting and buffer.text == waiting and app.is_running:
            buffer.validate_and_handle()
