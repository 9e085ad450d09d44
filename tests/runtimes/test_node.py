"""JavaScript blocks: a scope that persists, modules, promises, and exits that are survived."""

import shutil

import pytest
from tests.live import end_of, interrupt_once_it_prints, live, noticed, printed, run, said, shown

from interpreter.runtimes.process.node import javascript, typescript

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    with live(javascript, tmp_path_factory.mktemp("work")) as runtime:
        yield runtime


def test_declarations_persist_and_can_be_made_again(node):
    run(node, "const a = 1; let b = 2; class C { m() { return 3 } }; function f() { return 4 }")
    assert said(node, "[a, b, new C().m(), f()]") == "[ 1, 2, 3, 4 ]"
    run(node, "const a = 5; class C {}")
    assert said(node, "a") == "5"


def test_objects_are_shown_as_node_shows_them(node):
    assert (
        said(node, "({ a: 1, m: new Map([[1, { x: 'y' }]]) })")
        == "{ a: 1, m: Map(1) { 1 => { x: 'y' } } }"
    )
    assert said(node, "10n") == "10n"
    assert shown(run(node, "undefined")) == []


def test_top_level_await_works_and_its_bindings_persist(node):
    run(node, "const later = await new Promise(r => setTimeout(r, 10, 'value'))")
    assert said(node, "later") == "'value'"


def test_modules_can_be_had_in_every_way(node):
    assert said(node, "require('path').basename('/a/b')") == "'b'"
    assert said(node, "(await import('node:path')).basename('/a/b')") == "'b'"
    run(
        node, "import path, { join as j } from 'path'\nimport * as os from \"node:os\"; import 'fs'"
    )
    assert said(node, "[j('a', 'b'), path.sep, typeof os.EOL]") == "[ 'a/b', '/', 'string' ]"


def test_files_of_the_workspace_can_be_imported(tmp_path):
    (tmp_path / "mine.mjs").write_text("export const x = 7")
    with live(javascript, tmp_path) as node:
        assert said(node, "(await import('./mine.mjs')).x") == "7"


def test_text_that_only_looks_like_an_import_is_left_alone(node):
    assert said(node, "`import x from 'y'` + \"import('z')\" // import 'q'") == (
        "\"import x from 'y'import('z')\""
    )


def test_errors_show_the_users_frames_only(node):
    events = run(node, "function bad() { throw new TypeError('no') }\nbad()")
    text = printed(events, "stderr")
    assert text.startswith("Uncaught TypeError: no\n    at bad (<anonymous>:1:")
    assert "node_driver" not in text
    assert end_of(events).summary == "TypeError: no"


@pytest.mark.parametrize("source", ["function (", "const = 3", "`abc", "({"])
def test_wrong_syntax_is_a_failure(node, source):
    assert end_of(run(node, source)).summary.startswith("SyntaxError")


def test_an_unhandled_rejection_is_reported(node):
    events = run(node, "Promise.reject(new Error('lost')); 1")
    assert "Uncaught (in promise) Error: lost" in printed(events, "stderr")
    assert said(node, "2") == "2"


def test_an_uncaught_error_in_a_callback_is_reported(node):
    source = (
        "setTimeout(() => { throw new Error('later') }, 1);"
        "await new Promise(r => setTimeout(r, 30))"
    )
    assert "Uncaught Error: later" in printed(run(node, source), "stderr")


@pytest.mark.parametrize(("status", "outcome"), [(0, "ok"), (3, "failed")])
def test_process_exit_ends_the_block_only(node, status, outcome):
    run(node, "const kept = 1")
    end = end_of(run(node, f"process.exit({status})"))
    assert (end.outcome, end.exit_code) == (outcome, status)
    assert said(node, "kept") == "1"


def test_what_is_printed_between_blocks_is_told_apart(node):
    events = run(node, "setImmediate(() => setTimeout(() => console.log('late'), 20)); 0")
    events += run(node, "1")
    while "late" not in noticed(events) + printed(events):
        events += run(node, "await new Promise(r => setTimeout(r, 10))")


def test_children_print_with_their_block(node):
    source = "require('child_process').execSync('echo out; echo err >&2', { stdio: 'inherit' });0"
    events = run(node, source)
    assert (printed(events, "stdout"), printed(events, "stderr")) == ("out\n", "err\n")


def test_standard_input_is_empty(node):
    source = "let text = ''; for await (const piece of process.stdin) text += piece; text.length"
    assert said(node, source) == "0"


@pytest.mark.parametrize(
    "loop",
    [
        "while (true) {}",
        "await 0; while (true) {}",
        "while (true) { try { while (true) {} } finally { continue } }",
        "await new Promise(() => {})",
        "while (true) console.log('spam')",
    ],
)
def test_every_kind_of_endless_block_can_be_interrupted(node, loop):
    run(node, "const kept = 1")
    import threading

    events = []
    for event in node.run(f"console.log('under way'); {loop}"):
        if not events:
            threading.Thread(target=node.interrupt).start()
        events.append(event)
    assert end_of(events).outcome == "interrupted"
    assert said(node, "kept") == "1"


def test_a_loop_in_a_callback_costs_the_process_and_says_so(node):
    """Node itself gives up when a callback is terminated."""
    source = (
        "setTimeout(() => { console.log('under way'); while (true) {} }, 1);"
        "await new Promise(() => {})"
    )
    end = end_of(interrupt_once_it_prints(node, source))
    assert end.outcome == "died"
    assert said(node, "1 + 1") == "2"


FAULTS = {
    "ten megabytes on one line": ("console.log('x'.repeat(10_000_000))", "ok"),
    "deep recursion": ("function f() { return f() }; f()", "failed"),
    "console replaced": ("globalThis.kept_log ??= console.log; console.log = null", "ok"),
    "stdout destroyed": ("process.stdout.destroy()", "ok"),
    "NUL and lone surrogates": (r"console.log('a\0b\ud800')", "ok"),
    "Unicode identifiers": ("const größe = 1; größe", "ok"),
    "CRLF": ("let q = 1\r\nq += 1\r\n", "ok"),
    "a megabyte of source": ("'" + "x" * 1_000_000 + "'.length", "ok"),
    "JSON replaced": ("globalThis.kept_json ??= JSON; globalThis.JSON = null", "ok"),
}


@pytest.mark.parametrize(("source", "outcome"), FAULTS.values(), ids=FAULTS)
def test_the_session_goes_on_after(node, source, outcome):
    assert end_of(run(node, source)).outcome == outcome
    for _ in range(20):
        assert said(node, "1 + 1") == "2"
    run(node, "globalThis.JSON ??= kept_json; console.log ??= kept_log")


def test_running_out_of_memory_is_told(tmp_path):
    from interpreter.runtimes.process.node import NodeOptions

    options = NodeOptions(env={"NODE_OPTIONS": "--max-old-space-size=64"})
    with live(javascript, tmp_path, options) as node:
        end = end_of(
            run(node, "const hoard = []; while (true) hoard.push(new Array(1e5).fill('x'))")
        )
        assert end.outcome == "died"
        assert said(node, "1 + 1") == "2"


def test_typescript_runs_or_says_what_it_needs(tmp_path):
    with live(typescript, tmp_path) as node:
        events = run(node, "const n: number = 41; n + 1")
        if end_of(events).outcome == "ok":
            assert shown(events) == ["42"]
        else:
            assert "typescript" in printed(events, "stderr")
