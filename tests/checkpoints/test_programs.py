"""What real programs do to files is undone and redone: shells, Node, git, sqlite, tar, pip."""

import os
import shutil
import sys

import pytest

PROGRAMS = {
    "shell": "mkdir -p a/b; seq 100 > a/b/n; sed -i s/5/x/ a/b/n; mv a c; ln -s c a; "
    "echo z >> one; "
    "truncate -s 3 two; chmod 600 two; rm -rf deep; cp -r c copy; : > empty",
    "git": "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm 1 && "
    "echo change >> one && git stash -q && git checkout -q -b other && git gc -q",
    "sqlite": f"""{sys.executable} -c "
import sqlite3
for name in ('old.db', 'new.db'):
    db = sqlite3.connect(name)
    db.execute('pragma journal_mode=wal')
    db.execute('create table if not exists t (x)')
    db.executemany('insert into t values (?)', [(i,) for i in range(500)])
    db.commit()
    db.close()
" """,
    "tar": "tar czf all.tar.gz one two deep && mkdir out && tar xzf all.tar.gz -C out && "
    "tar xzf all.tar.gz --overwrite && rm all.tar.gz && rm -r out/deep",
    "mmap": f"""{sys.executable} -c "
import mmap, os
with open('one', 'r+b') as file:
    with mmap.mmap(file.fileno(), 0) as memory:
        memory[0:2] = b'XX'
os.posix_fallocate(os.open('two', os.O_RDWR), 0, 100000)
os.truncate('deep/x/y', 1)
" """,
    "find and delete": "find . -type f -name 'y*' -delete; find . -type d -empty -delete",
    "sockets and pipes": f"""mkfifo pipe; {sys.executable} -c "
import socket
socket.socket(socket.AF_UNIX).bind('sock')
" """,
    "hard links": "ln one hard; echo more >> hard; mv one moved; rm two2; echo w > two",
    "replaced": "for i in 1 2 3; do echo $i > tmp; mv tmp one; done; rm -f one; echo 9 > one",
    "parallel": "for i in $(seq 8); do (mkdir p$i; for j in $(seq 20); do echo $j > p$i/$j; done; "
    "rm -r p$i) & done; wait; echo done > finished",
}


@pytest.fixture
def filled(bench):
    root = bench.workspace
    (root / "deep" / "x").mkdir(parents=True)
    (root / "deep" / "x" / "y").write_text("deep\n")
    (root / "deep" / "y2").write_text("deep too\n")
    (root / "hollow").mkdir(mode=0o750)
    (root / "one").write_text("one\ntwo\n")
    (root / "two").write_bytes(bytes(range(256)) * 40)
    (root / "two2").hardlink_to(root / "two")
    (root / "link").symlink_to("deep/x")
    shutil.copy("/bin/true", root / "old.bin")
    return bench


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_is_undone_and_redone(filled, program):
    before = filled.tree()
    name, report = filled.shell(PROGRAMS[program])
    after = filled.tree()
    assert after != before
    assert report.changes
    assert filled.journal.undo(name) == ()
    assert filled.tree() == before
    assert filled.journal.redo(name) == ()
    assert filled.tree() == after
    assert filled.journal.undo(name) == ()
    assert filled.tree() == before


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_what_node_does_is_undone(filled):
    before = filled.tree()
    source = """
const fs = require("fs");
fs.writeFileSync("one", "node\\n"); fs.appendFileSync("new", "x");
fs.rmSync("deep", {recursive: true});
fs.mkdirSync("n/m", {recursive: true}); fs.copyFileSync("two", "n/m/two"); fs.renameSync("n", "k");
fs.promises.writeFile("async", "y").then(() => fs.promises.unlink("link"));
"""
    name, report = filled.block("node", "-e", source)
    assert report.changes
    assert filled.journal.undo(name) == ()
    assert filled.tree() == before


def test_what_pip_does_is_undone(filled):
    package = filled.workspace / "package"
    package.mkdir()
    (package / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        '[project]\nname = "tiny"\nversion = "1"\n'
    )
    (package / "backend.py").write_text(
        "import zipfile\n"
        "def build_wheel(directory, config_settings=None, metadata_directory=None):\n"
        "    name = 'tiny-1-py3-none-any.whl'\n"
        "    with zipfile.ZipFile(f'{directory}/{name}', 'w') as wheel:\n"
        "        wheel.writestr('tiny.py', 'x = 1\\n')\n"
        "        wheel.writestr('tiny-1.dist-info/METADATA', "
        "'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\n')\n"
        "        wheel.writestr('tiny-1.dist-info/WHEEL', "
        "'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n"
        "        wheel.writestr('tiny-1.dist-info/RECORD', '')\n"
        "    return name\n"
    )
    before = filled.tree()
    words = ["install", "-q", "--no-index", "--no-deps", "--no-build-isolation"]
    name, report = filled.block(
        sys.executable, "-m", "pip", *words, "--target", "site", "--no-cache-dir", "./package"
    )
    assert (filled.workspace / "site" / "tiny.py").exists()
    assert report.changes
    assert filled.journal.undo(name) == ()
    assert filled.tree() == before


def test_a_large_file_that_is_replaced_is_moved_and_not_copied(filled):
    large = filled.workspace / "large"
    large.write_bytes(b"x" * (8 << 20))
    inode = large.stat().st_ino
    name, _ = filled.shell("echo small > large")
    images = [p for p in (filled.store / "done" / name).iterdir() if p.stat().st_ino == inode]
    assert len(images) == 1
    filled.journal.undo(name)
    assert large.stat().st_ino == inode
    assert large.stat().st_size == 8 << 20


def test_a_large_file_that_cannot_be_written_stays_as_it_is(filled):
    large = filled.workspace / "large"
    large.write_bytes(b"x" * (8 << 20))
    source = "import os; os.setuid(65534)\ntry: open('large', 'w')\nexcept OSError as e: print(e)"
    filled.workspace.chmod(0o755)
    filled.block(sys.executable, "-c", source)
    assert large.stat().st_size == 8 << 20


def test_writes_of_a_program_that_stays_in_the_background_belong_to_its_block(filled):
    before = filled.tree()
    name = filled.next_name()
    filled.journal.begin(name, "background")
    filled.tell(("write", "early", "1"))
    filled.journal.end()
    filled.tell(("write", "late", "2"), ("append", "one", "late"))
    assert filled.journal.conflicts(1) == ()
    filled.journal.undo(name)
    assert filled.tree() == before


def test_a_file_that_was_opened_by_an_earlier_block_is_kept_too(filled):
    source = (
        "import sys\nfile = open('log', 'a')\n"
        "for line in sys.stdin:\n    file.write(line); file.flush(); print('ok', flush=True)\n"
    )
    import subprocess

    first = filled.next_name()
    filled.journal.begin(first, "opens")
    with subprocess.Popen(
        filled.journal.wrap([sys.executable, "-c", source]),
        cwd=filled.workspace,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def say(text):
            process.stdin.write(text)
            process.stdin.flush()
            assert process.stdout.readline() == "ok\n"

        say("one\n")
        filled.journal.end()
        for _ in range(4):  # and nobody opens anything for a while
            filled.journal.begin(filled.next_name(), "quiet")
            assert filled.journal.end().changes == ()
        second = filled.next_name()
        filled.journal.begin(second, "writes")
        say("two\n")
        report = filled.journal.end()
        assert [change.path for change in report.changes] == [f"{filled.workspace}/log"]
        filled.journal.undo(second)
        assert (filled.workspace / "log").read_text() == "one\n"
        process.stdin.close()


def test_to_touch_a_file_that_nobody_may_write_is_no_change(filled):
    """As git does with objects that it has already."""
    made = "import os; os.close(os.open('{0}', os.O_CREAT | os.O_WRONLY, {1})); os.utime('{0}', (1, 1))"
    for name, mode in (("object", "0o444"), ("file", "0o644")):
        filled.block(sys.executable, "-c", made.format(name, mode))
        os.utime(filled.workspace / name)
    assert filled.journal.conflicts(2) == (f"{filled.workspace}/file",)


REPLACED_BY_ITS_LIKE = """
import os
before = os.stat("one")
content = open("one", "r+b").read()
os.unlink("one")
descriptor = os.open("one", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
os.write(descriptor, content)
os.fchmod(descriptor, before.st_mode)
os.utime("one", ns=(before.st_atime_ns, before.st_mtime_ns))
"""


def test_a_file_that_was_replaced_by_its_like_comes_back(filled):
    """As archives do it; most file systems give the new file the old one's inode at once."""
    before = filled.tree()
    name, _ = filled.block(sys.executable, "-c", REPLACED_BY_ITS_LIKE)
    later = filled.next_name()
    filled.journal.begin(later, "which closes the one before")
    filled.journal.end()
    assert filled.journal.undo(later) == ()
    assert filled.journal.undo(name) == ()
    assert filled.tree() == before


def test_a_file_that_was_opened_for_writing_and_not_written_counts_as_unchanged(filled):
    _, report = filled.block(sys.executable, "-c", "open('one', 'r+').read()")
    assert report.changes == ()
