"""A model that plays a script: for demos, tests, and trying things out without any key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from interpreter.models.options import ModelOptions
from interpreter.protocol.errors import (
    AuthenticationFailed,
    ConfigurationError,
    RateLimited,
    ScriptEnded,
    Unreachable,
    why_unreadable,
)
from interpreter.protocol.events import (
    ActionProposed,
    CodeDelta,
    ModelEvent,
    ReasoningDelta,
    ReplyFinished,
    TextDelta,
    Usage,
)
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import ActionCall, Code, MalformedCall
from interpreter.protocol.ports import Capabilities, Request
from interpreter.protocol.values import frozen

DEMO = "scripted/demo"
Fault = Literal["unreachable", "rate_limited", "authentication", "length"]
FAULTS: dict[str, Exception] = {
    "unreachable": Unreachable("The script says: the model does not answer."),
    "rate_limited": RateLimited("The script says: too many requests."),
    "authentication": AuthenticationFailed("The script says: the key is wrong."),
}
KEYS = {"text", "reasoning", "code", "language", "tool", "arguments", "malformed", "delay", "fault"}


@frozen
class ScriptedReply:
    """One reply, or a part of it. `delay` comes before each piece, `fault` after the last."""

    text: str = ""
    reasoning: str = ""
    code: str = ""
    language: str = "python"
    tool: str = ""
    arguments: str = "{}"
    malformed: str = ""
    delay: float = 0.0
    fault: str = ""


Script = Sequence[Sequence[ScriptedReply]]


class ScriptedModel:
    """Plays one reply per request."""

    def __init__(
        self,
        script: Sequence[Any],
        *,
        name: str = "scripted",
        repeat: bool = False,
        piece: int = 24,
    ) -> None:
        self.name = name
        self.capabilities = Capabilities(images=True, context_window=1_000_000)
        self._replies = [_parts(reply, place + 1) for place, reply in enumerate(script)]
        self._repeat = repeat
        self._piece = piece
        self._next = 0
        self._calls = 0

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[ModelEvent]:
        """The next reply of the script."""
        parts = self._take()
        for delay, event in self._play(parts):
            if interrupt.requested or (delay and not interrupt.pause(delay)):
                return
            yield event
        words = sum(len(part.text) + len(part.code) for part in parts) // 4
        yield ReplyFinished(_end(parts), Usage(output=words))

    def close(self) -> None:
        """A script holds nothing."""

    def _take(self) -> tuple[ScriptedReply, ...]:
        if self._repeat and self._next == len(self._replies):
            self._next = 0
        if self._next >= len(self._replies):
            text = f"The script {self.name!r} has ended: it has {len(self._replies)} replies."
            raise ScriptEnded(text)
        self._next += 1
        return self._replies[self._next - 1]

    def _play(self, parts: tuple[ScriptedReply, ...]) -> Iterator[tuple[float, ModelEvent]]:
        for part in parts:
            for event in self._say(part):
                yield part.delay, event
            if part.fault in FAULTS:
                raise FAULTS[part.fault]

    def _say(self, part: ScriptedReply) -> Iterator[ModelEvent]:
        for piece in self._pieces(part.reasoning):
            yield ReasoningDelta(piece)
        for piece in self._pieces(part.text):
            yield TextDelta(piece)
        if part.code:
            self._calls += 1
            call = f"call_{self._calls}"
            for piece in self._pieces(part.code):
                yield CodeDelta(part.language, piece, call)
            if part.fault != "length":
                yield ActionProposed(Code(part.language, part.code, call))
        if part.tool:
            self._calls += 1
            yield ActionProposed(ActionCall(part.tool, part.arguments, f"call_{self._calls}"))
        if part.malformed:
            self._calls += 1
            problem = "The arguments are not valid JSON."
            yield ActionProposed(MalformedCall(part.malformed, problem, f"call_{self._calls}"))

    def _pieces(self, text: str) -> Iterator[str]:
        return (text[at : at + self._piece] for at in range(0, len(text), self._piece))


def open_model(name: str, options: ModelOptions) -> ScriptedModel:
    """The script of a name: `scripted/demo` ships with the package, others are paths."""
    if name == DEMO:
        return load(Path(__file__).with_name("demo.yaml"), name=name)
    return load(Path(name.removeprefix("scripted/")), name=name)


def load(path: Path, *, name: str = "") -> ScriptedModel:
    """Read a script from a YAML file: a list of replies, or `replies:` with `repeat: true`."""
    import yaml  # noqa: PLC0415  (only those who play a file need it)

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(
            f"Cannot read the script {path}: {why_unreadable(error)}."
        ) from error
    settings = content if isinstance(content, dict) else {"replies": content}
    replies = settings.get("replies")
    if not isinstance(replies, list) or set(settings) - {"replies", "repeat"}:
        raise ConfigurationError(f"The script {path} is not a list of replies.")
    repeat = settings.get("repeat") is True
    return ScriptedModel(replies, name=name or f"scripted/{path}", repeat=repeat)


def _end(parts: tuple[ScriptedReply, ...]) -> Literal["stop", "length", "actions"]:
    if any(part.fault == "length" for part in parts):
        return "length"
    return "actions" if any(part.code or part.tool for part in parts) else "stop"


def _parts(reply: Any, number: int) -> tuple[ScriptedReply, ...]:
    """A reply is a text, a mapping, or a list of those."""
    if isinstance(reply, list | tuple):
        return tuple(part for item in reply for part in _parts(item, number))
    if isinstance(reply, ScriptedReply):
        return (reply,)
    if isinstance(reply, str):
        return (ScriptedReply(text=reply),)
    if isinstance(reply, Mapping) and not set(reply) - KEYS:
        return (_from_mapping(reply, number),)
    raise ConfigurationError(f"Reply {number} of the script is not a text or a mapping of {_KEYS}.")


_KEYS = ", ".join(sorted(KEYS))


def _from_mapping(reply: Mapping[str, Any], number: int) -> ScriptedReply:
    delay, fault = reply.get("delay", 0), reply.get("fault", "")
    if not isinstance(delay, int | float) or delay < 0:
        raise ConfigurationError(f"Reply {number} of the script: `delay` is a number of seconds.")
    if fault not in ("", "length", *FAULTS):
        known = ", ".join(["length", *FAULTS])
        raise ConfigurationError(f"Reply {number} of the script: `fault` is one of {known}.")
    texts = {key: str(value) for key, value in reply.items() if key not in ("delay", "fault")}
    return ScriptedReply(**texts, delay=float(delay), fault=fault)
