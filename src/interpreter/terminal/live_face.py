"""The live face: a turn on a real terminal, printed once, with a few live lines at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import assert_never

from interpreter.protocol import events as ev
from interpreter.protocol.actions import Decision
from interpreter.protocol.calls import CallLines
from interpreter.protocol.messages import Action, ActionCall, Code, Display, MalformedCall, Message
from interpreter.protocol.visible import sentence, visible
from interpreter.terminal.plain_face import ENDS
from interpreter.terminal.render.ansi import crop, paint, tame, tame_plain
from interpreter.terminal.render.display import show_display
from interpreter.terminal.render.edits import Diff, changed_files, edits, nothing_known
from interpreter.terminal.render.look import TerminalLook
from interpreter.terminal.render.markdown.highlight import CodeStream, highlight
from interpreter.terminal.render.markdown.prose import MarkdownText
from interpreter.terminal.render.markdown.wrap import in_width
from interpreter.terminal.render.screen import OutputPane, Screen, Status, Tally

PANE = 12  # lines of output or code that are live
THOUGHT = 200  # characters of a thought that are live


class LiveFace:
    """Shows events. What the person types meanwhile is shown by `draft`."""

    def __init__(
        self,
        screen: Screen,
        look: TerminalLook,
        *,
        draft: Callable[[], str] = str,
        diff: Diff = nothing_known,
    ) -> None:
        self._diff = diff
        self._tally = Tally()
        self.verbose = look.verbose
        self._screen = screen
        self._look = look
        self._palette = look.palette
        self._draft = draft
        self._status = Status(look.palette)
        self._prose: MarkdownText | None = None
        self._code: CodeStream | None = None
        self._pane = OutputPane(colour=look.palette.colourful)
        self._running: list[str] = []
        self._line: int | None = None
        self._thought = ""
        self._updating: dict[str, tuple[str, ...]] = {}
        self._gap = False  # whether something was done since the last words
        self._fresh = True  # whether the turn has shown nothing yet
        self._last_code = ""
        self._call_lines = CallLines()

    def show(self, events: Iterable[ev.Event]) -> ev.TurnFinished:
        """Show a whole turn; how it ended."""
        end = ev.TurnFinished("failed", "the turn did not end")
        self._tally.begin_turn()
        self._screen.print("")
        self._fresh = True
        self._wait_for_model()
        try:
            for event in events:
                with self._screen.lock:
                    self._show(event)
                self._screen.touch()
                if isinstance(event, ev.TurnFinished):
                    end = event
        finally:
            self.settle()
            self._screen.print("")
            self._screen.draw()
        return end

    def note(self, text: str) -> None:
        """A sentence of our own."""
        width = self._screen.width
        shown = tame(text) if "\x1b" in text else sentence(text)
        self._screen.print(*(line for long in shown.split("\n") for line in in_width(long, width)))
        self._screen.draw()

    def settle(self) -> None:
        """Everything is printed, nothing is live."""
        with self._screen.lock:
            self._finish_all()
            self._status.end()
        self._screen.clear_live()

    def hold(self) -> None:
        """Somebody else needs the terminal: everything so far is printed, and the turn goes on."""
        with self._screen.lock:
            self._finish_words()
            self._screen.print(*self._pane.finish())
        self._screen.clear_live()
        self._tally.hold()

    def go_on(self) -> None:
        """The terminal is ours again."""
        self._tally.go_on()
        self._screen.show_live(self._live)

    # What is live.

    def _live(self) -> list[str]:
        lines = self._prose.live() if self._prose else []
        if self._thought:
            thought = " ".join(self._thought.split())
            lines.append(paint(crop(f"… {thought}", self._screen.width), self._palette.dim))
        if self._code:
            lines += [self._head(self._code.language), *self._code.last_lines(self._pane_height)]
        lines += self._running_lines()
        lines += self._status.lines()
        draft = self._draft()
        if draft:
            typed = draft.splitlines()[-1][-(self._screen.width - 4) :]  # where it is typed
            lines.append(f"{paint('›', self._palette.accent)} {typed}")
        return lines

    @property
    def _pane_height(self) -> int:
        return max(2, min(PANE, self._screen.height - 6))

    def _running_lines(self) -> list[str]:
        lines = [line for shown in self._updating.values() for line in shown]
        lines += self._pane.live(self._pane_height)
        if self._line and self._look.active_line and 0 < self._line <= len(self._running):
            mark = paint(f"▶ {self._line:>3} ", self._palette.accent)
            lines.append(mark + self._running[self._line - 1])
        return lines

    # One event.

    def _show(self, event: ev.Event) -> None:
        if isinstance(event, ev.ModelEvent):
            self._show_reply(event)
        elif isinstance(event, ev.RuntimeEvent):
            self._show_block(event)
        else:
            self._show_turn(event)

    def _show_reply(self, event: ev.ModelEvent) -> None:
        match event:
            case ev.TextDelta(text):
                self._say(text)
            case ev.ReasoningDelta(text):
                self._status.count(text)
                self._thought = (self._thought + tame_plain(text))[-THOUGHT:]
            case ev.CodeDelta(language, text):
                self._write_code(language, text)
            case ev.ActionProposed(action):
                self._proposed(action)
            case ev.ModelRetrying(reason, seconds):
                self._print(f"{reason} Trying again in {seconds:.0f} s.", self._palette.warning)
            case ev.ReplyFinished(_, usage):
                self._finish_words()
                self._tally.add(usage)
            case _:
                assert_never(event)

    def _show_block(self, event: ev.RuntimeEvent) -> None:
        match event:
            case ev.OutputDelta(text):
                self._screen.print(*self._pane.add(text))
            case ev.DisplayShown(display, updates):
                self._show_display(display, updates=updates)
            case ev.OutputCleared():
                self._pane.clear()
                self._updating.clear()
            case ev.ActiveLine(line):
                self._line = line
            case ev.ExecutionFinished(outcome, summary):
                self._finished(outcome, summary)
            case ev.ApprovalRequested() | ev.Notice() | ev.HostCallRuled() | ev.HostCallFinished():
                self._show_beside(event)
            case ev.ModelTold() | ev.InputRequested() | ev.HostCallProposed():
                pass
            case _:
                assert_never(event)

    def _show_beside(
        self, event: ev.ApprovalRequested | ev.Notice | ev.HostCallRuled | ev.HostCallFinished
    ) -> None:
        match event:
            case ev.ApprovalRequested(action):
                self._before_question(action)
            case ev.Notice(text, level):
                styles = {"warning": self._palette.warning, "error": self._palette.bad}
                self._print(text, styles.get(level, self._palette.dim))
            case ev.HostCallRuled() | ev.HostCallFinished():
                self._print(self._call_lines.next(event), self._palette.dim)
            case _:
                assert_never(event)

    def _show_turn(self, event: ev.TurnEvent) -> None:
        match event:
            case ev.ActionStarted(action):
                self._call_lines = CallLines()
                self._started(action)
            case ev.TurnFinished(end, detail):
                self._ended(end, detail)
            case ev.Decided(_, decision):
                self._decided(decision)
            case ev.FilesChanged(changes):
                self._print(changed_files(changes, self._look.directory), self._palette.dim)
                drawn = edits(changes, self._diff, self._palette, self._screen.width)
                self._screen.print(*drawn)
            case ev.CheckpointDiscarded(told=told):
                self._print(told, self._palette.dim)
            case ev.CheckpointTaken(name):
                self._print(f"checkpoint {name}" if self.verbose else "", self._palette.dim)
            case ev.MessageFinished(message):
                self._recorded(message)
            case _:
                assert_never(event)

    def _decided(self, decision: Decision) -> None:
        if not decision.allows and decision.reason:
            self._print(f"Not run: {decision.reason}", self._palette.warning)

    def _recorded(self, message: Message) -> None:
        if message.role == "computer":
            self._wait_for_model()

    def _before_question(self, action: Action) -> None:
        self._finish_words()
        self._status.end()
        if isinstance(action, Code) and action.source != self._last_code:
            self.show_code(action.language, action.source)  # another was shown since

    # Words and code.

    def _wait_for_model(self) -> None:
        self._status.begin("thinking", hint="esc stops")
        self._screen.show_live(self._live)

    def _say(self, text: str) -> None:
        self._status.count(text)
        self._thought = ""
        self._finish_code()
        self._fresh = False
        if self._gap:
            self._screen.print("")
            self._gap = False
        if self._prose is None:
            self._prose = MarkdownText(self._screen.width, self._palette)
        self._screen.print(*self._prose.feed(text))

    def _write_code(self, language: str, text: str) -> None:
        self._status.count(text)
        self._thought = ""
        self._finish_prose()
        if self._code is None:
            self._code = CodeStream(language, colour=self._palette.colourful)
        self._code.add(text)

    def _proposed(self, action: Action) -> None:
        self._finish_prose()
        self._thought = ""
        match action:
            case Code(language, source):
                self._code = None
                self.show_code(language, source)
            case ActionCall(tool, arguments):
                self._finish_code()
                self._print(f"{visible(tool)} {visible(arguments)}", self._palette.accent)
            case MalformedCall(_, problem):
                self._finish_code()
                self._print(f"The call cannot be read: {problem}", self._palette.warning)

    def show_code(self, language: str, source: str) -> None:
        """A whole block of code."""
        width, colour = self._screen.width, self._palette.colourful
        lines = highlight(source, language, colour=colour, width=width)
        walls = self._look.walls(language)
        end = self._rule(f"─ {walls} " if walls else "")
        long = len(lines) > self._screen.height - 4  # its beginning is out of sight
        size = f" · {len(source.splitlines()):,} lines" if long else ""
        head = self._head(language, size)
        self._screen.print(*([] if self._fresh else [""]), head, *lines, end)
        self._fresh = False
        self._last_code = source

    def _head(self, language: str, size: str = "") -> str:
        return self._rule(f"─ {visible(language)}{size} ")

    def _rule(self, title: str) -> str:
        return paint(title + "─" * (min(self._screen.width, 72) - len(title)), self._palette.dim)

    # Work.

    def _started(self, action: Action) -> None:
        code = isinstance(action, Code)
        source = action.source if isinstance(action, Code) else ""
        language = action.language if isinstance(action, Code) else ""
        self._running = highlight(source, language, colour=self._palette.colourful)
        self._line = None
        self._status.begin("running", hint="esc stops · ctrl-b background" if code else "esc stops")
        self._screen.show_live(self._live)

    def _finished(self, outcome: str, summary: str) -> None:
        self._finish_output()
        self._status.end()
        self._gap = True
        if outcome != "ok":
            style = self._palette.dim if outcome == "backgrounded" else self._palette.bad
            hint = " You can, too: %jobs." if outcome == "backgrounded" else ""
            self._print(f"[{outcome}] {summary}".rstrip() + hint, style)

    def _show_display(self, display: Display, *, updates: bool) -> None:
        look, window = self._look, (self._screen.width, self._screen.height)
        shown = show_display(display, window, self._palette, look.draw, look.keep)
        if display.display_id and not shown.picture:
            self._updating[display.display_id] = (*shown.lines, *filter(None, [shown.file]))
            return
        self._screen.print(*self._pane.finish(), *shown.lines)
        if shown.picture:
            self._screen.write_raw(shown.picture)
        self._screen.print(*filter(None, [shown.file]))

    # Ends.

    def _finish_words(self) -> None:
        self._finish_prose()
        self._finish_code()
        self._thought = ""

    def _finish_prose(self) -> None:
        prose, self._prose = self._prose, None
        if prose:
            self._screen.print(*prose.finish())

    def _finish_code(self) -> None:
        """A block that broke off before it was proposed."""
        code, self._code = self._code, None
        if code:
            self.show_code(code.language, code.source)

    def _finish_output(self) -> None:
        self._screen.print(*self._pane.finish())
        for lines in self._updating.values():
            self._screen.print(*lines)
        self._updating.clear()
        self._running, self._line = [], None

    def _finish_all(self) -> None:
        self._finish_words()
        self._finish_output()

    def _ended(self, end: str, detail: str) -> None:
        self._finish_all()
        if end in ENDS:
            self._print(ENDS[end] + (f" ({detail})" if detail else ""), self._palette.warning)
        if cost := self._tally.line():
            self._print(cost, self._palette.dim)

    def _print(self, text: str, style: str) -> None:
        if not text:
            return
        width = self._screen.width
        lines = [line for long in sentence(text).split("\n") for line in in_width(long, width)]
        self._screen.print(*(paint(line, style) for line in lines))
