"""Without a sandbox: only after it was typed, and said all the while."""

import os
import shutil
from pathlib import Path

from tests.journeys.conftest import COMMAND

AS_ROOT_THERE = () if os.geteuid() == 0 else ("--user", "--map-root-user")


def test_it_has_to_be_typed(start):
    terminal = start("Hello.", arguments=["--sandbox", "off"])
    terminal.wait_for("code runs with all of your rights", "Type off to go on:")
    terminal.type("off\n")
    terminal.wait_for_prompt()
    terminal.type("hi\n")
    terminal.wait_for("the sandbox is off", "Hello.")


def test_anything_else_starts_nothing(start):
    terminal = start(arguments=["--sandbox", "off"])
    terminal.wait_for("Type off to go on:")
    terminal.type("yes\n")
    terminal.wait_for("Nothing was started")
    assert terminal.wait_for_end() == 2


WITHOUT_BUBBLEWRAP = "mount --bind /dev/null {} && exec {}"


def test_weaker_walls_are_told_once_before_the_code_and_not_in_its_output(start, tmp_path):
    script = tmp_path / "script.yaml"
    script.write_text("- code: print(6 * 7)\n- Done.\n")
    command = f"{COMMAND} -y --model scripted/{script} go"
    bubblewrap = Path(shutil.which("bwrap")).resolve()
    inside = WITHOUT_BUBBLEWRAP.format(bubblewrap, command)
    terminal = start(argv=["unshare", *AS_ROOT_THERE, "-m", "sh", "-c", inside])
    seen = terminal.wait_for("Done.")
    assert seen.count("Stronger walls are not to be had") == 1
    assert seen.index("Stronger walls") < seen.index("\n42\n")  # a path may have the number, too
    assert "[The code is" not in seen
