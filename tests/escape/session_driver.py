"""Runs as root or as an ordinary user: a whole session whose blocks attack, as the host feels it.

``session_driver.py SRC WORKSPACE``: one JSON object per line in, ``{"do", ...}``; one out.
"""

import json
import resource
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, sys.argv[1])


from peak import Peak

from interpreter import Interpreter
from interpreter.assembly.model_choice import FaceCallbacks
from interpreter.protocol.errors import InterpreterError


def carried_out(session, order):
    match order["do"]:
        case "run":
            block = session.run(order.get("language", "python"), order["source"])
            return {"text": block.output, "outcome": block.outcome}
        case "undo":
            return {"text": session.undo()}
        case "value":
            return {"text": repr(session.value(order["expression"]))[:1000]}
        case "close":
            session.close()
            return {}
    raise ValueError(order["do"])


def main():
    # As on a machine where nobody raised the limit; a flood must not need more.
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
    notices = []
    session = Interpreter(workspace=sys.argv[2], auto_run=True)
    session._owned_factory._face = lambda: FaceCallbacks(
        notices.append
    )  # what a terminal would show
    for line in sys.stdin:
        began = time.monotonic()
        with Peak() as peak:
            try:
                told = carried_out(session, json.loads(line))
            except InterpreterError as error:
                told = {"error": str(error)}
        told |= {
            "notices": notices[:],
            "seconds": time.monotonic() - began,
            "grown": peak.megabytes,
            "threads": threading.active_count(),
            "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        }
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
    session.close()


if __name__ == "__main__":
    main()
