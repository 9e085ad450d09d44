"""Forks of the interpreters with `messages`: the same as the typed one's."""

import asyncio

import pytest

from interpreter import AsyncInterpreter
from interpreter.protocol.errors import ConfigurationError

SET = {"code": "n = [1]\nopen('a.txt', 'w').write('one')"}
GO_ON = {"code": "n.append(2)\nopen('b.txt', 'w').write(str(n))"}


@pytest.fixture
def work(tmp_path):
    place = tmp_path / "workspace"
    place.mkdir()
    return place


def test_a_fork_has_everything_and_disturbs_nothing_until_it_is_kept(play, work, script):
    base = play(SET, "Set.", auto_run=True, workspace=str(work), custom_instructions="Be brief.")
    base.chat("set", display=False)
    other = base.fork()
    assert (other.messages, other.custom_instructions) == (base.messages, "Be brief.")
    assert other.conversation_filename != base.conversation_filename
    other.llm.model = script(GO_ON, "Done.")
    assert other.chat("go on", display=False)[-1]["content"] == "Done."
    assert not (work / "b.txt").exists()
    assert "b.txt" in base.compare(other)
    assert base.keep(other).startswith("Kept: ")
    assert (work / "b.txt").read_text() == "[1, 2]"
    assert [m["content"] for m in base.messages if m["role"] == "user"] == ["set", "go on"]
    base.undo()
    assert not (work / "b.txt").exists()
    assert base.computer.run("python", "n")[0]["content"] == "[1]"
    with pytest.raises(ConfigurationError, match="no fork"):
        base.keep(other)


def test_a_fork_that_is_closed_leaves_nothing(play, work):
    base = play(workspace=str(work))
    base.computer.run("python", "n = 1")
    other = base.fork()
    assert other.computer.run("python", "n")[0]["content"] == "1"
    other.computer.run("python", "open('c.txt', 'w')")
    other.close()
    assert list(work.iterdir()) == []


def test_an_async_interpreter_forks_too(script, work):
    async def main():
        model = script(SET, "Set.")
        async with AsyncInterpreter(model=model, auto_run=True, workspace=str(work)) as base:
            await base.ask("set")
            async with await base.fork() as other:
                await other.run("python", GO_ON["code"])
                assert await other.value("n") == [1, 2]
                assert await base.value("n") == [1]
                assert "b.txt" in await base.compare(other)
                await base.keep(other)
            return await base.value("n")

    assert asyncio.run(main()) == [1, 2]
    assert (work / "b.txt").exists()
