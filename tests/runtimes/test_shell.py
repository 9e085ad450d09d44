"""Shell blocks: one unit, a state that survives, and honest exit codes."""

import pytest
from tests.live import end_of, live, printed, run, said

from interpreter.runtimes.process.shell import bash


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    with live(bash, tmp_path_factory.mktemp("work")) as runtime:
        yield runtime


def test_a_block_is_one_unit(shell):
    source = """
cat <<'END'
a "heredoc" with $dollars
END
greet() {
  case $1 in
    de) echo hallo ;;
    *) echo hello ;;
  esac
}
greet de
for word in one \\
  two; do
  echo "$word"
done
"""
    assert said(shell, source) == 'a "heredoc" with $dollars\nhallo\none\ntwo'


STATE = {
    "variables": ("v=1", "echo $v", "1"),
    "exported variables": ("export E=2", "bash -c 'echo $E'", "2"),
    "arrays": ("a=(x y); declare -A m=([k]=w)", "echo ${a[1]} ${m[k]}", "y w"),
    "functions": ("f() { echo in f; }", "f", "in f"),
    "aliases": ("alias ll='echo aliased'", "ll", "aliased"),
    "shell options": ("shopt -s nullglob", "echo /nowhere/*; shopt -u nullglob", ""),
    "set options": ("set -o pipefail", "shopt -qo pipefail && echo on; set +o pipefail", "on"),
    "the directory": ("mkdir -p sub; cd sub", "basename $PWD; cd ..", "sub"),
    "the umask": ("umask 027", "umask; umask 022", "0027"),
}


@pytest.mark.parametrize("leave", ["true", "exit 0"], ids=["a block", "an exit"])
@pytest.mark.parametrize(("define", "use", "expected"), STATE.values(), ids=STATE)
def test_state_survives(shell, define, use, expected, leave):
    run(shell, f"{define}; {leave}")
    assert said(shell, use) == expected


def test_what_runs_before_a_block_is_unseen_and_runs_once(shell):
    run(shell, "set -o noclobber; x=before")
    told = shell.before_next("echo $x; echo told >&2")
    assert said(shell, "x=after; echo $x; set +o noclobber") == "after"
    assert told.read_text() == "before\n"
    told.unlink()
    assert said(shell, "echo $x") == "after"
    assert not told.exists()


@pytest.mark.parametrize(
    "source", ["exit 3", "(exit 3)", "f() { return 3; }; f", "set -e; (exit 3)"]
)
def test_the_exit_code_is_told(shell, source):
    end = end_of(run(shell, source))
    run(shell, "set +e")
    assert (end.outcome, end.exit_code, end.summary) == ("failed", 3, "exit status 3")


def test_what_is_to_be_done_at_exit_is_done_when_the_block_ends(shell):
    assert said(shell, "trap 'echo bye' EXIT; echo hello") == "hello\nbye"
    assert said(shell, "echo hello") == "hello"
    events = run(shell, "trap 'echo bye' EXIT; echo hello; exit 3")
    assert printed(events) == "hello\nbye\n"
    assert end_of(events).exit_code == 3


def test_subshells_keep_their_own_exit_action(shell):
    assert said(shell, "(trap 'echo inner' EXIT); echo outer") == "inner\nouter"


def test_a_command_that_reads_gets_the_end_of_file(shell):
    assert said(shell, "cat; read x || echo nothing") == "nothing"


def test_a_syntax_error_names_the_line(shell):
    assert "line 3: syntax error" in printed(run(shell, "echo\n\n)"), "stderr")


def test_the_last_status_is_seen_by_the_next_block(shell):
    run(shell, "(exit 5)")
    assert said(shell, "echo $?") == "5"


def test_no_history_or_prompt_appears(shell):
    assert said(shell, "echo '!!' $PS1; history | wc -l") == "!!\n0"
