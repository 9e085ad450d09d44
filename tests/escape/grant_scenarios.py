"""Attacks on grants, each by its name: ``grant_scenarios.py SRC BASE NAME`` prints what came of it.

BASE is a fresh directory outside of /tmp. Self-contained but for the package in SRC, as it is also
run by an ordinary user.
"""

import contextlib
import os
import socket
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from interpreter.checkpoints.shadow_git import ShadowGit, ShadowOptions
from interpreter.protocol.errors import ConfigurationError, InterpreterError, SandboxUnavailable
from interpreter.protocol.git.config import settings_in
from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox
from interpreter.sandboxes.backends.landlock import LandlockSandbox
from interpreter.sandboxes.cell.account import Account, user_namespace
from interpreter.sandboxes.confinement import Confinement, interpreter_places
from interpreter.sandboxes.grants import Grants

BASE = Path(sys.argv[2])
PRIZE, PUBLIC, WORKSPACE = BASE / "prize", BASE / "public", BASE / "home/work"


def open_cell(sandbox=BubblewrapSandbox, **options):
    confinement = Confinement(programs=interpreter_places(), **options)
    return sandbox(confinement, {**os.environ, "HOME": str(BASE / "home")}).open(WORKSPACE)


def succeeds(cell, script):
    return cell.launch(["sh", "-c", script]).wait(60) == 0


def sees_the_prize(cell):
    found = [f"{place}/treasure" for place in (PRIZE, PUBLIC, PUBLIC / "d", BASE / "link")]
    return any(succeeds(cell, f"cat {path}") for path in found)


def swapped_while_the_question_is_open():
    """The question names what a link leads to; then the link leads elsewhere."""
    (BASE / "link").symlink_to(PUBLIC)
    cell = open_cell()
    held = cell.hold(BASE / "link")
    (BASE / "link").unlink()
    (BASE / "link").symlink_to(PRIZE)
    assert held.path == PUBLIC
    cell.grant(held, "read")
    assert succeeds(cell, f"cat {PUBLIC}/file")
    return sees_the_prize(cell)


def directory_swapped_for_a_link():
    """What was asked about is moved away, and a link put in its place."""
    cell = open_cell()
    held = cell.hold(PUBLIC)
    PUBLIC.rename(BASE / "moved")
    PUBLIC.symlink_to(PRIZE)
    with contextlib.suppress(SandboxUnavailable):
        cell.grant(held, "read")
    return sees_the_prize(cell)


def parent_swapped_for_a_link():
    """The same one floor higher."""
    (PUBLIC / "d").mkdir()
    cell = open_cell()
    held = cell.hold(PUBLIC / "d")
    PUBLIC.rename(BASE / "moved")
    (PRIZE / "d").mkdir()
    (PRIZE / "d/treasure").write_text("gold")
    PUBLIC.symlink_to(PRIZE)
    with contextlib.suppress(SandboxUnavailable):
        cell.grant(held, "read")
    return sees_the_prize(cell)


def always_and_then_a_link(sandbox=BubblewrapSandbox):
    """What was granted for ever is a link when the next session opens its cell."""
    PUBLIC.rename(BASE / "moved")
    PUBLIC.symlink_to(PRIZE)
    return sees_the_prize(open_cell(sandbox, read=(PUBLIC,), write=()))


def always_and_then_a_link_without_namespaces():
    return always_and_then_a_link(LandlockSandbox)


def a_device_instead_of_a_file():
    """What is neither a file nor a directory is never granted: sockets are doors."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(BASE / "docker.sock"))
        try:
            open_cell().hold(BASE / "docker.sock")
        except ConfigurationError:
            return False
    return True


def keys_below_what_is_granted():
    """A directory is granted in which keys lie; only a new cell can cover them."""
    config = BASE / "home/.config"
    (config / "gh").mkdir(parents=True)
    (config / "gh/hosts.yml").write_text("token")
    cell = open_cell()
    live = cell.grant(cell.hold(config), "read")
    cells = [cell, open_cell(read=(config,))]
    assert not live
    assert succeeds(cells[1], f"ls {config}")
    return any(succeeds(one, f"cat {config}/gh/hosts.yml") for one in cells)


def nested(first, second):
    """Two grants for one block, one in the other, and one for the session between them."""
    (PUBLIC / "d/e").mkdir(parents=True)
    (PUBLIC / "d/e/f").write_text("content")
    cell = open_cell()
    grants = Grants(cell)
    for path, access in (first, second):
        grants.give(grants.hold(PUBLIC / path), access, "block")
        assert succeeds(cell, f"cat {PUBLIC}/d/e/f")
    assert (PUBLIC / "d/e/f").read_text() == "content"
    grants.give(grants.hold(PUBLIC / "d/e"), "read", "session")
    assert grants.end_block() == ""
    assert succeeds(cell, f"cat {PUBLIC}/d/e/f"), "what was granted for the session stays"
    return succeeds(cell, f"cat {PUBLIC}/file") or succeeds(cell, f"touch {PUBLIC}/d/e/new")


def inner_first():
    return nested(("d/e/f", "read"), (".", "read"))


def outer_first():
    return nested((".", "read"), ("d/e/f", "read"))


def inner_writable():
    return nested((".", "read"), ("d/e/f", "write"))


def outer_writable():
    return nested((".", "write"), ("d/e/f", "read"))


def outer_writable_later():
    return nested(("d/e/f", "read"), (".", "write"))


def a_link_below_what_may_be_written():
    """Code puts a link where the next grant will be mounted, to have it mounted elsewhere."""
    (PUBLIC / "d").mkdir()
    cell = open_cell()
    cell.grant(cell.hold(PUBLIC), "write")
    held = cell.hold(PUBLIC / "d")
    assert succeeds(cell, f"mv {PUBLIC}/d {PUBLIC}/e && ln -s /usr/bin {PUBLIC}/d")
    with contextlib.suppress(SandboxUnavailable):
        cell.grant(held, "read")
    cell.revoke(PUBLIC)  # still by the programs of /usr/bin
    return succeeds(cell, f"cat {PUBLIC}/file")


def repository_in_what_may_be_written():
    """No journal looks at git there: a hook, or an index that names one, would be the user's."""
    repository = PUBLIC / "deep/down/repository"
    subprocess.run(["git", "init", "-q", repository], check=True)
    (repository / "file").write_text("plain")
    subprocess.run(["git", "-C", repository, "add", "."], check=True, stderr=subprocess.DEVNULL)
    cell = open_cell()
    assert not cell.grant(cell.hold(PUBLIC), "write"), "a running cell cannot protect it"
    cell = open_cell(write=(PUBLIC,))
    assert succeeds(cell, f"cd {repository} && touch new && git status")
    attempts = ["touch .git/hooks/x", "touch .git/index", "git config a.b c", "mv .git x"]
    attempts += ["touch .git/rebase-merge", "mv ../repository ../other", "mv ../../down ../../up"]
    return any([succeeds(cell, f"cd {repository} && {attempt}") for attempt in attempts])


def git_directory_that_may_be_written():
    """What is asked about is the inside of a repository."""
    subprocess.run(["git", "init", "-q", PUBLIC], check=True)
    subprocess.run(["git", "init", "-q", "--bare", BASE / "bare"], check=True)
    grants = Grants(open_cell())
    for place in (PUBLIC / ".git", PUBLIC / ".git/hooks", PUBLIC / ".git/config", BASE / "bare"):
        try:
            grants.give(grants.hold(place), "write", "session")
        except ConfigurationError:
            continue
        return True
    return False


def programs_of_the_workspace_come_first_in_the_path():
    """As where the project's virtual environment is active: the host must not run what is there."""
    place, mark = WORKSPACE / ".venv/bin", BASE / "mark"
    place.mkdir(parents=True)
    names = "unshare nsenter setpriv bwrap sh bash mount umount stat mkdir rmdir rm cat git true"
    for name in names.split():
        (place / name).write_text(f"#!/bin/sh\n/bin/echo {name} >> {mark}\n")
        (place / name).chmod(0o755)
    os.environ["PATH"] = f"{place}:{os.environ['PATH']}"
    with contextlib.suppress(InterpreterError):
        cell = open_cell()
        cell.grant(cell.hold(PUBLIC), "read")
        cell.revoke(PUBLIC)
    assert settings_in(b"[user]\nname = Ann") == [("user.name", "Ann")]
    if os.getuid() == 0:
        user_namespace(Account(54321, 54321))
    with contextlib.suppress(InterpreterError):
        ShadowGit(ShadowOptions(BASE / "store", WORKSPACE)).begin("1", "block")
    return mark.exists() and mark.read_text()


def node_of_the_workspace_leads_elsewhere():
    """The place that Node lives in is shown to a cell; code says where that is, by a link."""
    place = WORKSPACE / "node_modules/.bin"
    place.mkdir(parents=True)
    (PRIZE / "bin").mkdir()
    (PRIZE / "bin/tool").write_text("#!/bin/sh\n")
    (PRIZE / "bin/tool").chmod(0o755)
    (place / "node").symlink_to(PRIZE / "bin/tool")
    os.environ["PATH"] = f"{place}:{os.environ['PATH']}"
    confinement = Confinement(programs=interpreter_places(WORKSPACE))
    host = {**os.environ, "HOME": str(BASE / "home")}
    return sees_the_prize(BubblewrapSandbox(confinement, host).open(WORKSPACE))


def interpreter_in_the_home():
    """Of a program in ~/bin, the directory above is the home: that is not shown with it."""
    (BASE / "home/letter").write_text("private")
    return succeeds(open_cell_with(BASE / "home", BASE), f"cat {BASE}/home/letter")


def open_cell_with(*places):
    confinement = Confinement(programs=(*interpreter_places(), *places))
    host = {**os.environ, "HOME": str(BASE / "home")}
    return BubblewrapSandbox(confinement, host).open(WORKSPACE)


SCENARIOS = {
    name: value
    for name, value in globals().items()
    if callable(value) and getattr(value, "__module__", "") == __name__
}

if __name__ == "__main__":
    for place in (PRIZE, PUBLIC, WORKSPACE):
        place.mkdir(parents=True)
    (PRIZE / "treasure").write_text("gold")
    (PUBLIC / "file").write_text("plain")
    escaped = SCENARIOS[sys.argv[3]]()
    sys.stdout.write(f"ESCAPED {escaped}\n" if escaped else "held\n")
