"""The user's rules hold where things happen, however they are written."""

import shutil

import pytest
from tests.escape.conftest import open_world
from tests.escape.reached_things import APPEARING, CHANGES, HOSTS, READS
from tests.escape.started_programs import ALL


@pytest.fixture(scope="module", params=["root", "user"])
def ruled(request):
    world, base = open_world(request.param, "rules_driver.py")
    yield world
    status = world.close()
    shutil.rmtree(base)
    assert status == 0


@pytest.mark.parametrize(("language", "how", "source"), ALL, ids=[f"{a} {b}" for a, b, _ in ALL])
def test_a_denied_program_does_not_start(ruled, language, how, source):
    free = ruled.attempt(source, "free", language=language)
    assert free["pushed"], f"without the rule it works: {free['text']}"
    tried = ruled.attempt(source, "ruled", language=language)
    assert not tried["pushed"]
    told = [note for note in tried["notes"] if "the rule `deny git push`" in note]
    assert told
    assert told[0].endswith("pushing is for people")


@pytest.mark.parametrize(
    "source",
    [
        "git status --short",
        "git log --oneline -- push",
        "git -C . log --grep push",
        "mkdir -p push; git -C push status --short",
        "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m push",
        "echo git push",
        "grep -r 'git push' . || true",
        "git remote -v; git stash list",
        "printf '%s' push > push.txt; cat push.txt",
        "pip --version || true",
    ],
)
def test_what_no_rule_is_about_starts(ruled, source):
    tried = ruled.attempt(source, "ruled", language="shell")
    assert (tried["status"], tried["notes"]) == (0, []), tried["text"]


def test_the_refusal_is_told_in_a_sentence_and_the_program_learns_of_it(ruled):
    tried = ruled.attempt("git push origin", "ruled", language="shell")
    assert tried["notes"] == [
        "the rule `deny git push` refused `git push origin`: pushing is for people"
    ]
    assert "Operation not permitted" in tried["text"]


@pytest.mark.parametrize(
    "source",
    [
        "python3 -m pip download x",
        "python3 -I -m pip download x",
        "printf 'print(1)' > forbidden; python3 forbidden",
        "printf 'echo 1' > forbidden; bash ./forbidden",
        "printf 'echo 1' > forbidden; bash -e forbidden",
        "printf '#!/bin/sh\necho 1' > forbidden; chmod +x forbidden; ./forbidden",
        "printf '#!/bin/sh\necho 1' > forbidden; chmod +x forbidden; ln -sf forbidden x; ./x",
    ],
)
def test_a_script_or_module_is_a_program_too(ruled, source):
    tried = ruled.attempt(source, "ruled", language="shell")
    assert any("refused" in note for note in tried["notes"]), tried["text"]


def test_a_program_is_asked_about_when_it_starts(ruled):
    source = "git tag NEW"
    refused = ruled.attempt(source, "ruled", language="shell", answer=False)
    assert not refused["pushed"]
    assert refused["asked"][0][0][:2] == ["git", "tag"]
    assert refused["asked"][0][1] == "ask git tag"
    allowed = ruled.attempt(source, "ruled", language="shell", answer=True)
    assert allowed["pushed"], allowed["text"]


RACE = """
import ctypes, os, threading
libc = ctypes.CDLL(None)
execve = 59 if os.uname().machine == "x86_64" else 221
words = [ctypes.create_string_buffer(w, 64) for w in (b"git", b"log", b"-q", b"remote", b"REF")]
array = (ctypes.c_void_p * 6)(*map(ctypes.addressof, words), None)
environment = (ctypes.c_char_p * 3)(b"PATH=/usr/bin:/bin", b"HOME=/tmp", None)
def change():
    while True:
        ctypes.memmove(words[1], b"push", 5)
        ctypes.memmove(words[1], b"log", 4)
for _ in range(60):
    if os.fork() == 0:
        threading.Thread(target=change, daemon=True).start()
        while True:  # refused or not, until it gets through
            libc.syscall(execve, b"/usr/bin/git", array, environment)
    os.wait()
"""


def test_words_changed_after_they_were_looked_at_do_not_help(ruled):
    tried = ruled.attempt(RACE, "ruled", language="python")
    assert not tried["pushed"], tried["text"]
    assert tried["notes"]


@pytest.mark.parametrize("how", READS)
def test_a_denied_file_is_not_read(ruled, how):
    assert "CANARY" in ruled.attempt(READS[how], "free", language="shell")["text"]
    tried = ruled.attempt(READS[how], "ruled", language="shell")
    assert "CANARY" not in tried["text"]
    assert tried["kept"] == ["CANARY"] * 4


@pytest.mark.parametrize("how", CHANGES)
def test_a_denied_file_is_not_changed(ruled, how):
    assert ruled.attempt(CHANGES[how], "ruled", language="shell")["kept"] == ["CANARY"] * 4


@pytest.mark.parametrize("how", APPEARING)
def test_a_denied_path_does_not_appear(ruled, how):
    assert ruled.attempt(APPEARING[how], "free", language="shell")["appeared"]
    tried = ruled.attempt(APPEARING[how], "ruled", language="shell")
    assert tried["appeared"] == []
    assert any("refused to change" in note for note in tried["notes"])


@pytest.mark.parametrize("how", HOSTS)
def test_a_denied_host_is_not_reached(ruled, how):
    assert ruled.attempt(HOSTS[how], "free", language="python")["refused"] == []
    tried = ruled.attempt(HOSTS[how], "ruled", language="python")
    assert tried["refused"]
    assert all("evil.test" in host and "not there" in host for host in tried["refused"])
