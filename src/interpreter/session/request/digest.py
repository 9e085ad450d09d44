"""A conversation in short: what was asked, verbatim; what was done; how things stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from interpreter.protocol.changed_files import files_changed_in
from interpreter.protocol.messages import Action, ActionCall, Code, Message, Text
from interpreter.session.request.shrink import without_middle

_LONGEST_STEP = 120


class DigestNotes(Protocol):
    """What a digest tells that the conversation itself does not."""

    @property
    def facts(self) -> Callable[[], str]: ...
    @property
    def log(self) -> Callable[[Sequence[Message]], str]: ...
    @property
    def summarise(self) -> Callable[[Sequence[Message]], str] | None: ...


def digest(messages: Sequence[Message], notes: DigestNotes, size: int) -> Message:
    """One message that stands for many; the user's words take up to half of its size."""
    sections = (
        ("What the user asked, word for word", _asked(messages, size // 2)),
        ("Summary", notes.summarise(messages) if notes.summarise else ""),
        ("What was done, oldest first", _done(messages, size // 4)),
        ("What you said last", _last_words(messages, size // 8)),
        ("Live variables", without_middle(notes.facts(), size // 4)[0]),
        ("Files that were changed", _files(messages, size // 8)),
        ("Everything in full", notes.log(messages)),
    )
    told = [f"## {title}\n{body}" for title, body in sections if body.strip()]
    head = "[The conversation up to here was shortened to save space. Go on with the task.]"
    return Message("user", (Text("\n\n".join((head, *told))),), audience="assistant")


def _asked(messages: Sequence[Message], size: int) -> str:
    """All requests if they fit; else the first and the latest at length, and the others cut."""
    said = (m.text.strip() for m in messages if m.role == "user" and m.audience != "user")
    asked = [f"{number}. {text}" for number, text in enumerate(filter(None, said), start=1)]
    if sum(map(len, asked)) <= size:
        return "\n".join(asked)
    first, *others = asked
    latest = others[-(size // 300 or 1) :]
    left_out = len(others) - len(latest)
    share = size // (len(latest) + 2)
    told = [without_middle(text, share)[0] for text in latest]
    note = [f"({left_out} requests left out)"] if left_out else []
    return "\n".join((without_middle(first, 2 * share)[0], *note, *told))


def _done(messages: Sequence[Message], size: int) -> str:
    steps = list(_steps(messages))
    latest: list[str] = []
    while len(latest) < len(steps) and size > 0:
        latest.insert(0, steps[-1 - len(latest)])
        size -= len(latest[0])
    left_out = len(steps) - len(latest)
    note = [f"- ({left_out} earlier steps)"] if left_out else []
    return "\n".join(note + latest)


def _steps(messages: Sequence[Message]) -> Iterator[str]:
    waiting: list[Action] = []
    for message in messages:
        if message.role == "assistant":
            waiting = list(message.actions)
        for result in message.results:
            action = waiting.pop(0) if waiting else None
            how = f"{result.outcome}: {result.summary}" if result.summary else result.outcome
            yield f"- {_named(action)} → {how}"[: 2 * _LONGEST_STEP]


def _named(action: Action | None) -> str:
    match action:
        case Code(language, source):
            lines = [line for line in source.strip().splitlines() if line.strip()]
            first = lines[0][:_LONGEST_STEP] if lines else ""
            return f"{language}: {first}" + (f" (+{len(lines) - 1} lines)" if lines[1:] else "")
        case ActionCall(tool, arguments):
            return f"{tool} {arguments[:_LONGEST_STEP]}"
        case _:
            return "something"


def _files(messages: Sequence[Message], size: int) -> str:
    """The files by their last change, latest first; the oldest are left out if they are many."""
    lines: list[str] = []
    changes = files_changed_in(messages)
    for line in (f"- {kind} {path}" for path, kind in reversed(changes.items())):
        size -= len(line)
        if size < 0:
            return "\n".join((*lines, f"- ({len(changes) - len(lines)} more)"))
        lines.append(line)
    return "\n".join(lines)


def _last_words(messages: Sequence[Message], size: int) -> str:
    said = (m.text.strip() for m in reversed(messages) if m.role == "assistant")
    return without_middle(next((text for text in said if text), ""), size)[0]
