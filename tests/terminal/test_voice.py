"""Talking in a real terminal: devices that are files, an ear and a mouth on a server."""

import asyncio
import json
import os
import struct
import subprocess

import pytest
from prompt_toolkit import PromptSession
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from tests.journeys.conftest import COMMAND
from tests.models.loopback import serving

from interpreter.protocol.events import ApprovalRequested
from interpreter.protocol.messages import ActionCall, Code
from interpreter.protocol.voice import Heard
from interpreter.terminal.input import talking as talking_prompt
from interpreter.terminal.input.talking import PromptTalk
from interpreter.terminal.voice import is_harmless, spoken_key
from interpreter.voice.samples import resampled
from interpreter.voice.wav import read_wav

SPOKEN = struct.pack("<8000h", *[1000, -1000] * 4000)


@pytest.fixture
def devices(tmp_path):
    """A microphone that gives half a second of sound and stays open; a player that keeps it."""
    programs, played = tmp_path / "programs", tmp_path / "played"
    programs.mkdir()
    (tmp_path / "speech.raw").write_bytes(SPOKEN)
    for name, text in {
        "pw-record": f"cat {tmp_path}/speech.raw; exec sleep 600",
        "pw-play": f'echo "$2" >> {played}.rates; exec cat >> {played}',
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    return programs, played


@pytest.fixture
def voice():
    """A server that hears one sentence in anything, and says anything as the same samples."""
    heard = []

    def hear(handler):
        heard.append(handler.body)
        handler.reply(200, {"text": "Show the meen of x."})

    def say(handler):
        handler.reply(200, SPOKEN, "audio/pcm")

    routes = {("POST", "/v1/audio/transcriptions"): hear, ("POST", "/v1/audio/speech"): say}
    with serving(routes) as server:
        server.heard = heard
        yield server


def talking(server):
    where = ("--voice_ear", "openai/ear", "--voice_mouth", "openai/mouth")
    return ["--voice", *where, "--voice_api_base", f"{server.url}/v1"]


def test_what_is_heard_is_corrected_and_sent_and_the_answer_is_read_aloud(chat, devices, voice):
    programs, played = devices
    path = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    answer = {"text": "I look.", "code": "print(4)"}
    replies = [answer, "The mean is 4. It is even."]
    terminal = chat(*replies, arguments=["-y", *talking(voice)], env=path)
    terminal.wait_for("Ctrl-T talks")
    terminal.press("C-t")
    terminal.wait_for("listening")
    terminal.press("C-t")
    terminal.wait_for("Show the meen of x.")
    assert SPOKEN in voice.heard[0]
    for _ in range(7):
        terminal.press("Left")
    terminal.press("BSpace", "BSpace")
    terminal.type("a")
    terminal.press("Enter")
    terminal.wait_for("It is even.")
    terminal.type("%exit")
    terminal.press("Enter")
    terminal.wait_for_end()
    asked = [body for method, path, body in voice.seen if path.endswith("speech")]
    assert [json.loads(body)["input"] for body in asked] == [
        "I look.",
        "The mean is 4.",
        "It is even.",
    ]
    assert played.read_bytes() == SPOKEN * 3
    assert played.with_suffix(".rates").read_text().split() == ["24000"] * 3


def test_voice_is_switched_on_and_off_and_says_what_is_missing(chat, tmp_path):
    nothing = {"PATH": f"/usr/bin{os.pathsep}/bin"}
    terminal = chat(env=nothing)
    terminal.type("%voice on")
    terminal.press("Enter")
    terminal.wait_for("No program here can record")
    terminal.wait_for("Voice is on; listening: no; speaking: no.")
    terminal.type("%voice off")
    terminal.press("Enter")
    terminal.wait_for("Voice is off")


def test_a_microphone_that_is_not_there_is_one_sentence(chat, devices, voice):
    programs, _ = devices
    (programs / "pw-record").write_text("#!/bin/sh\necho 'no such device' >&2\nexit 1\n")
    path = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    terminal = chat(arguments=talking(voice), env=path)
    terminal.wait_for("Ctrl-T talks")
    terminal.press("C-t")
    terminal.wait_for("No microphone can be used: no such device.")


@pytest.mark.parametrize(("words", "key"), [
    ("Yes.", "y"), ("Go ahead!", "y"), ("No, thanks.", "s"), ("Stop.", "s"),
    ("Yes, but first tell me more.", ""), ("", ""), ("Now", ""),
])  # fmt: skip
def test_only_a_plain_yes_or_no_is_an_answer(words, key):
    assert spoken_key(words) == key


@pytest.mark.parametrize(("request_", "harmless"), [
    (ApprovalRequested(Code("python", "print(1)"), proposed=True), True),
    (ApprovalRequested(Code("python", "print(1)"), "the network", proposed=True), False),
    (ApprovalRequested(Code("python", "import os; os.system('rm -rf /')"), proposed=True), False),
    (ApprovalRequested(Code("lua", "print(1)"), proposed=True), False),
    (ApprovalRequested(Code("python", "print(1)")), False),
    (ApprovalRequested(ActionCall("network", "{}"), proposed=True), False),
])  # fmt: skip
def test_a_spoken_yes_is_enough_only_for_what_the_scan_understands(request_, harmless):
    assert is_harmless(request_) is harmless


def test_nothing_of_the_voice_is_loaded_when_it_is_not_used():
    program = (
        "import sys, interpreter.cli, interpreter.terminal.chat, interpreter.terminal.opening;"
        "print([m for m in sys.modules if m.startswith('interpreter.voice') or m == 'onnxruntime'])"
    )
    python = str(COMMAND).replace("bin/interpreter", "bin/python")
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.fixture
def speech(tmp_path):
    """Half a second of silence, somebody who speaks, and silence; as a microphone gives it."""
    file = tmp_path / "speech.wav"
    subprocess.run(["espeak-ng", "-w", file, "Show the mean of the second column."], check=True)
    spoken = resampled(read_wav(file.read_bytes())).samples
    (tmp_path / "speech.raw").write_bytes(bytes(16_000) + spoken + bytes(64_000))
    return tmp_path / "speech.raw"


def test_hands_free_what_was_said_is_heard_shown_and_sent(chat, devices, speech, voice, tmp_path):
    programs, _ = devices
    once = f"mkdir {tmp_path}/once && cat {speech}\nexec sleep 600\n"
    (programs / "pw-record").write_text(f"#!/bin/sh\n{once}")
    path = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    terminal = chat("It is four.", arguments=["--hands_free", *talking(voice)], env=path)
    terminal.wait_for("sent in a moment; type to correct it")
    terminal.wait_for("Show the meen of x.")
    terminal.wait_for("It is four.")


def test_hands_free_whoever_talks_over_the_voice_silences_it(chat, devices, speech, voice):
    programs, played = devices
    first, player = played.with_suffix(".first"), played.with_suffix(".pid")
    # What sounds at first is taken for the voice's echo, so nobody speaks before a second is over.
    begins = f"sleep 1\necho $$ > {player}\nexec sleep 600\n"
    (programs / "pw-play").write_text(f"#!/bin/sh\n{begins}")
    (programs / "pw-record").write_text(
        f"#!/bin/sh\nmkdir {first} && exec sleep 600\n"
        f"while [ ! -s {player} ]; do sleep 0.05; done\ncat {speech}\nexec sleep 600\n"
    )
    path = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    terminal = chat("A long answer.", "Two.", arguments=["--hands_free", *talking(voice)], env=path)
    terminal.wait_for("listening")
    terminal.type("Hello.")
    terminal.press("Enter")
    terminal.wait_for("A long answer.")
    terminal.wait_for("Show the meen of x.")
    with pytest.raises(ProcessLookupError):
        os.kill(int(player.read_text()), 0)


class Immediately:
    """Hears the same at once."""

    hands_free, is_listening = True, False

    def listen(self, heard, failed):
        heard(Heard("show meen", final=True))

    def enough(self):
        """It has."""

    be_silent = forget = enough


@pytest.mark.parametrize(("typed", "sent"), [("", "show meen"), (" of x", "show meen of x")])
def test_hands_free_what_is_typed_meanwhile_waits_for_enter(monkeypatch, typed, sent):
    monkeypatch.setattr(talking_prompt, "GRACE", 0.05)

    async def prompted():
        with create_pipe_input() as keys:
            session = PromptSession(input=keys, output=DummyOutput())
            talk = PromptTalk(session)
            loop, buffer = asyncio.get_running_loop(), session.default_buffer

            def corrected(_):
                if buffer.text == "show meen" and typed:
                    loop.call_soon(buffer.insert_text, typed)
                    loop.call_later(0.5, keys.send_text, "\r")

            buffer.on_text_changed += corrected
            return await session.prompt_async(pre_run=lambda: talk.begin(Immediately()))

    assert asyncio.run(prompted()) == sent
