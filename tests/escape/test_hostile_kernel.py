"""A kernel that was taken over talks to the host: it is neither believed, nor able to harm."""

import os
import shutil
import sys
import threading
from pathlib import Path

import pytest
from tests.escape.peak import Peak

from interpreter.protocol.events import DisplayShown, ExecutionFinished, Notice, OutputDelta
from interpreter.protocol.json.codec import encode
from interpreter.protocol.ports import Language
from interpreter.runtimes.kernel.host import KernelCommand
from interpreter.runtimes.kernel.kernelspecs import kernel
from interpreter.runtimes.process.node import javascript
from interpreter.runtimes.process.shell import bash
from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox
from interpreter.sandboxes.backends.none import NoSandbox
from interpreter.sandboxes.confinement import Confinement, interpreter_places

HANG = 120
MOST_MEGABYTES = 150  # of the host; a kernel sends as much as it likes
SCRIPT = Path(__file__).with_name("hostile_kernel.py")


@pytest.fixture
def hostile(tmp_path):
    """A runtime whose kernel attacks in this way."""
    opened = []

    def start(kind):
        workspace = tmp_path / "workspace"
        workspace.mkdir()
        shutil.copy(SCRIPT, workspace)
        cell = BubblewrapSandbox(Confinement(programs=interpreter_places()), os.environ).open(
            workspace
        )
        argv = (sys.executable, str(workspace / SCRIPT.name), "{connection_file}", kind)
        runtime = kernel(cell.launch, cell.exchange, Language("hostile"), KernelCommand(argv, {}))
        opened.extend([runtime, cell])
        return runtime

    yield start
    for one in opened:
        one.close()


def run(runtime, source="x"):
    """All events of a block; it must end by itself."""
    found = []
    thread = threading.Thread(target=lambda: found.extend(runtime.run(source)), daemon=True)
    thread.start()
    thread.join(HANG)
    assert not thread.is_alive(), "the host waits for ever"
    return found


def texts(events):
    for event in events:
        if isinstance(event, OutputDelta):
            yield event.text
        if isinstance(event, DisplayShown):
            yield from (str(face.data) for face in event.display.faces)


ENDING = ["unsigned", "junk", "wrong types", "replies to nothing", "flood", "strange exit"]


@pytest.mark.parametrize("kind", ENDING)
def test_a_block_ends_and_what_came_can_be_kept(hostile, kind):
    events = run(hostile(kind))
    assert isinstance(events[-1], ExecutionFinished)
    assert [e for e in events if isinstance(e, ExecutionFinished)] == events[-1:]
    assert "FORGED" not in "".join(texts(events))
    for event in events:
        encode(event)  # as the store writes it
    for text in (*texts(events), events[-1].summary):
        text.encode("utf-8", "surrogatepass")


ENDLESS = [
    "endless message",
    "endless small parts",
    "endless part",
    "unsigned without end",
    "asks without end",
]


@pytest.mark.parametrize("kind", ENDLESS)
def test_what_never_ends_takes_no_memory_and_can_be_stopped(hostile, kind):
    runtime = hostile(kind)
    ended = threading.Event()

    def read():
        for event in runtime.run("x"):
            last.append(event)
            del last[:-1]
        ended.set()

    last = []
    with Peak() as peak:
        threading.Thread(target=read, daemon=True).start()
        assert not ended.wait(4)
        runtime.interrupt()
        runtime.interrupt()
        assert ended.wait(HANG)
    assert isinstance(last[-1], ExecutionFinished)
    assert peak.megabytes < MOST_MEGABYTES


def test_a_message_of_very_many_values_is_left_out(hostile):
    with Peak() as peak:
        events = run(hostile("many values"))
    assert isinstance(events[-1], ExecutionFinished)
    assert "the end" in "".join(texts(events))
    assert peak.megabytes < MOST_MEGABYTES


def test_a_message_that_is_too_large_is_left_out_and_said(hostile):
    events = run(hostile("giant"))
    assert "".join(texts(events)) == "the end"
    assert "larger than 32 MB" in "".join(e.text for e in events if isinstance(e, Notice))
    assert events[-1].outcome == "ok"


def test_a_kernel_that_dies_is_an_event(hostile):
    assert run(hostile("death"))[-1].outcome == "died"


def test_a_kernel_that_says_nothing_can_be_stopped(hostile):
    runtime = hostile("silence")
    hostile_events = []
    thread = threading.Thread(target=lambda: hostile_events.extend(runtime.run("x")), daemon=True)
    thread.start()
    thread.join(2)
    runtime.interrupt()
    runtime.interrupt()
    thread.join(HANG)
    assert not thread.is_alive()
    assert isinstance(hostile_events[-1], ExecutionFinished)


FAKE_FRAMES = {
    bash: """
        for n in 3 4 5 6 7 8 9 10 11 12; do
            { head -c 200000 /dev/urandom; printf '\\n{"end": 0}\\n0 0 0\\n\\0\\0\\0'; } >&$n
        done 2>/dev/null
        echo done""",
    javascript: """
        const fs = require('fs')
        const lies = ['{"end": 1}', '[', '"x"', '{"type": "result"}', '\\0', 'x'.repeat(300000)]
        for (let n = 3; n < 30; n++)
            for (const lie of lies) try { fs.writeSync(n, lie + '\\n') } catch (e) {}
        console.log('done')""",
}


@pytest.mark.parametrize("make", FAKE_FRAMES, ids=lambda make: make.__name__)
def test_a_block_that_fakes_its_driver_ends_and_the_next_one_works(tmp_path, make):
    (tmp_path / "workspace").mkdir()
    confinement = Confinement(programs=interpreter_places())
    cell = BubblewrapSandbox(confinement, os.environ).open(tmp_path / "workspace")
    runtime = make(cell.launch, cell.exchange)
    assert isinstance(run(runtime, FAKE_FRAMES[make])[-1], ExecutionFinished)
    events = run(runtime, "echo 7" if make is bash else "7")
    assert isinstance(events[-1], ExecutionFinished)
    assert "7" in "".join(texts(events))
    runtime.close()
    cell.close()


USES_OF_DESCRIPTORS = [
    "fs.writeSync(n, 'x'.repeat(300000))",
    "fs.writeFileSync(n, 'x'.repeat(300000))",
    "fs.write(n, 'x', () => {})",
    "fs.closeSync(n)",
    "fs.readSync(n, Buffer.alloc(8))",
]


@pytest.mark.parametrize("use", USES_OF_DESCRIPTORS)
def test_node_ends_when_a_block_uses_its_own_descriptors(tmp_path, use):
    cell = NoSandbox().open(tmp_path)
    runtime = javascript(cell.launch, cell.exchange)
    run(runtime, "var fs = require('fs'), kept = 1")
    ended = run(runtime, f"for (let n = 4; n < 30; n++) {use}")[-1]
    assert ended.outcome == "died"
    assert "descriptor that is Node's own" in ended.summary
    assert "undefined" in "".join(texts(run(runtime, "typeof kept")))
    runtime.close()
    cell.close()


def test_files_of_the_users_are_used_as_ever(tmp_path):
    cell = NoSandbox().open(tmp_path)
    runtime = javascript(cell.launch, cell.exchange)
    source = """
        const fs = require('fs'), { promisify } = require('util')
        const file = fs.openSync('a', 'w+')
        fs.writeSync(file, 'one '); await promisify(fs.write)(file, 'two ')
        fs.ftruncateSync(file, 8); fs.closeSync(file)
        const stream = fs.createWriteStream('a', { flags: 'a' })
        await new Promise((done) => stream.end('three', done))
        console.log(fs.readFileSync('a', 'utf8'), require('child_process').execSync('echo four') + '')
    """
    assert "one two three four" in "".join(texts(run(runtime, source)))
    runtime.close()
    cell.close()
