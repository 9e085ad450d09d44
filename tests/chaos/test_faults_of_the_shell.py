"""Whatever a shell block does, it ends with a clear event and the next block works."""

import os
import shutil
import signal
import subprocess
import sys

import pytest
from tests.live import (
    end_of,
    interrupt_once_it_prints,
    is_running,
    live,
    noticed,
    printed,
    run,
    said,
    wait_until,
)

from interpreter.protocol.events import OutputDelta
from interpreter.runtimes.process.driven import DrivenOptions
from interpreter.runtimes.process.shell import bash, zsh

KEEPS = {
    "stty -echo": ("stty -echo", "failed"),
    "a closed output": ("exec 1>&-", "ok"),
    "closed streams": ("exec 0<&- 1>&- 2>&-", "ok"),
    "a redirected output": ("exec >/dev/null 2>&1", "ok"),
    "an ignored interrupt": ("trap '' INT", "ok"),
    "kill $$": ("kill $$", "ok"),
    "a deleted directory": ('here=$PWD; mkdir gone; cd gone; rmdir "$here/gone"; cd "$here"', "ok"),
    "an unclosed quote": ("echo 'abc", "failed"),
    "an unclosed heredoc": ("cat <<END\nabc", "ok"),
    "an unclosed bracket": ("( echo a", "failed"),
    "an unclosed loop": ("while true; do echo a", "failed"),
    "CRLF": ("if true; then\r\n  echo a\r\nfi\r\n", "ok"),
    "an empty block": ("", "ok"),
    "only a comment": ("# nothing", "ok"),
    "a megabyte of source": (": " + "x" * 1_000_000, "ok"),
    "NUL and invalid UTF-8": (r"printf 'a\000b\377\n'", "ok"),
    "ten megabytes on one line": ("head -c 10000000 /dev/zero | tr '\\0' x", "ok"),
    "a read without input": ("read line; cat; echo done", "ok"),
    "exit": ("exit 3", "failed"),
    "exit in a function": ("f() { exit 4; }; f", "failed"),
    "set -e": ("set -e; false; echo never", "failed"),
    "set -u": ("set +e; set -u; echo $never_set_at_all", "failed"),
    "a failing pipe": ("set +eu; set -o pipefail; false | true", "failed"),
    "plain options again": ("set +eu +o pipefail", "ok"),
    "fifty children": ("for i in $(seq 50); do sleep 600 & kill $!; done", "ok"),
    "fork without wait": ("(sleep 0.01 &)", "ok"),
    "a child that holds the output": ("sleep 600 &", "ok"),
    "printf redefined": ("printf() { :; }; echo() { :; }; unset -f printf echo", "ok"),
    "a huge variable": ("big=$(head -c 200000 /dev/zero | tr '\\0' x); unset big", "ok"),
    "a full disk": ("echo x > /dev/full", "failed"),
}
LOSES = {"exec": "exec bash", "kill -9": "kill -9 $$"}


@pytest.fixture(scope="module", params=["bash", "zsh"])
def shell(request, tmp_path_factory):
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    with live({"bash": bash, "zsh": zsh}[request.param], tmp_path_factory.mktemp("w")) as runtime:
        yield runtime


@pytest.mark.parametrize(("source", "outcome"), KEEPS.values(), ids=KEEPS)
def test_the_session_goes_on_after(shell, source, outcome):
    run(shell, "set +eu; kept=42")
    assert end_of(run(shell, source)).outcome == outcome
    assert said(shell, "set +eu; echo $kept") == "42"
    for _ in range(20):
        assert said(shell, "echo fine") == "fine"


@pytest.mark.parametrize("source", LOSES.values(), ids=LOSES)
def test_death_is_told_and_a_new_shell_goes_on_after(shell, source):
    run(shell, "kept=42")
    end = end_of(run(shell, source))
    assert end.outcome == "died"
    assert "state is gone" in end.summary
    for _ in range(20):
        assert said(shell, "echo fine${kept-}") == "fine"


def test_an_infinite_print_stops_when_asked(shell):
    count = 0
    for event in shell.run("while :; do echo spam; done"):
        count += isinstance(event, OutputDelta)
        if count == 50:
            shell.interrupt()
    assert end_of([event]).outcome == "interrupted"
    assert said(shell, "echo fine") == "fine"


def test_a_block_that_ignores_the_interrupt_is_stopped_all_the_same(tmp_path):
    with live(bash, tmp_path, DrivenOptions(interrupt_seconds=1.5)) as shell:
        source = "trap '' INT TERM; echo under way; while :; do :; done"
        end = end_of(interrupt_once_it_prints(shell, source))
        assert end.outcome == "died"
        assert "did not obey" in end.summary
        assert said(shell, "echo fine") == "fine"


def test_a_background_job_does_not_leak_into_the_next_block(shell, tmp_path):
    go = tmp_path / "go"
    run(shell, f"(until [ -e {go} ]; do sleep 0.01; done; echo late) & echo started")
    assert said(shell, "echo mine") == "mine"
    go.touch()
    wait_until(lambda: any("late" in one.text for one in shell.leftovers.all()))
    events = run(shell, "echo mine")
    assert printed(events) == "mine\n"
    assert "late" in noticed(events)


def test_a_background_job_that_prints_a_lot_is_not_held_up(shell, tmp_path):
    others = [id(one) for one in shell.leftovers.all()]
    events = run(shell, f"(head -c 5000000 /dev/zero | tr '\\0' x; touch {tmp_path}/through) &")
    early = len(printed(events))  # before its block had ended
    wait_until((tmp_path / "through").exists)
    late = [one for one in shell.leftovers.all() if id(one) not in others]
    wait_until(lambda: early + sum(one.printed for one in late) == 5_000_000)
    assert all(len(one.text) <= 64_000 for one in late)


def test_a_background_job_can_be_listed_and_stopped(shell):
    pid = int(said(shell, "sleep 600 & echo $!").split()[-1])
    assert "sleep 600" in said(shell, "jobs")
    run(shell, f"kill {pid}; wait {pid}")
    wait_until(lambda: not is_running(pid))


@pytest.mark.parametrize(
    ("language", "block"),
    [
        ("shell.bash", "echo $$; head -n 1 go"),
        ("shell.zsh", "echo $$; head -n 1 go"),
        ("driver_languages.r", "cat(Sys.getpid(), fill = TRUE); invisible(system('head -n 1 go'))"),
        ("driver_languages.ruby", "puts Process.pid; File.open('go').gets"),
        ("driver_languages.perl", "print \"$$\\n\"; system('head -n 1 go')"),
        ("driver_languages.php", "echo getmypid(), PHP_EOL; fgets(fopen('go', 'r'));"),
    ],
)
def test_a_process_whose_host_is_killed_within_a_block_ends(tmp_path, language, block):
    os.mkfifo(tmp_path / "go")
    module, _, name = language.partition(".")
    script = (
        "from pathlib import Path\n"
        "from interpreter.sandboxes.backends.none import OpenCell\n"
        f"from interpreter.runtimes.process.{module} import {name} as open_runtime\n"
        "cell = OpenCell(Path.cwd())\n"
        f"for event in open_runtime(cell.launch, cell.exchange).run({block!r}):\n"
        "    if hasattr(event, 'text'): print(event.text, flush=True)\n"
    )
    host = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=tmp_path, text=True
    )
    try:
        pid = int(host.stdout.readline())
    finally:
        host.send_signal(signal.SIGKILL)
        host.wait()
        host.stdout.close()
    going = os.open(tmp_path / "go", os.O_RDWR)  # waits for no reader: it may be gone already
    os.write(going, b"and tell your end, though nobody listens\n")
    try:
        wait_until(lambda: not is_running(pid))
    finally:
        os.close(going)


def test_a_link_laid_out_for_us_is_not_followed(tmp_path):
    """A block that guesses where its successor is written must not write to the user's files."""
    precious = tmp_path / "precious"
    precious.write_text("mine")
    with live(bash, tmp_path) as shell:
        run(shell, "here=$(dirname $BASH_SOURCE)")
        run(shell, f"for i in 3 4 5 6; do ln -s {precious} $here/$i.sh; done")
        assert said(shell, "echo fine") == "fine"
        assert said(shell, "echo fine") == "fine"
    assert precious.read_text() == "mine"
