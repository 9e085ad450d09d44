"""Recipes that look like sandboxes and are none: proof that the attempts of this suite bite.

If one of these begins to hold, the kernel or bubblewrap has changed: read the suite again.
"""

import fcntl
import os
import pty
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest


def run(*argv, **options):
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, **options)
    return done.stdout + done.stderr


def test_clearing_the_environment_inside_still_shows_it_in_the_first_process(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "CANARY")
    command = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--clearenv"]
    assert "CANARY" in run("bwrap", "--unshare-all", *command, "cat", "/proc/1/environ")


def test_a_read_only_disk_and_no_network_still_reach_socket_files():
    with tempfile.TemporaryDirectory() as place, socket.socket(socket.AF_UNIX) as server:
        path = f"{place}/docker.sock"
        server.bind(path)
        server.listen()
        script = (
            "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1]); print('IN')"
        )
        command = ["bwrap", "--unshare-all", "--ro-bind", "/", "/"]
        assert "IN" in run(*command, sys.executable, "-c", script, path)


def test_protecting_only_the_hooks_lets_git_be_renamed(tmp_path):
    (tmp_path / ".git/hooks").mkdir(parents=True)
    hooks = str(tmp_path / ".git/hooks")
    command = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--bind", str(tmp_path)]
    command += [str(tmp_path), "--ro-bind", hooks, hooks, "--chdir", str(tmp_path)]
    assert run(*command, "sh", "-c", "mv .git .git2 && echo RENAMED") == "RENAMED\n"
    assert (tmp_path / ".git2").exists()


def test_without_a_filter_a_program_types_into_the_terminal():
    if Path("/proc/sys/dev/tty/legacy_tiocsti").read_text().strip() != "1":
        pytest.skip("this kernel refuses to type for others, whoever asks")
    leader, follower = pty.openpty()
    script = (
        "import fcntl, os, termios\n"
        "os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
        "for c in b'INJECTED\\n': fcntl.ioctl(0, termios.TIOCSTI, bytes([c]))\n"
    )
    subprocess.run([sys.executable, "-c", script], stdin=follower, check=True, timeout=60)
    fcntl.fcntl(follower, fcntl.F_SETFL, os.O_NONBLOCK)
    assert b"INJECTED" in os.read(leader, 100)
    os.close(leader)
    os.close(follower)
