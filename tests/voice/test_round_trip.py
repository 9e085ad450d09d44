"""Text to sound to text, through bad channels, in a network namespace that leads nowhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bench.voice import SENTENCES, errors, words_of
from tests.support.voice_weights import voice_weights  # noqa: F401

ALL = bool(os.environ.get("ALL_SENTENCES"))  # `make test-voice`
CONDITIONS = ["clean", "noise, 10 dB"]
MORE = ["noise, 20 dB", "faint (-26 dB)", "clipped", "telephone, 8 kHz", "44.1 kHz"]
MOST_WRONG = {"clean": 0.10, "noise, 10 dB": 0.20, "telephone, 8 kHz": 0.25}
PROGRAM = """
import json, socket, sys
from pathlib import Path
from bench.voice import recordings, round_trips
from interpreter.voice.kokoro import KokoroMouth
from interpreter.voice.whisper import WhisperEar
try:
    socket.create_connection(("192.0.2.1", 80), 5)
    sys.exit("there is a network")
except OSError:
    pass
weights, sentences, conditions = json.load(sys.stdin)
ear, mouth = WhisperEar(Path(weights, "whisper-base")), KokoroMouth(Path(weights, "kokoro-82m"))
print(json.dumps(round_trips(ear, recordings(mouth, sentences), conditions)))
"""
LEAVES_IN_MID_SENTENCE = """
import sys, threading
from pathlib import Path
from interpreter.voice.kokoro import KokoroMouth
from interpreter.voice.speaker import Speaker
class Loudspeaker:
    def play(self, sound, stop): print("heard")
    def stop(self): pass
mouth = KokoroMouth(Path(sys.argv[1], "kokoro-82m"))
speaker = Speaker(mouth, Loudspeaker(), print)
speaker.prepare()
speaker.say("This is a long sentence " * 5)
begun = threading.Event()
while not mouth._runs:
    begun.wait(0.001)
"""


def test_words_are_compared_as_they_are_said():
    assert words_of("Sum unit_price in sales.csv: 1764!") == [
        *("sum", "unit", "price", "in", "sales", "dot", "csv"),
        *("one", "thousand", "seven", "hundred", "sixty", "four"),
    ]
    assert errors(["a", "b", "c"], ["a", "x", "c", "d"]) == 2
    assert len(SENTENCES) >= 60


@pytest.mark.timeout(7200 if ALL else 600)
def test_what_is_said_is_heard_and_nothing_leaves_the_machine(voice_weights, capsys):  # noqa: F811
    sentences = SENTENCES if ALL else SENTENCES[:1]
    conditions = [*CONDITIONS, *MORE] if ALL else CONDITIONS
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--net", sys.executable, "-c", PROGRAM],
        input=json.dumps([str(voice_weights), sentences, conditions]),
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    rates, misheard = json.loads(done.stdout)
    with capsys.disabled():
        for name, sentence, heard in misheard if ALL else ():
            sys.stderr.write(f"\n  {name}: {sentence!r} was heard as {heard!r}")
        told = ", ".join(f"{name} {rate:.1%}" for name, rate in rates.items())
        sys.stderr.write(f"\nwrong words: {told}\n")
    assert {name: rate for name, rate in rates.items() if rate > MOST_WRONG.get(name, 0.15)} == {}


def test_a_program_may_end_in_the_middle_of_a_sentence(voice_weights):  # noqa: F811
    program = [sys.executable, "-c", LEAVES_IN_MID_SENTENCE, str(voice_weights)]
    done = subprocess.run(program, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
