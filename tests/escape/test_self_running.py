"""Files that run by themselves are kept only with the user's yes, however they are written."""

import pytest

LATE = "echo ready; while [ ! -e go ]; do :; done; "
LARGE = "head -c 3000000 /dev/zero | tr '\\0' x"

WAYS = {
    "by one line": ("echo evil > .envrc", ".envrc"),
    "by a rename": ("echo evil > x; mv x .envrc", ".envrc"),
    "by a second name": ("echo evil > x; ln x .envrc", ".envrc"),
    "by a link": ("echo evil > x; ln -s x .envrc", ".envrc"),
    "as a large file": (f"{LARGE} > .envrc", ".envrc"),
    "deep down": ("mkdir -p a/b; echo evil > a/b/.envrc", "a/b/.envrc"),
    "in a directory": ("mkdir .vscode; echo evil > .vscode/tasks.json", ".vscode/tasks.json"),
    "in a directory that is a link": (
        "mkdir x; ln -s x .vscode; echo evil > x/tasks.json",
        ".vscode",
    ),
    "in a directory that was a link before it was there": (
        "ln -s x .cargo; mkdir x; echo evil > x/config.toml",
        ".cargo",
    ),
    "in a directory that was renamed": (
        "mkdir x; echo evil > x/tasks.json; mv x .vscode",
        ".vscode",
    ),
    "in a directory whose parent was renamed": (
        "mkdir -p x/workflows; echo evil > x/workflows/a.yml; mv x .github",
        ".github",
    ),
    "by a way round": (
        "mkdir .husky; ln -s .husky x; echo evil > x/pre-commit",
        ".husky/pre-commit",
    ),
    "by a program that was started": ("python3 -c 'open(\".pdbrc\", \"w\")'", ".pdbrc"),
    "by removing it first": ("rm kept/.envrc; echo evil > kept/.envrc", "kept/.envrc"),
    "by adding to it": ("echo evil >> kept/.envrc", "kept/.envrc"),
    "by an exchange": (
        "cp evil.sh x; python3 -c 'import ctypes; "
        'ctypes.CDLL(None).renameat2(-100, b"x", -100, b"kept/.envrc", 2)\'',
        "kept/.envrc",
    ),
    "by making it executable": ("chmod +x kept/.envrc; cat evil.sh > kept/.envrc", "kept/.envrc"),
    "as a script of a package": (
        """echo '{"scripts": {"postinstall": "sh evil.sh"}}' > package.json""",
        "package.json",
    ),
    "through what was large before": ("echo evil >> kept/large/.npmrc", "kept/large/.npmrc"),
}  # fmt: skip
SETUP = f"mkdir -p kept/large; echo mine > kept/.envrc; {LARGE} > kept/large/.npmrc"
STATE = "find . -path ./.git -prune -o -printf '%P %y %l %m\\n' | sort; cat kept/.envrc; md5sum kept/large/.npmrc"


def look(world, *steps):
    return world.ask(setup=SETUP, steps=[["user", STATE], *steps, ["user", STATE]])


@pytest.mark.parametrize("way", WAYS)
def test_what_is_not_allowed_is_put_back(guarded_world, way):
    source, path = WAYS[way]
    found = look(guarded_world, ["block", source])
    before, _, after = found["said"]
    assert found["flags"] == [[path]]
    assert "was put back" in found["notes"][0]
    assert {*after.splitlines()} - {*before.splitlines()} <= harmless(way)
    assert {*before.splitlines()} <= {*after.splitlines()}


def harmless(way):
    """What else the block made, which runs nothing and stays."""
    left = {"x f  644", "x f  755", "a d  755", "a/b d  755", ".vscode d  755", ".husky d  755"}
    left |= {"x d  755", "x/tasks.json f  644", "x/config.toml f  644", "x/workflows d  755"}
    return left | {"x/workflows/a.yml f  644", "x l .husky 777"}


@pytest.mark.parametrize("way", WAYS)
def test_what_is_allowed_stays_and_is_undone_like_all_else(guarded_world, way):
    source, path = WAYS[way]
    found = look(guarded_world, ["yes", source], ["user", f"ls -d {path}"], ["undo", ""])
    before, _, listed, problems, after = found["said"]
    assert (found["flags"], found["notes"]) == ([[path]], [])
    assert (listed.strip(), problems, after) == (path, [], before)


@pytest.mark.parametrize("way", WAYS)
def test_a_refused_block_is_undone_like_any_other(guarded_world, way):
    found = look(guarded_world, ["block", WAYS[way][0]], ["undo", ""])
    before, _, problems, after = found["said"]
    assert (problems, after) == ([], before)


@pytest.mark.parametrize("end", ["abandoned", "unanswered"])
def test_without_an_answer_it_is_put_back(guarded_world, end):
    source = "echo evil > .envrc; echo evil > kept/.envrc; echo fine > fine"
    found = guarded_world.ask(
        setup=SETUP, steps=[[end, source]], look=[".envrc", "kept/.envrc", "fine"]
    )
    missing = "cat: .envrc: No such file or directory\n"
    assert found["left"] == {".envrc": missing, "kept/.envrc": "mine\n", "fine": "fine\n"}


LATE_WAYS = {
    "a new file": "echo evil > .envrc",
    "an old file": "echo evil >> kept/.envrc",
    "a rename": "echo evil > x; mv x .envrc",
    "a directory": "mkdir y; echo evil > y/tasks.json; mv y .vscode",
    "a link": "ln -s kept .vscode",
}


@pytest.mark.parametrize("way", LATE_WAYS)
def test_a_program_that_goes_on_after_its_block_cannot_write_it(guarded_world, way):
    steps = [["leave", LATE + LATE_WAYS[way]], ["user", "touch go"], ["wait", ""]]
    found = look(guarded_world, *steps, ["user", "rm -rf x y go"])
    assert "not permitted" in found["said"][2]
    assert found["said"][-1] == found["said"][0]


def test_a_file_held_open_cannot_be_written_afterwards(guarded_world):
    for kind in ("leave", "leave_allowed"):
        source = f"exec 5>> kept/.envrc 6> .pdbrc; {LATE} echo evil >&5; echo evil >&6"
        steps = [[kind, source], ["user", "touch go"], ["wait", ""]]
        found = guarded_world.ask(setup=SETUP, steps=steps, look=["kept/.envrc", ".pdbrc"])
        assert found["left"]["kept/.envrc"] == "mine\n"
        assert "evil" not in found["left"][".pdbrc"]


ORDINARY = {
    "source": "mkdir src; echo 1 > src/main.py; echo all: > Makefile; echo 1 > conftest.py",
    "a repository": "git init -q new; mkdir new/.vscode; echo {} > new/.vscode/settings.json",
    "an environment": "mkdir -p env/lib; echo home > env/pyvenv.cfg; echo 1 > env/lib/x.pth",
    "packages": "mkdir -p node_modules/a; echo {} > node_modules/a/package.json; touch node_modules/a/.npmrc",
    "a manifest": """echo '{"scripts": {"test": "true"}}' > package.json""",
    "the same again": "cat kept/.envrc > x; cat x > kept/.envrc; touch kept/.envrc",
    "removing": "rm kept/.envrc",
    "an empty directory": "mkdir .vscode",
}  # fmt: skip


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_work_is_not_asked_about(guarded_world, name):
    found = look(guarded_world, ["block", ORDINARY[name]])
    assert (found["flags"], found["notes"], found["said"][1]) == ([], [], "")


def test_an_environment_that_was_there_is_no_new_one(guarded_world):
    setup = "mkdir -p env/lib; echo home > env/pyvenv.cfg"
    found = guarded_world.ask(setup=setup, steps=[["block", "echo 1 > env/lib/x.pth"]])
    assert found["flags"] == [["env/lib/x.pth"]]


LED_TO = {
    "a file": ("echo mine > x; ln -s x .envrc", "echo evil > x", "x"),
    "a file by two links": ("echo mine > x; ln -s x y; ln -s y .envrc", "echo evil > x", "x"),
    "a new file": (
        "mkdir -p a/b; echo mine > a/b/x; ln -s a/b .vscode",
        "echo evil > a/b/tasks.json",
        "a/b/tasks.json",
    ),
}


@pytest.mark.parametrize("name", LED_TO)
def test_what_a_link_leads_to_is_asked_about_like_the_link(guarded_world, name):
    setup, source, path = LED_TO[name]
    found = guarded_world.ask(
        setup=setup,
        steps=[["block", source], ["user", "cat x a/b/*"], ["yes", source], ["block", "true"]],
    )
    assert found["flags"] == [[path], [path]]
    assert "evil" not in found["said"][1]


def test_what_an_allowed_link_leads_to_is_asked_about_later(guarded_world):
    steps = [["yes", "echo fine > x; ln -s x .envrc"], ["block", "echo evil > x"]]
    found = guarded_world.ask(steps=[*steps, ["user", "cat x"]])
    assert found["flags"] == [[".envrc"], ["x"]]
    assert found["said"][-1] == "fine\n"
