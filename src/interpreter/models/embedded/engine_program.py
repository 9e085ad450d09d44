"""The program of the engine's process: llama.cpp's server, for as long as somebody holds a lease.

It is run by path with one argument, a JSON object. A lease is a connection to the listening socket
that it inherits; each is told where the server is. When the last one is closed it waits a while
for the next, then leaves. It imports nothing of the package, so that it starts at once.
"""

from __future__ import annotations

import importlib
import json
import os
import secrets
import selectors
import socket
import sys
from typing import Any


def main() -> None:
    """Load the model, serve leases, leave."""
    options = json.loads(sys.argv[1])
    listener = socket.socket(fileno=options["listener"])
    key = secrets.token_urlsafe(24)
    server = _serve(options, key)
    hello = {"address": server.listening_address, "key": key, "context": options["context"]}
    _keep_leases(listener, json.dumps(hello).encode() + b"\n", options["keep_warm"])
    os._exit(0)  # llama.cpp may wait for ever for threads of its own when it is taken down


def _serve(options: dict[str, Any], key: str) -> Any:
    xllamacpp = importlib.import_module("xllamacpp")  # a hundred megabytes, and without types
    parameters = xllamacpp.CommonParams()
    parameters.model.path = options["model"]
    parameters.n_ctx = options["context"]
    parameters.cpuparams.n_threads = options["threads"]
    parameters.cpuparams_batch.n_threads = options["threads"]
    parameters.n_parallel = options["drafts"]
    parameters.kv_unified = True  # one context that all drafts share, not a slice for each
    parameters.port = 0
    parameters.api_keys = [key]
    parameters.slot_save_path = options["cache"]
    # All sessions ask for one slot, where the system text is, and wait for each other. With a cache
    # of prompts in memory llama.cpp changes a slot that is asked for even while it writes a reply
    # there: a session then got a reply to another one's question.
    parameters.slot_prompt_similarity = 0.0
    parameters.cache_ram_mib = 0
    parameters.cache_idle_slots = False
    parameters.ui = False
    parameters.warmup = False
    parameters.fit_params = False  # the context was sized by us, and measuring again takes seconds
    parameters.verbosity = 1
    return xllamacpp.Server(parameters)


def _keep_leases(listener: socket.socket, hello: bytes, keep_warm: float) -> None:
    """Return when nobody has held a lease for `keep_warm` seconds."""
    leases = 0
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        while ready := selector.select(None if leases else keep_warm):
            leases += sum(_changed(key.fileobj, listener, hello, selector) for key, _ in ready)
    listener.close()


def _changed(
    ready: Any, listener: socket.socket, hello: bytes, selector: selectors.BaseSelector
) -> int:
    """How many leases there are more."""
    return _accept(listener, hello, selector) if ready is listener else -_dropped(ready, selector)


def _accept(listener: socket.socket, hello: bytes, selector: selectors.BaseSelector) -> int:
    lease, _ = listener.accept()
    try:
        lease.sendall(hello)
    except OSError:  # it left while the model was loading
        lease.close()
        return 0
    selector.register(lease, selectors.EVENT_READ)
    return 1


def _dropped(lease: socket.socket, selector: selectors.BaseSelector) -> int:
    try:
        if lease.recv(64):
            return 0
    except OSError:
        pass
    selector.unregister(lease)
    lease.close()
    return 1


if __name__ == "__main__":
    main()
