"""The interpreter for asyncio: the typed way, and the way of Open Interpreter's servers."""

import asyncio
import json
import socket
import subprocess
import sys
from dataclasses import dataclass

import pytest

from interpreter import AsyncInterpreter
from interpreter.protocol.errors import NotApproved
from interpreter.protocol.events import ApprovalRequested, OutputDelta, TurnFinished

ADD = {"text": "Adding.", "code": "x = 2 + 3\nprint(x)"}
SPIN = {"code": "n = 1\nprint('on', flush=True)\nwhile True: pass"}
COMPLETE = {"role": "server", "type": "status", "content": "complete"}


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 60))


def test_asking_and_running_while_the_loop_goes_on(script):
    async def main():
        async with AsyncInterpreter(model=script(ADD, "It is 5."), auto_run=True) as it:
            result = await it.ask("go")
            assert (result.text, result.blocks[0].output) == ("It is 5.", "5\n")
            assert await it.value("x + 1") == 6
            await it.put("y", [1, 2])
            assert (await it.run("python", "print(y)")).output == "[1, 2]\n"
            assert it.messages[-1]["content"] == "It is 5."

    run(main())


def test_events_are_streamed(script):
    async def main():
        async with AsyncInterpreter(model=script(ADD, "It is 5.")) as it:
            events = []
            async for event in it.stream("go"):
                events.append(event)
                if isinstance(event, ApprovalRequested):
                    it.allow()
            assert events[-1] == TurnFinished("answered")

    run(main())


def test_nothing_runs_unless_somebody_says_yes(script):
    async def main():
        async with AsyncInterpreter(model=script(ADD)) as it:
            with pytest.raises(NotApproved):
                await it.ask("go")

    run(main())


def test_leaving_the_stream_stops_the_code_and_keeps_its_state(script):
    async def main():
        async with AsyncInterpreter(model=script(SPIN), auto_run=True) as it:
            events = it.stream("go")
            async for event in events:
                if isinstance(event, OutputDelta):
                    break
            await events.aclose()
            assert await it.value("n") == 1

    run(main())


def test_cancelling_a_question_stops_the_code(script):
    async def main():
        async with AsyncInterpreter(model=script(SPIN, "Done."), auto_run=True) as it:
            task = asyncio.ensure_future(it.ask("go"))
            while not it.responding:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert it.responding is False

    run(main())


def test_answers_of_a_type(script):
    @dataclass
    class Answer:
        number: int

    async def main():
        async with AsyncInterpreter(model=script("?", '{"number": 42}')) as it:
            assert await it.ask("How many?", returns=Answer) == Answer(42)

    run(main())


def test_several_interpreters_at_once(script, tmp_path):
    async def one(number):
        path = tmp_path / f"{number}.yaml"
        path.write_text(f"- code: print({number})\n- Done.\n")
        async with AsyncInterpreter(model=f"scripted/{path}", auto_run=True) as it:
            return (await it.ask("go")).blocks[0].output

    async def main():
        assert await asyncio.gather(one(1), one(2)) == ["1\n", "2\n"]

    run(main())


# As servers use it.


async def say(it, *contents):
    await it.input({"role": "user", "type": "message", "start": True})
    for content in contents:
        await it.input({"role": "user", "type": "message", "content": content})
    await it.input({"role": "user", "type": "message", "end": True})


async def answer(it):
    chunks = []
    while not chunks or chunks[-1] != COMPLETE:
        chunks.append(await it.output())
    return chunks


def test_chunks_in_chunks_out(script):
    async def main():
        async with AsyncInterpreter(model=script("Hello."), auto_run=True) as it:
            await say(it, "How are ", "you?")
            message = {"role": "assistant", "type": "message"}
            assert await answer(it) == [
                {**message, "start": True},
                {**message, "content": "Hello."},
                {**message, "end": True},
                COMPLETE,
            ]
            assert it.messages[0]["content"] == "How are you?"

    run(main())


def test_code_waits_for_go(script):
    async def main():
        async with AsyncInterpreter(model=script(ADD, "It is 5.")) as it:
            await say(it, "go")
            first = await answer(it)
            assert [c for c in first if c["type"] == "confirmation"] == []
            assert it.messages[-1]["type"] == "code"
            await it.input({"role": "user", "type": "command", "content": "go"})
            second = await answer(it)
            assert "5\n" in [c.get("content") for c in second]
            assert it.messages[-1]["content"] == "It is 5."

    run(main())


def test_stop_ends_the_answer(script):
    async def main():
        async with AsyncInterpreter(model=script(SPIN, "Done."), auto_run=True) as it:
            await say(it, "go")
            while (await it.output()).get("format") != "output":
                pass
            await it.input({"role": "user", "type": "command", "content": "stop"})
            assert (await answer(it))[-1] == COMPLETE
            assert not it.respond_thread.is_alive()

    run(main())


def test_stop_when_nothing_runs_is_no_error(script):
    async def main():
        async with AsyncInterpreter(model=script("Hello.")) as it:
            await it.input({"role": "user", "type": "command", "content": "stop"})

    run(main())


def test_an_error_is_told_as_the_protocol_has_it(script):
    async def main():
        async with AsyncInterpreter(model=script()) as it:
            await say(it, "go")
            chunks = await answer(it)
            assert (chunks[-2]["role"], chunks[-2]["type"]) == ("server", "error")
            assert "has ended" in chunks[-2]["content"]

    run(main())


def test_a_new_message_stops_the_answer_that_is_being_given(script):
    async def main():
        async with AsyncInterpreter(model=script(SPIN, "Second."), auto_run=True) as it:
            await say(it, "go")
            while (await it.output()).get("format") != "output":
                pass
            await say(it, "something else")
            await answer(it)
            chunks = await answer(it)
            assert "Second." in [c.get("content") for c in chunks]

    run(main())


# On a socket.


@pytest.fixture
def asked(monkeypatch):
    """Asks the application of a server, in this process."""
    httpx = pytest.importorskip("httpx")
    monkeypatch.setenv("INTERPRETER_API_KEY", "a-key-of-the-test")

    def client(it, key="a-key-of-the-test"):
        transport = httpx.ASGITransport(it.server.app)
        headers = {"x-api-key": key}
        return httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers)

    return client


def test_the_server_knows_where_it_listens(monkeypatch):
    monkeypatch.setenv("INTERPRETER_PORT", "8123")
    it = AsyncInterpreter()
    assert (it.server.host, it.server.port) == ("127.0.0.1", 8123)
    it.server.host = "localhost"
    assert it.server.host == "localhost"


def test_the_server_asks_for_a_key_and_answers_as_openai_does(script, asked):
    async def main():
        async with AsyncInterpreter(model=script("Hello."), auto_run=True) as it:
            async with asked(it, "wrong") as stranger:
                assert (await stranger.get("/settings/messages")).status_code == 401
            async with asked(it) as client:
                body = {"model": "x", "messages": [{"role": "user", "content": "Hi."}]}
                answer = await client.post("/openai/chat/completions", json=body)
                assert answer.json()["choices"][0]["message"]["content"] == "Hello."
                found = (await client.get("/settings/messages")).json()["messages"]
                assert [one["content"] for one in found] == ["Hi.", "Hello."]

    run(main())


def test_settings_of_the_server_are_an_explicit_list(asked):
    async def main():
        it = AsyncInterpreter()
        async with asked(it) as client:
            given = {"auto_run": True, "llm": {"model": "other"}}
            assert (await client.post("/settings", json=given)).status_code == 200
            assert (it.auto_run, it.llm.model) == (True, "other")
            for wrong in ({"system_message": "x"}, {"llm": {"api_base": "http://x"}}):
                assert (await client.post("/settings", json=wrong)).status_code == 403

    run(main())


def test_a_program_may_judge_keys_itself(asked):
    async def main():
        it = AsyncInterpreter()
        it.server.authenticate = lambda key: key == "mine"
        async with asked(it, "mine") as client:
            assert (await client.get("/settings/auto_run")).json() == {"auto_run": False}
        async with asked(it) as client:
            assert (await client.get("/settings/auto_run")).status_code == 401

    run(main())


PROGRAM = """
import types
from starlette.responses import PlainTextResponse
from interpreter import AsyncInterpreter

interpreter = AsyncInterpreter()
interpreter.llm.model = MODEL
interpreter.auto_run = True
interpreter.server.host = "127.0.0.1"
interpreter.server.port = PORT
heard = []

@interpreter.server.app.get("/ping")
async def ping():
    return PlainTextResponse("pong")

@interpreter.server.app.get("/heard")
def told():
    return {"bytes": heard}

interpreter.server.app.add_event_handler("startup", lambda: heard.append("started"))
usual = interpreter.input

async def listening(self, chunk):
    if isinstance(chunk, bytes):
        heard.append(len(chunk))
    else:
        await usual(chunk)

interpreter.input = types.MethodType(listening, interpreter)
interpreter.server.run()
"""


@pytest.fixture
def program(script, monkeypatch):
    """The program on a port after one that is taken; its address."""
    monkeypatch.setenv("INTERPRETER_API_KEY", "a-key-of-the-test")
    monkeypatch.setenv("INTERPRETER_REQUIRE_ACKNOWLEDGE", "True")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        text = PROGRAM.replace("MODEL", repr(script("Hello."))).replace("PORT", str(port))
        process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
        url = process.stdout.readline().split()[0]
    assert url != f"http://127.0.0.1:{port}"
    yield url
    process.terminate()
    process.wait()
    process.stdout.close()


def acknowledged(line):
    """The contents of an answer, of which every chunk is acknowledged."""
    contents = []
    while contents[-1:] != ["complete"]:
        chunk = json.loads(line.recv(timeout=60))
        line.send(json.dumps({"ack": chunk["id"]}))
        contents += [chunk["content"]] if "content" in chunk else []
    return contents


def test_a_program_adds_requests_to_its_server_takes_bytes_and_runs_it(program):
    httpx = pytest.importorskip("httpx")
    client = pytest.importorskip("websockets.sync.client")
    key = {"x-api-key": "a-key-of-the-test"}
    assert httpx.get(f"{program}/ping").status_code == 401
    assert httpx.get(f"{program}/ping", headers=key).text == "pong"
    with client.connect(program.replace("http", "ws")) as line:
        line.send(json.dumps({"auth": "a-key-of-the-test"}))
        assert json.loads(line.recv()) == {"auth": True}
        line.send(b"sound")
        for flag in ({"start": True}, {"content": "Hi."}, {"end": True}):
            line.send(json.dumps({"role": "user", "type": "message", **flag}))
        assert acknowledged(line) == ["Hello.", "complete"]
    assert httpx.get(f"{program}/heard", headers=key).json() == {"bytes": ["started", 5]}
