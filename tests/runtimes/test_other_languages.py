"""Ruby, Perl, PHP, Lua, R and Java: state, streams, failure, interrupts, and exits."""

import shutil
from dataclasses import dataclass

import pytest
from tests.live import end_of, interrupt_once_it_prints, live, printed, run, said

from interpreter.runtimes.process import driver_languages as others
from interpreter.runtimes.process.driven import DrivenOptions


@dataclass(frozen=True)
class Speech:
    program: str
    remember: str
    recall: str
    streams: str
    fail: str
    incomplete: str
    loop: str
    exits: str
    child: str


SPEECHES = {
    "ruby": Speech(
        "ruby",
        "kept = 42; def f(x) = x * 2",
        "puts f(kept)",
        "puts 'out'; warn 'err'",
        "raise ArgumentError, 'no'",
        "def g",
        "puts 'under way'; loop {}",
        "exit 3",
        "system('echo child');nil",
    ),
    "perl": Speech(
        "perl",
        "our $kept = 42; sub f { return $_[0] * 2 }",
        "print f($kept)",
        "print 'out'; print STDERR 'err'",
        "die 'no'",
        "sub g {",
        "print 'under way'; 1 while 1",
        "exit 3",
        "system('echo child')",
    ),
    "php": Speech(
        "php",
        "$kept = 42; if (!function_exists('f')) { function f($x) { return $x * 2; } }",
        "echo f($kept);",
        "echo 'out'; fwrite(STDERR, 'err');",
        "throw new Exception('no');",
        "function g() {",
        "echo 'under way'; while (true);",
        "",
        "system('echo child');",
    ),
    "lua": Speech(
        "lua",
        "kept = 42; function f(x) return x * 2 end",
        "print(f(kept))",
        "print('out'); io.stderr:write('err')",
        "error('no')",
        "function g()",
        "print('under way') while true do end",
        "os.exit(3)",
        "x = os.execute('echo child')",
    ),
    "r": Speech(
        "Rscript",
        "kept <- 42; f <- function(x) x * 2",
        "cat(f(kept))",
        "cat('out'); message('err')",
        "stop('no')",
        "g <- function(",
        "cat('under way\\n'); while (TRUE) {}",
        "quit(status = 3)",
        "system('echo child')",
    ),
    "java": Speech(
        "jshell",
        "int kept = 42; int f(int x) { return x * 2; }",
        "System.out.println(f(kept));",
        'System.out.println("out"); System.err.println("err");',
        'throw new IllegalStateException("no");',
        "int g( {",
        'System.out.println("under way"); while (true) {}',
        "",
        "",
    ),
}


@pytest.fixture(scope="module", params=SPEECHES)
def both(request, tmp_path_factory):
    speech = SPEECHES[request.param]
    if shutil.which(speech.program) is None:
        pytest.skip(f"{speech.program} is not installed")
    factory = getattr(others, request.param)
    patient = DrivenOptions(interrupt_seconds=60)  # a busy machine may take long to obey
    with live(factory, tmp_path_factory.mktemp("work"), patient) as runtime:
        run(runtime, speech.remember)
        yield runtime, speech


def test_state_persists(both):
    runtime, speech = both
    run(runtime, speech.remember)
    assert said(runtime, speech.recall) == "84"


def test_the_streams_are_told_apart(both):
    runtime, speech = both
    events = run(runtime, speech.streams)
    assert printed(events, "stdout").strip() == "out"
    assert printed(events, "stderr").strip() == "err"


@pytest.mark.parametrize("what", ["fail", "incomplete"])
def test_failure_is_told_and_the_session_goes_on(both, what):
    runtime, speech = both
    run(runtime, speech.remember)
    events = run(runtime, getattr(speech, what))
    assert end_of(events).outcome == "failed"
    assert printed(events, "stderr")
    assert said(runtime, speech.recall) == "84"


def test_an_interrupt_keeps_the_state(both):
    runtime, speech = both
    run(runtime, speech.remember)
    assert end_of(interrupt_once_it_prints(runtime, speech.loop)).outcome == "interrupted"
    assert said(runtime, speech.recall) == "84"


def test_an_exit_ends_the_block_only(both):
    runtime, speech = both
    if not speech.exits:
        pytest.skip("an exit ends the process in this language, and is told as its death")
    run(runtime, speech.remember)
    assert end_of(run(runtime, speech.exits)).exit_code == 3
    assert said(runtime, speech.recall) == "84"


def test_children_print_with_their_block(both):
    runtime, speech = both
    if not speech.child:
        pytest.skip("a child is started differently in this language")
    assert printed(run(runtime, speech.child), "stdout").startswith("child\n")


def test_an_expression_shows_its_value(tmp_path):
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not installed")
    with live(others.r, tmp_path) as r:
        assert said(r, "data.frame(a = 1:2)") == "a\n1 1\n2 2"


def test_java_shows_the_value_of_an_expression(tmp_path):
    if shutil.which("jshell") is None:
        pytest.skip("jshell is not installed")
    with live(others.java, tmp_path) as java:
        assert said(java, "record P(int a) {}\nvar p = new P(1);\np") == "P[a=1]"
