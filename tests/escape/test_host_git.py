"""Git run by the host in a workspace that code has prepared: it runs nothing of the code's."""

import subprocess

import pytest

from interpreter.checkpoints.shadow_git import ShadowGit, ShadowOptions


@pytest.fixture
def trap(tmp_path):
    """A workspace whose configuration and attributes have git run programs, and what they leave."""
    workspace, mark = tmp_path / "work", tmp_path / "pwned"
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    evil = workspace / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    evil.chmod(0o755)
    for name in ("core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv"):
        subprocess.run(["git", "-C", str(workspace), "config", name, str(evil)], check=True)
    (workspace / ".gitattributes").write_text("* filter=evil diff=evil\n")
    for name in ("HEAD", "config"):  # what makes a directory look like a bare repository
        (workspace / name).write_text((workspace / ".git" / name).read_text())
    (workspace / "objects").mkdir()
    (workspace / "refs").mkdir()
    return workspace, mark


def test_snapshots_run_nothing_that_a_workspace_names(trap, tmp_path):
    workspace, mark = trap
    kept = ShadowGit(ShadowOptions(tmp_path / "store", workspace))
    (workspace / "a").write_text("before")
    kept.begin("000001", "block")
    (workspace / "a").write_text("after")
    assert [change.kind for change in kept.end().changes] == ["modified"]
    kept.differences("000001")
    assert kept.undo("000001") == ()
    assert (workspace / "a").read_text() == "before"
    kept.close()
    assert not mark.exists()


def test_plain_git_would_run_it(trap):
    """The control."""
    workspace, mark = trap
    subprocess.run(["git", "-C", str(workspace), "add", "-A"], capture_output=True)
    assert mark.exists()
