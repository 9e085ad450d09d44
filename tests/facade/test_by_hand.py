"""Code run by hand needs no model and no key; what is said needs one, and says so."""

import asyncio

import pytest

from interpreter import AsyncInterpreter, Interpreter, OpenInterpreter
from interpreter.protocol.errors import AuthenticationFailed

NEEDS_A_KEY = "openai/gpt-4o"


def test_a_typed_interpreter_without_a_key_runs_undoes_and_brings_over():
    with Interpreter(NEEDS_A_KEY) as it:
        it.run("python", "x = 1")
        assert it.run("python", "x + 1").text == "2"
        it.run("python", "x = None")
        it.undo()
        assert it.value("x") == 1
        assert len(it.checkpoints) >= 1
        with pytest.raises(AuthenticationFailed, match="key"):
            it.ask("hi")
        assert it.value("x") == 1


def test_an_async_interpreter_without_a_key_runs_undoes_and_brings_over():
    async def main():
        async with AsyncInterpreter(model=NEEDS_A_KEY) as it:
            await it.run("python", "x = 1")
            await it.run("python", "x = None")
            await it.undo()
            with pytest.raises(AuthenticationFailed, match="key"):
                await it.ask("hi")
            return await it.value("x")

    assert asyncio.run(main()) == 1


def test_the_drop_in_without_a_key_runs_and_shows_what_can_be_undone():
    it = OpenInterpreter()
    try:
        assert it.computer.run("python", "print(6 * 7)")[0]["content"] == "42\n"
        assert it.checkpoints == ()
        it.llm.model = NEEDS_A_KEY
        with pytest.raises(AuthenticationFailed, match="key"):
            it.chat("hi", display=False)
        assert it.messages == []
    finally:
        it.close()


def test_what_was_run_by_hand_is_there_for_the_model(script):
    with Interpreter(script({"code": "print(x)"}, "Done."), auto_run=True) as it:
        it.run("python", "x = 41 + 1")
        assert it.ask("print x").blocks[0].output == "42\n"
