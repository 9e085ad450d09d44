"""Servers that hang, flood, lie, die, change and fork: the call ends, and we live on."""

import json
import threading
import time
from pathlib import Path

import pytest

from interpreter.mcp.errors import (
    CallStopped,
    ServerGone,
    ServerMisbehaves,
    ServerTimedOut,
)
from interpreter.mcp.questions import Reply
from interpreter.mcp.transports.arrivals import LargeAnswer
from interpreter.protocol.interrupt import Interrupt


def call(client, **options):
    return client.call_tool(client.tools()[0], {"what": "it"}, **options)


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def wait_until(condition, seconds=20.0):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not come true"
        time.sleep(0.01)


@pytest.mark.parametrize(("name", "version"), [("good", "2026-07-28"), ("old-good", "2025-11-25")])
def test_a_good_server_of_either_era_is_called(hostile, name, version):
    client = hostile(name)
    assert client.era.version == version
    assert call(client)["structuredContent"] == {"count": 1}


def test_a_call_that_hangs_ends_when_its_time_is_over(hostile):
    client = hostile("hang", silence=0.5)
    with pytest.raises(ServerTimedOut, match="did not answer in time"):
        call(client)


def test_progress_extends_the_silence_but_never_the_ceiling(hostile):
    client = hostile("progress", silence=0.5, ceiling=1.5)
    began = time.monotonic()
    with pytest.raises(ServerTimedOut):
        call(client)
    assert 1.4 < time.monotonic() - began < 10
    assert client.told[:2] == ["step 0", "step 1"]


def test_an_interrupt_stops_a_call_at_once_and_the_server_is_told(hostile):
    client, interrupt = hostile("wait"), Interrupt()
    threading.Timer(0.3, interrupt.request).start()
    with pytest.raises(CallStopped):
        call(client, interrupt=interrupt)
    wait_until(lambda: "cancelled" in client.transport.complaints())


def test_a_flood_of_notes_ends_the_server_and_not_us(hostile):
    client = hostile("flood", silence=60, ceiling=60)
    with pytest.raises(ServerMisbehaves, match="too many messages"):
        call(client)
    wait_until(lambda: client.process.poll() is not None)


def test_a_message_without_end_ends_the_server(hostile):
    client = hostile("endless", silence=60, ceiling=60)
    with pytest.raises(ServerMisbehaves, match="more than 256 MB"):
        call(client)


def test_lines_that_are_no_messages_are_passed_over_but_not_for_ever(hostile):
    client = hostile("junk", silence=60, ceiling=60)
    with pytest.raises(ServerMisbehaves, match="no message"):
        call(client)


def test_a_result_that_is_not_what_the_schema_promised_is_refused(hostile):
    client = hostile("lie")
    with pytest.raises(
        ServerMisbehaves, match=r"does not keep to its schema: it.count is no integer"
    ):
        call(client)


def test_a_server_that_dies_in_a_call_is_told_with_its_last_words(hostile):
    client = hostile("die")
    with pytest.raises(ServerGone, match="It last said: out of luck"):
        call(client)
    assert not client.transport.is_open


def test_fifty_megabytes_come_as_a_file(hostile):
    answer = call(hostile("large"))
    assert isinstance(answer, LargeAnswer)
    with answer.file as file:
        message = json.load(file)
    assert len(message["result"]["content"][0]["text"]) == 50 << 20


def test_a_tool_that_changes_is_listed_anew_with_another_digest(hostile):
    client = hostile("change")
    before = client.tools()[0]
    assert client.tools()[0] is before
    call(client)
    wait_until(lambda: client.tools()[0].description == "Do something else.")
    assert client.tools()[0].digest() != before.digest()


def test_what_a_server_started_ends_with_it(hostile):
    client = hostile("fork")
    call(client)
    children = Path(f"/proc/{client.process.pid}/task/{client.process.pid}/children").read_text()
    started = children.split()
    assert len(started) == 3
    client.close()
    wait_until(lambda: not any(map(is_running, started)))


def test_pages_without_end_are_read_only_so_far(hostile):
    assert len(hostile("pages").tools()) == 100


@pytest.mark.parametrize("name", ["ask", "old-ask"])
def test_a_question_of_a_server_becomes_ours(hostile, name):
    asked = []

    def reply(question):
        asked.append((question.server, question.message, [f.title for f in question.fields]))
        return Reply("accept", {"name": "Ada"})

    said = json.loads(call(hostile(name, ask=reply))["content"][0]["text"])
    assert asked == [("peer", "Who are you?", ["Your name"])]
    assert (said["action"], said["content"]) == ("accept", {"name": "Ada"})
    if name == "ask":
        assert said["state"] == "abc"


@pytest.mark.parametrize("name", ["ask", "old-ask"])
def test_a_question_that_nobody_answers_is_a_no(hostile, name):
    said = json.loads(call(hostile(name))["content"][0]["text"])
    assert said["action"] == "decline"


def test_a_server_that_asks_for_ever_gets_no_more_answers(hostile):
    with pytest.raises(ServerMisbehaves, match="asks on and on"):
        call(hostile("nag", ask=lambda question: Reply("accept", {})))
