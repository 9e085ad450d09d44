"""A client written for Open Interpreter's server, from its documented protocol."""

import json
from unittest.mock import ANY

import pytest
from tests.models.loopback import serving
from tests.server.conftest import ADA, ADD, OWNER
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from interpreter.protocol.voice import Sound
from interpreter.server.config import Limits
from interpreter.server.lmc import pipe, routes
from interpreter.voice.wav import as_wav

COMPLETE = {"role": "server", "type": "status", "content": "complete"}
MESSAGE = {"role": "assistant", "type": "message"}
ALOUD = "Hello.\n```\nnever read\n```\nBye."
SPIN = {"code": "print('on', flush=True)\nwhile True: pass"}


class OldClient:
    """Signs in, says something in frames, reads until the status `complete`."""

    def __init__(self, running, token=OWNER):
        self.connection = connect(running.url.replace("http", "ws") + "/")
        self.socket = self.connection.__enter__()
        self.send({"auth": token})
        self.auth = self.read()

    def send(self, value):
        self.socket.send(json.dumps(value))

    def read(self):
        frame = self.socket.recv(timeout=60)
        return frame if isinstance(frame, bytes) else json.loads(frame)

    def say(self, *pieces):
        self.send({"role": "user", "start": True})
        for piece in pieces:
            if isinstance(piece, bytes):
                self.socket.send(piece)
            else:
                self.send({"role": "user", "content": piece})
        self.send({"role": "user", "end": True})

    def answer(self):
        chunks = []
        while not chunks or chunks[-1] != COMPLETE:
            chunks.append(self.read())
        return chunks


@pytest.fixture
def client():
    made = []

    def make(running, token=OWNER):
        made.append(OldClient(running, token))
        return made[-1]

    yield make
    for one in made:
        one.connection.__exit__(None, None, None)


def test_a_conversation_in_frames(serve, script, client):
    one = client(serve(model=script("Hello.")))
    assert one.auth == {"auth": True}
    one.say("How are ", b"you?")
    assert one.answer() == [
        {**MESSAGE, "start": True},
        {**MESSAGE, "content": "Hello."},
        {**MESSAGE, "end": True},
        COMPLETE,
    ]


def speak(one, *frames, **kind):
    """As 01's clients do: what kind of sound, bytes, the end."""
    head = {"role": "user", "type": "audio", **kind}
    one.send({**head, "start": True})
    for frame in frames:
        one.socket.send(frame)
    one.send({**head, "end": True})


@pytest.mark.parametrize("kind", ["bytes.raw", "bytes.wav"])
def test_a_message_may_be_spoken(serve, script, client, kind):
    heard = []

    def hear(handler):
        heard.append(handler.body)
        handler.reply(200, {"text": "Say hello."})

    samples = bytes(range(256)) * 100
    sound = samples if kind == "bytes.raw" else as_wav(Sound(samples, 16_000))

    def say(handler):
        handler.reply(200, samples[: 2 * len(json.loads(handler.body)["input"])], "audio/pcm")

    routes = {("POST", "/v1/audio/transcriptions"): hear, ("POST", "/v1/audio/speech"): say}
    with serving(routes) as voice:
        where = {"voice_ear": "openai/ear", "voice_mouth": "openai/mouth"}
        running = serve(model=script(ALOUD, "Ok."), voice_api_base=f"{voice.url}/v1", **where)
        one = client(running)
        speak(one, sound[:1001], sound[1001:], format=kind)
        answer = one.answer()
        one.say("And in writing?")
        assert not any(isinstance(chunk, bytes) for chunk in one.answer())
    assert samples in heard[0]
    audio = {"role": "assistant", "type": "audio", "format": "bytes.wav"}
    said = [as_wav(Sound(samples[: 2 * size], 24_000)) for size in (len("Hello."), len("Bye."))]
    frames = [chunk for chunk in answer if isinstance(chunk, bytes) or chunk["type"] == "audio"]
    assert frames == [
        *({**audio, "start": True}, said[0], {**audio, "end": True}),
        *({**audio, "start": True}, said[1], {**audio, "end": True}),
    ]
    written = [chunk for chunk in answer if isinstance(chunk, dict)]
    assert "".join(str(chunk.get("content", "")) for chunk in written[:-1]) == ALOUD
    assert answer[-1] == COMPLETE


def test_a_spoken_message_that_cannot_be_heard_is_told(serve, script, client):
    one = client(serve(model=script("Hello.")))
    speak(one, b"RIFFnothing", format="bytes.wav")
    assert one.read() == {"role": "server", "type": "error", "content": ANY}


def test_nothing_is_heard_before_the_token(serve, script, client):
    running = serve(model=script("Hello."), limits=Limits(wrong_tokens=2, free_memory=0))
    one = client(running, "wrong")
    assert one.auth == {"auth": False}
    one.send({"role": "user", "content": "steal", "end": True})
    assert one.read() == {"auth": False}
    one.send({"auth": "still wrong"})
    one.send({"auth": OWNER})
    with pytest.raises(ConnectionClosed):
        one.answer()
    assert running.client().get("/heartbeat").json() == {"status": "alive"}


def test_code_waits_for_go(serve, script, client):
    one = client(serve(model=script(ADD, "It is 5.")))
    one.say("Add.")
    first = one.answer()
    assert [c for c in first if c["type"] == "confirmation"] == []
    assert {"role": "assistant", "type": "code", "format": "python", "end": True} in first
    assert [c for c in first if c["type"] == "console"] == []
    one.send({"role": "user", "type": "command", "content": "go"})
    second = one.answer()
    assert "5\n" in [c.get("content") for c in second]
    assert {**MESSAGE, "content": "It is 5."} in second


def test_stop_ends_the_answer(serve, script, client):
    one = client(serve(model=script(SPIN, "Done."), auto_run=True))
    one.say("go")
    while one.read().get("format") != "output":
        pass
    one.send({"role": "user", "type": "command", "content": "stop"})
    assert one.answer()[-1] == COMPLETE


def test_what_nobody_heard_waits_for_the_client_that_comes_back(serve, script, client):
    running = serve(model=script("Hello."))
    one = client(running)
    one.say("Hi.")
    one.socket.close()
    two = client(running)
    assert two.answer()[-1] == COMPLETE


def test_an_error_is_told_as_the_protocol_has_it(serve, script, client):
    one = client(serve(model=script()))
    one.say("go")
    error = one.answer()[-2]
    assert error["type"] == "error"
    assert "script" in error["content"]
    assert "\n" not in error["content"]  # a sentence, and no traceback


def test_users_have_conversations_of_their_own(serve, script, client):
    running = serve(model=script("Hello.", repeat=True))
    mine, hers = client(running), client(running, ADA)
    mine.say("Hi.")
    mine.answer()
    assert running.client(ADA).get("/settings/messages").json() == {"messages": []}
    hers.say("Hi.")
    assert hers.answer()[-1] == COMPLETE


def test_settings_are_an_explicit_list(serve, script):
    running = serve(model=script("Hello."))
    http = running.client()
    given = {"auto_run": True, "llm": {"model": "other"}}
    assert http.post("/settings", json=given).status_code == 200
    assert http.get("/settings/auto_run").json() == {"auto_run": True}
    assert http.get("/settings/llm").json()["llm"]["model"] == "other"
    for wrong in ({"api_key": "x"}, {"system_message": "{{ 1 }}"}, {"llm": {"api_key": "x"}}):
        assert http.post("/settings", json=wrong).status_code == 403
    assert http.get("/settings/api_key").status_code == 404
    assert running.client(ADA).post("/settings", json={"auto_run": True}).status_code == 403


def test_run_is_there_only_when_it_is_enabled(serve):
    http = serve().client()
    assert http.post("/run", json={"language": "python", "code": "1"}).status_code in (404, 405)


def test_run_when_it_is_enabled(serve, tmp_path):
    running = serve(options={"insecure_routes": True})
    code = {"language": "python", "code": "print(6 * 7); open('a.txt', 'w').close()"}
    assert running.client(token="").post("/run", json=code).status_code == 401
    answer = running.client().post("/run", json=code)
    output = {"type": "console", "format": "output", "content": "42\n"}
    assert output in answer.json()["output"]
    assert (tmp_path / "owner" / "a.txt").exists()
    for wrong in ({"code": "1"}, {"language": "python", "code": 1}, [], "x"):
        assert running.client().post("/run", json=wrong).status_code == 400


def test_what_is_not_acknowledged_is_sent_again(serve, script, client, monkeypatch):
    monkeypatch.setattr(routes, "ACK_SECONDS", 0.3)
    running = serve(model=script("Hello.", repeat=True), options={"acknowledge": True})
    one = client(running)
    one.say("Hi.")
    first = one.read()
    assert one.read() == first  # the same chunk under the same name, until it is acknowledged
    one.send({"ack": "another"})
    assert one.read() == first
    chunks = [first]
    one.send({"ack": first["id"]})
    while chunks[-1].get("content") != "complete":
        chunk = one.read()
        one.send({"ack": chunk["id"]})
        if chunk["id"] != chunks[-1]["id"]:
            chunks.append(chunk)
    assert [{k: v for k, v in chunk.items() if k != "id"} for chunk in chunks] == [
        {**MESSAGE, "start": True},
        {**MESSAGE, "content": "Hello."},
        {**MESSAGE, "end": True},
        COMPLETE,
    ]


def test_who_never_acknowledges_is_hung_up_on_and_loses_nothing(serve, script, client, monkeypatch):
    monkeypatch.setattr(routes, "ACK_SECONDS", 0.05)
    monkeypatch.setattr(routes, "MOST_TRIES", 3)
    running = serve(model=script("Hello."), options={"acknowledge": True})
    one = client(running)
    one.say("Hi.")
    assert [one.read() for _ in range(3)] == [{**MESSAGE, "start": True, "id": ANY}] * 3
    with pytest.raises(ConnectionClosed) as closed:
        one.read()
    assert closed.value.rcvd.code == 4408
    monkeypatch.setattr(routes, "ACK_SECONDS", 5.0)
    again = client(running)
    assert again.read() == {**MESSAGE, "start": True, "id": ANY}


def test_upload_and_download_stay_in_the_workspace(serve, tmp_path):
    http = serve().client()
    (tmp_path / "secret.txt").write_text("secret")
    file = {"file": ("a.csv", b"1,2\n")}
    assert http.post("/upload", files=file, data={"path": "a.csv"}).json() == {"status": "success"}
    assert (tmp_path / "owner" / "a.csv").read_bytes() == b"1,2\n"
    assert http.get("/download/a.csv").content == b"1,2\n"
    for wrong in ("../a.csv", "/etc/a.csv", str(tmp_path / "b.csv"), ""):
        assert http.post("/upload", files=file, data={"path": wrong}).status_code in (400, 403)
    assert http.get("/download/%2e%2e%2fsecret.txt").status_code == 403
    assert http.get("/download//etc/passwd").status_code in (403, 404)


def test_nothing_of_it_is_there_without_a_token(serve):
    http = serve().client(token="")
    assert http.post("/settings", json={"auto_run": True}).status_code == 401
    assert http.get("/settings/messages").status_code == 401
    assert http.post("/upload").status_code == 401
    assert http.get("/download/a").status_code == 401
    assert http.post("/", json={}).status_code == 401


def test_who_does_not_sign_in_is_hung_up_on_and_is_one_of_few(serve, script, client, monkeypatch):
    monkeypatch.setattr(routes, "SIGN_IN_SECONDS", 1.0)
    monkeypatch.setattr(routes, "MOST_STRANGERS", 2)
    running = serve(model=script("Hello."))
    address = running.url.replace("http", "ws") + "/"
    with connect(address) as one, connect(address) as two:
        with pytest.raises(InvalidStatus):
            connect(address)
        for silent in (one, two):
            with pytest.raises(ConnectionClosed) as closed:
                silent.recv(timeout=30)
            assert closed.value.rcvd.code == 4401
    assert client(running).auth == {"auth": True}


def test_who_has_not_signed_in_says_little(serve, script):
    running = serve(model=script("Hello."))
    with connect(running.url.replace("http", "ws") + "/") as stranger:
        stranger.send(json.dumps({"auth": "x" * 100_000}))
        with pytest.raises(ConnectionClosed) as closed:
            stranger.recv(timeout=30)
    assert closed.value.rcvd.code == 4401


def test_a_message_that_never_ends_is_refused_and_the_next_one_is_heard(
    serve, script, client, monkeypatch
):
    monkeypatch.setattr(pipe, "LONGEST", 1000)
    one = client(serve(model=script("Hello.")))
    one.send({"role": "user", "start": True, "content": "x" * 2000})
    assert one.read()["type"] == "error"
    one.send({"role": "user", "start": True, "content": 5})
    assert one.read()["type"] == "error"
    one.say("hello")
    assert "Hello." in "".join(str(chunk.get("content", "")) for chunk in one.answer())
