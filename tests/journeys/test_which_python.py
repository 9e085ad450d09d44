"""Which Python runs the code: another one, this very process, or a kernel that is already there."""

import os
import subprocess
import sys

from jupyter_client import KernelManager

WHO = {"code": "import sys, os\nprint(sys.executable, os.getpid(), globals().get('secret'))"}


def test_another_python(interpreter_command, script):
    done = interpreter_command(
        "-y", "--python", sys.executable, "--model", script(WHO, "Ok."), "go"
    )
    assert done.returncode == 0, done.stderr
    assert f"{sys.executable} " in done.stderr


def test_this_very_process(interpreter_command, script):
    done = interpreter_command("-y", "--python", "inline", "--model", script(WHO, "Ok."), "go")
    assert done.returncode == 0, done.stderr
    assert "without a sandbox" in done.stderr or "outside of the sandbox" in done.stderr


def test_a_kernel_that_is_already_running(interpreter_command, script):
    manager = KernelManager()
    manager.start_kernel(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=240)
        client.execute_interactive("secret = 'from the notebook'", timeout=240)
        done = interpreter_command(*(
            "-y",
            "--kernel",
            manager.connection_file,
            "--model",
            script(WHO, "Ok."),
            "go",
        ))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert done.returncode == 0, done.stderr
    assert "from the notebook" in done.stderr


def test_without_walls_nothing_of_the_workspace_runs_in_a_turn_without_code(
    interpreter_command, script, tmp_path
):
    python = tmp_path / "work" / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\ntouch {tmp_path}/RAN\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    for name in ("python3", "git", "node", "semgrep", "pdftotext", "bwrap"):
        (python.parent / name).symlink_to(python)
    package = python.parents[1] / "lib/python3.11/site-packages/ipykernel"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (tmp_path / "work" / "data.csv").write_text("a\n1\n")
    reply = {"text": "Just words.", "delay": 2}  # in which everything would be started
    path = f"{python.parent}:.venv/bin:{os.environ['PATH']}"
    options = ("--sandbox", "off", "--safe_mode", "auto")
    done = interpreter_command(*options, "--model", script(reply), "see data.csv", PATH=path)
    assert done.stdout == "Just words.\n", done.stderr
    assert not (tmp_path / "RAN").exists()
