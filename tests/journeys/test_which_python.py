"""Which Python runs the code: another one, this very process, or a kernel that is already there."""

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
