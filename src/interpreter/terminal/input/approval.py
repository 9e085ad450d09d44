"""The approval question: one line, one key."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from interpreter.protocol.actions import FORM, Answer, Decision, Finding
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import ApprovalRequested
from interpreter.protocol.messages import Action, ActionCall, Code
from interpreter.protocol.ports import Approver
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import sentence, visible
from interpreter.terminal.input.editor import edit
from interpreter.terminal.render.ansi import Palette, paint

HELP = """\
  y  run it
  n  do not run it; say why, and the model tries something else (Enter alone ends the turn)
  e  edit it in $EDITOR first, then be asked again
  t  yes, and do not ask again in this session
  a  always: do not ask again about exactly this
  d  dry run: try it, see what it changed, then keep that or take it back
  c  check: scan it for what may be dangerous, then be asked again
  s  stop: do not run it, and end the turn (also Esc and Ctrl-C)"""
HELP_AFTERWARDS = """\
  y  keep what it did, as if you had run it
  n  take it back: files and variables are as before; the model is told what it printed
  s  take it back, and end the turn (also Esc and Ctrl-C)"""
WORDS = {
    "y": "[y]es",
    "n": "[n]o",
    "e": "[e]dit",
    "t": "[t]his session",
    "a": "[a]lways",
    "d": "[d]ry run",
    "c": "[c]heck",
    "s": "[s]top",
}
SAID = {
    **{"y": "yes", "n": "no", "e": "edit", "t": "yes, in this session", "a": "always"},
    **{"d": "dry run", "c": "check", "s": "stop", "escape": "stop", "ctrl-c": "stop"},
}
"""What is left on the screen of a key that was pressed."""
ESCALATIONS = ("network", "read", "write", "start", "git", "mcp")  # the reason says all
ANSWERS: dict[str, Answer] = {"y": "yes", "t": "session", "a": "always", "d": "dry_run"}


@frozen
class ApprovalInput:
    """What asking needs of a terminal: a key for a question, a line, an editor, printing, code."""

    key: Callable[[str, str], str]
    """Show a question and wait for one of these keys."""
    line: Callable[[str], str]
    print: Callable[[str], None]
    show_code: Callable[[str, str], None]
    edit: Callable[[str, str], str] = edit


def as_dry_runs(approve: Approver, *, without_asking: bool) -> Approver:
    """Whatever is allowed is only tried: what it did is always taken back."""

    def decide(request: ApprovalRequested) -> Decision:
        if not isinstance(request.action, Code):
            return approve(request)
        if _is_afterwards(request):
            return Decision("no")
        decision = Decision("yes") if without_asking else approve(request)
        return replace(decision, answer="dry_run") if decision.allows else decision

    return decide


def ask(
    request: ApprovalRequested, hands: ApprovalInput, palette: Palette, *, dry_run: bool = True
) -> Decision:
    """Ask until there is an answer."""
    _explain(request, hands, palette)
    action: Action = request.action
    keys = _keys(request, dry_run=dry_run)
    while True:
        match hands.key(_question(request, keys), keys + "?"):
            case "y" | "t" | "a" | "d" as key:
                edited = action if action != request.action else None
                return Decision(ANSWERS[key], edited=edited)
            case "n" if _is_afterwards(request):
                return Decision("no")
            case "n":
                return Decision("no", hands.line(_why_not(request)).strip())
            case "e":
                action = _edited(action, hands, palette)
            case "c":
                _check(action, hands, palette)
            case "?":
                hands.print(_help(request, keys))
            case _:
                return Decision("stop")


def _why_not(request: ApprovalRequested) -> str:
    alone = "end the turn" if isinstance(request.action, Code) else "just no"
    return f"Why not? (Enter: {alone}) "


def _explain(request: ApprovalRequested, hands: ApprovalInput, palette: Palette) -> None:
    if isinstance(request.action, ActionCall) and request.action.tool not in ESCALATIONS:
        call = f"{visible(request.action.tool)} {visible(request.action.arguments)}"
        hands.print(paint(call, palette.accent))
    if request.reason:
        hands.print(_warning(request.reason, palette))
    if request.preview:
        told, _, edits = request.preview.partition("\n")
        hands.print(paint(visible(told), palette.dim))
        if edits:
            from interpreter.terminal.render.markdown.highlight import highlight_diff  # noqa: PLC0415  (few ask for it)

            hands.print("\n".join(highlight_diff(edits, colour=palette.colourful)))
    if isinstance(request.action, Code):
        _show_findings(request.action, request.findings, hands, palette)


def _show_findings(
    action: Code, findings: tuple[Finding, ...], hands: ApprovalInput, palette: Palette
) -> None:
    lines = action.source.split("\n")
    for finding in findings:
        quoted = lines[finding.line - 1].strip() if 0 < finding.line <= len(lines) else ""
        where = f"  ({visible(quoted)})" if quoted else ""
        hands.print(_warning(f"⚠ line {finding.line}: {visible(finding.reason)}{where}", palette))


def _warning(text: str, palette: Palette) -> str:
    return "\n".join(paint(line, palette.warning) for line in sentence(text).split("\n"))


def _check(action: Action, hands: ApprovalInput, palette: Palette) -> None:
    """Scan a block now, by all the scanners there are."""
    from interpreter.policies.approvals import full_scan  # noqa: PLC0415  (parsers load slowly)
    from interpreter.policies.scan.semgrep import find_semgrep  # noqa: PLC0415

    assert isinstance(action, Code)
    found = full_scan(action, find_semgrep())
    _show_findings(action, found, hands, palette)
    if not found:
        hands.print("The scan found nothing; that is no promise.")


def _keys(request: ApprovalRequested, *, dry_run: bool) -> str:
    if _is_afterwards(request):
        return "yns"
    if isinstance(request.action, Code):
        check = "c" if request.offers_scan else ""
        return f"ynea{'d' if dry_run else ''}{check}s"
    return "ynes" if _form(request.action) is not None else "yntas"


def _is_afterwards(request: ApprovalRequested) -> bool:
    """Whether the block has run already, and its effects are what is asked about."""
    return isinstance(request.action, Code) and not request.proposed


def _question(request: ApprovalRequested, keys: str) -> str:
    if _is_afterwards(request):
        return "Keep what it did? [y]es, keep it [n]o, take it back [s]top [?]"
    what = "Run this?" if isinstance(request.action, Code) else "Allow this?"
    return f"{what} {' '.join(WORDS[key] for key in keys)} [?]"


def _help(request: ApprovalRequested, keys: str) -> str:
    if _is_afterwards(request):
        return HELP_AFTERWARDS
    return "\n".join(line for line in HELP.split("\n") if line.strip()[0] in keys)


def _filled_in(action: ActionCall, hands: ApprovalInput, palette: Palette) -> ActionCall:
    """The form of a question, as the user filled it in."""
    try:
        text = hands.edit(json.dumps(_form(action), indent=2, ensure_ascii=False), "json")
        form = json.loads(text)
    except (ConfigurationError, ValueError) as error:
        hands.print(paint(f"That is no form: {error}", palette.bad))
        return action
    if not isinstance(form, dict):
        hands.print(paint("That is no form: keep the braces and the names.", palette.bad))
        return action
    hands.show_code("json", text)
    return replace(action, arguments=json.dumps({**json.loads(action.arguments), FORM: form}))


def _form(action: Action) -> dict[str, Any] | None:
    """What a tool server wants to be filled in, if that is what is asked about."""
    if not isinstance(action, ActionCall) or action.tool != "mcp":
        return None
    found = json.loads(action.arguments).get(FORM)
    return found if isinstance(found, dict) else None


def _edited(action: Action, hands: ApprovalInput, palette: Palette) -> Action:
    if isinstance(action, ActionCall):
        return _filled_in(action, hands, palette)
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
