"""A program that is only compared with another changes nothing, whatever it does."""

import contextlib
import os
import secrets
import socket
import time
from pathlib import Path

import pytest

from interpreter.protocol.actions import Decision
from interpreter.protocol.messages import Code, Output

LEFT = f"/tmp/draft-{secrets.token_hex(8)}"
QUESTION = "How many files are in downloads?"
FIRST = "import os\ncounts = [len(os.listdir('downloads'))]\nprint(counts[0])"
DESTROY = """\
import os, pathlib, shutil, subprocess
counts.append(99)
counts = "gone"
for attempt in (
    lambda: shutil.move("downloads", "elsewhere"),
    lambda: shutil.rmtree("downloads"),
    lambda: [os.unlink(path) for path in pathlib.Path(".").rglob("*") if path.is_file()],
    lambda: pathlib.Path("new.txt").write_text("new"),
    lambda: pathlib.Path("LEFT").write_text("left"),
):
    try:
        attempt()
    except OSError:
        pass
subprocess.run("rm -rf ./* ; mv downloads moved", shell=True, stderr=subprocess.DEVNULL)
print("3 files")
""".replace("LEFT", LEFT)
LOOK = f"print(counts, os.path.exists({LEFT!r}))"


@pytest.fixture
def work(tmp_path, monkeypatch):
    place = tmp_path / "work"
    (place / "downloads" / "deep").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "deep/c.txt"):
        (place / "downloads" / name).write_text(name)
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def open_session(work, open_small_session):
    return open_small_session


def everything_in(place):
    return {
        str(path.relative_to(place)): path.read_text() if path.is_file() else ""
        for path in place.rglob("*")
    }


def results(session):
    return [message.results[-1] for message in session.transcript if message.role == "computer"]


def printed(session):
    return [
        "".join(part.text for part in message.parts if isinstance(part, Output))
        for message in session.transcript
        if message.role == "computer"
    ]


def test_a_draft_that_destroys_everything_changes_nothing_and_is_compared(open_session, work):
    before = everything_in(work)
    session = open_session(
        {"code": FIRST}, "There are 3.", {"code": LOOK}, "So it is.", drafts=[DESTROY]
    )
    list(session.send(QUESTION))
    assert [one.outcome for one in results(session)] == ["ok", "ok"]
    assert printed(session)[1].strip().endswith("3 files")
    assert session.transcript[-1].text == "There are 3."
    assert everything_in(work) == before
    assert not Path(LEFT).exists()
    list(session.send("Look"))
    assert printed(session)[-1] == "[3] False\n"


def test_what_was_compared_cannot_be_undone_since_it_did_nothing(open_session, work):
    session = open_session({"code": FIRST}, "There are 3.", drafts=[DESTROY])
    list(session.send(QUESTION))
    kept = session.engine.checkpoints().list()
    assert [one.label for one in kept] == ["import os"]


def test_without_a_sandbox_no_draft_runs(open_session, work):
    before = everything_in(work)
    session = open_session({"code": FIRST}, "There are 3.", drafts=[DESTROY], sandbox="off")
    list(session.send(QUESTION))
    assert [one.outcome for one in results(session)] == ["ok", "declined"]
    assert "no sandbox of which everything holds" in results(session)[1].summary
    assert session.transcript[-1].text == "There are 3."
    assert everything_in(work) == before


def test_a_draft_reaches_no_network_and_asks_nobody(open_session, work):
    draft = (
        "import socket\ntry:\n    socket.create_connection(('127.0.0.1', 9), 2)\n"
        "except OSError as error:\n    print(3, input('name? ') if False else 'unreached')"
    )
    session = open_session({"code": FIRST}, "There are 3.", drafts=[draft])
    list(session.send(QUESTION))
    assert printed(session)[1] == "3 unreached\n"


INTO_PIPE = """\
with open("way", "w") as pipe:
    pipe.write("from a draft")
print(3)"""
INTO_SOCKET = """\
import socket
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"from a draft", "way")
print(3)"""


@pytest.fixture
def pipe(work):
    """A pipe that a program of the user reads: makes it, and says what came."""
    ends = []

    def make():
        os.mkfifo(work / "way")
        ends.append(os.open(work / "way", os.O_RDONLY | os.O_NONBLOCK))

    yield make, lambda: os.read(ends[0], 100)
    os.close(ends[0])


@pytest.fixture
def listener(work):
    """The same with a socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ours:
        ours.setblocking(False)

        def heard():
            with contextlib.suppress(BlockingIOError):
                return ours.recv(100)
            return b""

        yield lambda: ours.bind("way"), heard


@pytest.mark.parametrize(
    ("way", "draft"), [("pipe", INTO_PIPE), ("listener", INTO_SOCKET)], ids=["pipe", "socket"]
)
def test_a_draft_reaches_nobody_by_what_lies_in_the_workspace(open_session, request, way, draft):
    make, heard = request.getfixturevalue(way)
    session = open_session(*[{"code": FIRST}, "There are 3."] * 2, drafts=[draft])
    list(session.send(QUESTION))
    make()  # the cell of the drafts is there by now
    list(session.send(QUESTION))
    assert [one.outcome for one in results(session)] == ["ok", "failed"] * 2
    assert heard() == b""


GOES_ON = "import os, time\nprint(len(os.listdir('downloads')), flush=True)\ntime.sleep(60)"


def test_a_block_that_goes_on_in_the_background_is_compared_with_nothing(open_session, work):
    session = open_session({"code": GOES_ON}, "There are 3.", drafts=[COUNT], timeout=1)
    list(session.send(QUESTION))
    assert [one.outcome for one in results(session)] == ["backgrounded"]


def test_while_a_block_goes_on_nobody_waits_for_a_draft(open_session, work):
    order = "Delete the files in downloads/deep."
    session = open_session(
        {"code": GOES_ON},
        "There are 3.",
        {"code": DESTROY},
        *["I can't."] * 9,
        drafts=[],
        timeout=1,
    )
    list(session.send("Count the files, and go on."))
    begun = time.monotonic()
    list(session.send(order))
    assert time.monotonic() - begun < 20
    tried = results(session)[1]
    assert (tried.outcome, "busy" in tried.summary) == ("declined", True)


class ByHand:
    """Somebody who is asked about every block, and gives the same answer to each."""

    def __init__(self, decision):
        self.decision = decision
        self.asked = []

    def __call__(self, request):
        self.asked.append(request.action.source)
        return self.decision


COUNT = "import pathlib\nprint(len([1 for p in pathlib.Path('downloads').rglob('*.txt')]))"
UNSEEN = """\
import os, socket
for attempt in (
    lambda: os.rename("downloads", "elsewhere"),
    lambda: open("downloads/a.txt", "w"),
    lambda: socket.create_connection(("127.0.0.1", 9), 2),
):
    try:
        attempt()
    except OSError:
        pass
print(3)
"""


def test_where_blocks_are_approved_by_hand_drafts_run_without_a_question_and_that_is_said(
    open_session, work
):
    by_hand = ByHand(Decision("yes"))
    session = open_session({"code": FIRST}, "There are 3.", drafts=[COUNT], approve=by_hand)
    list(session.send(QUESTION))
    assert by_hand.asked == [FIRST]
    assert [one.outcome for one in results(session)] == ["ok", "ok"]
    said = [message.text for message in session.transcript if message.role == "assistant"]
    assert "nothing that it does lasts, so it runs without a question" in said[1]


def test_a_draft_that_hides_what_it_does_changes_nothing_unasked(open_session, work):
    before = everything_in(work)
    by_hand = ByHand(Decision("yes"))
    session = open_session({"code": FIRST}, "There are 3.", drafts=[UNSEEN], approve=by_hand)
    list(session.send(QUESTION))
    assert by_hand.asked == [FIRST]
    assert printed(session)[1].strip() == "3"
    assert everything_in(work) == before


def test_after_a_no_nothing_is_run_to_compare(open_session, work):
    by_hand = ByHand(Decision("no", "not that"))
    session = open_session({"code": FIRST}, "As you like.", drafts=[COUNT], approve=by_hand)
    list(session.send(QUESTION))
    assert by_hand.asked == [FIRST]
    assert [one.outcome for one in results(session)] == ["declined"]


def test_what_the_user_wrote_instead_is_not_compared(open_session, work):
    by_hand = ByHand(Decision("yes", edited=Code("python", "print(4)")))
    session = open_session({"code": FIRST}, "There are 4.", drafts=[COUNT], approve=by_hand)
    list(session.send(QUESTION))
    assert printed(session) == ["4\n"]
    assert session.transcript[-1].text == "There are 4."


def test_what_looks_dangerous_is_not_compared_unasked(open_session, work):
    by_hand = ByHand(Decision("yes"))
    session = open_session({"code": FIRST}, "There are 3.", drafts=[DESTROY], approve=by_hand)
    list(session.send(QUESTION))
    assert by_hand.asked == [FIRST]
    assert [one.outcome for one in results(session)] == ["ok", "declined"]
    assert [path.name for path in work.iterdir()] == ["downloads"]


def test_a_draft_that_could_only_not_write_says_nothing_about_the_next_block(open_session, work):
    draft = "open('out.txt', 'w').write('3')\nprint(3)"
    first, second = "print(missing)", "print(len(os.listdir('downloads')))"
    session = open_session(
        {"code": f"import os\n{first}"}, {"code": second}, "There are 3.", drafts=[draft]
    )
    list(session.send(QUESTION))
    assert [one.outcome for one in results(session)] == ["failed", "failed", "ok"]
    assert "Read-only" in results(session)[1].summary
    assert not (work / "out.txt").exists()


WANTED = "How many files are in downloads? Write it to answer.csv with the columns name and value"
WRITING = "open('answer.csv', 'w').write('{head}\\nfiles,' + str(len(os.listdir('downloads'))))"


def test_a_file_that_was_asked_for_is_looked_at_unasked_and_written_again(open_session, work):
    by_hand = ByHand(Decision("yes"))
    wrong, right = (f"import os\n{WRITING.format(head=head)}" for head in ("a,b,c", "name,value"))
    session = open_session({"code": wrong}, {"code": right}, "Done.", drafts=[], approve=by_hand)
    list(session.send(WANTED))
    assert by_hand.asked == [wrong, right]
    looked = [text for text in printed(session) if text.endswith("files,3")]
    assert [text.splitlines()[0] for text in looked] == ["a,b,c", "name,value"]
    assert session.transcript[-1].text == "Done."
