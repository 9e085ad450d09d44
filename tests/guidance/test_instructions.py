"""AGENTS.md and its kin: from the root of the repository down to where the work is."""

import os

import pytest

from interpreter.guidance.instructions import MOST_BYTES, chain, nested, shown


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    return (tmp_path / "repository").resolve()


def texts(found):
    return [one.text for one in found]


def test_the_chain_goes_from_the_root_of_the_repository_to_the_directory(repository):
    write(repository.parent / "AGENTS.md", "outside")
    write(repository / "AGENTS.md", "root")
    write(repository / "a" / "b" / "AGENTS.md", "near")
    assert texts(chain(repository / "a" / "b")) == ["root", "near"]
    assert texts(chain(repository)) == ["root"]


def test_nothing_counts_from_a_directory_above_where_others_can_write(repository):
    write(repository / "AGENTS.md", "anybody's")
    write(repository / "work" / "AGENTS.md", "here")
    repository.chmod(0o1777)
    assert texts(chain(repository / "work")) == ["here"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives directories away")
def test_nothing_counts_from_a_directory_above_that_is_somebody_elses(repository):
    write(repository / "AGENTS.md", "somebody else's")
    write(repository / "work" / "AGENTS.md", "here")
    os.chown(repository, 12345, 12345)
    assert texts(chain(repository / "work")) == ["here"]


def test_without_a_repository_only_the_directory_itself_counts(tmp_path):
    write(tmp_path / "AGENTS.md", "above")
    write(tmp_path / "work" / "AGENTS.md", "here")
    assert texts(chain(tmp_path / "work")) == ["here"]


def test_claude_md_counts_where_it_is_all_there_is_and_an_override_wins(repository):
    write(repository / "CLAUDE.md", "claude")
    assert texts(chain(repository)) == ["claude"]
    write(repository / "AGENTS.md", "agents")
    assert texts(chain(repository)) == ["agents"]
    write(repository / "AGENTS.override.md", "override")
    assert texts(chain(repository)) == ["override"]


def test_a_chain_that_is_too_long_loses_its_farthest_part_and_says_so(repository):
    write(repository / "AGENTS.md", "r" * 30_000)
    write(repository / "a" / "AGENTS.md", "n" * 10_000)
    far, near = chain(repository / "a")
    assert (len(near.text), near.cut) == (10_000, 0)
    assert (len(far.text), far.cut) == (MOST_BYTES - 10_000, 30_000 - (MOST_BYTES - 10_000))
    assert f"[{far.cut:,} bytes more are in the file]" in shown([far], repository)


def test_links_and_pipes_are_no_instructions(repository, tmp_path):
    secret = write(tmp_path / "secret", "key")
    (repository / "AGENTS.md").symlink_to(secret)
    (repository / "a").mkdir()
    os.mkfifo(repository / "a" / "AGENTS.md")
    assert chain(repository / "a") == ()


def test_what_is_below_is_told_when_something_there_is_touched(repository):
    write(repository / "AGENTS.md", "root")
    inner = write(repository / "web" / "AGENTS.md", "tabs, not spaces")
    told = nested(repository, ["web/src/page.ts"], frozenset())
    assert texts(told) == ["tabs, not spaces"]
    assert shown(told, repository) == "Instructions from web/AGENTS.md:\ntabs, not spaces"
    assert nested(repository, ["web/src/page.ts"], frozenset([inner])) == ()
    assert nested(repository, ["README.md", "../web/x", "/web/x"], frozenset()) == ()
