"""The state of shells and Node: asked for as text before a block, and handed back on undo."""

from __future__ import annotations

import contextlib
import json
import re
import secrets
from collections.abc import Callable
from functools import partial
from pathlib import Path

from interpreter.checkpoints.variables.states import StateReport
from interpreter.protocol import safe_files
from interpreter.protocol.errors import CheckpointError, RuntimeFailure
from interpreter.protocol.events import OutputDelta
from interpreter.protocol.inside_files import INSIDE
from interpreter.protocol.ports import Runtime

_LARGEST = 8 << 20  # characters; who holds more is not followed
_MOST = 50

RunSilently = Callable[[str], str]
RunBefore = Callable[[str], Path | None]
"""Has source run right before the next block; the file in which it will have printed, if it can."""
Restore = Callable[[str, RunSilently], StateReport]


def through(runtime: Runtime) -> RunSilently:
    """Runs source in a runtime and returns what it printed."""

    def run(source: str) -> str:
        events = runtime.run(source)
        return "".join(event.text for event in events if isinstance(event, OutputDelta))

    return run


class LanguageState:
    """Keeps what a runtime tells about itself; the language says how to ask and to put back."""

    def __init__(
        self,
        run: RunSilently,
        question: str,
        put_back: Restore,
        run_before: RunBefore = lambda source: None,
    ) -> None:
        self._run = run
        self._run_before = run_before
        self._question = question
        self._put_back = put_back
        self._kept: dict[str, str | Path] = {}  # texts, and where they are

    def before(self, name: str) -> None:
        """A block is about to run."""
        with contextlib.suppress(RuntimeFailure):  # it starts anew, and holds nothing before
            self._keep(name, self._run_before(self._question) or self._run(self._question))

    def after(self) -> None:
        """The block has ended: what is too much to keep can go while nobody waits."""
        while len(self._kept) > _MOST:
            self.forget(next(iter(self._kept)))

    def keep_now(self, name: str) -> None:
        """Keep what is there at once."""
        with contextlib.suppress(RuntimeFailure):
            self._keep(name, self._run(self._question))

    def restore(self, name: str) -> StateReport:
        """Go back to what was kept."""
        kept = self._kept.get(name)
        try:
            text = _text(kept) if isinstance(kept, Path) else kept
        except OSError:  # the block did not come to run, or code has put something else there
            text = None
        if text is None:
            raise CheckpointError("the state before that block is not kept")
        return self._put_back(text, self._run)

    def forget(self, name: str) -> None:
        """Give up what was kept."""
        kept = self._kept.pop(name, None)
        if isinstance(kept, Path):
            safe_files.remove(kept)

    def close(self) -> None:
        """Give up everything."""
        for name in list(self._kept):
            self.forget(name)

    def _keep(self, name: str, state: str | Path) -> None:
        self.forget(name)
        if isinstance(state, Path) or len(state) <= _LARGEST:
            self._kept[name] = state


def _text(path: Path) -> str:
    return safe_files.read_bytes(path, _LARGEST).decode(errors="replace")


def shell_state(
    run: RunSilently, kind: str = "bash", run_before: RunBefore = lambda source: None
) -> LanguageState:
    """The state of a bash or zsh: directory, variables, functions, aliases, options."""
    section = secrets.token_hex(8)  # no value has such a line
    question = (INSIDE / "variables" / f"shell_state.{kind}").read_text()
    put_back = partial(_put_back_in_shell, kind, section)
    return LanguageState(run, question.replace("@section@", section), put_back, run_before)


def node_state(run: RunSilently) -> LanguageState:
    """The state of a Node: directory, environment, and global values of plain data."""
    return LanguageState(partial(_asked_of_node, run), "null", _put_back_in_node)


_IN_NODE = "Symbol.for('reploop.state')"


def _asked_of_node(run: RunSilently, kept: str) -> str:
    """Have our function look or put back; a Node that has not got it yet is given it."""
    if told := run(f"globalThis[{_IN_NODE}]?.({kept})"):
        return told
    source = (INSIDE / "variables" / "node_state.js").read_text().rstrip()
    offer = f"{{ value: {source}, configurable: true }}"
    return run(f"Object.defineProperty(globalThis, {_IN_NODE}, {offer})[{_IN_NODE}]({kept})")


_NAMES_NOW = {
    "bash": ("compgen -v", "compgen -A function"),
    "zsh": (
        "emulate zsh; print -r -- ${(M)${(k)parameters}:#[A-Za-z_]*}",
        "emulate zsh; print -r -- ${(k)functions}",
    ),
}


_DECLARED = re.compile(r"declare -(\S+) ([A-Za-z_][^=\s]*)")
_BASHS_OWN = re.compile(
    r"BASH.*|DIRSTACK|EPOCH.*|FUNCNAME|GROUPS|LINENO|OPT.*|_|COMP_.*|HIST.*|PIPESTATUS|RANDOM"
    r"|SECONDS|SRANDOM|PPID|E?UID"
)


def _can_be_set(declarations: str) -> str:
    """Without read-only variables, and those that bash itself keeps."""
    kept: list[str] = []
    keeps = False
    for line in declarations.split("\n"):  # a value may go on over several lines
        if declared := _DECLARED.match(line):
            keeps = "r" not in declared[1] and not _BASHS_OWN.fullmatch(declared[2])
        if keeps:
            kept.append(line)
    return "\n".join(kept)


def _put_back_in_shell(kind: str, section: str, text: str, run: RunSilently) -> StateReport:
    told, *sections = (part.strip("\n") for part in text.split(f"{section}\n"))
    if told != kind or len(sections) != len(("variables", "functions", "values", "all else")):
        raise CheckpointError(f"only {kind} can be put back")
    variables, functions = (" ".join(part.split()) for part in sections[:2])
    values = _can_be_set(sections[2]) if kind == "bash" else sections[2]
    script = f"{values}\n{sections[3]}"
    variables_now, functions_now = _NAMES_NOW[kind]
    loop = f"__reploop_{secrets.token_hex(8)}"
    source = (
        _unset_others(loop, variables_now, "unset -v", variables)
        + _unset_others(loop, functions_now, "unset -f", functions)
        + f"unset -v {loop}; unalias -a\n{{\n{script}\n}} 2>/dev/null\n"
    )
    gone = [line[2:] for line in run(source).splitlines() if line.startswith("- ")]
    return StateReport(("directory", "variables", "functions", "options"), tuple(gone))


def _unset_others(loop: str, names: str, unset: str, known: str) -> str:
    """Source that unsets, and prints, every name that is not known."""
    return (
        f"for {loop} in $({names}); do\n"
        f'  case " {known} " in *" ${loop} "*) continue ;; esac\n'
        f'  case "${loop}" in __reploop_* | TRAPEXIT) continue ;; esac\n'
        f'  {unset} "${loop}" 2>/dev/null && echo "- ${loop}"\n'
        "done\n"
    )


def _put_back_in_node(text: str, run: RunSilently) -> StateReport:
    try:
        kept = json.dumps(json.loads(text.strip().splitlines()[-1]))
        answer = json.loads(run(kept).strip().splitlines()[-1])
        return StateReport(
            tuple(str(name) for name in answer["restored"]),
            tuple(str(name) for name in answer["removed"]),
            {str(name): str(kind) for name, kind in answer["lost"].items()},
            {str(name): str(kind) for name, kind in answer["kept"].items()},
        )
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise CheckpointError("Node could not put its variables back") from error
