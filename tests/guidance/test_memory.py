"""What is remembered of a project."""

import pytest

from interpreter.guidance.memory import LARGEST, MOST_TOLD, Memory


@pytest.fixture
def memory(tmp_path):
    return Memory(
        tmp_path.resolve() / "memory",
        tmp_path / "project",
        lambda text: text.replace("sk-1", "[key]"),
    )


def test_notes_are_added_once_and_told(memory):
    assert memory.told() == ""
    memory.remember("The  tests run\nwith make test.")
    memory.remember("The tests run with make test.")
    assert (
        memory.text() == "# What is remembered of this project\n\n- The tests run with make test.\n"
    )
    assert memory.told().endswith("- The tests run with make test.")


def test_keys_are_never_written(memory):
    assert memory.remember("the key is sk-1") == "the key is [key]"
    assert "sk-1" not in memory.text()


def test_every_project_has_its_own(tmp_path):
    one, other = (Memory(tmp_path, tmp_path / name / "same", str) for name in "ab")
    assert one.file != other.file


def test_empty_notes_and_a_full_memory_are_refused(memory):
    with pytest.raises(ValueError, match="nothing to remember"):
        memory.remember("  ")
    memory.write("x" * (LARGEST - 1))
    with pytest.raises(ValueError, match="full"):
        memory.remember("one more")


def test_of_a_long_memory_the_newest_is_told(memory):
    memory.write("\n".join(f"- note {number}" for number in range(5000))[:LARGEST])
    told = memory.told()
    assert len(told) < MOST_TOLD + 100
    assert told.endswith(memory.text().splitlines()[-1])
