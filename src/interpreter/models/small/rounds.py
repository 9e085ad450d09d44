"""How a turn has gone so far: the blocks that a model wrote, and what came of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from interpreter.models.small.form.printed import plain
from interpreter.protocol.actions import FAILED_BEFORE
from interpreter.protocol.changed_files import (
    files_changed_in,
    is_taken_back,
    replaces_another,
)
from interpreter.protocol.messages import (
    Action,
    ActionCall,
    Attempt,
    Code,
    Display,
    MalformedCall,
    Message,
    Output,
    Part,
    Text,
)
from interpreter.protocol.values import frozen

BETWEEN = Text("\n\n")  # stands between what the user says and what we tell the model
VARIABLES = "variables: "  # as tools/live_variables.py writes it
PICTURE = "A picture was shown.\n"  # its own text says nothing that helps
ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@frozen
class Round:
    """One action and its result; `code` is fenced, as the model wrote it."""

    code: str
    source: str
    failed: bool
    output: str
    """What it printed, without tracebacks and notes, and as everybody writes values."""
    errors: str
    summary: str
    """Its error in one line, or nothing."""
    variables: str = ""
    """What the session holds now, where that was looked at."""
    files: tuple[str, ...] = ()
    """What it did to files, such as `added a.txt`."""
    to_compare: bool = False
    """Whether it ran where nothing that it does lasts."""
    on_copy: bool = False
    """Whether it ran on a copy of the files, after which it is told what it changed there."""
    overruled: bool = False
    """Whether the user did not want it, or ran something else instead."""
    repeated: bool = False
    """Whether it was not run, since it had failed just before."""
    goes_on: bool = False
    """Whether it still runs in the background."""
    taken_back: bool = False
    """Whether nothing is left of what it did."""
    printed: str = ""
    """What it printed, letter by letter."""

    @property
    def changes_the_old(self) -> bool:
        """Whether it did something to files that were there before it."""
        return not all(change.startswith("added ") for change in self.files)


def split_turn(
    messages: Sequence[Message],
) -> tuple[tuple[Message, ...], Message | None, tuple[Message, ...]]:
    """What came before the user last spoke, what the user said, and what came after."""
    heard = _folded(message for message in messages if message.audience != "user")
    for at in range(len(heard) - 1, -1, -1):
        if heard[at].role == "user":
            return heard[:at], heard[at], heard[at + 1 :]
    return heard, None, ()


def words_and_known(message: Message) -> str:
    """What the user says, without blank lines, and behind the first one what we told the model."""
    parts = list(message.parts)
    at = next((at for at, part in enumerate(parts) if part == BETWEEN), len(parts))
    said = Message("user", tuple(parts[:at])).text
    known = Message("user", tuple(parts[at:])).text
    return re.sub(r"\n\s*\n", "\n", said) + known


def known_first(message: Message) -> Message:
    """What the user says behind what is known of its files: what is wanted stands last, and need
    not be said twice."""
    parts = message.parts
    if message.role != "user" or BETWEEN not in parts:
        return message
    at = parts.index(BETWEEN)
    told = next((n for n in range(at + 1, len(parts)) if _begins_anew(parts[n])), len(parts))
    return replace(message, parts=(*parts[at + 1 : told], BETWEEN, *parts[:at], *parts[told:]))


def _begins_anew(part: Part) -> bool:
    return isinstance(part, Text) and part != BETWEEN and part.text.startswith("\n\n")


def _folded(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Messages in which what we tell the model stands at the end of what the user says next."""
    told: tuple[Part, ...] = ()
    kept: list[Message] = []
    for message in messages:
        if message.role == "user" and message.is_private:
            told = (*told, BETWEEN, *message.parts)
            continue
        if message.role == "user" and told:
            kept.append(replace(message, parts=(*message.parts, *told)))
            told = ()
        else:
            kept.append(message)
    return tuple(kept)


def rounds_of(messages: Sequence[Message]) -> list[Round]:
    """The blocks of a turn with their results, oldest first; one result answers one action."""
    rounds: list[Round] = []
    waiting: list[Action] = []
    for message in messages:
        if message.role == "assistant":
            waiting = list(message.actions)
        elif message.role == "computer" and waiting:
            action = waiting.pop(0)
            if attempt_of(action) == "again" and replaces_another(message):
                _take_back_the_last(rounds)
            rounds.append(_round(action, message))
    return rounds


def _take_back_the_last(rounds: list[Round]) -> None:
    at = next((at for at in range(len(rounds) - 1, -1, -1) if rounds[at].files), None)
    if at is not None:
        rounds[at] = replace(rounds[at], files=(), variables="", taken_back=True)


def _round(action: Action, message: Message) -> Round:
    result = message.results[-1] if message.results else None
    failed = result is not None and result.outcome not in ("ok", "backgrounded")
    summary, _, variables = (result.summary if result else "").partition(VARIABLES)
    declined = result is not None and result.outcome == "declined"
    repeated = declined and FAILED_BEFORE in summary
    taken_back = is_taken_back(message)
    return Round(
        code=written(action),
        source=action.source if isinstance(action, Code) else "",
        failed=failed,
        output=plain(_printed(message, "stdout")),
        errors=_printed(message, "stderr"),
        summary=" ".join(summary.split()),
        variables="" if taken_back else variables.strip(),
        files=tuple(f"{kind} {path}" for path, kind in files_changed_in((message,)).items()),
        to_compare=isinstance(action, Code) and action.to_compare,
        on_copy=attempt_of(action) == "copy",
        overruled=(declined and not repeated) or bool(message.actions),
        repeated=repeated,
        goes_on=result is not None and result.outcome == "backgrounded",
        taken_back=taken_back,
        printed="".join(
            part.text
            for part in message.parts
            if isinstance(part, Output) and part.stream == "stdout"
        ),
    )


def attempt_of(action: Action) -> Attempt:
    """What becomes of a block that fails, and of the one before it."""
    return action.attempt if isinstance(action, Code) else ""


def failures_in_a_row(rounds: Sequence[Round]) -> int:
    """How many of the last blocks failed."""
    count = 0
    for one in reversed(rounds):
        if not one.failed:
            break
        count += 1
    return count


def written(action: Action) -> str:
    """An action as the model would write it."""
    match action:
        case Code(language, source):
            return f"```{language}\n{source.strip()}\n```"
        case ActionCall(tool, arguments):
            return f'<tool_call>{{"name": "{tool}", "arguments": {arguments or "{}"}}}</tool_call>'
        case MalformedCall(raw):
            return raw


def _printed(message: Message, stream: str) -> str:
    pieces, pictures = [], 0
    for part in message.parts:
        if isinstance(part, Output) and part.stream == stream:
            pieces.append(part.text)
        elif isinstance(part, Display) and stream == "stdout":
            pictures += bool(part.image)
            pieces.append("" if part.image else f"{part.text}\n")
    printed = ESCAPES.sub("", "".join(pieces))
    return printed if printed.strip() or not pictures else PICTURE
