"""A thread that changes the words of a call after they were read wins nothing that lasts."""

import pytest

RACER = """
import ctypes, os, threading
libc = ctypes.CDLL(None)
target, decoy = %r, %r
os.makedirs(os.path.dirname(decoy.decode()) or ".", exist_ok=True)
words = ctypes.create_string_buffer(decoy)
start, over = ctypes.addressof(words), False
def swap():
    while not over:
        ctypes.memmove(start, target, len(target))
        ctypes.memmove(start, decoy, len(decoy))
threading.Thread(target=swap).start()
tries = 0
while not os.path.exists(target) and tries < 20000:
    tries += 1
    %s
    if os.path.exists(decoy):
        os.rmdir(decoy) if os.path.isdir(decoy) else os.unlink(decoy)
over = True
won = os.path.exists(target)
if won and os.path.isfile(target):
    open("/proc/self/fd/%%d" %% os.open(target, os.O_RDONLY)).close()
print("won" if won else "never won")
"""
OPEN = "descriptor = libc.open(words, os.O_CREAT | os.O_WRONLY, 0o755); os.write(descriptor, b'x') if descriptor > 0 else 0; os.close(descriptor) if descriptor > 0 else 0"
RACES = {
    "a commondir": (b".git/commondir", b"xgit/commondir", OPEN),
    "a hook of a new repository": (b"sub/.git/hooks/pre-commit", b"sub/xgit/hooks/pre-commit", OPEN),
    "a file that runs by itself": (b"deep/.envrc", b"deep/xenvrc", OPEN),
}  # fmt: skip


@pytest.mark.parametrize("name", RACES)
def test_what_a_race_made_is_gone_after_the_block(guarded_world, name):
    target = RACES[name][0].decode()
    steps = [["block", RACER % RACES[name]], ["user", f"ls -d {target}"]]
    found = guarded_world.ask(setup="git init -q sub", steps=steps)
    said, listed = found["said"]
    assert "No such file" in listed, found
    if said == "won\n":
        assert found["flags"] == [[target]]


def test_what_a_race_made_between_blocks_is_asked_about_with_the_next_one(guarded_world):
    target, decoy, call = RACES["a commondir"]
    waiting = "import os\nprint('ready', flush=True)\nwhile not os.path.exists('go'): pass\n"
    steps = [["leave", waiting + RACER % (target, decoy, call)], ["user", "touch go"], ["wait", ""]]
    found = guarded_world.ask(steps=[*steps, ["block", "true"], ["user", "ls .git/commondir"]])
    assert "No such file" in found["said"][-1]
    if found["said"][1] == "won\n":
        assert found["flags"] == [[".git/commondir"]]


def test_what_the_user_changes_between_blocks_is_the_users(guarded_world):
    change = "git config core.pager less; echo mine > .envrc; touch .git/hooks/pre-push"
    steps = [["block", "echo 1 > a"], ["user", change], ["block", "echo 2 > a"]]
    found = guarded_world.ask(steps=[*steps, ["user", "git config core.pager; cat .envrc"]])
    assert (found["flags"], found["said"][-1]) == ([], "less\nmine\n")
