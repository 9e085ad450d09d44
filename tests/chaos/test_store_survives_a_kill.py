"""A process that is killed at any instant loses nothing that was acknowledged."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from interpreter.session.store.database import Store

WRITER = """
import sys
from pathlib import Path
from interpreter.protocol.events import TextDelta
from interpreter.protocol.messages import Display, Face, Message, Text
from interpreter.session.store.database import Store

store = Store(Path(sys.argv[1]))
session = store.create()
print(session, flush=True)
for place in range(10_000):
    for number in range(3):
        store.append_delta(session, number, "assistant", TextDelta(f"{place}.{number} "))
        print("delta", place, number, flush=True)
    picture = Display((Face("image/png", str(place).encode() * 1000),))
    store.append(session, place, Message("assistant", (Text(f"message {place}"), picture)))
    print("message", place, flush=True)
"""


@pytest.mark.parametrize("lines", sorted(random.sample(range(2, 400), 12)))
def test_nothing_acknowledged_is_lost(tmp_path, lines):
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    acknowledged = [writer.stdout.readline().split() for _ in range(lines)]
    writer.send_signal(signal.SIGKILL)
    rest = writer.stdout.read()  # its last line may be cut off: that one is not acknowledged
    acknowledged += [line.split() for line in rest.splitlines(True) if line.endswith("\n")]
    writer.stdout.close()
    writer.wait()
    session = acknowledged[0][0]
    finished = [int(words[1]) for words in acknowledged if words[0] == "message"]
    streamed = [words[1:] for words in acknowledged if words[0] == "delta"]

    store = Store(Path(tmp_path))
    store.settle(session)
    texts = [message.text for message in store.messages(session)]
    pictures = [m.parts[-1] for m in store.messages(session) if m.completion == "complete"]
    store.close()

    assert texts[: len(finished)] == [f"message {place}" for place in finished]
    assert len(pictures) >= len(finished)
    if streamed and int(streamed[-1][0]) >= len(finished):
        place, number = streamed[-1]
        after = texts[len(finished)]
        assert after == f"message {place}" or f"{place}.{number} " in after
