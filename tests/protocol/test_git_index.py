"""What a git index says is read without what git writes into it by looking."""

import os
import subprocess

import pytest

from interpreter.protocol.git.index import meaning_of_index, problem_of_index


def meaning(directory):
    return meaning_of_index((directory / ".git" / "index").read_bytes())


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_only_a_change_of_what_is_staged_changes_the_meaning(tmp_path, version):
    def git(*words):
        subprocess.run(["git", "-C", tmp_path, *words], check=True, stdout=subprocess.DEVNULL)

    git("init", "-q")
    (tmp_path / "deep").mkdir()
    for name in ("a", "ab", "abc", "deep/file", "deep/other " + "x" * 90):
        (tmp_path / name).write_text(name)
    git("add", "-A")
    if version == "3":
        (tmp_path / "later").write_text("l")
        git("add", "-N", "later")  # an entry with more flags, which version 2 does not have
    git("update-index", "--index-version", version)
    before = meaning(tmp_path)
    assert before
    os.utime(tmp_path / "ab", (5, 5))
    git("status")
    assert meaning(tmp_path) == before
    (tmp_path / "ab").chmod(0o755)
    git("add", "ab")
    changed = meaning(tmp_path)
    assert changed not in ("", before)
    git("rm", "-q", "--cached", "deep/file")
    assert meaning(tmp_path) not in ("", changed)


@pytest.mark.parametrize("broken", [b"", b"DIRC", b"DIRC\0\0\0\2\0\0\0\7" + b"x" * 50, b"x" * 99])
def test_what_is_no_index_says_nothing(broken):
    assert meaning_of_index(broken) == ""


def test_a_split_index_says_nothing(tmp_path):
    subprocess.run(["git", "-C", tmp_path, "init", "-q"], check=True)
    (tmp_path / "a").write_text("a")
    subprocess.run(["git", "-C", tmp_path, "add", "a"], check=True)
    subprocess.run(["git", "-C", tmp_path, "update-index", "--split-index"], check=True)
    assert meaning(tmp_path) == ""


@pytest.mark.parametrize("version", ["2", "4"])
@pytest.mark.parametrize(("form", "size"), [("sha1", 20), ("sha256", 32)])
def test_an_index_of_gits_own_has_no_problem(tmp_path, version, form, size):
    def git(*words):
        subprocess.run(["git", "-C", tmp_path, *words], check=True, stdout=subprocess.DEVNULL)

    git("init", "-q", f"--object-format={form}")
    (tmp_path / "deep").mkdir()
    for name in (".gitignore", "..a", "git", "deep/.github", "deep/x.git", "deep/" + "x" * 200):
        (tmp_path / name).write_text(name)
    git("add", "-A")
    git("update-index", "--index-version", version)
    index = (tmp_path / ".git/index").read_bytes()
    assert problem_of_index(index, size) == ""
    for name in (b".git/x", b"../abcde", b"/abcdefg", b"deep/../ab"):
        assert problem_of_index(index.replace(b"deep/.github"[: len(name)], name), size)
    assert problem_of_index(index, 52 - size) == "it cannot be read"
