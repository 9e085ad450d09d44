import contextlib
import json
import os
import pickle
import select
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

from interpreter.models.embedded.engine_process import EngineFailed, lease
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.interrupt import Interrupt

PATIENCE = 60


def ask(held, path, body=None, key=None):
    headers = {"Authorization": f"Bearer {key or held.key}", "Content-Type": "application/json"}
    content = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(held.address + path, content, headers)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


def hello(held):
    question = {"messages": [{"role": "user", "content": "Say hi."}], "max_tokens": 4}
    return ask(held, "/v1/chat/completions", question)["choices"][0]["message"]["content"]


def wait_for_the_end_of(held):
    """The engine closes its side when it ends."""
    poll = select.poll()
    poll.register(held.connection, select.POLLIN | select.POLLHUP)
    assert poll.poll(PATIENCE * 1000)
    assert held.connection.recv(1) == b""


def test_an_engine_answers(shared_engine):
    assert hello(shared_engine)
    assert shared_engine.context == 2048


def test_nobody_uses_it_without_its_key(shared_engine):
    with pytest.raises(urllib.error.HTTPError, match="401"):
        ask(shared_engine, "/v1/chat/completions", {"messages": []}, key="guess")


def test_it_listens_on_this_machine_only(shared_engine):
    assert shared_engine.address.startswith("http://127.0.0.1:")


def test_two_sessions_share_one_engine(engine, engine_options):
    second = lease(engine_options, Interrupt())
    assert (second.address, second.key) == (engine.address, engine.key)
    second.close()
    assert hello(engine)


def test_another_context_is_another_engine(engine, engine_options):
    other = lease(replace(engine_options, context=512), Interrupt())
    assert other.address != engine.address
    other.close()


def test_it_ends_when_nobody_wants_it_any_more(engine_options):
    held = lease(engine_options, Interrupt())
    with ending(pid_of(held.address)):
        held.close()


def test_it_ends_when_the_session_that_started_it_is_killed(engine_options):
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, pickle.dumps(engine_options).hex()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with starter, ending(pid_of(starter.stdout.readline().strip())):
        starter.kill()


STARTER = """
import pickle, sys
from interpreter.models.embedded.engine_process import lease
from interpreter.protocol.interrupt import Interrupt
held = lease(pickle.loads(bytes.fromhex(sys.argv[1])), Interrupt())
print(held.address, flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def ending(pid):
    """What is done within makes the process end."""
    process = os.pidfd_open(pid)
    try:
        yield
        assert select.select([process], [], [], PATIENCE)[0] == [process]
    finally:
        os.close(process)


def test_it_stays_warm_for_the_next_session(engine_options):
    warm = replace(engine_options, keep_warm=PATIENCE)
    first = lease(warm, Interrupt())
    first.close()
    second = lease(warm, Interrupt())
    assert second.address == first.address
    assert hello(second)
    end(second)


def end(held):
    """End an engine that would stay warm."""
    os.kill(pid_of(held.address), 15)
    wait_for_the_end_of(held)
    held.close()


def pid_of(address):
    """The process that listens there, by way of /proc."""
    port = f":{int(address.rpartition(':')[2]):04X} "
    table = Path("/proc/net/tcp").read_text().splitlines()
    inode = next(line.split()[9] for line in table if port in line and " 0A " in line)
    for process in Path("/proc").glob("[0-9]*"):
        try:
            links = [str(fd.readlink()) for fd in (process / "fd").iterdir()]
        except OSError:
            continue
        if f"socket:[{inode}]" in links:
            return int(process.name)
    raise AssertionError("nobody listens")


def test_an_engine_that_was_killed_is_started_again(engine_options):
    first = lease(engine_options, Interrupt())
    os.kill(pid_of(first.address), 9)
    wait_for_the_end_of(first)
    first.close()
    second = lease(engine_options, Interrupt())
    assert hello(second)
    second.close()


def test_a_file_that_is_no_model_is_named(engine_options, tmp_path):
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"not a model")
    with pytest.raises(EngineFailed, match=r"could not load bad.gguf: .*\(see .*log\)"):
        lease(replace(engine_options, model=bad), Interrupt())


def test_waiting_for_an_engine_can_be_interrupted(engine_options):
    interrupt = Interrupt()
    threading.Timer(0.1, interrupt.request).start()
    assert lease(engine_options, interrupt) is None


def test_a_directory_that_others_can_write_is_refused(engine_options):
    engine_options.directory.mkdir(mode=0o777)
    engine_options.directory.chmod(0o777)
    with pytest.raises(ConfigurationError, match="open to others"):
        lease(engine_options, Interrupt())


def test_an_engine_that_nobody_waited_for_ends_too(engine_options):
    interrupt = Interrupt()
    threading.Timer(0.05, interrupt.request).start()
    assert lease(engine_options, interrupt) is None
    held = lease(engine_options, Interrupt())  # the same engine, or a second one if it was quick
    with ending(pid_of(held.address)):
        held.close()
