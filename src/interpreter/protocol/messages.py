"""What was said and done: messages made of parts, as plain values that are only ever added to."""

from __future__ import annotations

from typing import Literal

from interpreter.protocol.values import frozen

Role = Literal["user", "assistant", "computer"]
Stream = Literal["stdout", "stderr"]
Completion = Literal["complete", "interrupted"]
Audience = Literal["everyone", "user", "assistant"]
Attempt = Literal[
    "",  # whatever a block has done stays
    "whole",  # it is done as a whole or not at all: if it fails, what it changed is taken back
    "again",  # the same, and what the block before it changed is taken back first
    "copy",  # of what is only compared: on a copy of the files, and what it changed there is told
]
Outcome = Literal[
    "ok",  # it ran to its end
    "failed",  # it raised, or left with a non-zero status
    "interrupted",  # somebody stopped it
    "timed_out",  # its time was over and it was stopped
    "backgrounded",  # it goes on without us; see the jobs
    "died",  # the process that ran it is gone, and what it held with it
    "declined",  # the user or a rule said no; nothing ran
    "invalid",  # the proposal could not be understood; nothing ran
    "skipped",  # something before it ended the turn; nothing ran
]

TABLE = "application/vnd.reploop.table+json"
"""A table as data: ``{"columns": [{"name", "type"}], "rows": [[…]], "shape": [rows, columns]}``."""
LIBRARY = "application/vnd.reploop.library"
"""Browser code that HTML of this and later results names, ``<script data-library="DIGEST">``, by
its SHA-256: a plotting library of the cell goes out once, not with every figure."""


@frozen
class Text:
    """Prose, in Markdown."""

    text: str


@frozen
class Reasoning:
    """What a model thought before it spoke; `signature` is the provider's seal, sent back as is."""

    text: str
    signature: str = ""


@frozen
class Code:
    """A block of code that somebody wants run."""

    language: str
    source: str
    call_id: str = ""
    to_compare: bool = False
    """Whether only what it prints is wanted: it runs where nothing that it does lasts."""
    attempt: Attempt = ""


@frozen
class ActionCall:
    """A call of any tool but code; `arguments` is the JSON object as the model wrote it."""

    tool: str
    arguments: str
    call_id: str = ""


@frozen
class MalformedCall:
    """Something that was meant as a call and cannot be read; `problem` tells the model why."""

    raw: str
    problem: str
    call_id: str = ""


@frozen
class Output:
    """What a block printed. `omitted` counts characters left out just before `text`, and how many
    line ends are among them."""

    text: str
    stream: Stream = "stdout"
    omitted: int = 0
    omitted_lines: int = 0


@frozen
class Face:
    """One way to show a result: text for text types, bytes for pictures."""

    media_type: str
    data: str | bytes


@frozen
class Display:
    """One result with several faces, the richest last; a picture a user sends is one too."""

    faces: tuple[Face, ...]
    display_id: str = ""

    def face(self, media_type: str) -> Face | None:
        """The face of exactly this type, if there is one."""
        return next((face for face in self.faces if face.media_type == media_type), None)

    @property
    def text(self) -> str:
        """The short text a model or a plain terminal gets."""
        plain = self.face("text/plain")
        return plain.data if plain is not None and isinstance(plain.data, str) else ""

    @property
    def image(self) -> Face | None:
        """The picture, when one of the faces is one that every viewer can draw."""
        return self.face("image/png") or self.face("image/jpeg")


@frozen
class ActionResult:
    """How an action ended; `summary` is one line for the model, such as the exception."""

    call_id: str
    outcome: Outcome
    summary: str = ""


Part = Text | Reasoning | Code | ActionCall | MalformedCall | Output | Display | ActionResult
Action = Code | ActionCall | MalformedCall


@frozen
class Message:
    """One entry of a transcript."""

    role: Role
    parts: tuple[Part, ...]
    completion: Completion = "complete"
    audience: Audience = "everyone"

    @property
    def is_private(self) -> bool:
        """Whether it is for the model alone, such as what a file that was named holds."""
        return self.audience == "assistant"

    @property
    def text(self) -> str:
        """The prose of the message."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def actions(self) -> tuple[Action, ...]:
        """What the message asks to be done, in order."""
        return tuple(p for p in self.parts if isinstance(p, Code | ActionCall | MalformedCall))

    @property
    def results(self) -> tuple[ActionResult, ...]:
        """How the actions that this message answers ended."""
        return tuple(part for part in self.parts if isinstance(part, ActionResult))


def user_says(text: str) -> Message:
    """A user's message of plain text."""
    return Message("user", (Text(text),))
