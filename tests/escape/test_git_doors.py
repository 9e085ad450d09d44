"""Code cannot have the user's git run anything, by whatever it leaves in the workspace."""

import pytest

CONFIG = "printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = %s\\n' $EVIL"
PREPARED = f"mkdir -p p/objects p/refs; {CONFIG} > p/config; echo ref: refs/heads/main > p/HEAD"
NEARLY = f"mkdir -p p/refs/heads p/objects; {CONFIG} > p/config"
REPOSITORY = "git init -q sub; git -C sub commit -q --allow-empty -m first"
PYTHON = "python3 -c 'import os, ctypes, mmap\nlibc = ctypes.CDLL(None)\n%s'"
EXCHANGE = PYTHON % 'libc.renameat2(-100, b"%s", -100, b"%s", 2)'
HELD = """
os.makedirs("p/refs/heads"), os.mkdir("p/objects")
file = open("p/config", "w+"); file.write("#" * 200); file.flush()
memory = mmap.mmap(file.fileno(), 200)
open("p/HEAD", "w").write("ref: refs/heads/main")
text = b"[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = " + os.environb[b"EVIL"] + b"\\n"
memory[:200] = text.ljust(200, b"#")
"""

INDEX = r"""
import hashlib, struct, subprocess, sys
def index(path, *names):
    words = ["git", "hash-object", "-w", os.environ["EVIL"]]
    blob = bytes.fromhex(subprocess.run(words, stdout=subprocess.PIPE, text=True).stdout.strip())
    data = struct.pack(">4sII", b"DIRC", 2, len(names))
    for name in names:
        entry = struct.pack(">10I", 0, 0, 0, 0, 0, 0, 0o100755, 0, 0, 0) + blob
        entry += struct.pack(">H", len(name)) + name
        data += entry.ljust((len(entry) // 8 + 1) * 8, b"\0")
    open(path, "wb").write(data + hashlib.sha1(data).digest())
%s"""
STAGED = PYTHON % INDEX
CHECK_OUT = "git checkout -- .; git checkout -- ."
TODO = "echo a > a; git add a; git commit -qm a; git rebase -q -f -x false HEAD~1"

ATTACKS = {
    "an index that names a hook": (
        STAGED % 'index(".git/index", b".git/hooks/post-checkout")',
        CHECK_OUT,
    ),
    "an index that names a hook, renamed as git does": (
        STAGED % 'index(".git/index.lock", b".git/hooks/post-checkout")\n'
        'os.rename(".git/index.lock", ".git/index")',
        CHECK_OUT,
    ),
    "an index that names a hook, exchanged": (
        "git add evil.sh;" + STAGED % 'index("x", b".git/hooks/post-checkout")\n'
        'libc.renameat2(-100, b"x", -100, b".git/index", 2)',
        CHECK_OUT,
    ),
    "an index that names a place outside": (
        STAGED % 'index(".git/index.lock", b"../bin/git-x")\n'
        'os.rename(".git/index.lock", ".git/index")',
        "git checkout -- .; PATH=$PWD/../bin:$PATH git x",
    ),
    "an index written by its second name": (
        "git add evil.sh; ln .git/index x;" + STAGED % 'index("x", b".git/hooks/post-checkout")',
        CHECK_OUT,
    ),
    "an index of a directory that becomes a repository": (
        "git init -q r; mv r/.git p; rm p/HEAD;"
        + "export GIT_OBJECT_DIRECTORY=p/objects;"
        + STAGED % 'index("p/index", b".git/hooks/post-checkout")'
        + "; echo ref: refs/heads/main > p/HEAD; mkdir sub; mv p sub/.git",
        f"cd sub; {CHECK_OUT}",
    ),
    "an index in two parts": (
        STAGED % 'index(".git/sharedindex_x", b".git/hooks/post-checkout")\n'
        'data = open(".git/sharedindex_x", "rb").read()\n'
        'os.rename(".git/sharedindex_x", ".git/sharedindex." + data[-20:].hex())\n'
        'data = struct.pack(">4sII4sI", b"DIRC", 2, 0, b"link", 60) + data[-20:]\n'
        'data += struct.pack(">IIQI", 0, 1, 0, 0) * 2\n'
        'open(".git/index.lock", "wb").write(data + hashlib.sha1(data).digest())\n'
        'os.rename(".git/index.lock", ".git/index")',
        CHECK_OUT,
    ),
    "a command in the plan of a rebase": (
        f"{TODO}; echo exec $EVIL > .git/rebase-merge/git-rebase-todo",
        "git rebase --continue",
    ),
    "a command in a plan that a block made up": (
        "echo a > a; git add a; git commit -qm a; mkdir .git/rebase-merge; cd .git/rebase-merge; "
        "git rev-parse HEAD > onto; cp onto orig-head; echo detached HEAD > head-name; "
        "touch interactive; echo 1 > end; echo 0 > msgnum; echo x  $EVIL > git-rebase-todo; touch done",
        "git rebase --continue",
    ),
    "a commondir that leads elsewhere": (f"{NEARLY}; echo ../p > .git/commondir", "git status"),
    "one more line in the configuration": (
        'printf "[core] fsmonitor = $EVIL\\n" >> .git/config',
        "git status",
    ),
    "one more line in a new repository": (
        f'{REPOSITORY}; printf "[core] fsmonitor = $EVIL\\n" >> sub/.git/config',
        "git -C sub status",
    ),
    "a setting that git writes": (
        f"{REPOSITORY}; git -C sub config core.fsmonitor $EVIL",
        "git -C sub status",
    ),
    "a setting in the repository that was found": (
        "git config core.fsmonitor $EVIL",
        "git status",
    ),
    "a .git file": (f"{PREPARED}; mkdir sub; echo gitdir: ../p > sub/.git", "git -C sub status"),
    "a .git that is a link": (f"{PREPARED}; mkdir sub; ln -s ../p sub/.git", "git -C sub status"),
    "a .git that was renamed": (f"{NEARLY}; mkdir sub; mv p sub/.git; "
        "echo ref: refs/heads/main > sub/.git/HEAD", "git -C sub status"),
    "a .git that was exchanged": (
        f"{NEARLY}; {REPOSITORY}; cp sub/.git/HEAD p; {EXCHANGE % ('p', 'sub/.git')}",
        "git -C sub status",
    ),
    "a bare repository, HEAD last": (
        f"{NEARLY}; echo ref: refs/heads/main > p/HEAD",
        "git -C p status; git -C p --work-tree=. status",
    ),
    "a bare repository, its objects last": (
        f"{NEARLY}; rmdir p/objects; echo ref: refs/heads/main > p/HEAD; mkdir p/objects",
        "git -C p --work-tree=. status",
    ),
    "a bare repository, its configuration last": (
        "git init -q --bare p; " + CONFIG + " > p/config",
        "git -C p --work-tree=. status",
    ),
    "a bare repository whose objects are elsewhere": (
        f"{NEARLY}; echo ../p > evil; mkdir q; mv evil q/commondir; cp .git/HEAD q",
        "git -C q --work-tree=. status",
    ),
    "a workspace that is a bare repository": (
        f"mkdir refs objects; {CONFIG} > config; rm -rf .git; cp $OLDPWD/HEAD . 2>/dev/null; "
        "echo ref: refs/heads/main > HEAD",
        "git --git-dir=. --work-tree=. status",
    ),
    "a configuration held open, and mapped": (PYTHON % HELD, "git -C p --work-tree=. status"),
    "a hook": (f"{REPOSITORY}; cp evil.sh sub/.git/hooks/post-commit",
        "git -C sub commit --allow-empty -m x"),
    "a hook that was renamed": (
        f"{REPOSITORY}; cp evil.sh x; mv x sub/.git/hooks/post-commit",
        "git -C sub commit --allow-empty -m x",
    ),
    "a sample that becomes a hook": (
        f"{REPOSITORY}; cp evil.sh sub/.git/hooks/post-commit.sample; "
        "mv sub/.git/hooks/post-commit.sample sub/.git/hooks/post-commit",
        "git -C sub commit --allow-empty -m x",
    ),
    "a hook that is a second name": (
        f"{REPOSITORY}; ln evil.sh sub/.git/hooks/post-commit",
        "git -C sub commit --allow-empty -m x",
    ),
    "hooks that are a link": (
        f"{REPOSITORY}; rm -r sub/.git/hooks; mkdir h; cp evil.sh h/post-commit; "
        "ln -s ../../h sub/.git/hooks",
        "git -C sub commit --allow-empty -m x",
    ),
    "hooks that were renamed": (
        f"{REPOSITORY}; rm -r sub/.git/hooks; mkdir h; cp evil.sh h/post-commit; "
        "mv h sub/.git/hooks",
        "git -C sub commit --allow-empty -m x",
    ),
    "hooks reached by a link": (
        f"{REPOSITORY}; ln -s sub/.git/hooks h; cp evil.sh h/post-commit",
        "git -C sub commit --allow-empty -m x",
    ),
    "hooks in a directory that is entered": (
        f"{REPOSITORY}; mkdir -p sub/.git/hooks; cd sub/.git/hooks; cp $EVIL post-commit",
        "git -C sub commit --allow-empty -m x",
    ),
    "a repository moved away, changed and moved back": (
        f"{REPOSITORY}; mv sub/.git x; rm x/HEAD; {CONFIG} >> x/config; "
        "echo ref: refs/heads/main > x/HEAD; mv x sub/.git",
        "git -C sub status",
    ),
    "a repository that comes with its hooks": (
        "git init -q /tmp/r; cp evil.sh /tmp/r/.git/hooks/post-commit; cp -r /tmp/r sub; rm -rf /tmp/r",
        "git -C sub commit --allow-empty -m x",
    ),
    "a second name of a configuration": (
        f'{REPOSITORY}; ln sub/.git/config c; printf "[core] fsmonitor = $EVIL\\n" >> c',
        "git -C sub status",
    ),
    "a configuration by its descriptor": (
        f"{REPOSITORY}; exec 5< sub/.git/config; "
        'printf "[core]\\nfsmonitor = $EVIL\\n" >> /proc/self/fd/5',
        "git -C sub status",
    ),
    "a configuration that includes another": (
        f"{REPOSITORY}; {CONFIG} > c; git -C sub config include.path ../../c",
        "git -C sub status",
    ),
    "a configuration of one worktree": (
        f"{REPOSITORY}; git -C sub config extensions.worktreeConfig true; "
        f"{CONFIG} > sub/.git/config.worktree",
        "git -C sub status",
    ),
    "a directory of hooks that the configuration names": (
        "mkdir -p tools; cp evil.sh tools/post-commit",
        "git commit --allow-empty -m x",
        "mkdir tools; git config core.hooksPath tools",
    ),
    "a file that the configuration includes": (
        f"{CONFIG} > shared",
        "git status",
        "touch shared; git config include.path ../shared",
    ),
}  # fmt: skip


def attack(world, name, *, walls):
    source, command, *setup = ATTACKS[name]
    steps = [["block", source], ["user", command]]
    return world.ask(steps=steps, walls=walls, setup="".join(setup))


@pytest.mark.parametrize("name", ATTACKS)
def test_the_users_git_runs_nothing_of_the_codes(guarded_world, name):
    found = attack(guarded_world, name, walls=True)
    assert not found["ran"], found


@pytest.mark.parametrize("name", ATTACKS)
def test_without_walls_it_runs(guarded_world, name):
    """The control."""
    assert attack(guarded_world, name, walls=False)["ran"]


WORK = {
    "commit": "echo a > a; git add a; git commit -qm second",
    "branch": "git checkout -qb other; git branch -m other third; git tag v1; git branch fourth",
    "merge": "git checkout -qb x; echo a > a; git add a; git commit -qm a; git checkout -q -; "
    "echo b > b; git add b; git commit -qm b; git merge -q -m merged x",
    "conflict": "echo a > a; git add a; git commit -qm a; git checkout -qb x HEAD~1; echo b > a; "
    "git add a; git commit -qm b; git merge x - ; git rebase -q main || git rebase -q master; "
    "echo c > a; git add a; GIT_EDITOR=true git rebase --continue -q",
    "stash": "echo a > a; git add a; git stash -q; git stash list; git stash pop -q",
    "rebase": "git checkout -qb x; for n in 1 2 3; do echo $n > f$n; git add .; git commit -qm $n; "
    "done; git rebase -q --onto HEAD~3 HEAD~1; git cherry-pick -x ORIG_HEAD~1 || true",
    "amend and reset": "echo a > a; git add a; git commit -q --amend -m other; git reset -q --hard",
    "tidy": "echo a > a; git add a; git commit -qm a; git gc -q; git pack-refs --all; git reflog",
    "start": "git init -q new; cd new; git config user.name Ann; echo a > a; git add a; "
    "git commit -qm first; git status",
    "start bare": "git init -q --bare new.git; git -C new.git branch -a; git push -q new.git HEAD:refs/heads/x",
    "fetch": "git fetch -q sister; git log -1 FETCH_HEAD; git merge -q -m merged FETCH_HEAD",
    "restore": "git rm -q --cached evil.sh; git reset -q; rm evil.sh; git restore .; git checkout -q HEAD -- .; git clean -fdq",
    "bisect": "for n in 1 2 3; do git commit -q --allow-empty -m $n; done; "
    "git bisect start -q HEAD HEAD~3; git bisect good; git bisect reset",
    "split index": "git update-index --split-index; echo a > a; git add a; git commit -qm a; "
    "echo b > a; git add a; git rm -q --cached evil.sh; git update-index --no-split-index",
    "notes": "git notes add -m note; git notes show",
}
SISTER = "git clone -q . sister; git -C sister commit -q --allow-empty -m theirs; git add evil.sh; git commit -qm evil"
STATE = (
    "git status --porcelain=v2 --branch; git log --all --format='%H %d'; git stash list; ls -A; "
    "git fsck --no-progress; find .git -path .git/objects -prune -o -type f -print | sort"
)


@pytest.mark.parametrize("name", WORK)
def test_git_works_in_a_cell_without_a_question_and_is_undone(guarded_world, name):
    steps = [["user", STATE], ["block", f"set -e; {WORK[name]}"], ["undo", ""], ["user", STATE]]
    found = guarded_world.ask(steps=steps, setup=SISTER)
    before, said, problems, after = found["said"]
    for fault in ("fatal", "error:", "Operation not permitted", "Permission denied"):
        assert fault not in said
    assert (problems, found["questions"], found["notes"]) == ([], [], [])
    assert after == before


def test_a_clone_is_asked_about_with_the_lines_that_it_writes(guarded_world):
    steps = [
        ["yes", "git clone -q . copy && git -C copy log --format=%s"],
        ["block", "ls copy/.git"],
    ]
    found = guarded_world.ask(steps=steps)
    assert found["said"][0] == "first\n"
    lines = {line for _, why in found["questions"] for line in why.splitlines()[1:]}
    assert {line.partition(" = ")[0] for line in lines} == {
        "remote.origin.url",
        "remote.origin.fetch",
    }
    assert {path for path, _ in found["questions"]} == {"copy/.git/config"}


@pytest.mark.parametrize(("kind", "is_set"), [("yes", True), ("block", False)])
def test_a_setting_is_written_only_after_a_yes(guarded_world, kind, is_set):
    steps = [[kind, "git config alias.st 'status -s'; git config alias.st"]]
    steps += [["user", "git config alias.st || true"]]
    found = guarded_world.ask(steps=steps)
    assert found["questions"] == [[".git/config", "settings of git:\nalias.st = status -s"]]
    assert ("status -s" in found["said"][0]) is is_set
    assert found["said"][1] == ("status -s\n" if is_set else "")


def test_what_is_written_is_what_was_shown(guarded_world):
    """The lock file is changed while the question is open."""
    source = """
import os, subprocess
subprocess.run(["git", "init", "-q", "sub"])
lock = "sub/.git/config.lock"
file = open(lock, "w")
file.write("[alias]\\n\\tst = status\\n")
file.flush()
if os.fork() == 0:
    while os.path.exists(lock):
        pass
    file.write("[core]\\n\\tfsmonitor = " + os.environ["EVIL"] + "\\n")
    file.flush()
    os._exit(0)
os.rename(lock, "sub/.git/config")
os.wait()
"""
    found = guarded_world.ask(steps=[["yes", source], ["user", "cat sub/.git/config"]])
    assert found["said"][1] == "[alias]\n\tst = status\n"
    assert [why for _, why in found["questions"]] == ["settings of git:\nalias.st = status"]


def test_a_refused_write_is_told(guarded_world):
    found = guarded_world.ask(steps=[["block", "git init -q sub; touch sub/.git/hooks/pre-commit"]])
    assert len(found["notes"]) == 1
    assert "sub/.git/hooks/pre-commit could make git run programs" in found["notes"][0]
    assert "Operation not permitted" in found["said"][0]


def test_repositories_are_removed_and_moved_as_ever(guarded_world):
    source = "set -e; git init -q a; git -C a commit -q --allow-empty -m x; mv a b; "
    source += "git -C b log --format=%s; mv b/.git c; git --git-dir=c log --format=%s; rm -rf b c"
    assert guarded_world.ask(steps=[["block", source], ["user", "ls"]])["said"] == [
        "x\nx\n",
        "evil.sh\n",
    ]
