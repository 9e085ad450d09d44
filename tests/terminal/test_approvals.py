"""Questions about code and about what it wants, as a person meets them."""

import os
import pwd
import tempfile
from pathlib import Path

import pytest


def test_a_scan_can_be_had_before_the_answer(chat):
    delete = {"code": "rm -rf ~/Documents", "language": "shell"}
    terminal = chat(delete, "Well.", arguments=["--safe_mode", "ask"])
    terminal.type("go\n")
    terminal.wait_for("[c]heck")
    terminal.type("c")
    terminal.wait_for("line 1: rm removes '~/Documents'")
    terminal.wait_until(lambda: terminal.everything().count("Run this?") == 2)
    terminal.type("s")
    terminal.wait_for("the code was not run")


@pytest.fixture
def downloads():
    """A directory that is not below /tmp, which every cell has its own of."""
    with tempfile.TemporaryDirectory(dir=pwd.getpwuid(os.getuid()).pw_dir) as name:
        (Path(name) / "data.txt").write_text("fine data")
        yield Path(name)


def test_a_place_outside_is_granted_and_the_next_try_works(chat, downloads):
    read = {"code": f"print(open('{downloads}/data.txt').read())"}
    write = {"code": f"print(open('{downloads}/new.txt', 'w').write('x'))"}
    terminal = chat(read, read, write, write, "Done.", arguments=["-y"])
    terminal.type("go\n")
    terminal.wait_for("This block wants to read", "[t]his session")
    terminal.type("t")
    terminal.wait_for("fine data", f"wants to read and write {downloads}.")
    terminal.wait_until(lambda: terminal.everything().count("Allow this?") >= 2)
    terminal.type("y")
    terminal.wait_for("Done.")
    assert (downloads / "new.txt").read_text() == "x"


def test_on_a_narrow_terminal_nothing_of_a_block_is_hidden(chat):
    source = "print(1)  #\x1b]\nopen('PWN','w').write('x')\n#\x07\r\u202e\n" + "y = 1; " * 20
    terminal = chat({"code": source}, "Well.", width=60)
    terminal.type("go\n")
    terminal.wait_for("[s]top")
    shown = terminal.everything()
    assert "print(1)  #⟨U+001B⟩]\nopen('PWN','w').write('x')\n#⟨U+0007⟩⟨U+000D⟩⟨U+202E⟩\n" in shown
    assert "\n↪ " in shown
    assert shown.replace("\n↪ ", "").replace("␠", " ").count("y = 1;") == 20
    terminal.type("s")
    terminal.wait_for("the code was not run")
