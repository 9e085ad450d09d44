"""Cells by bubblewrap: what each level shows, what can be granted, and how a cell ends."""

import os
import pwd
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from interpreter.protocol.errors import ConfigurationError, Died, SandboxUnavailable
from interpreter.sandboxes.backends.bubblewrap import Bubblewrap, BubblewrapSandbox, find_bubblewrap
from interpreter.sandboxes.cell import view
from interpreter.sandboxes.confinement import CellLimits, Confinement, interpreter_places

HANG = 60
IDENTITY = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
OPEN_NETWORK = ["--unshare-user", "--unshare-pid", "--as-pid-1"]
PLAIN = Confinement(programs=interpreter_places())


REAL_HOME = pwd.getpwuid(os.getuid()).pw_dir  # each test has another one in its environment


@pytest.fixture
def place():
    """A directory that is not below /tmp, which every cell has its own of."""
    with tempfile.TemporaryDirectory(dir=REAL_HOME) as name:
        yield Path(name)


@pytest.fixture
def opened(tmp_path):
    cells = []

    def open_cell(workspace=None, confinement=PLAIN, **options):
        workspace = workspace or tmp_path / "workspace"
        workspace.mkdir(exist_ok=True)
        cells.append(BubblewrapSandbox(confinement, os.environ, **options).open(workspace))
        return cells[-1]

    yield open_cell
    for cell in cells:
        cell.close()


def shell(cell, script):
    program = cell.launch(["sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    with program.stdout as stdout:
        text = stdout.read().decode()
    return program.wait(HANG), text


def succeeds(cell, script):
    return shell(cell, script)[0] == 0


def test_read_only_shows_the_workspace_and_writes_only_to_tmp(opened, tmp_path):
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace/data").write_text("here")
    cell = opened(confinement=replace(PLAIN, level="read-only"))
    assert shell(cell, "cat data") == (0, "here")
    assert not succeeds(cell, "touch new")
    assert not succeeds(cell, "echo x > data")
    assert succeeds(cell, "touch /tmp/new")


def test_trusted_shows_the_home_without_its_keys(opened, place, monkeypatch):
    monkeypatch.setenv("HOME", str(place))
    (place / "notes").write_text("mine")
    (place / ".ssh").mkdir()
    (place / ".ssh/id_rsa").write_text("CANARY")
    (place / ".netrc").write_text("CANARY")
    (place / "project").mkdir()
    (place / "ours").mkdir()
    (place / "ours/keys").write_text("CANARY")
    confinement = replace(PLAIN, level="trusted", hidden=(place / "ours",))
    cell = opened(place / "project", confinement)
    assert shell(cell, "cat ~/notes") == (0, "mine")
    assert not succeeds(cell, "touch ~/new")
    for secret in (".ssh/id_rsa", "ours/keys", ".netrc"):
        assert "CANARY" not in shell(cell, f"cat ~/{secret}")[1]
    assert succeeds(cell, "touch here")


def test_trusted_can_use_the_network_and_workspace_cannot(opened):
    count = "import socket; print(len(socket.if_nameindex()))"
    host = int(subprocess.check_output([sys.executable, "-c", count]))
    trusted = opened(confinement=replace(PLAIN, level="trusted"))
    assert int(shell(trusted, f"{sys.executable} -c '{count}'")[1]) == host
    assert int(shell(opened(), f"{sys.executable} -c '{count}'")[1]) == 1


def test_a_home_as_workspace_hides_its_keys_and_protects_what_runs_at_login(
    opened, place, monkeypatch
):
    monkeypatch.setenv("HOME", str(place))
    (place / ".bashrc").write_text("mine")
    (place / ".config/git").mkdir(parents=True)
    (place / ".ssh").mkdir()
    (place / ".ssh/id_rsa").write_text("CANARY")
    cell = opened(place)
    assert succeeds(cell, "touch notes")
    assert not succeeds(cell, "echo evil >> .bashrc")
    assert not succeeds(cell, "mv .bashrc b")
    assert not succeeds(cell, "mv .config c")
    assert not succeeds(cell, "touch .config/git/config")
    assert "CANARY" not in shell(cell, "cat .ssh/id_rsa")[1]
    assert (place / ".bashrc").read_text() == "mine"


def test_in_a_home_our_own_places_cannot_be_made_anew_beside_the_hidden_ones(
    opened, place, monkeypatch
):
    monkeypatch.setenv("HOME", str(place))
    for name in (".config/git", ".config/fish", ".config/reploop"):
        (place / name).mkdir(parents=True)
    hidden = (place / ".config/reploop",)
    cell = opened(workspace=place, confinement=replace(PLAIN, hidden=hidden))
    assert not succeeds(cell, "mv ~/.config ~/away")
    assert not succeeds(cell, "echo x > ~/.config/git/config")
    assert not succeeds(cell, "echo x > ~/.config/fish/config.fish")
    shell(cell, "echo 'sandbox: off' > ~/.config/reploop/settings.yaml")
    assert list((place / ".config/reploop").iterdir()) == []
    assert succeeds(cell, "echo x > ~/.config/other && echo x > ~/a-file")


@pytest.mark.parametrize("workspace", ["/", "/etc", "/usr", "/home", "/tmp", "/no/such/place"])
def test_places_of_the_system_are_no_workspaces(workspace):
    with pytest.raises(ConfigurationError):
        BubblewrapSandbox(PLAIN, os.environ).open(Path(workspace))


def test_a_link_to_the_system_is_no_workspace_either(tmp_path):
    (tmp_path / "link").symlink_to("/")
    with pytest.raises(ConfigurationError):
        BubblewrapSandbox(PLAIN, os.environ).open(tmp_path / "link")


def test_an_unknown_level_is_an_error():
    with pytest.raises(ConfigurationError, match="read-only, workspace, trusted, off"):
        Confinement(level="yolo")


def test_an_interpreter_in_the_workspace_is_protected_from_it(opened, place):
    inner = place / "deep/venv"
    (inner / "bin").mkdir(parents=True)
    (inner / "bin/python").write_text("ours")
    cell = opened(place, replace(PLAIN, programs=(*PLAIN.programs, inner)))
    assert not succeeds(cell, "echo evil > deep/venv/bin/python")
    assert not succeeds(cell, "mv deep/venv deep/other")
    assert not succeeds(cell, "mv deep other")
    assert succeeds(cell, "touch deep/beside")


def test_a_git_file_that_points_elsewhere_cannot_be_redirected(opened, place):
    (place / ".git").write_text("gitdir: /somewhere\n")
    cell = opened(place)
    assert not succeeds(cell, "echo 'gitdir: /tmp/evil' > .git")
    assert not succeeds(cell, "mv .git other")


def test_a_directory_is_granted_to_the_running_cell_and_taken_back(opened, place):
    (place / "data").write_text("hello")
    cell = opened()
    running = cell.launch(["sh"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert not succeeds(cell, f"cat {place}/data")
    assert cell.is_live
    assert cell.grant(cell.hold(place), "read")
    with running.stdin as stdin, running.stdout as stdout:
        stdin.write(f"cat {place}/data\n".encode())
        stdin.close()
        assert stdout.read() == b"hello"
    running.wait(HANG)
    assert not succeeds(cell, f"touch {place}/new")
    assert not succeeds(cell, f"echo x > {place}/data")
    cell.revoke(place)
    assert not succeeds(cell, f"cat {place}/data")


def test_a_grant_may_be_for_writing_and_may_change(opened, place):
    cell = opened()
    assert cell.grant(cell.hold(place), "write")
    assert succeeds(cell, f"touch {place}/new")
    assert (place / "new").exists()
    assert cell.grant(cell.hold(place), "read")
    assert not succeeds(cell, f"touch {place}/newer")


def test_a_single_file_is_granted_without_what_is_beside_it(opened, place):
    (place / "data").write_text("hello")
    (place / "other").write_text("secret")
    cell = opened()
    assert cell.grant(cell.hold(place / "data"), "read")
    assert shell(cell, f"cat {place}/data") == (0, "hello")
    assert not succeeds(cell, f"cat {place}/other")


def test_a_link_grants_what_it_leads_to_at_the_moment_of_the_question(opened, place):
    (place / "real").mkdir()
    (place / "real/data").write_text("hello")
    (place / "link").symlink_to(place / "real")
    cell = opened()
    held = cell.hold(place / "link")
    assert held.path == place / "real"
    (place / "link").unlink()
    assert cell.grant(held, "read")
    assert shell(cell, f"cat {place}/real/data") == (0, "hello")


def test_keys_and_the_whole_home_are_never_granted(opened, place, monkeypatch):
    monkeypatch.setenv("HOME", str(place))
    (place / ".ssh").mkdir()
    (place / "ours").mkdir()
    (place / "w").mkdir()
    cell = opened(place / "w", replace(PLAIN, hidden=(place / "ours",)))
    for path in (place, place.parent, place / ".ssh", place / "ours", Path("/")):
        with pytest.raises(ConfigurationError, match="never granted"):
            cell.hold(path)
    with pytest.raises(ConfigurationError, match="does not exist"):
        cell.hold(place / "missing")


@pytest.mark.parametrize("options", [{"live": False}, {}])
def test_what_cannot_be_granted_live_says_so(opened, tmp_path, options):
    """/tmp is the cell's own, so what the host has there can only be shown by a new cell."""
    other = tmp_path / "other"
    other.mkdir()
    cell = opened(**options)
    assert cell.grant(cell.hold(other), "read") is False


def test_a_new_cell_shows_what_was_granted(opened, tmp_path, place):
    other = tmp_path / "other"
    other.mkdir()
    (other / "data").write_text("hello")
    cell = opened(confinement=replace(PLAIN, read=(other,), write=(place,)))
    assert shell(cell, f"cat {other}/data") == (0, "hello")
    assert not succeeds(cell, f"touch {other}/new")
    assert succeeds(cell, f"touch {place}/new")


def test_a_cell_whose_walls_do_not_hold_is_not_opened(monkeypatch, tmp_path, place):
    monkeypatch.setenv("HOME", str(place))
    real, outside = view.mounts, view.Mount("read", Path(tempfile.gettempdir()))
    monkeypatch.setattr(view, "mounts", lambda *given, **more: [*real(*given, **more), outside])
    with pytest.raises(SandboxUnavailable, match="files outside can be read"):
        BubblewrapSandbox(PLAIN, os.environ).open(tmp_path)


def test_an_open_network_is_noticed(monkeypatch, tmp_path):
    monkeypatch.setattr(
        "interpreter.sandboxes.backends.bubblewrap._isolation", lambda *_: OPEN_NETWORK
    )
    with pytest.raises(SandboxUnavailable, match="network can be reached"):
        BubblewrapSandbox(PLAIN, os.environ).open(tmp_path)


def test_a_bubblewrap_that_fails_is_quoted_and_nothing_is_left(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "workspace").mkdir()
    broken = Bubblewrap(find_bubblewrap().path, frozenset({"--size"}))
    monkeypatch.setattr("interpreter.sandboxes.backends.bubblewrap.find_bubblewrap", lambda: broken)
    monkeypatch.setattr(
        "interpreter.sandboxes.backends.bubblewrap._isolation", lambda *_: ["--no-such-option"]
    )
    with pytest.raises(SandboxUnavailable, match="no-such-option"):
        BubblewrapSandbox(PLAIN, os.environ).open(tmp_path / "workspace")
    assert list(tmp_path.glob("reploop-*")) == []


def test_options_that_an_old_bubblewrap_lacks_are_not_used(opened, monkeypatch):
    old = Bubblewrap(find_bubblewrap().path, frozenset())
    monkeypatch.setattr("interpreter.sandboxes.backends.bubblewrap.find_bubblewrap", lambda: old)
    assert succeeds(opened(), "touch here")


def test_a_missing_bubblewrap_says_how_to_install_it(tmp_path):
    with pytest.raises(SandboxUnavailable, match="apt install bubblewrap"):
        find_bubblewrap(str(tmp_path))


def test_keys_of_the_host_do_not_enter_and_chosen_variables_do(opened, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "CANARY")
    monkeypatch.setenv("LC_TIME", "C.UTF-8")
    cell = opened()
    text = shell(cell, "env; cat /proc/*/environ | tr '\\0' '\\n'")[1]
    assert "CANARY" not in text
    assert "LC_TIME=C.UTF-8" in text


def test_closing_ends_what_runs_in_the_background(opened):
    cell = opened()
    path = cell.exchange / "alive"
    os.mkfifo(path)
    assert shell(cell, f"(setsid nohup sh -c 'exec 3>{path}; sleep 600' &) >/dev/null 2>&1")[0] == 0
    with path.open("rb") as fifo:
        cell.close()
        assert fifo.read() == b""  # ends when its last writer has


def test_a_cell_outlives_the_thread_that_opened_it(opened):
    cells = []
    thread = threading.Thread(target=lambda: cells.append(opened()))
    thread.start()
    thread.join(HANG)
    assert succeeds(cells[0], "true")


def test_a_cell_ends_with_the_program_that_opened_it(tmp_path):
    script = (
        "import os, sys, subprocess\nfrom pathlib import Path\n"
        "from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox\n"
        "from interpreter.sandboxes.confinement import Confinement, interpreter_places\n"
        "sandbox = BubblewrapSandbox(Confinement(programs=interpreter_places()), os.environ)\n"
        f"cell = sandbox.open(Path({str(tmp_path)!r}))\n"
        "cell.launch(['sh', '-c', 'echo up; sleep 600'], stdout=1)\n"
        "sys.stdin.read()\n"
    )
    host = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with host:
        assert host.stdout.readline() == b"up\n"
        host.kill()
        assert host.stdout.read() == b""  # the program inside held it open


def test_killing_everything_inside_leaves_the_cell_usable(opened):
    cell = opened()
    victim = cell.launch(["sleep", "600"])
    shell(cell, "kill -9 -1")
    assert victim.wait(HANG) == -signal.SIGKILL
    assert succeeds(cell, "true")


def test_a_cell_that_was_closed_refuses_politely(opened):
    cell = opened()
    cell.close()
    with pytest.raises(Died, match="start the session again"):
        cell.launch(["true"])


def test_running_programs_are_known(opened):
    cell = opened()
    sleeper = cell.launch(["sleep", "600"])
    assert cell.programs == (sleeper,)
    sleeper.kill()
    sleeper.wait(HANG)
    assert cell.programs == ()


def test_a_flood_of_output_does_not_fill_anything(opened):
    """What nobody reads waits in a pipe; the host keeps none of it."""
    cell = opened()
    flood = cell.launch(["yes"], stdout=subprocess.PIPE)
    assert succeeds(cell, "true")
    flood.kill()
    flood.wait(HANG)
    flood.stdout.close()


def test_a_hungry_child_is_ended_and_the_user_is_told(opened):
    notices = []
    told = threading.Event()

    def notice(text):
        notices.append(text)
        told.set()

    limits = CellLimits(memory_mb=200)
    cell = opened(confinement=replace(PLAIN, limits=limits), notice=notice)
    hungry = "b = bytearray(120 << 20); b[::4096] = b[1::4096]; import signal; signal.pause()"
    parent = (
        "import os, subprocess, sys\n"
        f"c = [subprocess.Popen([sys.executable, '-c', {hungry!r}]) for _ in range(3)]\n"
        "print(os.wait()[1] & 127)\n"
        "[p.kill() for p in c]"
    )
    program = cell.launch([sys.executable, "-c", parent], stdout=subprocess.PIPE)
    with program.stdout as stdout:
        assert stdout.read() == b"9\n"
    assert told.wait(HANG)
    assert "largest process was ended" in notices[0]
    assert program.wait(HANG) == 0


def test_git_works_in_a_worktree_and_its_repository_stays_as_it_is(opened, place):
    main, tree = place / "main", place / "tree"
    for words in (
        ["init", "-q", str(main)],
        [*IDENTITY, "-C", str(main), "commit", "-q", "--allow-empty", "-m", "first words"],
        ["-C", str(main), "worktree", "add", "-q", str(tree)],
    ):
        subprocess.run(["git", *words], check=True)
    cell = opened(tree)
    assert "first words" in shell(cell, "git log")[1]
    for target in (".git", f"{main}/.git/hooks/post-checkout", f"{main}/.git/config"):
        assert not succeeds(cell, f"echo evil >> {target}")
    assert not succeeds(cell, f"ls {main}/..  | grep main && ls {main}/file")


def test_a_git_file_that_somebody_made_up_shows_nothing(opened, place):
    secret, work = place / "secret", place / "work"
    (secret / ".git").mkdir(parents=True)
    work.mkdir()
    (secret / ".git/HEAD").write_text("ref: refs/heads/main")
    (secret / ".git/commondir").write_text(".")
    for claim in (f"gitdir: {secret}/.git", f"gitdir: {secret}", "gitdir: /etc", "", "\0"):
        (work / ".git").write_text(claim)
        assert not succeeds(opened(work), f"ls {secret}/.git")


def git(*words):
    subprocess.run(["git", *IDENTITY, "-c", "protocol.file.allow=always", *words], check=True)


@pytest.fixture
def submodule(place):
    """A repository within a repository, as `git submodule add` leaves it."""
    library, outer = place / "library", place / "outer"
    for repository in (library, outer):
        git("init", "-q", str(repository))
        git("-C", str(repository), "commit", "-q", "--allow-empty", "-m", f"in {repository.name}")
    git("-C", str(outer), "submodule", "--quiet", "add", str(library), "sub/library")
    return outer / "sub/library"


def test_git_works_in_a_submodule_and_its_repository_stays_as_it_is(opened, submodule):
    cell = opened(submodule)
    (submodule / "new").write_text("x")
    assert "in library" in shell(cell, "git log")[1]
    assert "new" in shell(cell, "git status --short")[1]
    repository = submodule.parents[1] / ".git/modules/sub/library"
    for target in (".git", f"{repository}/hooks/post-checkout", f"{repository}/config"):
        assert not succeeds(cell, f"echo evil >> {target}")
    assert not succeeds(cell, f"cat {submodule.parents[1]}/.git/HEAD")
    assert not succeeds(cell, f"cat {submodule.parents[1]}/.gitmodules")


def test_a_submodule_of_another_place_is_not_shown(opened, submodule, place):
    other = place / "other"
    other.mkdir()
    repository = submodule.parents[1] / ".git/modules/sub/library"
    (other / ".git").write_text(f"gitdir: {repository}")
    assert not succeeds(opened(other), f"cat {repository}/HEAD")
