"""Programs as users of Open Interpreter's Python API have them, run as they are."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.model_server import ModelServer, said

PROGRAMS = Path(__file__).parent / "programs"


def run(name, work, *arguments):
    done = subprocess.run(
        [sys.executable, PROGRAMS / f"{name}.py", *arguments],
        cwd=work,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=100,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("name", ["chat_app", "bot", "two_agents", "own_parts", "batch", "web_app"])
def test_a_program_runs_unchanged(name, tmp_path):
    run(name, tmp_path, f"scripted/{PROGRAMS / name}.yaml")


def test_a_program_with_a_local_server_runs_unchanged(tmp_path):
    server = ModelServer()
    code = said("```python\n", "print(2 + 2)\n", "```")
    server.replies = [code, code, said("It is 4.")]
    try:
        run("local_server", tmp_path, f"{server.url}/v1")
    finally:
        server.close()
    assert [seen.path for seen in server.requests] == ["/v1/chat/completions"] * 3
    assert server.requests[0].headers["authorization"] == "Bearer fake_key"
    assert "temperature" not in server.requests[0].json
