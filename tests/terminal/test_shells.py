"""Completion and the wtf hook, in the shells themselves."""

import os
import subprocess

import pytest
from tests.journeys.conftest import COMMAND

WTF = COMMAND.parent / "wtf"
PATH = f"{COMMAND.parent}:{os.environ['PATH']}"


def output_of(*argv, **options):
    done = subprocess.run(
        argv, capture_output=True, text=True, timeout=240, stdin=subprocess.DEVNULL, **options
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# Completion.


def completed_by_bash(line, tmp_path):
    code = f"""
        source <({COMMAND} completion bash)
        COMP_WORDS=({line}) ; COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        _interpreter; printf '%s\\n' "${{COMPREPLY[@]}}" """
    return set(output_of("bash", "-c", code, cwd=tmp_path).split())


def completed_by_fish(line, tmp_path):
    code = f"{COMMAND} completion fish | source; complete -C '{line}'"
    found = output_of("fish", "-N", "-c", code, cwd=tmp_path).splitlines()
    return {line.split("\t")[0] for line in found if line}


@pytest.mark.parametrize("shell", [completed_by_bash, completed_by_fish])
def test_flags_values_and_commands_are_completed(shell, tmp_path):
    assert "--auto_run" in shell("interpreter --au", tmp_path)
    assert shell("interpreter --safe_mode a", tmp_path) == {"ask", "auto"}
    assert shell("interpreter doc", tmp_path) == {"doctor"}


def test_zsh_completes_as_one_types(start, tmp_path):
    (tmp_path / "_interpreter").write_text(output_of(COMMAND, "completion", "zsh"))
    terminal = start(argv=["zsh", "-f", "-i"], env={"PS1": "ready: ", "PATH": PATH})
    terminal.wait_for("ready:")
    terminal.type(f"fpath=({tmp_path} $fpath); autoload -Uz compinit; compinit -u; echo loaded\n")
    terminal.wait_for("\nloaded")
    terminal.type("interpreter --contribute")
    terminal.press("Tab")
    terminal.wait_for("interpreter --contribute_conversation")
    terminal.press("C-u")
    terminal.type("interpreter --safe_mode a")
    terminal.press("Tab", "Tab")
    terminal.wait_for("ask", "auto")
    terminal.press("C-u")
    terminal.type("interpreter doc")
    terminal.press("Tab")
    terminal.wait_for("interpreter doctor")


# The hook of wtf.

HOOKED = {
    "bash": (["bash", "--norc", "-i"], 'eval "$(wtf hook bash)"'),
    "zsh": (["zsh", "-f", "-i"], 'eval "$(wtf hook zsh)"'),
    "fish": (["fish", "-N", "-i"], "wtf hook fish | source"),
}
FISH_PROMPT = "function fish_prompt; echo -n 'ready: '; end"


@pytest.fixture(params=HOOKED)
def hooked(request, start):
    """A shell with the hook, to type lines into."""
    argv, hook = HOOKED[request.param]
    argv = [*argv, "-C", FISH_PROMPT] if request.param == "fish" else argv
    terminal = start(argv=argv, env={"PS1": "ready: ", "PATH": PATH, "TERM": "xterm"})
    terminal.wait_for("ready:")

    def line(text, *expected):
        terminal.type(text)
        terminal.press("Enter")
        return terminal.wait_for(*expected)

    line(f"{hook}; echo hook is in", "\nhook is in")
    return line


def test_the_hook_keeps_the_last_command_and_its_output(hooked):
    hooked("ls /nowhere-at-all", "cannot access")
    hooked("echo kept: $WTF_COMMAND = $WTF_STATUS", "\nkept: ls /nowhere-at-all = 2")
    hooked("keep ls /somewhere-else", "somewhere-else'")
    seen = hooked("cat $WTF_OUTPUT_FILE; echo done: $WTF_STATUS", "\ndone: 2")
    assert seen.count("somewhere-else'") == 2
