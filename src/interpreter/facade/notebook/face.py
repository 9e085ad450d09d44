"""How a turn looks in a notebook: prose as Markdown, code as code, plots and tables natively."""

from __future__ import annotations

import getpass
import importlib.util
import time
from collections.abc import Callable
from typing import Any, Protocol, assert_never

from interpreter.facade.notebook import html as notebook_html
from interpreter.protocol import events as ev
from interpreter.protocol.actions import Decision
from interpreter.protocol.calls import CallLines
from interpreter.protocol.changed_files import change_list
from interpreter.protocol.messages import Code
from interpreter.protocol.ports import nobody_approves
from interpreter.protocol.visible import sentence, tame, tame_plain, visible
from interpreter.session.export.markdown import safe_markdown
from interpreter.terminal.plain_face import PlainFace

FILES_NAMED = 8
PROSE = None
REDRAW_SECONDS = 0.1  # how often growing prose is drawn again


def has_widgets() -> bool:
    """Whether buttons can be shown."""
    return importlib.util.find_spec("ipywidgets") is not None


class TurnDisplay(Protocol):
    """What shows a turn."""

    def show(self, event: ev.Event) -> None:
        """Show one event."""

    def error(self, text: str) -> None:
        """Show what went wrong, in one line."""

    def close(self) -> None:
        """Show what is left to show."""


class TerminalFace:
    """Shows events in IPython's terminal, as text."""

    def __init__(self) -> None:
        self._plain = PlainFace.for_terminal()

    def show(self, event: ev.Event) -> None:
        """Show one event."""
        self._plain.show_event(event)

    def error(self, text: str) -> None:
        """Something that went wrong, in one line."""
        self._plain.note(text)

    def close(self) -> None:
        """Everything is shown already."""


Beside = (
    ev.ExecutionFinished
    | ev.Notice
    | ev.HostCallRuled
    | ev.HostCallFinished
    | ev.HostCallProposed
    | ev.ApprovalRequested
    | ev.ModelTold
    | ev.OutputCleared
    | ev.ActiveLine
    | ev.InputRequested
)


class NotebookFace:
    """Shows events in the output of the running cell."""

    def __init__(self, *, scripts: bool = False) -> None:
        self._growing: _Growing | None = None
        self._last_code = ""
        self._call_lines = CallLines()
        self._scripts = scripts
        """Whether scripts in what code shows may run, in a frame of their own."""

    def show(self, event: ev.Event) -> None:
        """Show one event."""
        if isinstance(event, ev.ModelEvent):
            self._show_reply(event)
        elif isinstance(event, ev.RuntimeEvent):
            self._show_block(event)
        else:
            self._show_turn(event)

    def _show_reply(self, event: ev.ModelEvent) -> None:
        match event:
            case ev.TextDelta(text):
                self._grow(PROSE).add(text)
            case ev.CodeDelta(language, text):
                self._grow(language).add(text)
            case ev.ActionProposed(action):
                if isinstance(action, Code):
                    self._proposed(action.language, action.source)
            case ev.ReasoningDelta() | ev.ModelRetrying() | ev.ReplyFinished():
                pass
            case _:
                assert_never(event)

    def _show_block(self, event: ev.RuntimeEvent) -> None:
        match event:
            case ev.OutputDelta(text):
                self.close()
                safe = "\r".join(map(tame, text.split("\r")))
                print(safe, end="", flush=True)  # noqa: T201  (this is a face)
            case ev.DisplayShown(display):
                self.close()
                _publish(notebook_html.faces(display, scripts=self._scripts))
            case _:
                self._show_beside(event)

    def _show_beside(self, event: Beside) -> None:
        match event:
            case ev.ExecutionFinished(outcome, summary) if outcome != "ok":
                self.error(f"{outcome}: {summary}")
            case ev.Notice(text):
                self._say(text)
            case ev.HostCallRuled() | ev.HostCallFinished():
                self._say(self._call_lines.next(event))
            case ev.ApprovalRequested(Code(language, source)) if source != self._last_code:
                self._proposed(language, source)  # another was shown since
            case (
                ev.ExecutionFinished()
                | ev.ApprovalRequested()
                | ev.ModelTold()
                | ev.OutputCleared()
            ):
                pass
            case ev.ActiveLine() | ev.InputRequested() | ev.HostCallProposed():
                pass
            case _:
                assert_never(event)

    def error(self, text: str) -> None:
        """Something that went wrong, in one line."""
        self.close()
        _publish(notebook_html.words(text, "b"))

    def close(self) -> None:
        """Draw what has grown for the last time."""
        if self._growing is not None:
            self._growing.draw()
            self._growing = None

    def _say(self, text: str) -> None:
        if text:
            self.close()
            _publish(notebook_html.words(text, "i"))

    def _show_turn(self, event: ev.TurnEvent) -> None:
        match event:
            case ev.FilesChanged(changes):
                listed = change_list(changes, visible)
                names = ", ".join(f"{one.kind} {one.text}" for one in listed[:FILES_NAMED])
                more = len(listed) - FILES_NAMED
                _publish(notebook_html.words(f"Files: {names}{_more(more)}", "span"))
            case ev.TurnFinished(end, detail) if end != "answered":
                self.error(f"{end.replace('_', ' ')} {detail}".strip())
            case ev.ActionStarted():
                self._call_lines = CallLines()
            case ev.TurnFinished() | ev.Decided() | ev.MessageFinished():
                pass
            case ev.CheckpointTaken() | ev.CheckpointDiscarded():
                pass
            case _:
                assert_never(event)

    def _proposed(self, language: str, source: str) -> None:
        if self._growing is None or self._growing.kind != language:
            self.close()
            self._growing = _Growing(language)
        self._growing.replace(source)
        self._growing = None
        self._last_code = source

    def _grow(self, kind: str | None) -> _Growing:
        if self._growing is None or self._growing.kind != kind:
            self.close()
            self._growing = _Growing(kind)
        return self._growing


def _more(number: int) -> str:
    return f" and {number} more" if number > 0 else ""


class _Growing:
    """Words or code that are drawn again as they grow, but not at every word."""

    def __init__(self, kind: str | None) -> None:
        self.kind = kind
        """The language of code."""
        self._pieces: list[str] = []
        self._handle: Any = None
        self._drawn = 0.0

    def add(self, text: str) -> None:
        self._pieces.append(text)
        if time.monotonic() - self._drawn > REDRAW_SECONDS:
            self.draw()

    def replace(self, text: str) -> None:
        """All of it at once: what is proposed is what will run, whatever was written before."""
        self._pieces = [text]
        self.draw()

    def draw(self) -> None:
        text = "".join(self._pieces)
        if self.kind is PROSE:
            said = tame_plain(text)
            shown = {"text/plain": said, "text/markdown": safe_markdown(said)}
        else:
            shown = notebook_html.code(self.kind, text)
        if self._handle is None:
            self._handle = _ipython().display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)
        self._drawn = time.monotonic()


class Buttons:
    """The approval question as buttons; whoever presses one goes on with the turn."""

    def __init__(self, decided: Callable[[Decision], None]) -> None:
        import ipywidgets  # noqa: PLC0415  (optional)

        self._decided = decided
        self._output = ipywidgets.Output()
        self.run = self._button("Run", "success", Decision("yes"))
        self.decline = self._button("Do not run", "", Decision("no"))
        self._box = ipywidgets.VBox([ipywidgets.HBox([self.run, self.decline]), self._output])

    def show(self) -> None:
        """Show them under the code."""
        _ipython().display(self._box)

    def _button(self, label: str, style: str, decision: Decision) -> Any:
        import ipywidgets  # noqa: PLC0415  (optional)

        button = ipywidgets.Button(description=label, button_style=style)
        button.on_click(lambda _: self._press(decision))
        return button

    def _press(self, decision: Decision) -> None:
        self.run.disabled = self.decline.disabled = True
        with self._output:
            self._decided(decision)


KEYS = "[y]es / [n]o, with a reason / [a]lways / [s]top: "


def ask(request: ev.ApprovalRequested) -> Decision:
    """The question as a prompt, where there are no widgets."""
    what = "Run this?" if request.proposed else "Allow this?"
    try:
        answer = input(" ".join(filter(None, (sentence(request.reason), what, KEYS)))).strip()
    except KeyboardInterrupt:
        return Decision("stop")
    except (EOFError, NotImplementedError):  # the last: no front end can ask
        return nobody_approves(request)
    if answer.lower() in ("y", "yes"):
        return Decision("yes")
    if answer.lower() in ("a", "always"):
        return Decision("always")
    if answer.lower() in ("s", "stop"):
        return Decision("stop")
    return Decision("no", answer.partition(" ")[2])


def answer(request: ev.InputRequested) -> str | None:
    """A question of the code as a prompt; None where no front end can ask."""
    try:
        return (getpass.getpass if request.hidden else input)(tame_plain(request.prompt))
    except (EOFError, NotImplementedError):
        return None


def _publish(data: dict[str, Any]) -> None:
    if data:
        _ipython().display(data, raw=True)


def _ipython() -> Any:
    import IPython.display  # noqa: PLC0415  (whoever shows a notebook has it loaded)

    return IPython.display
