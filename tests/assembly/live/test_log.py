"""Numbered events: any number of readers, from any number on, over the end of a process."""

import asyncio
import errno
import os
import threading
from pathlib import Path

import pytest

from interpreter.assembly.live import EventLog, Gone, LogFile
from interpreter.assembly.live import log as log_module
from interpreter.assembly.live import log_file as file_module
from interpreter.protocol.events import OutputDelta, TurnFinished
from interpreter.protocol.json.codec import decode, encode


@pytest.fixture
def path(tmp_path):
    return tmp_path / "events" / "one.jsonl"


def opened(path):
    return EventLog(LogFile(path, encode, decode))


def read(log, count, after=0):
    with log.reader(after) as reader:
        events = iter(reader)
        return [next(events) for _ in range(count)]


def lines(count, start=1):
    return [OutputDelta(f"{n}\n") for n in range(start, start + count)]


def test_numbers_begin_with_one_and_have_no_gaps(path):
    log = opened(path)
    assert [log.append(event) for event in lines(3)] == [1, 2, 3]
    assert [(one.n, one.event) for one in read(log, 3)] == list(enumerate(lines(3), 1))
    assert read(log, 1)[0].line == '{"n":1,"type":"OutputDelta","text":"1\\n","stream":"stdout"}'


def test_what_memory_has_let_go_of_is_read_from_the_file(path):
    log = opened(path)
    events = lines(3 * log_module.MOST_KEPT)
    for event in events:
        log.append(event)
    assert [one.event for one in read(log, len(events))] == events
    assert [one.event for one in read(log, 700, after=123)] == events[123:823]


def test_another_process_goes_on_with_the_next_number(path):
    log = opened(path)
    for event in lines(200):
        log.append(event)
    log.close()
    again = opened(path)
    assert again.append(TurnFinished("answered")) == 201
    assert [one.event for one in read(again, 201)] == [*lines(200), TurnFinished("answered")]
    assert path.stat().st_mode & 0o777 == 0o600


def test_half_a_line_of_a_killed_process_is_cut_off(path):
    log = opened(path)
    for event in lines(70):
        log.append(event)
    log.close()
    whole = path.read_bytes()
    for cut in range(1, len(whole.splitlines()[-1]) + 1):
        path.write_bytes(whole[:-cut])
        again = opened(path)
        assert again.append(OutputDelta("new")) == 70
        assert [one.n for one in read(again, 70)] == list(range(1, 71))
        again.close()


def test_a_log_that_is_too_long_begins_anew_and_says_so(path, monkeypatch):
    monkeypatch.setattr(file_module, "MOST_BYTES", 10_000)
    log = opened(path)
    for event in lines(1000):
        log.append(event)
    assert path.stat().st_size < 11_000
    assert 1 < log.first < 1000
    with pytest.raises(Gone):
        log.reader(after=1)
    assert read(log, 1000 - log.first + 1, after=log.first - 1)[-1].n == 1000
    log.close()
    assert opened(path).last == 1000


def test_numbers_that_never_were_are_refused(path):
    log = opened(path)
    log.append(OutputDelta("1"))
    with pytest.raises(Gone):
        log.reader(after=2)


def test_readers_in_threads_and_in_asyncio_get_the_same(path):
    log = opened(path)
    events = lines(2000)

    async def follow(after):
        with log.reader(after) as reader:
            return [one.event async for one in reader]

    async def main():
        plain = []
        with log.reader() as reader:
            thread = threading.Thread(target=lambda: plain.extend(one.event for one in reader))
            thread.start()
            tasks = [asyncio.create_task(follow(0)) for _ in range(5)]
            await asyncio.sleep(0)
            writer = threading.Thread(target=lambda: [*map(log.append, events), log.end()])
            writer.start()
            got = await asyncio.gather(*tasks)
            await asyncio.to_thread(thread.join)
        return [*got, plain]

    assert asyncio.run(main()) == [events] * 6


def test_without_a_file_the_writer_waits_for_a_slow_reader(monkeypatch):
    monkeypatch.setattr(log_module, "MOST_WAITING", 10)
    log = EventLog()
    reader = log.reader()
    writer = threading.Thread(target=lambda: [*map(log.append, lines(25)), log.end()])
    writer.start()
    with log.changed:
        log.changed.wait_for(lambda: log.last == 10)
    assert [one.event for one in reader] == lines(25)
    writer.join()


def test_a_reader_that_leaves_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(log_module, "MOST_WAITING", 10)
    log = EventLog()
    reader = log.reader()
    writer = threading.Thread(target=lambda: [*map(log.append, lines(25))])
    writer.start()
    with log.changed:
        log.changed.wait_for(lambda: log.last == 10)
    reader.close()
    writer.join()
    assert log.last == 25


def test_bytes_that_are_not_text_survive(path):
    log = opened(path)
    event = OutputDelta("half \ud83d, nothing \0, the end \u2028\u0085")
    log.append(event)
    log.close()
    assert read(opened(path), 1)[0].event == event


def test_no_descriptor_stays_open(path):
    before = len(list(Path("/proc/self/fd").iterdir()))
    log = opened(path)
    log.append(OutputDelta("1"))
    read(log, 1)
    log.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_long_log_is_opened_and_read_at_any_place_without_reading_it_all(path, monkeypatch):
    log = opened(path)
    events = [OutputDelta("x" * (200_000 if n % 999 == 0 else 40)) for n in range(5000)]
    for event in events:
        log.append(event)
    log.close()
    taken, pread = [], os.pread
    monkeypatch.setattr(os, "pread", lambda *given: taken.append(given[1]) or pread(*given))
    again = opened(path)
    assert (again.first, again.last) == (1, 5000)
    assert sum(taken) < 100_000 < path.stat().st_size
    for after in (0, 997, 998, 999, 2500, 4990, 4999):
        assert read(again, 1, after)[0].event == events[after]
    assert [one.event for one in read(again, 600, 3500)] == events[3500:4100]


def test_what_did_not_fit_on_the_disk_does_not_spoil_what_comes_after(path, monkeypatch):
    log = opened(path)
    log.append(OutputDelta("1"))
    write = os.write

    def full(descriptor, data):
        if len(data) < 20:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[: len(data) - 10])

    with monkeypatch.context() as patching:
        patching.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            log.append(OutputDelta("2"))
    assert log.append(OutputDelta("two")) == 2
    log.close()
    assert [one.event for one in read(opened(path), 2)] == [OutputDelta("1"), OutputDelta("two")]
