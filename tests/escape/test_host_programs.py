"""Nothing that code left in a workspace runs on the host, whatever it is called."""

import os
import subprocess
import sys

import pytest

from interpreter import Interpreter
from interpreter.models.embedded.from_wheels import PIP
from interpreter.policies.scan.semgrep import find_semgrep
from interpreter.protocol.system.host_programs import find_program
from interpreter.terminal.input.editor import edit


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """One where every program leaves a mark and every module, too; PATH leads there first."""
    place = tmp_path / "work"
    (place / "bin").mkdir(parents=True)
    for name in ("semgrep", "less", "tmux", "nano", "vim", "git", "sh"):
        (place / "bin" / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/RAN\n")
        (place / "bin" / name).chmod(0o755)
    for name in ("pip", "httpx", "yaml", "platformdirs", "rich", "json", "sqlite3"):
        (place / f"{name}.py").write_text(f"open({str(tmp_path / 'RAN')!r}, 'w')\n")
    monkeypatch.chdir(place)
    monkeypatch.setenv("PATH", f"bin:{place}/bin:{os.environ['PATH']}:.")
    yield place
    assert not (tmp_path / "RAN").exists()


def test_a_program_is_not_taken_from_the_workspace(workspace, tmp_path, monkeypatch):
    assert find_program("sh") in ("/usr/bin/sh", "/bin/sh")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "semgrep").symlink_to(workspace / "bin" / "semgrep")
    monkeypatch.setenv("PATH", f"{tmp_path}/links")
    assert find_program("semgrep") is None
    monkeypatch.chdir(tmp_path / "links")
    assert find_semgrep(workspace) is None


def test_no_program_is_taken_from_a_workspace_that_is_named(workspace, tmp_path, monkeypatch):
    monkeypatch.chdir("/etc")
    monkeypatch.setenv("PATH", f"{workspace}/bin:/usr/bin:/bin")
    with Interpreter("scripted/demo", workspace=str(workspace), auto_run=True) as it:
        it.run("shell", "true")
        assert find_program("sh") in ("/usr/bin/sh", "/bin/sh")


def test_the_users_own_program_is_found(tmp_path, workspace, monkeypatch):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "semgrep").write_text("#!/bin/sh\n")
    (tmp_path / "own" / "semgrep").chmod(0o755)
    monkeypatch.setenv("PATH", f"bin:{tmp_path}/own")
    assert find_program("semgrep") == f"{tmp_path}/own/semgrep"


def test_an_editor_by_its_name_is_not_the_workspaces(workspace, tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "vim").write_text('#!/bin/sh\npwd > "$1"\n')
    (tmp_path / "own" / "vim").chmod(0o755)
    monkeypatch.setenv("PATH", f"bin:{tmp_path}/own:/usr/bin:/bin")
    monkeypatch.setenv("EDITOR", "vim")
    monkeypatch.delenv("VISUAL", raising=False)
    assert str(workspace) not in edit("x", "python")  # nor does it read settings there


def test_pip_is_not_a_module_of_the_workspace(workspace):
    command = [sys.executable, *PIP[: PIP.index("download")], "--version"]
    assert subprocess.run(command, capture_output=True, text=True).stdout.startswith("pip ")


def test_python_m_interpreter_imports_nothing_of_the_workspace(workspace, tmp_path):
    (tmp_path / "script.yaml").write_text("replies: [Hello.]")
    model = f"scripted/{tmp_path}/script.yaml"
    command = [sys.executable, "-m", "interpreter", "--model", model, "hi"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.stdout == "Hello.\n", done.stderr
