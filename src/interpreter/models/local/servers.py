"""Model servers on this machine: which of them run, what they offer, and what that needs.

Looking costs a tenth of a second at most and only the standard library, since it is done at every
first start without a key.
"""

from __future__ import annotations

import http.client
import json
import selectors
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast
from urllib.parse import urlsplit

from interpreter.models.local.readings import (
    LocalModel,
    llama_models,
    lm_studio_models,
    ollama_models,
    openai_models,
    vllm_models,
)
from interpreter.protocol.values import frozen

CONNECT_SECONDS = 0.1  # for all of them together
ANSWER_SECONDS = 2.0  # for one that does listen
LONGEST = 8 << 20  # bytes of an answer that are read


@frozen
class Kind:
    """A program that serves models: its usual port, and how to start it."""

    prefix: str
    title: str
    port: int
    start: str


OLLAMA = Kind("ollama", "Ollama", 11434, "ollama serve")
LM_STUDIO = Kind("lmstudio", "LM Studio", 1234, "lms server start (or the Developer tab)")
JAN = Kind("jan", "Jan", 1337, "Settings, Local API Server, Start Server")
LLAMAFILE = Kind("llamafile", "llamafile", 8080, "./MODEL.llamafile --server --nobrowser")
LLAMA_CPP = Kind("llamacpp", "llama.cpp", 8080, "llama-server -m MODEL.gguf --jinja")
VLLM = Kind("vllm", "vLLM", 8000, "vllm serve MODEL")
KINDS = (OLLAMA, LM_STUDIO, JAN, LLAMAFILE, LLAMA_CPP, VLLM)


@frozen
class LocalServer:
    """A server that runs here, and its models."""

    kind: Kind
    url: str
    models: tuple[LocalModel, ...] = ()

    @property
    def api_base(self) -> str:
        """Where it speaks the protocol of chat completions."""
        return f"{self.url}/v1"


@frozen
class ServerAnswer:
    """What a server said to a question."""

    status: int
    server: str
    content: Any


def usual_places(environ: Mapping[str, str]) -> tuple[tuple[str, int], ...]:
    """The addresses at which servers are looked for."""
    ports = dict.fromkeys(kind.port for kind in KINDS)
    places = [("127.0.0.1", port) for port in ports]
    if environ.get("OLLAMA_HOST"):
        places[0] = _ollama_place(environ["OLLAMA_HOST"])
    return tuple(places)


def _ollama_place(host: str) -> tuple[str, int]:
    parts = urlsplit(host if "://" in host else f"http://{host}")
    name = parts.hostname or "127.0.0.1"
    return ("127.0.0.1" if name == "0.0.0.0" else name), parts.port or OLLAMA.port


def find_servers(places: Sequence[tuple[str, int]]) -> tuple[LocalServer, ...]:
    """The servers that listen at these places and say who they are."""
    listening = _listening(places)
    if not listening:
        return ()
    with ThreadPoolExecutor(len(listening)) as pool:
        return tuple(server for server in pool.map(_identify, listening) if server)


def server_at(url: str) -> LocalServer | None:
    """The server at an address that the user gives."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    return _identify((parts.hostname or "127.0.0.1", parts.port or 80))


def _listening(places: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Knock at all doors at once; who has not opened in time is not there."""
    found: list[tuple[str, int]] = []
    with selectors.DefaultSelector() as selector:
        for place in places:
            if knocking := _knock(place):
                selector.register(knocking, selectors.EVENT_WRITE, place)
        found.extend(_opened(selector))
        for key in tuple(selector.get_map().values()):
            cast(socket.socket, key.fileobj).close()
    return [place for place in places if place in found]


def _opened(selector: selectors.BaseSelector) -> Iterator[tuple[str, int]]:
    end = time.monotonic() + CONNECT_SECONDS
    while selector.get_map() and (left := end - time.monotonic()) > 0:
        for key, _ in selector.select(left):
            selector.unregister(key.fileobj)
            knocking = cast(socket.socket, key.fileobj)
            if not knocking.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                yield key.data
            knocking.close()


def _knock(place: tuple[str, int]) -> socket.socket | None:
    family = socket.AF_INET6 if ":" in place[0] else socket.AF_INET
    knocking = socket.socket(family)
    knocking.setblocking(False)
    try:
        knocking.connect(place)
    except BlockingIOError:
        pass
    except OSError:
        knocking.close()
        return None
    return knocking


def _identify(place: tuple[str, int]) -> LocalServer | None:
    """Who answers, judged by what only that program answers."""
    host, port = place
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    for recognise in (_ollama, _lm_studio, _llama, _with_openai_list):
        if server := recognise(place, url):
            return server
    return None


def _ollama(place: tuple[str, int], url: str) -> LocalServer | None:
    tags = ask(place, "GET", "/api/tags")
    if tags.status != 200 or not isinstance(tags.content, dict) or "models" not in tags.content:
        return None
    names = [model.name for model in ollama_models(tags.content, {})]
    details = {name: ask(place, "POST", "/api/show", {"model": name}).content for name in names}
    return LocalServer(OLLAMA, url, ollama_models(tags.content, details))


def _lm_studio(place: tuple[str, int], url: str) -> LocalServer | None:
    listed = ask(place, "GET", "/api/v0/models")
    if listed.status != 200 or not isinstance(listed.content, dict):
        return None
    return LocalServer(LM_STUDIO, url, lm_studio_models(listed.content))


def _llama(place: tuple[str, int], url: str) -> LocalServer | None:
    """llama.cpp and llamafile tell their properties; llamafile signs with its own name."""
    properties = ask(place, "GET", "/props")
    if not isinstance(properties.content, dict):
        return None
    known = "default_generation_settings" in properties.content
    if properties.status != 200 or not known:
        return None
    listed = ask(place, "GET", "/v1/models")
    kind = LLAMAFILE if "llamafile" in (listed.server + properties.server).lower() else LLAMA_CPP
    return LocalServer(kind, url, llama_models(listed.content, properties.content))


def _with_openai_list(place: tuple[str, int], url: str) -> LocalServer | None:
    listed = ask(place, "GET", "/v1/models")
    if listed.status != 200 or not isinstance(listed.content, dict):
        return None
    if place[1] == LLAMAFILE.port or "llamafile" in listed.server.lower():
        return LocalServer(LLAMAFILE, url, openai_models(listed.content))
    if models := vllm_models(listed.content):
        return LocalServer(VLLM, url, models)
    return LocalServer(JAN, url, openai_models(listed.content))


def ask(place: tuple[str, int], method: str, path: str, body: Any = None) -> ServerAnswer:
    """One question to a server; status 0 when it does not answer with JSON in time."""
    connection = http.client.HTTPConnection(*place, timeout=ANSWER_SECONDS)
    content = json.dumps(body) if body is not None else None
    headers = {"Content-Type": "application/json"} if body is not None else {}
    try:
        connection.request(method, path, content, headers)
        response = connection.getresponse()
        text = response.read(LONGEST)
        server = response.getheader("Server") or ""
        return ServerAnswer(response.status, server, json.loads(text))
    except (OSError, ValueError, http.client.HTTPException):
        return ServerAnswer(0, "", None)
    finally:
        connection.close()
