"""A session as a Jupyter notebook: prose in Markdown cells, blocks in cells with their output."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from typing import Any

from interpreter.protocol.messages import (
    ActionResult,
    Code,
    Display,
    Face,
    Message,
    Output,
    Part,
    Text,
)
from interpreter.protocol.visible import legible, tame, tame_plain
from interpreter.session.answers import answers
from interpreter.session.export.markdown import fenced, safe_markdown
from interpreter.session.export.plain_html import plain_html

PYTHON = ("python", "py", "python3")
MAGICS = {
    "shell": "bash",
    "bash": "bash",
    "sh": "bash",
    "zsh": "bash",
    "html": "html",
    "javascript": "javascript",
}
KEPT = (
    *("text/plain", "text/html", "text/markdown", "text/latex", "application/json"),
    *("image/png", "image/jpeg", "image/gif", "application/vnd.plotly.v1+json"),
)
JSON_SUFFIX = ("application/json", "+json")


def to_notebook(messages: Sequence[Message]) -> str:
    """A notebook, format 4.5. Blocks that failed or never ran are kept as text, so that it runs."""
    cells = list(_cells(messages))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        },
        "cells": cells,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _cells(messages: Sequence[Message]) -> Iterator[dict[str, Any]]:
    results = answers(messages)
    for message in messages:
        for part in message.parts:
            match part:
                case Text(text) if text.strip() and message.role != "computer":
                    said = safe_markdown(tame_plain(text))
                    yield _markdown(_quoted(said) if message.role == "user" else said)
                case Code() if message.role == "assistant":
                    yield _block(part, results.get(id(part)))
                case _:
                    continue


def _block(proposed: Code, result: Message | None) -> dict[str, Any]:
    parts = result.parts if result else ()
    code = next((part for part in parts if isinstance(part, Code)), proposed)
    good = any(isinstance(part, ActionResult) and part.outcome == "ok" for part in parts)
    source = _source(code)
    if not good or source is None:
        state = "this block failed" if result else "this block did not run"
        reason = "" if good else f"*{state}*\n\n"
        return _markdown(reason + fenced(legible(code.source), code.language))
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "source": source,
        "outputs": [output for part in parts for output in _outputs(part)],
    }


def _source(code: Code) -> str | None:
    language = code.language.lower()
    if language in PYTHON:
        return code.source.rstrip("\n")
    magic = MAGICS.get(language)
    return f"%%{magic}\n{code.source.rstrip()}" if magic else None


def _outputs(part: Part) -> Iterator[dict[str, Any]]:
    match part:
        case Output(text, stream):
            yield {"output_type": "stream", "name": stream, "text": tame(text)}
        case Display(faces):
            data = {face.media_type: _data(face) for face in faces if face.media_type in KEPT}
            if data:
                yield {"output_type": "display_data", "metadata": {}, "data": data}
        case _:
            return


def _data(face: Face) -> Any:
    if isinstance(face.data, bytes):
        return base64.b64encode(face.data).decode("ascii")
    if face.media_type.endswith(JSON_SUFFIX):
        try:
            return json.loads(face.data)
        except ValueError:
            return face.data
    match face.media_type:
        case "text/html":  # whoever trusts the notebook trusts no script of the session with it
            return plain_html(face.data)
        case "text/markdown":
            return safe_markdown(tame_plain(face.data))
        case _:
            return tame(face.data)


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.strip()}


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip().split("\n"))
