"""Levels, limits, rules and guards, as the command sets them up."""

import http.server
import json
import sys
import threading

import pytest


@pytest.fixture
def home(tmp_path):
    """A home with keys, which is also where the command finds its own settings."""
    place = tmp_path / "home"
    for name, content in {".ssh/id_rsa": "KEY", ".bashrc": "# mine\n", "notes": "NOTES"}.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(content)
    return place


@pytest.fixture
def shell(interpreter_command, script, tmp_path):
    """Have the model run this shell code without asking; what was said on stderr."""

    def run(source, *arguments, language="shell", **environment):
        model = script({"code": source, "language": language}, "Done.")
        return interpreter_command("-y", *arguments, "--model", model, "go", **environment)

    return run


def test_trusted_code_reads_the_home_but_not_its_keys(shell, home):
    source = "cat ~/notes; cat ~/.s*/id*; touch ~/new && echo WRITTEN"
    said = shell(source, "--sandbox", "trusted", HOME=str(home)).stderr
    assert "\nNOTES" in said
    assert "\nKEY" not in said
    assert "\nWRITTEN" not in said


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.mark.parametrize(("level", "expected"), [("trusted", "REACHED"), ("workspace", "REFUSED")])
def test_only_trusted_code_has_the_network(shell, home, level, expected):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        source = f"(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo REACHED || echo REFUSED"
        said = shell(source, "--sandbox", level, HOME=str(home)).stderr
        server.shutdown()
    assert f"\n{expected}\n" in said


def test_files_that_go_with_the_sandbox_are_named_with_how_to_keep_them(shell):
    source = "echo 1 > '/tmp/my report.csv'; mktemp > /dev/null; echo x > /tmp/tmpab12cd.txt; : > /tmp/e.txt"
    said = shell(source).stderr
    assert (
        "[/tmp/my report.csv: only in the sandbox's own /tmp, gone with the session; "
        "kept by !cp '/tmp/my report.csv' .]"
    ) in said
    assert "gone with the session" not in shell("echo 1 > kept.csv; cat kept.csv").stderr


def test_read_only_code_writes_nothing(shell, tmp_path):
    source = "touch here 2> /dev/null || echo REFUSED; touch /tmp/there && echo OK"
    assert "\nREFUSED\nOK\n" in shell(source, "--sandbox", "read-only").stderr
    assert not (tmp_path / "work/here").exists()


def test_a_home_as_workspace_hides_its_keys_and_keeps_its_start_up_files(shell, home):
    source = "echo x > new; echo x >> .bash*; cat .s*/id*; ls .s*; cat notes"
    said = shell(source, "--workspace", str(home), HOME=str(home)).stderr
    assert "\nNOTES" in said
    assert "\nKEY" not in said
    assert (home / "new").read_text() == "x\n"
    assert (home / ".bashrc").read_text() == "# mine\n"


@pytest.mark.parametrize("place", ["/", "/etc", "/home"])
def test_the_system_is_no_workspace(shell, place):
    done = shell("echo RAN", "--workspace", place)
    assert done.returncode == 2
    assert "cannot be a workspace" in done.stderr
    assert "\nRAN" not in done.stderr


def test_a_level_that_is_none_is_an_error(shell):
    done = shell("echo RAN", "--sandbox", "paranoid")
    assert done.returncode == 2
    assert "'sandbox' is one of read-only, workspace, trusted, off; not 'paranoid'" in done.stderr


def test_approval_never_runs_nothing_and_tells_the_model(shell, tmp_path):
    done = shell("touch ran", "--approval", "never", "--json")
    decided = [e for e in map(json.loads, done.stdout.splitlines()) if e["type"] == "Decided"]
    assert "runs nothing" in decided[0]["decision"]["reason"]
    assert not (tmp_path / "work/ran").exists()


RULES = """
[[rule]]
decision = "deny"
command = "touch"
reason = "nothing is touched here"
"""


def test_rules_come_from_a_file_of_the_users_choice(shell, tmp_path):
    (tmp_path / "mine.toml").write_text(RULES)
    done = shell("touch ran", "--rules", str(tmp_path / "mine.toml"))
    assert not (tmp_path / "work/ran").exists()
    assert "nothing is touched here" in done.stderr


@pytest.mark.parametrize(
    ("place", "text", "complaint"),
    [
        ("work/rules.toml", RULES, "cannot be kept in the workspace"),
        ("rules.toml", "[[rule]]\n", "decision must be"),
        ("rules.toml", None, "no file with rules"),
    ],
)
def test_rules_that_cannot_be_meant_are_an_error_at_once(shell, tmp_path, place, text, complaint):
    if text is not None:
        (tmp_path / place).write_text(text)
    done = shell("echo RAN", "--rules", str(tmp_path / place))
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "\nRAN" not in done.stderr


def test_memory_and_programs_are_limited_as_told(shell):
    block = "ulimit -d; ulimit -u"
    said = shell(block, "--max_memory", "300", "--max-programs", "77").stderr
    assert f"\n{300 * 1024}\n77\n" in said


def test_a_session_ends_after_its_steps(shell):
    done = shell("echo ONE", "--max_session_steps", "1", "--json")
    end = json.loads(done.stdout.splitlines()[-1])
    assert end["end"] == "out_of_budget"
    assert "1 steps" in end["detail"]


def test_a_message_may_use_so_many_tokens_only(shell):
    done = shell("echo ONE", "--max_turn_tokens", "1", "--json")
    end = json.loads(done.stdout.splitlines()[-1])
    assert end["end"] == "out_of_budget"
    assert "The turn may use 1 tokens" in end["detail"]


def test_a_file_with_secrets_is_not_shown_without_asking(shell, tmp_path):
    (tmp_path / "work/.env").write_text("SERVICE_TOKEN=correct-horse-battery\n")
    done = shell("cat .env")
    assert done.stdout == "Done.\n"  # the model is told, and the turn goes on
    assert "Not run: the model may see what is in .env, and nobody is there to ask" in done.stderr
    assert "correct-horse" not in done.stderr


def test_a_secret_of_the_workspace_is_not_printed_by_a_detour(shell, tmp_path):
    (tmp_path / "work/.env").write_text("export SERVICE_TOKEN='correct-horse-battery'\nPORT=8080\n")
    said = shell("cat .e*").stderr
    assert "SERVICE_TOKEN='[secret SERVICE_TOKEN]'\nPORT=8080\n" in said
    assert "correct-horse" not in said


def test_a_hook_deep_in_the_workspace_is_put_back(shell, tmp_path):
    deep = tmp_path / "work/a/b"
    deep.mkdir(parents=True)
    (deep / ".envrc").write_text("export A=1\n")
    source = "mkdir -p a/c/.git/hooks; echo evil | tee a/b/.en* a/c/.git/hooks/pre-push a/note"
    done = shell(source)
    assert "would run by itself" in done.stderr
    assert (deep / ".envrc").read_text() == "export A=1\n"
    assert not (tmp_path / "work/a/c/.git/hooks/pre-push").exists()
    assert (tmp_path / "work/a/note").read_text() == "evil\n"


STAND_IN = f"""#!{sys.executable}
# Stands in for semgrep: finds something in every block.
print('{{"results": [{{"start": {{"line": 1}}, "check_id": "x.stand-in", '
      '"extra": {{"message": "the stand-in saw it"}}}}]}}')
"""


def test_semgrep_is_asked_where_it_is_installed(shell, tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/semgrep").write_text(STAND_IN)
    (tmp_path / "bin/semgrep").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    done = shell("echo RAN", "--safe_mode", "auto")
    assert "Not run: it may be dangerous: line 1: the stand-in saw it" in done.stderr
    assert "\nRAN" not in done.stderr


def rules_in(place, text):
    file = place / "rules.toml"
    file.write_text(text)
    return str(file)


def test_a_denied_program_is_refused_where_it_starts_and_all_are_told(shell, tmp_path):
    rules = rules_in(tmp_path, '[[rule]]\ndecision = "deny"\ncommand = "git push"\n')
    (tmp_path / "work/word").write_text("push")  # so that no reader of the text can know
    hidden = "import subprocess\nv = open('word').read()\nsubprocess.run(['git', v, 'origin'])"
    done = shell(hidden, "--rules", rules, language="python")
    assert "the rule `deny git push` refused `git push origin`" in done.stderr
    assert "PermissionError" in done.stderr


def test_rules_that_cannot_be_held_are_said_so_and_asked_about(shell, tmp_path):
    rules = rules_in(tmp_path, '[[rule]]\ndecision = "deny"\ncommand = "git push"\n')
    done = shell("echo RAN", "--rules", rules, "--sandbox", "off", "--json")
    asked = [e for e in map(json.loads, done.stdout.splitlines()) if e["type"] == "Decided"]
    assert asked
    assert "\nRAN" not in done.stdout


def test_a_denied_path_is_hidden_and_does_not_appear(shell, tmp_path):
    rules = rules_in(tmp_path, '[[rule]]\ndecision = "deny"\npath = ["secret.txt", "new/**"]\n')
    (tmp_path / "work/secret.txt").write_text("CANARY\n")
    hidden = "cat sec*t; f=n; mkdir ${f}ew; echo RAN"
    said = shell(hidden, "--rules", rules).stderr
    assert "\nCANARY" not in said
    assert "\nRAN" in said
    assert "the rule `deny new/**` refused to change" in said


def test_a_denied_host_is_refused_where_it_is_reached(shell, tmp_path):
    rules = rules_in(tmp_path, '[[rule]]\ndecision = "deny"\nhost = "evil.test"\n')
    hidden = "import urllib.request as u\nu.urlopen('http://' + 'tset.live'[::-1])"
    said = shell(hidden, "--rules", rules, language="python").stderr
    assert "the sandbox refused to connect to evil.test:80 (a rule of yours says deny)" in said
