"""Shells and Node go back to where they were before a block."""

import json
import shutil
import subprocess

import pytest

from interpreter.checkpoints.variables.language_state import node_state, shell_state
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
globalThis.require = require;
{
const inspector = new (require('node:inspector').Session)(); inspector.connect();
require('node:readline').createInterface({input: process.stdin}).on('line', (line) => {
  inspector.post('Runtime.evaluate', {expression: JSON.parse(line), replMode: true}, (e, r) => {
    if (r?.exceptionDetails) console.log('error', r.result.description);
  });
  console.log('--end--');
});
}
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
    # Where it was before is a variable, too, if it had not been anywhere else.
    assert set(report.removed) - {"OLDPWD"} == {"new", "g"}
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
    # Where it was before is a variable, too, if it had not been anywhere else.
    assert set(report.removed) - {"OLDPWD"} == {"new", "g"}
    shown = 'echo "$a|$B|$list[2]|$map[k]|$PWD|${new-none}|$path[-1]"; f; alias ll; umask'
    assert zsh.run(shown) == (
        f"two  words|x\ny|2 3|v w|{tmp_path}/work|none|/opt/mine\nf two  words\nll=ls\n027\n"
    )
    options = "[[ -o extended_glob && ! -o clobber && ! -o ksh_arrays ]] && echo on; whence g"
    assert zsh.run(options) == "on\n"
    assert zsh.run("env | grep '^B='") == "B=x\n"


def test_node_goes_back(node, tmp_path):
    state = node_state(node.run)
    node.run(
        "let a = {list: [1, 2], text: 'x'}; const c = 5; globalThis.g = 1; var m = new WeakMap()"
    )
    node.run("process.env.KEPT = '1'")
    state.before("b1")
    node.run("a.list.push(3); g = 2; globalThis.fresh = 1; let later = 2; process.chdir('/')")
    node.run("process.env.KEPT = '2'; process.env.MORE = '3'")
    report = state.restore("b1")
    assert set(report.restored) == {"a", "g"}
    assert set(report.removed) == {"fresh", "later"}
    assert report.kept == {"m": "WeakMap"}
    shown = node.run(
        "console.log(JSON.stringify([a, c, g, typeof fresh, typeof later, process.cwd(), "
        "process.env.KEPT, process.env.MORE === undefined]))"
    )
    assert json.loads(shown) == [
        {"list": [1, 2], "text": "x"}, 5, 1, "undefined", "undefined", str(tmp_path), "1", True,
    ]  # fmt: skip


NODE_CASES = {
    "a list under two names": ("let a = [1]; let b = a", "a.push(2)", "[a, a === b]"),
    "a list in an object in a map": (
        "const inner = [1]; let m = new Map([['k', {inner}]])",
        "inner.push(2); m.get('k').more = 1; m.set('n', 2)",
        "[[...m], m.get('k').inner === inner]",
    ),
    "a name that was bound to something else": (
        "let a = {x: 1}; const c = a",
        "a = 5",
        "[a, a === c]",
    ),
    "a constant that was declared anew": (
        "const c = {x: 1}; function read() { return c }",
        "const c = 2",
        "[c, read() === c]",
    ),
    "a constant": ("const c = 1", "const c = 2", "(() => { try { c = 3 } catch { return c } })()"),
    "a set": ("const s = new Set(['b', 'a'])", "s.delete('b'); s.add('b'); s.add(1)", "[...s]"),
    "a date": ("const d = new Date(0)", "d.setFullYear(2020)", "d"),
    "numbers in a typed array": (
        "const t = new Float64Array([1, 2]); const v = new Uint8Array(t.buffer)",
        "t[0] = 9; v[15] = 1",
        "[...t, v.buffer === t.buffer]",
    ),
    "bytes": ("const b = Buffer.from('abc')", "b.write('xyz')", "b.toString()"),
    "where a pattern stands": ("const r = /a/g; r.test('aa')", "r.test('aa')", "r.lastIndex"),
    "a class and its instances": (
        "class K { n = 1; say() { return 'old' } }; class L extends K { }; const k = new L()",
        "K.prototype.say = () => 'new'; k.n = 2; k.list = []; K.count = 1",
        "[k, k.say(), k instanceof K, K.count]",
    ),
    "a class that was defined anew": (
        "class K { say() { return 'old' } }; const k = new K()",
        "class K { say() { return 'new' } }",
        "[k instanceof K, new K().say()]",
    ),
    "a function and what hangs on it": (
        "function f() { return 'old' }; f.calls = [1]; const g = f",
        "f.calls.push(2); f = () => 'new'",
        "[f(), g === f, f.calls]",
    ),
    "what was deleted": ("globalThis.x = {y: [1]}", "delete x.y; delete globalThis.x", "x"),
    "the order of keys": (
        "const o = {a: 1, b: 2}",
        "o.c = 3; delete o.a; o.a = 1",
        "Object.keys(o)",
    ),
    "a cycle": (
        "const ring = []; ring.push(ring)",
        "ring.push(1)",
        "[ring.length, ring[0] === ring]",
    ),
    "an array with a hole": (
        "const h = [1, , 3]; h.name = 'h'",
        "h[1] = 2; h.name = 1",
        "[h, h.name]",
    ),
    "a getter": (
        "const o = { get x() { return 'old' } }",
        "Object.defineProperty(o, 'x', { value: 'new' })",
        "o.x",
    ),
    "a prototype": ("const o = {}", "Object.setPrototypeOf(o, {x: 1})", "o.x"),
    "an error": (
        "const e = new Error('old')",
        "e.message = 'new'; e.code = 1",
        "[e.message, e.code]",
    ),
    "numbers that are none": ("let n = [NaN, -0, 1n, undefined]", "n.reverse()", "n.map(String)"),
    "symbols": ("const k = Symbol('k'); const o = {[k]: 1}", "o[k] = 2", "o[k]"),
}


@pytest.mark.parametrize("case", NODE_CASES)
def test_node_brings_back_exactly(node, case):
    before, change, difference = NODE_CASES[case]
    state = node_state(node.run)
    assert node.run(before) == ""
    look = f"console.log(require('node:util').inspect({difference}))"
    expected = node.run(look)
    for name in ("b1", "b2"):  # what was brought back can be brought back once more
        state.before(name)
        assert node.run(change) == ""
        assert node.run(look) != expected
        report = state.restore(name)
        assert report.restored
        assert (report.lost, report.kept) == ({}, {})
        assert node.run(look) == expected


def test_what_node_cannot_bring_back_is_named(node):
    state = node_state(node.run)
    node.run(
        "const step = (() => { let n = 0; return () => ++n })(); const weak = new WeakMap()\n"
        "const timer = setTimeout(() => {}, 0); const held = { promise: Promise.resolve(1) }\n"
        "const fs = require('node:fs'); const plain = {x: 1}; let icy = {x: 1}\n"
        "const made = (() => { let n = 0; return { up() { return ++n } } })()\n"
        "class Shy { #n = 0; up() { return ++this.#n } }; const shy = new Shy()"
    )
    state.before("b1")
    node.run("step(); plain.x = 2; Object.freeze(icy)")
    report = state.restore("b1")
    assert report.restored == ("plain",)
    assert report.kept == {
        "step": "variables that a function has captured",
        "weak": "WeakMap",
        "timer": "Timeout",
        "held": "Promise",
        "made": "variables that a function has captured",
        "shy": "private fields",
    }
    assert set(report.lost) == {"icy"}


def test_a_node_that_was_started_anew_gets_plain_data_back(node, tmp_path):
    state = node_state(node.run)
    node.run("let a = {list: [1]}; const m = new Map()")
    state.before("b1")
    node.run("delete globalThis[Symbol.for('reploop.kept')]; a.list.push(2)")
    report = state.restore("b1")
    assert (report.restored, report.kept) == (("a",), {"m": "Map"})
    assert node.run("console.log(a.list)") == "[ 1 ]\n"


def test_what_is_not_kept_is_an_error(bash):
    with pytest.raises(CheckpointError, match="not kept"):
        shell_state(bash.run).restore("never")
