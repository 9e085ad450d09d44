"""What happens in a turn as the lines that other programs read: messages of model and tools."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from interpreter.headless.message_ids import new_id
from interpreter.headless.partial_messages import PartialMessage, Piece
from interpreter.protocol import events as ev
from interpreter.protocol.hooks import tool_use
from interpreter.protocol.live import (
    LiveEvent,
    QuestionClosed,
    SessionChanged,
    TurnStarted,
    WentBack,
)
from interpreter.protocol.messages import (
    Action,
    ActionCall,
    ActionResult,
    Code,
    Display,
    MalformedCall,
    Message,
    Output,
    Part,
    Reasoning,
    Text,
)

Line = dict[str, Any]
MOST_KNOWN = 10_000
MOST_DENIALS = 100
LONGEST_RESULT = 100_000  # characters of a tool's result; the beginning and the end of more
MOST_PICTURES, LARGEST_PICTURE = 4, 300_000  # bytes


class Narrator:
    """Tells one session, turn by turn, and counts what its results need."""

    def __init__(
        self, send: Callable[[Line], None], model: Callable[[], str], *, partial: bool = False
    ) -> None:
        self._send = send
        self._model = model
        self._wants_partial = partial
        self._partial: PartialMessage | None = None
        self._usage: ev.Usage | None = None
        self._asked: list[tuple[str, str]] = []
        """The calls that have no result yet: their ids in the session, and as they are told."""
        self._files: list[str] = []
        self.session = ""
        self.checkpoint = ""
        """The last block that can be gone back to."""
        self.replies = 0
        self.model_seconds = 0.0
        self._asked_at = 0.0
        self.text = ""
        """The model's last words."""
        self.denials: list[Line] = []
        self.known_as: dict[str, str] = {}
        """Our ids of messages that came with ids of their own."""

    def begin(self) -> None:
        """A turn begins; what is counted starts at nothing."""
        self.replies, self.text, self.denials = 0, "", []
        self.model_seconds, self._asked_at = 0.0, time.monotonic()

    def line(self, kind: str, **content: Any) -> None:
        """Send a line of this session."""
        uuid = new_id(self.session, self.checkpoint)
        self._send({"type": kind, **content, "session_id": self.session, "uuid": uuid})

    def call_id(self, action: Action) -> str:
        """The id under which a call has been told; a new one for what was never proposed."""
        found = (told for known, told in self._asked if known == action.call_id)
        return next(found, "") or action.call_id or f"toolu_{uuid4().hex}"

    def tell(self, event: LiveEvent) -> None:
        """Tell what happened, if it is to be told."""
        match event:
            case (
                ev.TextDelta()
                | ev.ReasoningDelta()
                | ev.CodeDelta()
                | ev.ActionProposed()
                | ev.ReplyFinished()
            ):
                self._tell_piece(event)
            case ev.MessageFinished(message):
                self._tell_message(message)
            case ev.CheckpointTaken(checkpoint):
                self.checkpoint = checkpoint
            case ev.FilesChanged(changes):
                self._files = [change.path for change in changes[:1000]]
            case ev.Decided(action, decision) | ev.HostCallRuled(action, decision):
                self._ruled(action, allowed=decision.allows)
            case ev.Notice(text, level):
                self.line("system", subtype="notice", text=text, level=level)
            case ev.ModelRetrying(reason, seconds, attempt):
                wait = int(seconds * 1000)
                self.line(
                    "system",
                    subtype="api_retry",
                    error=reason,
                    attempt=attempt,
                    retry_delay_ms=wait,
                )
            case _:
                _pass_over(event)

    def _ruled(self, action: Action, *, allowed: bool) -> None:
        counts = not allowed and not isinstance(action, MalformedCall)
        if counts and len(self.denials) < MOST_DENIALS:
            self.denials.append({**tool_use(action), "tool_use_id": self.call_id(action)})

    def _tell_piece(self, event: Piece) -> None:
        if isinstance(event, ev.ReplyFinished):
            self._usage = event.usage
            self.model_seconds += time.monotonic() - self._asked_at
        if not self._wants_partial:
            return
        self._partial = self._partial or PartialMessage(self._model())
        for one in self._partial.events(event):
            self.line("stream_event", event=one, parent_tool_use_id=None)
        if isinstance(event, ev.ReplyFinished):
            self._partial = None

    def _tell_message(self, message: Message) -> None:
        if message.role == "assistant":
            self._tell_reply(message)
        elif message.role == "computer":
            self._tell_result(message)
        else:
            self.user(message)

    def user(self, message: Message, uuid: str = "") -> None:
        """A message of the user's, as it came."""
        told = {"role": "user", "content": message.text}
        line = {"type": "user", "message": told, "parent_tool_use_id": None, "isReplay": True}
        ours = new_id(self.session, self.checkpoint)
        if uuid and len(self.known_as) < MOST_KNOWN:
            self.known_as[uuid] = ours
        self._send({**line, "session_id": self.session, "uuid": uuid or ours})

    def _tell_reply(self, message: Message) -> None:
        self.replies += 1
        self.text = message.text or self.text
        self._asked = [(one.call_id, one.call_id or _new_call()) for one in message.actions]
        calls = iter(self._asked)
        content = [_reply_block(part, calls) for part in message.parts]
        usage, self._usage = self._usage, None
        told = {
            "id": f"msg_{uuid4().hex}",
            "type": "message",
            "role": "assistant",
            "model": self._model(),
            "content": [block for block in content if block],
            "stop_reason": "tool_use" if message.actions else "end_turn",
            "stop_sequence": None,
            "usage": usage_object(usage or ev.Usage()),
        }
        self.line("assistant", message=told, parent_tool_use_id=None)

    def _tell_result(self, message: Message) -> None:
        printed = [part for part in message.parts if isinstance(part, Output)]
        shown = [part for part in message.parts if isinstance(part, Display)]
        for result in message.results:
            text = "".join(
                part.text for part in message.parts if isinstance(part, Output | Display)
            )
            text = "\n".join(filter(None, (text.rstrip("\n"), result.summary)))
            pictures = _pictures(shown)
            parts = [{"type": "text", "text": shortened(text)}, *pictures]
            block = {
                "type": "tool_result",
                "tool_use_id": self._settled(result),
                "content": parts if pictures else shortened(text),
                "is_error": result.outcome not in ("ok", "backgrounded"),
            }
            streams = {
                name: shortened("".join(p.text for p in printed if p.stream == name))
                for name in ("stdout", "stderr")
            }
            outcome = {"outcome": result.outcome, "files": self._files}
            told = {"role": "user", "content": [block]}
            self.line(
                "user",
                message=told,
                parent_tool_use_id=None,
                tool_use_result={**streams, **outcome},
            )
        self._files = []
        self._asked_at = time.monotonic()

    def _settled(self, result: ActionResult) -> str:
        for place, (known, told) in enumerate(self._asked):
            if known == result.call_id:
                del self._asked[place]
                return told
        return result.call_id or _new_call()


def usage_object(usage: ev.Usage) -> dict[str, int]:
    """Tokens as coding agents count them: what came from a cache is counted apart."""
    return {
        "input_tokens": usage.input - usage.cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": usage.output,
    }


def shortened(text: str) -> str:
    """A text that fits into a result."""
    if len(text) <= LONGEST_RESULT:
        return text
    half = LONGEST_RESULT // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


def _new_call() -> str:
    return f"toolu_{uuid4().hex}"


def _reply_block(part: Part, calls: Any) -> Mapping[str, Any] | None:
    match part:
        case Text(text):
            return {"type": "text", "text": text}
        case Reasoning(text, signature):
            return {"type": "thinking", "thinking": text, "signature": signature}
        case Code() | ActionCall() | MalformedCall():
            used = tool_use(part)
            _, told = next(calls)
            named = {"name": used["tool_name"], "input": used["tool_input"]}
            return {"type": "tool_use", "id": told, **named}
        case Output() | Display() | ActionResult():
            return None


def _pictures(shown: list[Display]) -> list[Line]:
    found = []
    for display in shown[:MOST_PICTURES]:
        face = display.image
        if face is None or not isinstance(face.data, bytes) or len(face.data) > LARGEST_PICTURE:
            continue
        data = base64.b64encode(face.data).decode()
        source = {"type": "base64", "media_type": face.media_type, "data": data}
        found.append({"type": "image", "source": source})
    return found


def _pass_over(
    event: ev.OutputDelta
    | ev.ModelTold
    | ev.DisplayShown
    | ev.OutputCleared
    | ev.ActiveLine
    | ev.InputRequested
    | ev.ExecutionFinished
    | ev.ApprovalRequested
    | ev.HostCallProposed
    | ev.HostCallFinished
    | ev.ActionStarted
    | ev.CheckpointDiscarded
    | ev.TurnFinished
    | TurnStarted
    | QuestionClosed
    | WentBack
    | SessionChanged,
) -> None:
    """What is told with the message that comes of it, or by somebody else."""
