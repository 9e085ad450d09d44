"""`wtf` explains what a hook in the shell has kept; it runs nothing again and types nothing."""

import os
import subprocess

import yaml
from tests.journeys.conftest import COMMAND

from interpreter.terminal.subcommands.wtf import describe

WTF = COMMAND.parent / "wtf"


def explained(tmp_path, *arguments, input=None, **environment):
    """What `wtf` says, and what it asked the model."""
    script = tmp_path / "script.yaml"
    script.write_text(yaml.safe_dump({"replies": ["There is no such file."]}))
    options = {"input": input} if input is not None else {"stdin": subprocess.DEVNULL}
    env = {**os.environ, "INTERPRETER_MODEL": f"scripted/{script}", **environment}
    done = subprocess.run(
        [WTF, *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        env=env,
        cwd=tmp_path,
        **options,
    )
    asked = subprocess.run([COMMAND, "sessions", "show", "last"], capture_output=True, text=True)
    return done.stdout, asked.stdout


def test_output_from_a_pipe_is_explained(tmp_path):
    answer, asked = explained(tmp_path, input="cat: nope: No such file or directory\n")
    assert answer == "There is no such file.\n"
    assert "cat: nope: No such file" in asked


def test_the_message_has_the_command_its_code_its_output_and_the_source(tmp_path):
    (tmp_path / "broken.py").write_text("a = 1\nb = 2\nraise ValueError(a)\n")
    place = f'File "{tmp_path}/broken.py", line 3, in <module>'
    output = f"Traceback\n  {place}\n\x1b[31mValueError: 1\x1b[0m"
    kept = {"command": "python broken.py", "status": "1", "output": output, "directory": "/x"}
    message = describe(kept, "what is it?")
    assert message.startswith(
        "what is it?\nCommand: python broken.py\nExit code: 1\nDirectory: /x\n"
    )
    assert "ValueError: 1\n" in message
    assert "    3 raise ValueError(a)" in message
    assert "\x1b" not in message


def test_it_takes_the_flags_of_the_command(tmp_path):
    (tmp_path / "other.yaml").write_text("- I am another one.\n")
    flags = ["--model", f"scripted/{tmp_path}/other.yaml", "what", "is", "it?"]
    answer, asked = explained(tmp_path, *flags, input="cat: nope: No such file or directory\n")
    assert answer == "I am another one.\n"
    assert asked.startswith("> what is it?\n")


def test_in_tmux_the_scrollback_has_the_output(start, tmp_path, interpreter_says):
    (tmp_path / "script.yaml").write_text("- There is no such file.\n")
    env = {"PS1": "ready: ", "PATH": f"{WTF.parent}:{os.environ['PATH']}"}
    env["INTERPRETER_MODEL"] = f"scripted/{tmp_path}/script.yaml"
    terminal = start(argv=["bash", "--norc", "-i"], env=env)
    terminal.wait_for("ready:")
    terminal.type('echo before; eval "$(wtf hook bash)"; echo hook is in\n')
    terminal.wait_for("\nhook is in")
    terminal.type("ls /nowhere-at-all\n")
    terminal.wait_for("cannot access")
    terminal.type("wtf\n")
    terminal.wait_for("There is no such file.", "tokens in,")
    asked = interpreter_says()
    assert "Command: ls /nowhere-at-all\nExit code: 2\n" in asked
    assert "cannot access '/nowhere-at-all'" in asked
    assert "hook is in" not in asked


def test_without_anything_to_explain_nothing_is_asked(tmp_path):
    answer, asked = explained(tmp_path, input="", WTF_COMMAND="")
    assert (answer, asked) == ("", "")


def test_without_a_hook_it_says_what_to_do(start):
    terminal = start(argv=[WTF])
    terminal.wait_for('wtf knows no command yet: eval "$(wtf hook bash)"')


def test_the_fix_is_a_block_to_approve(start, tmp_path):
    script = tmp_path / "script.yaml"
    fix = {"text": "Make the directory.", "code": "mkdir missing; echo made", "language": "shell"}
    script.write_text(yaml.safe_dump({"replies": [fix, "Try again."]}))
    kept = {
        "WTF_COMMAND": "cd missing",
        "WTF_STATUS": "1",
        "INTERPRETER_MODEL": f"scripted/{script}",
    }
    terminal = start(argv=[WTF], env=kept)
    terminal.wait_for("Make the directory.", "mkdir missing", "Run this?")
    terminal.press("y")
    terminal.wait_for("\nmade\n", "Try again.")
    assert terminal.wait_for_end() == 0
