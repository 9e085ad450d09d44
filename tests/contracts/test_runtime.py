"""What every runtime keeps, whatever its language."""

import shutil
from dataclasses import dataclass

import pytest
from tests.live import (
    end_of,
    interrupt_once_it_prints,
    is_running,
    live,
    printed,
    run,
    said,
    wait_until,
    walled,
)

from interpreter.protocol.errors import SandboxUnavailable
from interpreter.protocol.events import ExecutionFinished, OutputDelta
from interpreter.runtimes.kernel.python import python_kernel
from interpreter.runtimes.process.node import javascript
from interpreter.runtimes.process.shell import bash, zsh
from interpreter.sandboxes.backends.none import OpenCell


@dataclass(frozen=True)
class Speech:
    """How a language says what the contract needs said."""

    factory: object
    program: str
    remember: str
    recall: str
    both_streams: str
    fail: str
    loop: str
    wait: str
    two_pieces: str
    die: str
    start_a_child: str
    long_output: str
    state_survives_exit: str = ""


PYTHON = Speech(
    factory=python_kernel,
    program="python3",
    remember="kept = 42",
    recall="print(kept)",
    both_streams="import sys\nprint('one')\nprint('two', file=sys.stderr)\nprint('three')",
    fail="raise KeyError('gone')",
    loop="print('under way')\nwhile True: pass",
    wait="print('under way')\nimport time; time.sleep(600)",
    two_pieces=(
        "import os\nprint('first')\nwhile not os.path.exists('first.seen'): pass\nprint('second')"
    ),
    die="import os; os._exit(7)",
    start_a_child="import subprocess\np = subprocess.Popen(['sleep', '600'])\nprint(p.pid)",
    long_output="for i in range(20_000): print(i, 'x' * 80)",
)
BASH = Speech(
    factory=bash,
    program="bash",
    remember="kept=42",
    recall="echo $kept",
    both_streams=(
        "echo one; until [ -e one.seen ]; do :; done; echo two >&2; "
        "until [ -e two.seen ]; do :; done; echo three"
    ),
    fail="(exit 3)",
    loop="echo under way; while :; do :; done",
    wait="echo under way; sleep 600",
    two_pieces="echo first; until [ -e first.seen ]; do :; done; echo second",
    die="kill -9 $$",
    start_a_child="sleep 600 & echo $!",
    long_output="i=0; while ((i < 20000)); do echo $((i++)) " + "x" * 80 + "; done",
)
ZSH = Speech(**{**vars(BASH), "factory": zsh, "program": "zsh"})
NODE = Speech(
    factory=javascript,
    program="node",
    remember="const kept = 42",
    recall="console.log(kept)",
    both_streams="console.log('one'); console.error('two'); console.log('three')",
    fail="throw new TypeError('gone')",
    loop="console.log('under way'); while (true) {}",
    wait="console.log('under way'); await new Promise(() => {})",
    two_pieces=(
        "console.log('first'); while (!require('fs').existsSync('first.seen')); "
        "console.log('second')"
    ),
    die="process.kill(process.pid, 'SIGKILL')",
    start_a_child=(
        "const child = require('child_process').spawn('sleep', ['600']); console.log(child.pid)"
    ),
    long_output="for (let i = 0; i < 20_000; i++) console.log(i, 'x'.repeat(80))",
)
SPEECHES = {"python": PYTHON, "bash": BASH, "zsh": ZSH, "node": NODE}


CELLS = {"without walls": OpenCell, "in a sandbox": walled}


@pytest.fixture(scope="module", params=CELLS)
def open_cell(request, tmp_path_factory):
    try:
        CELLS[request.param](tmp_path_factory.mktemp("probe")).close()
    except SandboxUnavailable as reason:
        pytest.skip(str(reason))
    return CELLS[request.param]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module", params=SPEECHES)
def both(request, open_cell, workspace):
    speech = SPEECHES[request.param]
    if shutil.which(speech.program) is None:
        pytest.skip(f"{speech.program} is not installed")
    with live(speech.factory, workspace, open_cell=open_cell) as runtime:
        yield runtime, speech


@pytest.fixture
def runtime(both):
    return both[0]


@pytest.fixture
def speech(both):
    return both[1]


def test_state_persists_across_blocks(runtime, speech):
    run(runtime, speech.remember)
    assert said(runtime, speech.recall) == "42"


def pieces(runtime, source, workspace):
    """What a block prints, by stream, telling it by a file of each piece that has been seen."""
    seen = []
    for event in runtime.run(source):
        if not isinstance(event, OutputDelta):
            continue
        if not seen or seen[-1][1] != event.stream or seen[-1][0].endswith("\n"):
            seen.append(("", event.stream))
        seen[-1] = (seen[-1][0] + event.text, event.stream)
        (workspace / f"{seen[-1][0].strip()}.seen").touch()
    for sign in workspace.glob("*.seen"):
        sign.unlink()
    return seen


def test_output_streams_while_the_block_runs(runtime, speech, workspace):
    seen = pieces(runtime, speech.two_pieces, workspace)
    assert "".join(text for text, _ in seen) == "first\nsecond\n"


def test_the_streams_are_told_apart_and_keep_their_order(runtime, speech, workspace):
    assert pieces(runtime, speech.both_streams, workspace) == [
        ("one\n", "stdout"),
        ("two\n", "stderr"),
        ("three\n", "stdout"),
    ]


def test_failure_is_an_event(runtime, speech):
    end = end_of(run(runtime, speech.fail))
    assert end.outcome == "failed"
    assert end.summary


@pytest.mark.parametrize("what", ["loop", "wait"])
def test_an_interrupt_stops_the_block_and_keeps_the_state(runtime, speech, what):
    run(runtime, speech.remember)
    events = interrupt_once_it_prints(runtime, getattr(speech, what))
    assert end_of(events).outcome == "interrupted"
    assert said(runtime, speech.recall) == "42"


def test_closing_the_iterator_stops_the_block(runtime, speech):
    run(runtime, speech.remember)
    events = runtime.run(speech.loop)
    next(events)
    events.close()
    assert said(runtime, speech.recall) == "42"


def test_a_restart_forgets(runtime, speech):
    run(runtime, speech.remember)
    runtime.restart()
    events = run(runtime, speech.recall)
    assert "42" not in printed(events)


def test_death_is_told_and_the_next_block_works(runtime, speech):
    end = end_of(run(runtime, speech.die))
    assert end.outcome == "died"
    assert "gone" in end.summary
    run(runtime, speech.remember)
    assert said(runtime, speech.recall) == "42"


def test_long_output_arrives_whole(runtime, speech):
    lines = printed(run(runtime, speech.long_output)).splitlines()
    assert [line.split()[0] for line in lines] == [str(i) for i in range(20_000)]


def test_twenty_blocks_in_a_row_work(runtime, speech):
    run(runtime, speech.remember)
    assert [said(runtime, speech.recall) for _ in range(20)] == ["42"] * 20


def test_an_empty_block_is_fine(runtime):
    assert end_of(run(runtime, "")).outcome == "ok"


def test_a_second_block_at_the_same_time_is_refused(runtime, speech):
    first = runtime.run(speech.loop)
    next(first)
    (refused,) = run(runtime, speech.recall)
    first.close()
    assert isinstance(refused, ExecutionFinished)
    assert refused.outcome == "invalid"


def test_an_interrupt_of_nothing_does_no_harm(runtime, speech):
    run(runtime, speech.remember)
    runtime.interrupt()
    assert said(runtime, speech.recall) == "42"


def test_close_leaves_no_process_behind(speech, tmp_path):
    with live(speech.factory, tmp_path) as runtime:
        child = int(said(runtime, speech.start_a_child).split()[0])
        assert is_running(child)
    wait_until(lambda: not is_running(child))


def test_close_while_an_iterator_is_abandoned_does_not_hang(speech, open_cell, tmp_path):
    with live(speech.factory, tmp_path, open_cell=open_cell) as runtime:
        abandoned = runtime.run(speech.loop)
        next(abandoned)
    del abandoned


def test_an_interrupt_between_the_call_and_the_first_event_stops_the_block(runtime, speech):
    run(runtime, speech.remember)
    block = runtime.run(speech.loop)
    runtime.interrupt()
    assert list(block) == [ExecutionFinished("interrupted", "It was stopped before it began.")]
    assert printed(run(runtime, speech.recall)) == "42\n"


def test_an_interrupt_while_nothing_runs_stops_nothing(runtime, speech):
    runtime.interrupt()
    run(runtime, speech.remember)
    runtime.interrupt()
    assert printed(run(runtime, speech.recall)) == "42\n"


def test_a_block_that_nobody_followed_leaves_the_way_free(runtime, speech):
    block = runtime.run(speech.loop)
    assert end_of(run(runtime, speech.recall)).outcome == "invalid"
    del block
    assert end_of(run(runtime, speech.remember)).outcome == "ok"
