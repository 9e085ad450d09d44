"""Ollama's own protocol: pulling a model, with progress."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from urllib.parse import urlsplit

from interpreter.protocol.errors import ModelError, UnknownModel, Unreachable
from interpreter.protocol.values import frozen

SILENCE = 120.0  # seconds without a word, after which we stop waiting
LONGEST_LINE = 1 << 16


@frozen
class PullProgress:
    """How far a pull is; sizes are 0 for steps that have none."""

    status: str
    done: int = 0
    total: int = 0


def pull(url: str, name: str) -> Iterator[PullProgress]:
    """Have Ollama download a model; the last thing it says is `success`."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(
        parts.hostname or "127.0.0.1", parts.port or 11434, timeout=SILENCE
    )
    body = json.dumps({"model": name, "stream": True})
    try:
        connection.request("POST", "/api/pull", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        yield from _told(response, name)
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(f"Ollama at {url} stopped answering: {error}.") from error
    finally:
        connection.close()


def _told(response: http.client.HTTPResponse, name: str) -> Iterator[PullProgress]:
    status = ""
    while line := response.readline(LONGEST_LINE):
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if not isinstance(said, dict):
            continue
        if "error" in said:
            raise UnknownModel(f"Ollama cannot pull {name!r}: {said['error']}.")
        status = str(said.get("status", ""))
        yield PullProgress(status, int(said.get("completed") or 0), int(said.get("total") or 0))
    if status != "success":
        raise ModelError(
            f"Ollama broke off while pulling {name!r} ({status or 'it said nothing'})."
        )
