"""Every flag that people know is understood, and pipes carry the answer alone."""

import itertools
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.journeys.conftest import COMMAND, interpreter_command, script  # noqa: F401  (fixtures)

from interpreter.protocol.errors import ConfigurationError
from interpreter.runtimes.catalog import states
from interpreter.settings.sources import NAMES, settings_file
from interpreter.terminal.arguments import GROUPS, parse, parser
from interpreter.terminal.start import RUN_OPTIONS

KNOWN = """
-p x --profile x | -ci x --custom_instructions x | -sm x --system_message x | -y --auto_run |
-nhl --no_highlight_active_line | -v --verbose | -m x --model x | -t 0.5 --temperature 0.5 |
-lsv --llm_supports_vision --no-llm_supports_vision |
-lsf --llm_supports_functions --no-llm_supports_functions | -cw 5 --context_window 5 |
-x 5 --max_tokens 5 | -b 0.5 --max_budget 0.5 | -ab x --api_base x | -ak x --api_key x |
-av x --api_version x | -xo 5 --max_output 5 | --loop | -dt --disable_telemetry | -o --offline |
-sp --speak_messages | -safe ask --safe_mode ask | -debug --debug | -f --fast | -ml --multi_line |
-l --local | --codestral | --assistant | --llama3 | --groq | -vi --vision | -os --os |
--reset_profile --reset_profile x | --profiles | --local_models | --conversations | --server |
--version | --contribute_conversation | -pl --plain | -s --stdin | --debug_mode |
--sandbox x | --workspace x | --python x | --kernel x | --resume x --resume | --once | --json |
--images sixel | --dry-run | --max-steps 5 | --timeout 5
"""


def spellings():
    for words in KNOWN.replace("\n", " ").split("|"):
        starts = [at for at, word in enumerate(words.split()) if word.startswith("-")]
        ends = [*starts[1:], None]
        yield from (words.split()[start:end] for start, end in zip(starts, ends, strict=True))


@pytest.mark.parametrize("arguments", list(spellings()), ids=" ".join)
def test_a_known_flag_is_understood(arguments):
    assert parse(arguments)


def test_every_flag_is_a_setting_or_an_option_of_the_run():
    gone = {"disable_telemetry", "contribute_conversation"}
    names = {action.dest.removeprefix("llm_") for action in parser()._actions}
    assert names - set(NAMES) - set(RUN_OPTIONS) - gone == {"help"}


def test_either_spelling_of_a_flag_will_do():
    assert parse(["--auto-run", "--max_steps=3"]) == parse(["--auto_run", "--max-steps", "3"])


def test_what_follows_two_dashes_is_the_message():
    assert parse(["--", "--auto-run"])["message"] == ["--auto-run"]


@pytest.mark.parametrize("arguments", [["--frob"], ["-t", "hot"], ["--safe_mode", "maybe"]])
def test_a_wrong_flag_is_an_error(arguments):
    with pytest.raises(ConfigurationError):
        parse(arguments)


def test_each_group_of_the_help_fits_a_screen(interpreter_command):  # noqa: F811
    text = interpreter_command("--help").stdout
    for title, flags in GROUPS.items():
        block = list(itertools.takewhile(str.strip, text.split(f"\n{title}:\n")[1].split("\n")))
        assert len(flags) <= len(block) <= 24


def test_the_help_and_pipes_load_no_terminal_library(script):  # noqa: F811
    code = (
        "import sys; from interpreter.cli import main; main(sys.argv[1:]); "
        "print({m.split('.')[0] for m in sys.modules} & {'rich', 'prompt_toolkit', 'pygments'})"
    )
    for arguments in (["--help"], ["--no-history", "--model", script("Hello."), "hi"]):
        argv = [COMMAND.parent / "python", "-c", code, *arguments]
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240
        )
        assert done.stdout.splitlines()[-1] == "set()", done.stderr


@pytest.mark.parametrize("flag", ["--disable_telemetry", "--contribute_conversation"])
def test_a_flag_whose_thing_is_gone_says_so_in_one_line(interpreter_command, script, flag):  # noqa: F811
    done = interpreter_command(flag, "--model", script("Hello."), "hi")
    assert done.stdout == "Hello.\n"
    assert flag in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_pipe_is_attached_to_the_message_as_a_file(interpreter_command, script):  # noqa: F811
    read = {"code": "import glob\nprint(open(glob.glob('.interpreter/input-*')[0]).read()[:12])"}
    piped = "error: disk\n" * 2_000
    done = interpreter_command("-y", "--model", script(read, "Full."), "why?", input=piped)
    assert done.stdout == "Full.\n"
    assert "error: disk" in done.stderr
    shown = interpreter_command("sessions", "show", "last").stdout
    assert shown.startswith("> why?\n\nThe input is in the file ")
    assert len(shown) < 6_000


def test_a_dry_run_leaves_nothing_behind(interpreter_command, script, tmp_path):  # noqa: F811
    block = {"code": "open('made.txt', 'w').write('x')\nprint('did it')"}
    done = interpreter_command("-y", "--dry-run", "--model", script(block, "Tried."), "go")
    assert done.stdout == "Tried.\n"
    assert "did it" in done.stderr
    assert not (tmp_path / "work" / "made.txt").exists()


def test_stdin_takes_the_message_and_exits(interpreter_command, script):  # noqa: F811
    assert (
        interpreter_command("--stdin", "--model", script("Hi."), input="hello\n").stdout == "Hi.\n"
    )


def test_errands_are_done_without_a_chat(interpreter_command, own_home):  # noqa: F811
    assert interpreter_command("--profiles").stdout.strip().endswith("reploop/profiles")
    assert interpreter_command("--local_models").stdout.strip().endswith("reploop/models")
    assert "nothing to reset" in interpreter_command("--reset_profile").stderr


def test_config_shows_sets_and_forgets(interpreter_command):  # noqa: F811
    assert "kept in" in interpreter_command("config", "set", "max_steps", "9").stdout
    assert interpreter_command("config", "get", "max_steps").stdout == "9\n"
    lines = interpreter_command("config", INTERPRETER_MODEL="m").stdout.splitlines()
    rows = {line.split()[0]: line.split()[-2:] for line in lines}
    assert rows["max_steps"] == ["9", "file"]
    assert rows["model"] == ["m", "environment"]
    interpreter_command("config", "unset", "max_steps")
    assert interpreter_command("config", "get", "max_steps").stdout == "100\n"
    for name, value in (("max_steps", "many"), ("sandbox", "of"), ("safe_mode", "maybe")):
        wrong = interpreter_command("config", "set", name, value)
        assert (wrong.returncode, len(wrong.stderr.splitlines())) == (2, 1)
        assert name in wrong.stderr


def test_config_says_in_words_what_is_left_open(interpreter_command):  # noqa: F811
    shown = interpreter_command("config").stdout.splitlines()
    rows = {line.split()[0]: " ".join(line.split()[1:-1]) for line in shown}
    assert rows["max_budget"] == rows["timeout"] == "no limit"
    assert rows["model"] == rows["context_window"] == rows["temperature"] == "automatic"
    assert rows["drafts"] == "4"
    assert interpreter_command("config", "get", "max_session_tokens").stdout == "no limit\n"
    interpreter_command("config", "set", "drafts", "0")
    assert interpreter_command("config", "get", "drafts").stdout == "0\n"


def test_a_key_is_never_shown(interpreter_command):  # noqa: F811
    settings_file().parent.mkdir(parents=True)
    settings_file().write_text("api_key: sk-secret\n")
    shown = interpreter_command("config").stdout
    assert "(kept secret)" in shown
    assert "sk-secret" not in shown
    kept = interpreter_command("config", "key", "openai", input="sk-secret\n")
    assert "sk-secret" not in kept.stdout
    assert interpreter_command("config", "key", "openai", "--forget").stdout == "forgotten\n"


WORKS = ("ok", "absent", "degraded", "missing")


def test_the_doctor_says_how_each_thing_is_and_what_mends_it(interpreter_command):  # noqa: F811
    lines = interpreter_command("doctor").stdout.splitlines()
    found = {line.split()[1]: line.split()[0] for line in lines if line.startswith(WORKS)}
    wanted = "Python kernel language PDF tables git sandbox journal model terminal display data workspace"
    assert set(wanted.split()) <= set(found)
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        assert line.startswith("ok") or "→" in line or after.strip().startswith("→ "), line


def test_the_doctor_lists_every_language_with_how_to_get_it(interpreter_command, tmp_path):  # noqa: F811
    for program in ("env", "bash", "node"):
        (tmp_path / program).symlink_to(shutil.which(program))
    lines = interpreter_command("doctor", PATH=str(tmp_path)).stdout.splitlines()
    languages = [line for line in lines if " language " in line]
    assert {line.split()[2].rstrip(":") for line in languages} == {
        one.language.name for one in states()
    }
    assert f"ok        language   shell: {tmp_path}/bash" in languages
    after = lines[lines.index("absent    language   ruby: not found") + 1]
    assert after.strip() == "→ install the package ruby"


def test_a_broken_settings_file_does_not_stop_the_doctor(interpreter_command, own_home):  # noqa: F811
    path = Path(interpreter_command("config", "path").stdout.strip())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("max_steps: 3\nsandbox: of\n")
    done = interpreter_command("doctor")
    assert done.returncode == 1
    assert f"missing   settings   {path}, line 2: 'sandbox' is one of" in done.stdout
    assert "→ interpreter config edit" in done.stdout
    assert " language " in done.stdout


def test_the_doctor_tries_to_reach_the_model(interpreter_command, script):  # noqa: F811
    away = interpreter_command("doctor", INTERPRETER_API_BASE="http://127.0.0.1:9")
    assert (away.returncode, "missing   model" in away.stdout) == (1, True)
    here = interpreter_command("doctor", INTERPRETER_MODEL=script("Hello."))
    assert "ok        model      scripted/" in here.stdout


EDITOR = "#!/bin/sh\necho '{}' > \"$1\"\n"


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [("max_steps: 7", 0, "is in order"), ("max_steps: many", 2, "must be of type int")],
)
def test_the_settings_are_edited_and_looked_at(
    interpreter_command,  # noqa: F811
    tmp_path,
    content,
    code,
    said,
):
    editor = tmp_path / "editor"
    editor.write_text(EDITOR.format(content))
    editor.chmod(0o755)
    done = interpreter_command("config", "edit", EDITOR=str(editor), VISUAL=str(editor))
    assert (done.returncode, said in done.stdout + done.stderr) == (code, True)


KEYRING = """
import json, pathlib
KEPT = pathlib.Path({path!r})
class Backend:
    priority = 5
def get_keyring(): return Backend()
def _all(): return json.loads(KEPT.read_text()) if KEPT.exists() else {{}}
def get_password(service, name): return _all().get(service + name)
def set_password(service, name, key): KEPT.write_text(json.dumps({{**_all(), service + name: key}}))
"""


def test_a_key_is_kept_in_the_keyring_of_the_system(interpreter_command, tmp_path, own_home):  # noqa: F811
    (tmp_path / "keyring.py").write_text(KEYRING.format(path=str(tmp_path / "ring")))
    kept = interpreter_command(
        "config", "key", "openai", input="sk-secret\n", PYTHONPATH=str(tmp_path)
    )
    assert "the system keyring" in kept.stdout, kept.stderr
    assert "sk-secret" in (tmp_path / "ring").read_text()
    files = [path for path in own_home.rglob("*") if path.is_file()]
    assert not any(b"sk-secret" in path.read_bytes() for path in files)


def test_without_a_keyring_a_key_is_in_a_file_of_yours_alone(interpreter_command, own_home):  # noqa: F811
    interpreter_command("config", "key", "openai", input="sk-secret\n")
    holding = [
        path for path in own_home.rglob("*") if path.is_file() and b"sk-" in path.read_bytes()
    ]
    assert [path.stat().st_mode & 0o777 for path in holding] == [0o600]


def test_sessions_are_exported_and_imported(interpreter_command, script, tmp_path):  # noqa: F811
    interpreter_command("--model", script("Nice."), "I am Ada.")
    for suffix in ("md", "html", "ipynb", "py", "json"):
        done = interpreter_command("sessions", "export", "last", str(tmp_path / f"out.{suffix}"))
        assert done.returncode == 0, done.stderr
        assert (tmp_path / f"out.{suffix}").stat().st_size > 0
    before = interpreter_command("sessions", "show", "last").stdout
    copy = interpreter_command("sessions", "import", str(tmp_path / "out.json")).stdout.strip()
    assert interpreter_command("sessions", "show", copy).stdout == before


def test_at_a_terminal_the_help_begins_at_its_beginning(start):
    terminal = start(argv=[COMMAND, "--help"], height=24, env={"LESS": ""})
    terminal.wait_for("usage: interpreter", "cat log | interpreter", where=terminal.screen)
    terminal.press("G")
    terminal.wait_for("Exit codes:")
    terminal.press("q")
    assert terminal.wait_for_end() == 0
