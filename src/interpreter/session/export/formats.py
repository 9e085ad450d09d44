"""A session as a file: Markdown, one HTML page, a notebook that runs, a script, JSON and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError, why_unreadable
from interpreter.protocol.json.codec import CodecError, decode, encode
from interpreter.protocol.messages import (
    Code,
    Display,
    Message,
    Output,
    Text,
)
from interpreter.protocol.visible import legible, tame_plain
from interpreter.session.answers import answers
from interpreter.session.export.html import to_html
from interpreter.session.export.markdown import fenced, safe_markdown
from interpreter.session.export.notebook import to_notebook

LARGEST = 1 << 30  # bytes of a session that is read
PYTHON = ("python", "py", "python3")


def export_session(messages: Sequence[Message], path: Path, workspace: Path | None = None) -> Path:
    """Write a session to a file, where it is then; its suffix says in which form.

    No link is followed in the workspace, nor in the directory we are in: code may have made it.
    """
    write = WRITERS.get(path.suffix.lower())
    if write is None:
        known = ", ".join(WRITERS)
        raise ConfigurationError(f"{path}: the name must end in one of {known}.")
    if write is not to_json:  # which alone can be read again
        messages = [message for message in messages if not message.is_private]
    text = write(messages)
    try:
        place = safe_files.named_by_user(path.parent, Path.cwd(), workspace or Path.cwd())
        return safe_files.write(place / path.name, text, mode=0o666)
    except FileNotFoundError as error:
        missing = f"there is no directory {path.parent}"
        raise ConfigurationError(f"Cannot write {path}: {missing}.") from error
    except OSError as error:
        raise ConfigurationError(f"Cannot write {path}: {why_unreadable(error)}.") from error


def to_json(messages: Sequence[Message]) -> str:
    """All of it, to be read again by `from_json`."""
    return json.dumps([json.loads(encode(message)) for message in messages], indent=1) + "\n"


def from_json(text: str) -> tuple[Message, ...]:
    """Messages from what `to_json` wrote."""
    try:
        rows = json.loads(text)
        messages = tuple(decode(json.dumps(row)) for row in rows)
    except (ValueError, TypeError, RecursionError, CodecError) as error:
        raise ConfigurationError(f"This is not a session in JSON: {error}.") from error
    if not isinstance(rows, list) or not all(isinstance(message, Message) for message in messages):
        raise ConfigurationError("This is not a session in JSON: it holds other things.")
    return messages


def to_markdown(messages: Sequence[Message]) -> str:
    """For reading; pictures are named, not included."""
    return "\n\n".join(_markdown(messages)) + "\n"


def _markdown(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        for part in message.parts:
            match part:
                case Text(text) if message.role == "user":
                    said = safe_markdown(tame_plain(text))
                    yield "\n".join(f"> {line}".rstrip() for line in said.split("\n"))
                case Text(text):
                    yield safe_markdown(tame_plain(text.strip()))
                case Code(language, source):
                    yield fenced(legible(source), language)
                case Output(text) if text.strip():
                    yield fenced(tame_plain(text))
                case Display() if part.text or part.image:
                    yield fenced(tame_plain(part.text)) if part.text else "*[a picture]*"
                case _:
                    continue


def to_script(messages: Sequence[Message]) -> str:
    """The Python blocks that ran to their end, in order; other languages as comments."""
    head = ("#!/usr/bin/env python3", '"""Made from a session."""', "")
    return "\n".join([*head, *_script(messages)]).rstrip() + "\n"


def _script(messages: Sequence[Message]) -> Iterator[str]:
    results = answers(messages)
    for message in messages:
        if message.role == "user" and message.text.strip():
            yield from (f"# {line}".rstrip() for line in message.text.strip().split("\n"))
        for part in message.parts:
            if message.role != "assistant" or not isinstance(part, Code):
                continue
            code = _as_run(part, results.get(id(part)))
            if code is not None:
                yield from _block(code)
                yield ""


def _block(code: Code) -> Iterator[str]:
    lines = code.source.rstrip().split("\n")
    if code.language.lower() in PYTHON:
        yield from (f"# {line}" if line.lstrip().startswith(("%", "!")) else line for line in lines)
    else:
        yield f"# {code.language}:"
        yield from (f"#   {line}".rstrip() for line in lines)


def _as_run(code: Code, result: Message | None) -> Code | None:
    """The block as it was run: an edited one replaces its draft. None if nothing lasts of it."""
    if code.to_compare or result is None or all(one.outcome != "ok" for one in result.results):
        return None
    return next((part for part in result.parts if isinstance(part, Code)), code)


WRITERS: dict[str, Callable[[Sequence[Message]], Any]] = {
    ".md": to_markdown,
    ".html": to_html,
    ".ipynb": to_notebook,
    ".py": to_script,
    ".json": to_json,
}
