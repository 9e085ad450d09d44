"""The approval question: one line, one key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import ApprovalRequested
from interpreter.protocol.messages import Action, ActionCall, Code
from interpreter.terminal.ansi import Palette, paint, tame_plain
from interpreter.terminal.editor import edit

HELP = """\
  y  run it
  n  do not run it; say why, and the model tries something else (Enter alone ends the turn)
  e  edit it in $EDITOR first, then be asked again
  a  run it, and do not ask again in this session about this kind
  d  dry run: run it, show what it changed, and take the changes back
  s  stop: do not run it, and end the turn (also Esc and Ctrl-C)"""
WORDS = {"y": "[y]es", "n": "[n]o", "e": "[e]dit", "a": "[a]lways", "d": "[d]ry run", "s": "[s]top"}


@dataclass(frozen=True, slots=True)
class Hands:
    """What asking needs of a terminal: a key for a question, a line, an editor, printing, code."""

    key: Callable[[str, str], str]
    """Show a question and wait for one of these keys."""
    line: Callable[[str], str]
    print: Callable[[str], None]
    show_code: Callable[[str, str], None]
    edit: Callable[[str, str], str] = edit


def ask(
    request: ApprovalRequested, hands: Hands, palette: Palette, *, dry_run: bool = True
) -> Decision:
    """Ask until there is an answer."""
    _explain(request, hands, palette)
    action: Action = request.action
    keys = _keys(action, dry_run=dry_run)
    while True:
        match hands.key(_question(action, keys), keys + "?"):
            case "y":
                return _allowing("yes", action, request)
            case "a":
                return _allowing("always", action, request)
            case "d":
                return _allowing("dry_run", action, request)
            case "n":
                return Decision("no", hands.line("Why not? (Enter: end the turn) ").strip())
            case "e":
                action = _edited(action, hands, palette)
            case "?":
                hands.print(_help(keys))
            case _:
                return Decision("stop")


def _explain(request: ApprovalRequested, hands: Hands, palette: Palette) -> None:
    if isinstance(request.action, ActionCall):
        call = f"{request.action.tool} {request.action.arguments}"
        hands.print(paint(tame_plain(call), palette.accent))
    if request.reason:
        hands.print(paint(tame_plain(request.reason), palette.warning))
    source = request.action.source if isinstance(request.action, Code) else ""
    lines = source.split("\n")
    for finding in request.findings:
        quoted = lines[finding.line - 1].strip() if 0 < finding.line <= len(lines) else ""
        text = f"line {finding.line}: {finding.reason}" + (f"  ({quoted})" if quoted else "")
        hands.print(paint(f"⚠ {tame_plain(text)}", palette.warning))


def _keys(action: Action, *, dry_run: bool) -> str:
    code = isinstance(action, Code)
    return "yn" + ("e" if code else "") + "a" + ("d" if code and dry_run else "") + "s"


def _question(action: Action, keys: str) -> str:
    what = "Run this?" if isinstance(action, Code) else "Allow this?"
    return f"{what} {' '.join(WORDS[key] for key in keys)} [?]"


def _help(keys: str) -> str:
    return "\n".join(line for line in HELP.split("\n") if line.strip()[0] in keys)


def _allowing(answer: str, action: Action, request: ApprovalRequested) -> Decision:
    edited = action if action != request.action else None
    return Decision(answer, edited=edited)  # type: ignore[arg-type]


def _edited(action: Action, hands: Hands, palette: Palette) -> Action:
    assert isinstance(action, Code)
    try:
        source = hands.edit(action.source, action.language)
    except ConfigurationError as error:
        hands.print(paint(str(error), palette.bad))
        return action
    if source.rstrip("\n") != action.source.rstrip("\n"):
        action = replace(action, source=source)
        hands.show_code(action.language, source)
    return action
