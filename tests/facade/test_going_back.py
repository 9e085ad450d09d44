"""undo(), redo(), checkpoints and diff(): messages, files and variables go back together."""

import asyncio

import pytest

from interpreter import AsyncInterpreter, Interpreter
from interpreter.protocol.errors import CheckpointConflict, CheckpointError

SET = {"text": "Setting.", "code": "n = 1"}
MAKE = {"text": "Making.", "code": "n = 2\nopen('made.txt', 'w').write('one\\n')"}
LOOK = {"code": "print(n)"}


@pytest.fixture
def work(tmp_path):
    place = tmp_path / "workspace"
    place.mkdir()
    return place


def test_an_interpreter_of_old_goes_back(play, work):
    it = play(SET, "Set.", MAKE, "Made.", LOOK, "Looked.", auto_run=True, workspace=str(work))
    it.chat("set", display=False)
    before = list(it.messages)
    it.chat("make", display=False)
    after = list(it.messages)
    assert [one.label for one in it.checkpoints] == ["n = 1", "n = 2"]
    assert "+one" in it.diff()
    assert it.diff(2) == "No file was changed.\n"
    told = it.undo()
    assert told.startswith("Undone: 1 block, 1 file put back; python: n restored")
    assert it.messages == [*before, {"role": "user", "type": "message", "content": "make"}]
    assert list(work.iterdir()) == []
    it.redo()
    assert it.messages == after
    assert (work / "made.txt").exists()
    it.undo(to="000002")
    assert it.chat("look", display=False)[1]["content"] == "1\n"


def test_the_typed_interpreter_goes_back(script, work):
    with Interpreter(script(SET, "Set.", MAKE, "Made."), workspace=str(work), auto_run=True) as it:
        it.ask("set")
        it.run("python", "by_hand = 1")
        it.ask("make")
        assert len(it.checkpoints) == 3
        assert "+one" in it.diff()
        it.undo_message()
        assert [message.text for message in it.messages if message.role == "user"] == ["set"]
        assert (it.value("n"), it.value("by_hand")) == (1, 1)
        it.undo()
        assert it.value("'by_hand' in globals()") is False
        assert len(it.messages) == 4
        it.redo()
        it.redo()
        assert (it.value("n"), it.value("by_hand")) == (2, 1)
        (work / "made.txt").write_text("mine")
        with pytest.raises(CheckpointConflict, match=r"made\.txt"):
            it.undo()
        it.undo(3, conflicts="keep")
        assert (work / "made.txt").read_text() == "mine"
        with pytest.raises(CheckpointError, match="There are 0 blocks"):
            it.undo()


def test_the_interpreter_for_asyncio_goes_back(script, work):
    async def main():
        options = {"workspace": str(work), "auto_run": True}
        async with AsyncInterpreter(model=script(SET, "Set.", MAKE, "Made."), **options) as it:
            await it.ask("set")
            await it.ask("make")
            assert "+one" in await it.diff()
            assert len(it.checkpoints) == 2
            assert "n restored" in await it.undo()
            assert await it.value("n") == 1
            assert it.messages[-1]["content"] == "make"
            await it.redo()
            assert await it.value("n") == 2

    asyncio.run(asyncio.wait_for(main(), 60))


def test_a_session_goes_on_with_its_variables(script, work):
    with Interpreter(script(SET, "Set."), workspace=str(work), auto_run=True) as it:
        it.ask("set")
        it.run("python", "import pandas as pd\nframe = pd.DataFrame({'a': [1, 2]})")
    with Interpreter(
        script(LOOK, "Looked."), workspace=str(work), auto_run=True, resume="last"
    ) as it:
        assert it.ask("look").blocks[0].output == "1\n"
        assert it.value("int(frame.a.sum())") == 3
        it.undo()
        it.undo()
        assert it.value("'frame' in globals()") is True  # the variables of then are not kept
