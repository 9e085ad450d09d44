"""The first request of a program, caught on loopback, and its tokens by a real tokenizer.

Open Interpreter's is caught live where OPEN_INTERPRETER names its command; else the recorded counts
are used: open-interpreter 0.4.3, its command in a terminal, `--model openai/gpt-4o` with tools, the
same question, caught and counted on 2026-11-15 by the functions below.
"""

import json
import os
import pty
import subprocess
import sys
import tempfile
import threading
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from support import llama_server
from support.model_server import ModelServer, said

BIN = Path(sys.executable).parent
QUESTION = "What is the sum of the first 100 primes?"
RECORDED = (
    2115 + 126
)  # Open Interpreter's system text and its tools as sent, by SmolLM2's tokenizer
SECONDS = 120


def ours():
    """What our command sends first: system text, tools."""
    with _server() as server, tempfile.TemporaryDirectory() as home:
        command = [BIN / "interpreter", *_flags(server), QUESTION]
        work = Path(home) / "work"
        work.mkdir()
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        subprocess.run(command, cwd=work, env=_at(home), timeout=SECONDS, check=True, **quiet)
        return _overhead(server)


def theirs():
    """What Open Interpreter's command sends first; None where it is not named."""
    command = os.environ.get("OPEN_INTERPRETER")
    if not command:
        return None
    with _server() as server, tempfile.TemporaryDirectory() as home:
        _talk([command, *_flags(server), "--plain"], _at(home), server)
        return _overhead(server)


@contextmanager
def tokenizer(model):
    """Counts tokens with the tokenizer of a GGUF model, by a real llama.cpp server."""
    command = [sys.executable, llama_server.__file__, str(model)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as process:
        address = next(line for line in process.stdout if line.startswith("ADDRESS")).split()[1]
        try:
            yield lambda text: _count(address, text)
        finally:
            process.stdin.close()


def _count(address, text):
    body = json.dumps({"content": text}).encode()
    asked = urllib.request.Request(
        f"{address}/tokenize", body, {"content-type": "application/json"}
    )
    with urllib.request.urlopen(asked, timeout=SECONDS) as answer:
        return len(json.load(answer)["tokens"])


def _flags(server):
    return ["-y", "--model", "openai/gpt-4o", "--api_base", f"{server.url}/v1", "--api_key", "x"]


def _at(home):
    quiet = {"DISABLE_TELEMETRY": "true", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    places = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), home)
    return {**os.environ, **quiet, **places}


@contextmanager
def _server():
    server = ModelServer()
    server.replies = [said("5117")]
    try:
        yield server
    finally:
        server.close()


def _overhead(server):
    """The system text, and the tools as they were sent."""
    body = server.requests[0].json
    system = "\n".join(m["content"] for m in body["messages"] if m["role"] == "system")
    return system, json.dumps(body.get("tools", []), separators=(",", ":"))


def _talk(command, environ, server):
    """Start a program in a terminal and type the question at its prompt."""
    child, screen = pty.fork()
    if child == 0:
        os.execve(command[0], command, environ)
    timer = threading.Timer(SECONDS, os.kill, (child, 9))
    timer.start()
    shown, typed = b"", False
    while not server.requests:
        shown += os.read(screen, 65_536)
        if not typed and shown.rstrip(b" ").endswith(b">"):
            os.write(screen, f"{QUESTION}\r".encode())
            typed = True
    timer.cancel()
    os.kill(child, 9)
    os.waitpid(child, 0)
    os.close(screen)
