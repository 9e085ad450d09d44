"""Runs as root or as an ordinary user: builds a small world, opens a cell, tries what it is told.

``driver.py SRC HOME OWNER``, of whom the workspace is, unless it is empty: one JSON object per line in, ``{"code", "where"}``; one out. Where is
the cell, the reduced one, the place without walls, or "host": what we do ourselves outside.
Self-contained but for the package in SRC, so that any Python can run it.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox
from interpreter.sandboxes.backends.landlock import LandlockSandbox
from interpreter.sandboxes.backends.none import NoSandbox
from interpreter.sandboxes.confinement import (
    CellLimits,
    Confinement,
    interpreter_places,
)

KEEP = []


def listen(kind, address):
    sock = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET, kind)
    sock.bind(address)
    if kind == socket.SOCK_STREAM:
        sock.listen(64)
    KEEP.append(sock)
    return sock.getsockname()


def build_world(home):
    outside = Path(tempfile.mkdtemp(prefix="outside-", dir=home.parent))
    workspace = home / "project"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh/id_rsa").write_text("CANARY")
    (home / ".config/reploop").mkdir(parents=True)
    (home / ".config/reploop/keys").write_text("CANARY")
    (home / ".bashrc").write_text("# mine\n")
    (outside / "file").write_text("CANARY")
    workspace.mkdir()
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    (workspace / "link").symlink_to(home / ".ssh")
    if owner := sys.argv[3]:
        subprocess.run(["chown", "-Rh", f"{owner}:{owner}", str(workspace)], check=True)
    return {
        "home": str(home),
        "outside": str(outside),
        "workspace": str(workspace),
        "unix": listen(socket.SOCK_STREAM, f"{outside}/docker.sock"),
        "abstract": f"reploop-escape-{os.getpid()}",
        "tcp": listen(socket.SOCK_STREAM, ("127.0.0.1", 0))[1],
        "udp": listen(socket.SOCK_DGRAM, ("127.0.0.1", 0))[1],
        "pid": os.getpid(),
        "uid": os.getuid(),
    }


def attempt(cell, facts, request):
    program = cell.launch(
        [request.get("python", sys.executable), "-c", request["code"], json.dumps(facts)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=request.get("env"),
    )
    with program.stdout:
        text = program.stdout.read(1 << 20).decode("utf-8", "replace")
    return {"text": text, "status": program.wait(60)}


def as_host(facts, source, cells):
    """Run what the host does, with the rights of whoever started us; what it says in `answer`."""
    names = {"facts": facts, "cells": cells, "answer": "", "Path": Path}
    try:
        exec(source, names)
    except Exception as error:  # noqa: BLE001  (whatever it is, it is the answer)
        names["answer"] = f"{type(error).__name__}: {error}"
    return {"answer": names["answer"]}


def tell(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def main():
    home = Path(sys.argv[2])
    facts = build_world(home)
    listen(socket.SOCK_STREAM, "\0" + facts["abstract"])
    host = {
        **os.environ,
        "HOME": str(home),
        "OPENAI_API_KEY": "CANARY",
        "SSH_AUTH_SOCK": facts["unix"],
    }
    limits = CellLimits(memory_mb=600, programs=100, file_mb=20, tmp_mb=30, own_files_mb=700)
    confinement = Confinement(programs=interpreter_places(), limits=limits)
    workspace = Path(facts["workspace"])
    cells = {"open": NoSandbox().open(workspace)}
    cells["cell"] = BubblewrapSandbox(confinement, host).open(workspace)
    cells["trusted"] = BubblewrapSandbox(replace(confinement, level="trusted"), host).open(
        workspace
    )
    if not sys.argv[3]:  # without namespaces root stays root, and has no rights there
        cells["reduced"] = LandlockSandbox(confinement, host).open(workspace)
    os.environ.update(OPENAI_API_KEY="CANARY", HOME=str(home))
    facts["walls"] = cells["cell"].describe()
    facts["limited"] = sorted(cells["cell"].limited)
    facts["exchange"] = str(cells["cell"].exchange)
    tell(facts)
    for line in sys.stdin:
        request = json.loads(line)
        if request["where"] == "host":
            tell(as_host(facts, request["code"], cells))
        else:
            tell(attempt(cells[request["where"]], facts, request))
    for cell in cells.values():
        cell.close()


if __name__ == "__main__":
    main()
