"""Whom the whole program talks to: every connection of every process, as the kernel sees them.

It runs where there is no network but loopback, so that whatever it tries shows and nothing is met.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from tests.journeys.conftest import COMMAND
from tests.models.test_offline import closed_network

from support import alone

PROGRAM = """if True:
    import json, subprocess, sys
    from support.model_server import ModelServer, called, said

    trace, *command = sys.argv[1:]
    server = ModelServer()
    run = json.dumps({"language": "python", "code": "print(6 * 7)"})
    server.replies = [called(("execute", run)), said("It is 42.")]
    watched = ["strace", "-f", "--seccomp-bpf", "-qq", "-o", trace, "-e", "signal=none",
               "-e", "trace=connect,sendto,sendmsg,sendmmsg"]
    words = [*watched, *command, "--model", "openai/x", "--api_base", server.url, "What is it?"]
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    server.close()
    assert done.returncode == 0, done.stderr
    print(json.dumps([server.url, done.stdout, len(server.requests)]))
"""
ADDRESS = re.compile(r"sa_family=AF_INET6?, .*?port=htons\((\d+)\).*?\"([\d.:a-f]+)\"")


@pytest.mark.parametrize("offline", [["--offline"], []], ids=["offline", "usual"])
def test_it_connects_to_the_model_and_to_nobody_else(tmp_path, offline):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    work, trace = tmp_path / "work", tmp_path / "trace"
    work.mkdir()
    program = [sys.executable, "-c", PROGRAM, str(trace)]
    command = [str(COMMAND), "-y", "--sandbox", "off", *offline]
    done = subprocess.run(
        [*closed_network(), sys.executable, alone.__file__, *program, *command],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=work,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    url, said, requests = json.loads(done.stdout)
    assert (said, requests) == ("It is 42.\n", 2)
    met = {f"http://{host}:{port}" for port, host in ADDRESS.findall(trace.read_text())}
    assert met == {url}
