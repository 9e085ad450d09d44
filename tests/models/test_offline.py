"""Offline, the process needs nobody but the model on this machine."""

import os
import shutil
import subprocess
import sys

import pytest

from support import alone

PROGRAM = """if True:
    import socket
    from support.model_server import ModelServer, Refusal, called, said
    from support.talking import actions_of, ask, text_of
    from interpreter.models.names import resolve
    from interpreter.models.options import ModelOptions
    from interpreter.protocol.errors import ConfigurationError

    try:
        socket.create_connection(("192.0.2.1", 80), timeout=5)
    except OSError as error:
        assert error.errno == 101, error  # the network is unreachable: this place is closed
    asked = []
    resolving = socket.getaddrinfo
    socket.getaddrinfo = lambda host, *rest, **more: asked.append(host) or resolving(host, *rest, **more)
    server = ModelServer()
    server.replies = [Refusal(503), said("Hello."), said("```python\\n1\\n```\\n")]
    options = ModelOptions(api_base=server.url, offline=True, dialect="fenced")
    model = resolve("openai/local", options)
    assert text_of(ask(model)) == "Hello."
    assert len(actions_of(ask(model))) == 1
    model.close()
    server.close()
    try:
        resolve("gpt-4o", ModelOptions(offline=True, api_key="k"))
    except ConfigurationError:
        print("connected to", sorted(set(asked)))
"""


def closed_network() -> list[str]:
    """The command that runs another one without a network, if this machine allows it."""
    for flags in (["--net"], ["--net", "--map-root-user"]):
        command = [shutil.which("unshare") or "unshare", *flags, "--"]
        try:
            if subprocess.run([*command, "true"], capture_output=True).returncode == 0:
                return command
        except FileNotFoundError:
            break
    pytest.skip("no network namespace can be made here: `unshare --net` is missing or forbidden")


def test_a_closed_network_is_enough():
    command = [*closed_network(), sys.executable, alone.__file__, sys.executable, "-c", PROGRAM]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, env=environment)
    assert done.stdout == "connected to ['127.0.0.1']\n", done.stderr
