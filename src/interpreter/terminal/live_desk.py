"""A desk at a real terminal: live lines, single keys, and typing ahead."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from queue import SimpleQueue

from interpreter.protocol.actions import Decision
from interpreter.protocol.events import ApprovalRequested, InputRequested
from interpreter.terminal.desk import AnsweredByVoice, Faced, by_key_only, input_line
from interpreter.terminal.input.approval import SAID, WORDS, ApprovalInput, ask
from interpreter.terminal.input.editor import edit
from interpreter.terminal.input.keys import TypedKeys, ctrl_c
from interpreter.terminal.live_face import LiveFace
from interpreter.terminal.render.ansi import paint, tame_plain
from interpreter.terminal.render.edits import Diff, nothing_known
from interpreter.terminal.render.look import TerminalLook
from interpreter.terminal.render.screen import Screen


class LiveDesk(Faced):
    """A real terminal: live lines, single keys, and typing ahead."""

    def __init__(self, screen: Screen, look: TerminalLook, *, dry_run: bool = True) -> None:
        self._screen = screen
        self._look = look
        self._dry_run = dry_run
        self._face: LiveFace = LiveFace(
            screen, look, draft=lambda: self._draft, diff=lambda paths: self.diff(paths)
        )
        self._keyboard = TypedKeys(sys.stdin.fileno(), self._on_key)
        self._keys: SimpleQueue[str] = SimpleQueue()
        self._asking = False
        self._draft = ""
        self._stop: Callable[[], None] = lambda: None
        self.background: Callable[[], bool] = lambda: False
        self.diff: Diff = nothing_known
        self.answered_by_voice: AnsweredByVoice = by_key_only
        self.colourful = look.palette.colourful

    @contextlib.contextmanager
    def attend(self, stop: Callable[[], None]) -> Iterator[None]:
        """Ctrl-C and Esc stop the turn; what is typed is kept for the next prompt."""
        self._stop = stop
        with ctrl_c(self._on_ctrl_c), self._keyboard.reading():
            yield

    def take_draft(self) -> str:
        """What was typed while a turn ran."""
        draft, self._draft = self._draft, ""
        return draft

    def approve(self, request: ApprovalRequested) -> Decision:
        """Ask for one key."""
        shown = (self._face.note, self._show_code)
        hands = ApprovalInput(self._key, self._line, *shown, self._edit)
        self._face.hold()
        try:
            with self.answered_by_voice(request, self._keys.put):
                return ask(request, hands, self._look.palette, dry_run=self._dry_run)
        except (EOFError, KeyboardInterrupt):
            return Decision("stop")
        finally:
            self._face.go_on()

    def answer(self, request: InputRequested) -> str | None:
        """Let the person type a line for the block."""
        self._face.hold()
        try:
            with self._keyboard.paused():
                return input_line(tame_plain(request.prompt), hidden=request.hidden)
        finally:
            self._face.go_on()

    # Keys.

    def _on_ctrl_c(self) -> None:
        self._stop()
        self._keys.put("ctrl-c")

    def _on_key(self, key: str) -> None:
        if self._asking:
            self._keys.put(key)
        elif key == "escape":
            self._stop()
        elif key == "ctrl-b":
            self._to_background()
        else:
            self._type(key)

    def _to_background(self) -> None:
        if not self.background():
            note = "There is no block to be sent to the background."
            self._screen.print(paint(note, self._look.palette.dim))

    def _type(self, key: str) -> None:
        if key == "enter":
            self._draft += "\n"
        elif key == "backspace":
            self._draft = self._draft[:-1]
        elif key == "ctrl-u":
            self._draft = ""
        elif len(key) == 1:
            self._draft += key
        self._screen.draw()  # at once: whoever types wants to see it

    def _key(self, question: str, keys: str) -> str:
        """Show a question and wait for a key that answers it; Ctrl-C and Esc answer anything."""
        while not self._keys.empty():
            self._keys.get()
        self._asking = True
        shown = self._painted(question)
        self._screen.show_live(lambda: [shown])
        try:
            key = self._keys.get()
            while key not in (*keys, "escape", "ctrl-c", "ctrl-d"):
                key = self._keys.get().lower()
        finally:
            self._asking = False
        asked = paint(question.split("?")[0] + "?", self._look.palette.accent)
        self._screen.clear_live(f"{asked} {SAID.get(key, key)}")
        return key

    def _painted(self, question: str) -> str:
        """The question and its keys stand out; the words around the keys do not."""
        palette = self._look.palette
        asked, mark, keys = question.partition("? ")
        for word in (*WORDS.values(), "[?]"):
            bright, dim = paint(word[:3], palette.accent), paint(word[3:], palette.dim)
            keys = keys.replace(word, bright + dim)
        return paint(asked + mark, palette.accent) + keys

    def _line(self, question: str) -> str:
        with self._keyboard.paused():
            return input_line(question) or ""

    def _edit(self, source: str, language: str) -> str:
        with self._keyboard.paused(), ctrl_c(lambda: None):  # Ctrl-C belongs to the editor
            return edit(source, language)

    def _show_code(self, language: str, source: str) -> None:
        self._face.show_code(language, source)
        self._screen.draw()
