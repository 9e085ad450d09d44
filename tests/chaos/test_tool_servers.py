"""A session that is killed leaves no server of tools behind."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from secrets import token_hex

from interpreter.settings.trust import trust

SERVER = Path(__file__).parents[1] / "mcp" / "small_server.py"
HOST = """
import sys, time
from interpreter.assembly import SessionFactory
from interpreter.models.scripted import ScriptedModel
from interpreter.protocol.actions import Decision
from interpreter.protocol.ports import nobody_answers
from interpreter.settings.settings import Settings
settings = Settings(model="scripted/demo", auto_run=True)
factory = SessionFactory(settings, lambda request: Decision("session"), nobody_answers)
code = "print('pid', tools.one.pid(), tools.two.pid())"
model = ScriptedModel([{"language": "python", "code": code}, "Done."])
for event in factory.open_session(settings, model=model).send("go"):
    if type(event).__name__ == "OutputDelta" and "pid" in event.text:
        print("READY", flush=True)
time.sleep(600)
"""


def running(mark):
    """The processes with this word in their command."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in place.read_bytes():
                found.append(place.parent.name)
        except OSError:
            continue
    return found


def test_no_server_lives_on_after_a_kill(tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    mark = f"server_{token_hex(8)}.py"
    (work / mark).write_bytes(SERVER.read_bytes())
    entry = {"command": sys.executable, "args": [mark]}
    (work / ".mcp.json").write_text(json.dumps({"mcpServers": {"one": entry, "two": entry}}))
    trust(work)
    host = subprocess.Popen([sys.executable, "-c", HOST], cwd=work, stdout=subprocess.PIPE)
    try:
        assert host.stdout.readline() == b"READY\n"
        assert len(running(mark)) >= 2
    finally:
        host.send_signal(signal.SIGKILL)
        host.wait()
        host.stdout.close()
    until = time.monotonic() + 20
    while running(mark) and time.monotonic() < until:
        time.sleep(0.05)
    assert running(mark) == []
