"""What tools of other programs cost: a call, a start in the sandbox, a huge result, and tokens."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from bench.table import median, show

SERVER = Path(__file__).parents[1] / "tests" / "mcp" / "small_server.py"
CALLS = """
import time
tools.small.add(1)
found = []
for _ in range(200):
    start = time.perf_counter()
    tools.small.add(1)
    found.append(time.perf_counter() - start)
print(f"p50={sorted(found)[100] * 1000:.2f}")
"""
LARGE = "text = tools.small.large(50); print('length', len(text))"
TASK = "print(sum(tools.small.add(n)['sum'] for n in range(10)))"
HOST = """
import sys
from interpreter.assembly import SessionFactory
from interpreter.models.scripted import ScriptedModel
from interpreter.protocol.actions import Decision
from interpreter.protocol.ports import nobody_answers
from interpreter.settings.settings import Settings
settings = Settings(model="scripted/demo", auto_run=True)
factory = SessionFactory(settings, lambda request: Decision("session"), nobody_answers)
script = [{"language": "python", "code": sys.argv[1]}, "Done."]
session = factory.open_session(settings, model=ScriptedModel(script))
for event in session.send("go"):
    if type(event).__name__ == "OutputDelta":
        sys.stdout.write(event.text)
told = sum(len(getattr(part, "text", "")) for part in session.transcript[-2].parts)
status = open("/proc/self/status").read()
print("told", told, "peak", int(status.split("VmHWM:")[1].split()[0]) // 1024)
factory.close()
"""


@contextmanager
def _project(servers):
    """A home and a directory with servers; the environment of a program in it."""
    with tempfile.TemporaryDirectory() as home:
        work = Path(home) / "work"
        work.mkdir()
        (work / "server.py").write_bytes(SERVER.read_bytes())
        config = Path(home) / "config" / "reploop"
        config.mkdir(parents=True)
        entry = {"command": sys.executable, "args": ["server.py"]}
        names = {"small" if n == 0 else f"small_{n}": entry for n in range(servers)}
        (config / "mcp.json").write_text(json.dumps({"mcpServers": names}))
        env = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": str(config.parent)}
        yield work, {**env, "XDG_DATA_HOME": f"{home}/data"}


def _told(code, servers=1):
    with _project(servers) as (work, env):
        done = subprocess.run(
            [sys.executable, "-c", HOST, code],
            cwd=work,
            env=env,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout


def _connected(cell, work):
    from interpreter.mcp.client import Client
    from interpreter.mcp.transports.stdio import StdioTransport

    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    client = Client(
        "small", StdioTransport("small", cell.launch([sys.executable, "server.py"], **pipes))
    )
    client.connect()
    return client


def _bare():
    """A call without kernel and walls; and a start with and without walls."""
    from interpreter.sandboxes.backends.fallback import best_sandbox
    from interpreter.sandboxes.backends.none import NoSandbox
    from interpreter.sandboxes.confinement import Confinement, interpreter_places

    with _project(1) as (work, _):
        open_cell = NoSandbox().open(work)
        client = _connected(open_cell, work)
        tool = client.tools()[0]
        call = median(lambda: client.call_tool(tool, {"a": 1}), times=200)
        client.close()
        without = median(lambda: _connected(open_cell, work).close(), times=7)
        open_cell.close()
        walls = best_sandbox(Confinement(programs=interpreter_places(work)), os.environ).open(work)
        within = median(lambda: _connected(walls, work).close(), times=7)
        walls.close()
    return call * 1000, without * 1000, within * 1000


def _opening(servers):
    """The time until the first request is put together, in a program of its own."""
    code = (
        "import time\nfrom interpreter.assembly import SessionFactory\n"
        "from interpreter.models.scripted import ScriptedModel\n"
        "from interpreter.protocol.ports import nobody_answers, nobody_approves\n"
        "from interpreter.settings.settings import Settings\nstart = time.perf_counter()\n"
        "settings = Settings(model='scripted/demo', keep_history=False)\n"
        "factory = SessionFactory(settings, nobody_approves, nobody_answers)\n"
        "session = factory.open_session(settings, model=ScriptedModel(['x']))\n"
        "text = session.engine.asking.system()\n"
        "print(time.perf_counter() - start, len(text))"
    )
    with _project(servers) as (work, env):
        options = {"cwd": work, "env": env, "capture_output": True, "text": True, "check": True}
        command = [sys.executable, "-c", code]
        found = [subprocess.run(command, **options).stdout.split() for _ in range(9)]
    return min(float(one[0]) for one in found) * 1000, int(found[0][1])


def _startup(servers):
    """Importing us, and `--version`, with servers written down; the least of some tries, in ms."""
    found = []
    with _project(servers) as (work, env):
        for words in (["-c", "import interpreter"], ["-m", "interpreter", "--version"]):
            command = [sys.executable, *words]
            tries = []
            for _ in range(9):
                began = time.perf_counter()
                subprocess.run(command, cwd=work, env=env, capture_output=True, check=True)
                tries.append(time.perf_counter() - began)
            found.append(min(tries) * 1000)
    return found


def _native_tokens():
    """Ten calls by a model that calls tools itself: every request has all schemas and results."""
    namespace = {"__name__": "listing"}
    source = SERVER.read_text().partition("for line in sys.stdin")[0]
    exec(source, namespace)
    specs = len(json.dumps(list(namespace["listed"]())))
    call = len(json.dumps({"name": "add", "arguments": {"a": 1}}))
    result = len(json.dumps({"sum": 3}))
    return sum(specs + done * (call + result) for done in range(11)) // 4


def main():
    began = time.monotonic()
    call, without, within = _bare()
    kernel = float(re.search(r"p50=([\d.]+)", _told(CALLS))[1])
    large = _told(LARGE)
    told, peak = map(int, re.search(r"told (\d+) peak (\d+)", large).groups())
    assert f"length {50 << 20}" in large
    (plain, text), (ten, longer) = _opening(0), _opening(10)
    (importing, version), (importing_ten, version_ten) = _startup(0), _startup(10)
    code = ((longer - text) * 2 + len(TASK) * 2 + 40) // 4
    native = _native_tokens()
    ratio = code / native
    rows = [
        ("what", "measured", "goal"),
        ("call of a bare server, p50", f"{call:.2f} ms", ""),
        ("call from the kernel, p50", f"{kernel:.2f} ms", f"<= {call + 2:.2f} ms (2 over it)"),
        ("start and hello, without walls", f"{without:.0f} ms", ""),
        ("the same in the sandbox", f"{within:.0f} ms", f"<= {without + 60:.0f} ms (60 over it)"),
        ("50 MB result: characters for the model", told, "<= 8000 (2,000 tokens)"),
        ("50 MB result: peak memory of the host", f"{peak} MB", "<= 90 MB"),
        (
            "import, no server / ten",
            f"{importing:.1f} / {importing_ten:.1f} ms",
            f"<= {importing * 1.05:.1f} ms",
        ),
        (
            "--version, no server / ten",
            f"{version:.1f} / {version_ten:.1f} ms",
            f"<= {version * 1.05:.1f} ms",
        ),
        ("first request put together, no server", f"{plain:.1f} ms", ""),
        ("the same with ten servers", f"{ten:.1f} ms", f"<= {plain * 1.05:.1f} ms"),
        ("tokens of ten servers (of any number of tools)", (longer - text) // 4, "<= 400"),
        (
            "ten calls: tokens in code / by native calls",
            f"{code} / {native} = {ratio:.2f}",
            "<= 0.3",
        ),
    ]
    seconds = time.monotonic() - began
    show(f"Tools of other programs (load {os.getloadavg()[0]:.1f}, {seconds:.0f} s)", rows)
