import sqlite3
import stat
import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import messages, reply_events

from interpreter.protocol.errors import StoreError
from interpreter.protocol.events import OutputDelta, TextDelta
from interpreter.protocol.messages import Display, Face, Message, Text, user_says
from interpreter.session.budget import Spent
from interpreter.session.store.database import Store
from interpreter.session.store.schema import SCHEMA

PICTURE = Message("computer", (Display((Face("image/png", b"\x89PNG" * 100),)),))


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "data")
    yield store
    store.close()


def filled(store, *kept):
    session = store.create(model="m", directory="/d")
    for place, message in enumerate(kept):
        store.append(session, place, message)
    return session


def blobs(store):
    return [path for path in (store.path.parent / "blobs").rglob("*") if path.is_file()]


@given(st.lists(messages, max_size=8))
@settings(max_examples=40, deadline=None)
def test_messages_come_back_in_order_and_as_they_were(tmp_path_factory, kept):
    store = Store(tmp_path_factory.mktemp("store"))
    session = filled(store, *kept)
    again = Store(store.path.parent)
    assert list(again.messages(session)) == kept
    store.close()
    again.close()


def test_a_message_with_half_a_character_is_kept_and_gives_the_session_its_title(store):
    said = user_says("half \ud800 here")
    session = filled(store, said)
    assert list(store.messages(session)) == [said]
    assert store.list()[0].title == "half ? here"


@given(st.lists(reply_events, min_size=1, max_size=12))
@settings(max_examples=40, deadline=None)
def test_what_streamed_before_a_death_comes_back_as_interrupted(tmp_path_factory, events):
    from interpreter.session.draft import Draft

    store = Store(tmp_path_factory.mktemp("store"))
    session = filled(store, user_says("hi"))
    draft = Draft("assistant")
    for place, event in enumerate(events):
        store.append_delta(session, place, "assistant", event)
        draft.add(event)

    store.settle(session)
    store.settle(session)

    partial = draft.message("interrupted")
    assert list(store.messages(session)) == [user_says("hi")] + ([partial] if partial else [])
    store.close()


def test_a_finished_message_replaces_what_was_kept_while_it_was_made(store):
    session = filled(store, user_says("hi"))
    store.append_delta(session, 0, "assistant", TextDelta("Hel"))
    store.append(session, 1, Message("assistant", (Text("Hello"),)))
    store.settle(session)
    assert [message.text for message in store.messages(session)] == ["hi", "Hello"]


def test_nobody_else_may_read_the_files(store):
    filled(store, PICTURE)
    files = [path for path in store.path.parent.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} >= {".db", ".db-wal", ""}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700


def test_sessions_are_listed_last_used_first_and_empty_ones_are_not(store):
    first = filled(store, user_says("first thing"))
    second = filled(store, user_says("second\n  thing"))
    store.create()
    store.append(first, 1, user_says("again"))
    assert [(s.id, s.title, s.messages, s.model) for s in store.list()] == [
        (first, "first thing", 2, "m"),
        (second, "second thing", 1, "m"),
    ]


def test_a_session_is_found_by_id_by_its_beginning_and_as_the_last(store):
    session = filled(store, user_says("hi"))
    assert store.find(session) == store.find(session[:-2]) == store.find("last") == session


@pytest.mark.parametrize("name", ["nonsense", "", "2%"])
def test_a_session_that_is_not_there_is_a_clear_error(store, name):
    filled(store, user_says("hi"))
    with pytest.raises(StoreError, match="is no session"):
        store.find(name)


def test_words_are_found_whatever_their_punctuation(store):
    here = filled(store, user_says('select "name" from t where (x = 1)'))
    filled(store, user_says("something else"))
    assert [hit.session for hit in store.search('"name" (x')] == [here]
    assert "select" in store.search("name")[0].excerpt
    assert store.search("nowhere") == store.search("  ") == ()


def test_parts_of_words_find_their_sessions(store):
    here = filled(store, user_says("Zebras have stripes"), user_says("100% _sure_"))
    filled(store, user_says("something else"))
    assert [hit.session for hit in store.search("zeb stri")] == [here]
    assert store.containing(["EBRA", "tripe"]) == {here}
    assert store.containing(["0% _s"]) == {here}
    assert store.containing(["ebra", "else"]) == frozenset()


def test_a_fork_has_the_past_and_a_future_of_its_own(store):
    session = filled(store, user_says("a"), user_says("b"), PICTURE)
    fork = store.fork(session, at=2)
    store.append(fork, 2, user_says("c"))
    assert [message.text for message in store.messages(fork)] == ["a", "b", "c"]
    assert len(list(store.messages(session))) == 3
    assert {s.id: s.parent for s in store.list()}[fork] == session


def test_a_deleted_session_leaves_nothing_and_takes_nothing_from_others(store):
    session = filled(store, user_says("unique words"), PICTURE)
    fork = store.fork(session)
    store.delete(session)
    assert [hit.session for hit in store.search("unique")] == [fork]
    assert list(store.messages(fork))[1] == PICTURE
    store.delete(fork)
    assert (store.search("unique"), store.list(), blobs(store)) == ((), (), [])


def test_the_same_picture_is_kept_once(store):
    filled(store, PICTURE)
    filled(store, PICTURE)
    assert len(blobs(store)) == 1


def test_two_writers_of_one_session_do_not_overwrite_each_other(store):
    session = filled(store, user_says("a"))
    other = Store(store.path.parent)
    other.append(session, 1, user_says("theirs"))
    with pytest.raises(StoreError, match="another process"):
        store.append(session, 1, user_says("ours"))
    assert [message.text for message in store.messages(session)] == ["a", "theirs"]
    other.close()


def test_two_processes_may_write_at_once(store):
    other = Store(store.path.parent)
    sessions = [filled(store), filled(other)]

    def write(which, session):
        for place in range(200):
            which.append_delta(session, place, "computer", OutputDelta("x"))
        which.append(session, 0, user_says("done"))

    threads = [
        threading.Thread(target=write, args=pair)
        for pair in zip((store, other), sessions, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [[m.text for m in store.messages(s)] for s in sessions] == [["done"], ["done"]]
    other.close()


COMES_AND_GOES = """
import sys
from pathlib import Path
from interpreter.protocol.messages import user_says
from interpreter.session.store.database import Store
store = Store(Path(sys.argv[1]))
store.append(store.create(model="m", directory="/d"), 0, user_says("theirs"))
print([message.text for message in store.messages(sys.argv[2])])
store.close()
"""


def test_what_is_written_after_another_program_has_come_and_gone_is_kept(store):
    """SQLite's locks go with any descriptor that a process closes; whoever ends last tidies up."""
    session = filled(store, user_says("before"))
    assert len(list(store.messages(session))) == 1
    comes_and_goes = [sys.executable, "-c", COMES_AND_GOES, str(store.path.parent), session]
    subprocess.run(comes_and_goes, check=True)
    store.append(session, 1, user_says("after"))
    seen = subprocess.run(comes_and_goes, check=True, capture_output=True, text=True).stdout
    assert seen == "['before', 'after']\n"


def test_an_endless_stream_of_output_does_not_fill_the_disk(store):
    session = filled(store, user_says("a"))
    for place in range(3_000):
        store.append_delta(session, place, "computer", OutputDelta("x" * 1_000))
    assert store.path.stat().st_size + _wal(store) < 20_000_000


def _wal(store):
    return store.path.with_name("sessions.db-wal").stat().st_size


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "sessions.db"
    path.write_bytes(b"this is somebody's letter" * 100)
    with pytest.raises(StoreError, match=r"sessions\.db"):
        Store(tmp_path)
    assert path.read_bytes() == b"this is somebody's letter" * 100


def test_a_database_of_a_newer_version_is_refused(tmp_path, store):
    store.close()
    database = sqlite3.connect(store.path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match="newer version"):
        Store(store.path.parent)


def test_a_database_of_the_first_version_is_brought_up_to_date(tmp_path):
    database = sqlite3.connect(tmp_path / "sessions.db")
    database.executescript(SCHEMA + "PRAGMA user_version = 1;")
    database.close()
    store = Store(tmp_path)
    session = filled(store, user_says("hello"))
    store.keep_spent(session, Spent(1, 20))
    store.mark(session, [("c", 0)])
    store.close()
    again = Store(tmp_path)
    assert (again.spent(session), again.marks(session)) == (Spent(1, 20), [("c", 0)])
    again.close()


def test_a_session_is_called_by_what_the_user_said(store):
    told = Message("user", (Text("sales.csv has 3 rows"),), audience="assistant")
    session = filled(store, told, user_says("sum up sales.csv"))
    assert [info.title for info in store.list()] == ["sum up sales.csv"]
    assert list(store.messages(session)) == [told, user_says("sum up sales.csv")]


def test_a_session_within_another_is_in_no_list_and_goes_with_it(store):
    parent = filled(store, user_says("sum it up"))
    child = store.create(directory="/d", within=parent)
    store.append(child, 0, user_says("try another way"))
    grandchild = store.create(directory="/d", within=child)
    assert [info.id for info in store.list()] == [parent]
    assert [store.find("last"), store.find("last", "/d")] == [parent, parent]
    assert [info.id for info in store.children(parent)] == [child]
    assert store.find(child) == child
    store.delete(parent)
    assert [store.info(one) for one in (parent, child, grandchild)] == [None, None, None]


def test_what_a_session_cost_is_kept_with_it(store):
    session = filled(store, user_says("hello"))
    assert store.spent(session) == Spent()
    store.keep_spent(session, Spent(1, 10, dollars=0.5))
    store.keep_spent(session, Spent(2, 30, dollars=1.25))
    assert store.spent(session) == Spent(2, 30, dollars=1.25)
    store.delete(session)
    assert store.spent(session) == Spent()


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="Cannot keep sessions"):
        Store(tmp_path / "file" / "data")


HOLD = """
import sys
from pathlib import Path
from interpreter.session.store.database import Store
Store(Path(sys.argv[1])).owners.take(sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""


def test_a_session_is_open_in_one_process_until_that_ends(tmp_path):
    store = Store(tmp_path)
    mine, theirs = (store.create(directory="/work") for _ in range(2))
    store.owners.take(mine)
    argv = [sys.executable, "-c", HOLD, tmp_path, theirs]
    with subprocess.Popen(argv, stdin=-1, stdout=-1, text=True) as process:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(StoreError, match="is open in another terminal"):
            store.owners.take(theirs)
        assert store.find("last", "/work") == mine
        process.kill()
        process.wait()
    store.owners.take(theirs)
    store.owners.take(theirs)  # by another part of the same process
    store.close()
    assert list((tmp_path / "open").iterdir()) == []


def test_last_of_a_directory_without_sessions_is_an_error(tmp_path):
    store = Store(tmp_path)
    store.create(directory="/work")
    with pytest.raises(StoreError, match="no session of /elsewhere"):
        store.find("last", "/elsewhere")
