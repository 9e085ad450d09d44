"""The interpreter in IPython and Jupyter: `%load_ext interpreter`, then `%interpreter`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Generator
from contextlib import closing
from typing import Any, NoReturn

from interpreter.facade.compatible.interpreter import OpenInterpreter
from interpreter.facade.notebook.face import (
    Buttons,
    NotebookFace,
    TerminalFace,
    TurnDisplay,
    answer,
    ask,
    has_widgets,
)
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import ConfigurationError, InterpreterError
from interpreter.protocol.events import ApprovalRequested, Event, InputRequested
from interpreter.runtimes.inline_python import InlinePython

QUESTION_LINE = re.compile(r"\s*%interpreter\s.*\S.*\?\s*$")
OPTION = re.compile(r"""\s*(?:(-m|--model)\s+("[^"]*"|'[^']*'|\S+)|(--?[A-Za-z_]+))(?=\s|$)""")
USAGE = (
    "%interpreter [-m MODEL] [-y] [--scripts] [--inline | --apart] [--reset] [what you want done]"
)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext interpreter`: add the magic."""
    notebook = Notebook(shell)
    shell.register_magic_function(notebook.magic, "line_cell", "interpreter")
    shell.input_transformers_cleanup.append(keep_questions)
    shell.interpreter_notebook = notebook


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext interpreter`: remove the magic and end what it started."""
    notebook = shell.__dict__.pop("interpreter_notebook", None)
    if notebook is not None:
        notebook.interpreter.close()
    if keep_questions in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.remove(keep_questions)
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("interpreter", None)


def keep_questions(lines: list[str]) -> list[str]:
    """A line that ends in a question mark is a question to the model, not IPython's help."""
    if lines and lines[0].startswith("%%"):  # the text of a cell is no code of ours
        return lines
    return [_as_call(line) if QUESTION_LINE.match(line) else line for line in lines]


def _as_call(line: str) -> str:
    indent, _, said = line.partition("%interpreter")
    return f"{indent}get_ipython().run_line_magic('interpreter', {said.strip()!r})\n"


class Notebook:
    """One conversation for a notebook. What is set by a magic stays set."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self.interpreter = NotebookInterpreter()
        self.interpreter.rich = hasattr(shell, "kernel")
        self.interpreter.buttons = self.interpreter.rich and has_widgets()
        self._apart = list(self.interpreter.computer.languages)

    def magic(self, line: str, cell: str | None = None) -> None:
        """Say what you want done: in the line, in the cell, or in both."""
        options, text = _parsed(line)
        self._set(options)
        message = "\n".join(filter(None, (text, cell or ""))).strip()
        if message:
            self.interpreter.say(message)

    def _set(self, options: argparse.Namespace) -> None:
        if options.reset:
            self.interpreter.reset()
        if options.model:
            self.interpreter.llm.model = options.model
        if options.auto_run:
            self.interpreter.auto_run = True
        if options.scripts:
            self.interpreter.scripts = True
        if options.inline:
            inline = InlinePython(self._shell.user_ns)
            others = [one for one in self._apart if one.name != "python"]
            self.interpreter.computer.languages = [inline, *others]
        if options.apart:
            self.interpreter.computer.languages = list(self._apart)


class NotebookInterpreter(OpenInterpreter):
    """An interpreter that shows its turns in the cell it is used in."""

    rich = False
    """Whether the cell can show more than text."""
    buttons = False
    """Whether approval is asked for by buttons."""
    scripts = False
    """Whether scripts in pages that code shows may run, in a frame of their own."""

    def say(self, message: str | None) -> None:
        """One turn, shown as it happens; what asks for approval may be left to buttons."""
        face = NotebookFace(scripts=self.scripts) if self.rich else TerminalFace()
        try:
            with closing(self._events(message, display=False)) as events:
                self._show_in(events, face)
        except InterpreterError as error:
            face.error(str(error))
        except KeyboardInterrupt:
            face.error("Interrupted; everything so far is kept.")
        finally:
            face.close()

    def _show_in(self, events: Generator[Event, None, None], face: TurnDisplay) -> None:
        for event in events:
            face.show(event)
            if not isinstance(event, ApprovalRequested) or not event.proposed:
                continue
            if self.buttons and self._approved is None:
                face.close()
                if event.reason:
                    face.error(event.reason)
                Buttons(self._decided).show()
                return  # the code stays proposed until a button is pressed

    def _decided(self, decision: Decision) -> None:
        if decision.allows:
            self._approved = decision
            self.say(None)
            return
        self.say("Do not run that code.")

    def _approve(self, request: ApprovalRequested) -> Decision:
        if not request.proposed:  # a block waits for the answer, so there is no time for buttons
            return ask(request)
        approved, self._approved = self._approved, None
        return approved or ask(request)

    def _answer(self, request: InputRequested) -> str | None:
        return answer(request)

    _approved: Decision | None = None


class _MagicParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigurationError(f"{message}; {USAGE}")


def _parsed(line: str) -> tuple[argparse.Namespace, str]:
    """The options at the beginning, and the message after them, as it was written."""
    parser = _MagicParser(prog="%interpreter", add_help=False, allow_abbrev=False)
    parser.add_argument("-m", "--model", default="")
    parser.add_argument("-y", "--auto_run", action="store_true")
    parser.add_argument("--scripts", action="store_true")
    parser.add_argument("--inline", action="store_true")
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--reset", action="store_true")
    words: list[str] = []
    while found := OPTION.match(line):
        words += [word.strip("\"'") for word in found.groups() if word]
        line = line[found.end() :]
    return parser.parse_args(words), line.strip()
