"""Shells and Node go back to where they were before a block."""

import json
import shutil
import subprocess

import pytest

from interpreter.checkpoints.language_state import node_state, shell_state
from interpreter.protocol.errors import CheckpointError


class Session:
    """A program that runs what it is sent, one unit after the other."""

    def __init__(self, argv, cwd, frame):
        self._frame = frame
        self._process = subprocess.Popen(
            argv, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, source):
        self._process.stdin.write(self._frame(source))
        self._process.stdin.flush()
        lines = []
        while (line := self._process.stdout.readline()) != "--end--\n":
            assert line, "the session ended"
            lines.append(line)
        return "".join(lines)

    def close(self):
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()


def shell(tmp_path, *argv):
    count = iter(range(1000))

    def frame(source):
        path = tmp_path / f"block{next(count)}.sh"
        path.write_text(source)
        return f". {path}\nprintf -- '--end--\\n'\n"

    (tmp_path / "work").mkdir()
    return Session(argv, tmp_path / "work", frame)


@pytest.fixture
def bash(tmp_path):
    session = shell(tmp_path, "bash", "--norc")
    yield session
    session.close()


@pytest.fixture
def zsh(tmp_path):
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    session = shell(tmp_path, "zsh", "-f")
    yield session
    session.close()


NODE = """
const inspector = new (require('node:inspector').Session)(); inspector.connect();
globalThis.require = require;
require('node:readline').createInterface({input: process.stdin}).on('line', (line) => {
  inspector.post('Runtime.evaluate', {expression: JSON.parse(line), replMode: true}, (e, r) => {
    if (r?.exceptionDetails) console.log('error', r.result.description);
  });
  console.log('--end--');
});
"""


@pytest.fixture
def node(tmp_path):
    if shutil.which("node") is None:
        pytest.skip("Node is not installed")
    session = Session(["node", "-e", NODE], tmp_path, lambda source: json.dumps(source) + "\n")
    yield session
    session.close()


def test_a_shell_goes_back(bash, tmp_path):
    state = shell_state(bash.run)
    bash.run(
        "a='two  words'; export B='x\ny'; list=(1 '2 3'); f() { echo \"f $a\"; }; alias ll='ls'"
    )
    bash.run("shopt -s extglob; set -o noclobber; umask 027")
    state.before("b1")
    bash.run("a=changed; unset B list; f() { echo other; }; new=1; g() { :; }; unalias ll; cd /")
    bash.run("shopt -u extglob; set +o noclobber; umask 022")
    report = state.restore("b1")
    assert set(report.removed) == {"new", "g"}
    assert bash.run('echo "$a|$B|${list[1]}|$PWD|${new-none}"; f; alias ll; umask') == (
        f"two  words|x\ny|2 3|{tmp_path}/work|none\nf two  words\nalias ll='ls'\n0027\n"
    )
    assert bash.run("shopt -q extglob && echo on; set -o | grep noclobber; declare -F g") == (
        "on\nnoclobber      \ton\n"
    )
    assert bash.run("env | grep ^B=") == "B=x\n"


def test_a_zsh_goes_back(zsh, tmp_path):
    state = shell_state(zsh.run, "zsh")
    zsh.run(
        "a='two  words'; export B=$'x\ny'; list=(1 '2 3'); typeset -A map=(k 'v w'); "
        "f() { echo \"f $a\"; }; alias ll='ls'; path+=(/opt/mine)"
    )
    zsh.run("setopt extended_glob no_clobber; umask 027")
    state.before("b1")
    zsh.run("a=changed; unset B list map; f() { echo other; }; new=1; g() { :; }; unalias ll; cd /")
    zsh.run("unsetopt extended_glob no_clobber; setopt ksh_arrays; umask 022; path=(/bin)")
    report = state.restore("b1")
    assert set(report.removed) == {"new", "g"}
    shown = 'echo "$a|$B|$list[2]|$map[k]|$PWD|${new-none}|$path[-1]"; f; alias ll; umask'
    assert zsh.run(shown) == (
        f"two  words|x\ny|2 3|v w|{tmp_path}/work|none|/opt/mine\nf two  words\nll=ls\n027\n"
    )
    options = "[[ -o extended_glob && ! -o clobber && ! -o ksh_arrays ]] && echo on; whence g"
    assert zsh.run(options) == "on\n"
    assert zsh.run("env | grep '^B='") == "B=x\n"


def test_node_goes_back(node, tmp_path):
    state = node_state(node.run)
    node.run("let a = {list: [1, 2], text: 'x'}; const c = 5; globalThis.g = 1; var m = new Map()")
    node.run("process.env.KEPT = '1'")
    state.before("b1")
    node.run("a.list.push(3); g = 2; globalThis.fresh = 1; let later = 2; process.chdir('/')")
    node.run("process.env.KEPT = '2'; process.env.MORE = '3'")
    report = state.restore("b1")
    assert set(report.restored) == {"a", "g"}
    assert set(report.removed) == {"fresh", "later"}
    assert report.kept["m"] == "Map"
    shown = node.run(
        "console.log(JSON.stringify([a, c, g, typeof fresh, typeof later, process.cwd(), "
        "process.env.KEPT, process.env.MORE === undefined]))"
    )
    assert json.loads(shown) == [
        {"list": [1, 2], "text": "x"}, 5, 1, "undefined", "undefined", str(tmp_path), "1", True,
    ]  # fmt: skip


def test_what_is_not_kept_is_an_error(bash):
    with pytest.raises(CheckpointError, match="not kept"):
        shell_state(bash.run).restore("never")
