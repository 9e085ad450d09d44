"""The prompt: history with search, several lines, pastes of any size, completion."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, is_searching
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from interpreter.terminal.loop import LEAVE_WITHIN
from interpreter.terminal.render.ansi import Palette, paint

if TYPE_CHECKING:
    from interpreter.terminal.input.talking import Listener, PromptTalk

PASTE_SHOWN = 1_000  # characters of a paste that are put into the line as they are
PASTE_LINES = 12
PLACEHOLDER = re.compile(r"\[pasted text (\d+): [\d,]+ lines?, [\d,]+ characters\]")
MENTION = re.compile(r"(?:^|\s)@(\S*)$")
BLOCK = '"""'


class InputPrompt:
    """Asks for a message."""

    def __init__(
        self,
        *,
        commands: Callable[[], Mapping[str, str]],
        history: Path | None,
        palette: Palette,
        vi: bool,
    ) -> None:
        self._pastes: dict[str, str] = {}
        self._last_wish = -LEAVE_WITHIN
        self._leaving = False
        self.shown: Callable[[], None] = lambda: None
        """Called whenever the prompt has been drawn."""
        self.listener: Callable[[], Listener | None] = lambda: None
        """Who listens, where talking is wanted."""
        self._talk: PromptTalk | None = None
        self._listens = False
        self._mark = ANSI(paint("> ", palette.accent))
        self._session: PromptSession[str] = PromptSession(
            history=_history(history),
            multiline=True,
            key_bindings=self._bindings(),
            completer=Suggestions(commands),
            complete_while_typing=Condition(self._may_suggest),
            prompt_continuation="  ",
            vi_mode=vi,
            enable_open_in_editor=True,
            tempfile_suffix=".md",
            mouse_support=False,
            rprompt=self._hint,
        )

        self._session.app.after_render += lambda app: self._drawn()

    def _drawn(self) -> None:
        self.shown()
        listener = self.listener()
        if listener is not None and listener.hands_free and not self._listens:
            self._listens = True
            self._talking().begin(listener)

    def _talking(self) -> PromptTalk:
        if self._talk is None:
            from interpreter.terminal.input.talking import PromptTalk  # noqa: PLC0415  (few want it)

            self._talk = PromptTalk(self._session)
        return self._talk

    def _press_to_talk(self, event: KeyPressEvent) -> None:
        listener = self.listener()
        if listener is not None:
            self._talking().press(listener)

    def _may_suggest(self) -> bool:
        """Room for a menu is made only where there may be one: it would be empty lines else."""
        return may_suggest(self._session.default_buffer.document.text_before_cursor)

    def fail(self, error: BaseException) -> None:
        """Break off the asking with an error; callable from any thread."""
        app = self._session.app
        app.erase_when_done = True  # nobody will answer this prompt
        if app.loop is not None:
            app.loop.call_soon_threadsafe(lambda: app.exit(exception=error))

    def redraw(self) -> None:
        """Show what has changed; callable from any thread."""
        self._session.app.invalidate()

    def ask(self, draft: str = "") -> str:
        """One message, with pastes in full; raises what `input` raises."""
        self._talk, self._listens = None, False
        try:
            with _noting_ctrl_c() as pressed:
                text = self._session.prompt(self._mark, default=draft)
        finally:
            if (listener := self.listener()) is not None:
                listener.forget()
        if pressed:  # before or after the prompt had the keyboard, so that it took no key
            raise EOFError if self._leaving else KeyboardInterrupt
        return PLACEHOLDER.sub(lambda found: self._pastes.get(found[1], found[0]), text)

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()
        typing = ~is_searching
        bindings.add("enter", filter=typing)(self._enter)
        bindings.add("escape", "enter", filter=typing)(self._new_line)
        bindings.add(Keys.BracketedPaste)(self._paste)
        bindings.add("c-c", filter=typing)(self._ctrl_c)
        bindings.add(Keys.SIGINT)(self._signal)
        listens = Condition(lambda: self.listener() is not None)
        bindings.add("c-t", filter=typing & listens)(self._press_to_talk)
        return bindings

    @staticmethod
    def _new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    def _enter(self, event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        text = buffer.text.strip()
        if text.startswith(BLOCK) and (len(text) < 2 * len(BLOCK) or not text.endswith(BLOCK)):
            buffer.insert_text("\n")
            return
        if buffer.complete_state and buffer.complete_state.current_completion:
            buffer.complete_state = None
            return
        buffer.validate_and_handle()

    def _paste(self, event: KeyPressEvent) -> None:
        """A large paste stands as one short mark, so that the line stays quick to edit."""
        text = event.data.replace("\r\n", "\n").replace("\r", "\n")
        lines = len(text.splitlines())
        if len(text) <= PASTE_SHOWN and lines <= PASTE_LINES:
            event.current_buffer.insert_text(text)
            return
        number = str(len(self._pastes) + 1)
        self._pastes[number] = text
        plural = "s" if lines > 1 else ""
        event.current_buffer.insert_text(
            f"[pasted text {number}: {lines:,} line{plural}, {len(text):,} characters]"
        )

    @staticmethod
    def _signal(event: KeyPressEvent) -> None:
        """A SIGINT that is no key; one that comes after the end of the prompt changes nothing."""
        if not event.app.is_done:
            event.app.exit(exception=KeyboardInterrupt())

    def _ctrl_c(self, event: KeyPressEvent) -> None:
        """Empties the line first; at an empty line, twice within a second leaves."""
        now = time.monotonic()
        if event.current_buffer.text:
            event.current_buffer.reset()
            return
        if now - self._last_wish < LEAVE_WITHIN and not self._leaving:
            self._leaving = True
            event.app.exit(exception=EOFError())
        self._last_wish = now

    def _hint(self) -> str:
        recent = time.monotonic() - self._last_wish < LEAVE_WITHIN
        if recent:
            return "Ctrl-C again leaves"
        listener = self.listener()
        return self._talking().hint(listener) if listener is not None else ""


def _history(path: Path | None) -> History:
    if path is None:
        return InMemoryHistory()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))


def may_suggest(text: str) -> bool:
    """Whether something can be suggested after this text."""
    return _is_command(text) or MENTION.search(text) is not None


def _is_command(text: str) -> bool:
    return text.startswith(("%", "/")) and " " not in text


class Suggestions(Completer):
    """Commands after `%` and `/` at the beginning, files and resources after `@` anywhere."""

    def __init__(self, commands: Callable[[], Mapping[str, str]]) -> None:
        self._commands = commands
        self._paths = PathCompleter(expanduser=True)

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterator[Completion]:
        """What could stand here."""
        text = document.text_before_cursor
        if _is_command(text):
            yield from self._command(text)
        elif found := MENTION.search(text):
            yield from self._command(f"@{found[1]}")
            yield from self._paths.get_completions(Document(found[1]), complete_event)

    def _command(self, text: str) -> Iterator[Completion]:
        for name, about in self._commands().items():
            if name.startswith(text):
                yield Completion(name, start_position=-len(text), display_meta=about)


@contextlib.contextmanager
def _noting_ctrl_c() -> Iterator[list[int]]:
    """Within this, a SIGINT interrupts nothing; it is noted.

    While it asks, the prompt reads Ctrl-C as a key. As a signal it comes when the prompt is being
    made or ended, and must not break that off.
    """
    pressed: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield pressed
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)
