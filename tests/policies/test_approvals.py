"""Who is asked, when, and what is remembered."""

import pytest

from interpreter.policies.approvals import Approvals
from interpreter.policies.rules import parse_rules
from interpreter.protocol.actions import Decision, Finding
from interpreter.protocol.messages import ActionCall, Code

PRINT = Code("python", "print(1)")
DELETE = Code("python", "import shutil\nshutil.rmtree('/home/ann')")


def ruling(policy, action):
    return policy.review(action).ruling


@pytest.mark.parametrize(
    ("mode", "expected"), [("ask", "ask"), ("auto", "allow"), ("never", "deny")]
)
def test_the_mode_decides(mode, expected):
    assert ruling(Approvals(mode), PRINT) == expected


COMPARED = Code("python", "print(1)", to_compare=True)


@pytest.mark.parametrize(
    ("mode", "expected"), [("ask", "allow"), ("auto", "allow"), ("never", "deny")]
)
def test_what_only_runs_to_be_compared_is_not_asked_about(mode, expected):
    assert ruling(Approvals(mode), COMPARED) == expected


@pytest.mark.parametrize(
    "policy",
    [
        Approvals(rules=parse_rules('[[rule]]\ndecision = "ask"\nlanguage = "python"')),
        Approvals(confined=False),
        Approvals(unenforced="nothing holds that rule here"),
        Approvals(suspicion=lambda action: "it may come from a page"),
    ],
)
def test_to_compare_is_no_way_around_a_rule_or_a_wall(policy):
    assert ruling(policy, COMPARED) == "ask"


@pytest.mark.parametrize(
    "source", ["print(open('.env').read())", "import shutil\nshutil.rmtree('/home/ann')"]
)
def test_what_is_compared_and_looks_dangerous_or_reads_secrets_is_not_let_through(source):
    assert ruling(Approvals("ask"), Code("python", source, to_compare=True)) == "ask"


def test_that_something_was_compared_lets_nothing_else_run():
    policy = Approvals("ask")
    policy.review(COMPARED)
    assert ruling(policy, PRINT) == "ask"


def test_always_covers_exactly_what_was_shown():
    policy = Approvals()
    policy.remember(PRINT, Decision("always"))
    assert ruling(policy, Code("py", "print(1)")) == "allow"
    assert ruling(policy, Code("py", "print(1)\nprint(2)")) == "ask"
    assert ruling(policy, Code("shell", "ls")) == "ask"
    policy.remember(ActionCall("browse", '{"url": "a"}'), Decision("always"))
    assert ruling(policy, ActionCall("browse", '{"url": "a"}', "another call")) == "allow"
    assert ruling(policy, ActionCall("browse", "{}")) == "ask"


def test_what_always_covers_is_told_and_can_be_forgotten():
    policy = Approvals("ask")
    policy.remember(Code("python", "a = 1\nb = 2\n"), Decision("always"))
    policy.remember(Code("shell", "ls \x1b[31m"), Decision("always"))
    policy.remember(Code("shell", "rm x"), Decision("yes"))
    assert policy.allowed() == ("python: a = 1 (and 1 more lines)", "shell: ls ⟨U+001B⟩[31m")
    policy.forget()
    assert policy.allowed() == ()
    assert policy.review(Code("shell", "ls \x1b[31m")).ruling == "ask"


def test_always_for_a_shell_block_covers_its_commands_word_by_word():
    policy = Approvals()
    policy.remember(Code("shell", "git status && ls -l"), Decision("always"))
    assert ruling(policy, Code("bash", "ls -l | git status")) == "allow"
    assert ruling(policy, Code("bash", "ls")) == "ask"
    assert ruling(policy, Code("bash", "git status --short")) == "ask"
    assert ruling(policy, Code("bash", "ls -l > file")) == "ask"
    assert ruling(policy, Code("bash", "git status; rm x")) == "ask"


@pytest.mark.parametrize(
    "change",
    [
        "git() { rm -rf src; }",
        "alias git=rm",
        "export PATH=evil:$PATH",
        "PATH=evil:$PATH",
        "source functions.sh",
        "eval $x",
        "$x y",
        "trap 'rm x' DEBUG",
        "cd elsewhere",
        "hash -p /tmp/x git",
    ],
)
def test_words_are_asked_about_again_once_a_block_may_have_changed_what_they_mean(change):
    rules = parse_rules('[[rule]]\ndecision = "allow"\ncommand = "git status"')
    policy = Approvals(rules=rules)
    policy.remember(Code("sh", "make -n"), Decision("always"))
    assert ruling(policy, Code("sh", "git status")) == "allow"
    assert ruling(policy, Code("sh", "make -n")) == "allow"
    policy.remember(Code("sh", change), Decision("no"))
    assert ruling(policy, Code("sh", "git status")) == "allow"
    policy.remember(Code("sh", change), Decision("yes"))
    assert ruling(policy, Code("sh", "git status")) == "ask"
    assert ruling(policy, Code("sh", "make -n; make -n")) == "ask"


def test_ordinary_blocks_leave_the_words_alone():
    rules = parse_rules('[[rule]]\ndecision = "allow"\ncommand = "git status"')
    policy = Approvals(rules=rules)
    for source in ("for f in *.py; do wc -l $f; done", "x=1; echo $x | sort > out", "make test"):
        policy.remember(Code("sh", source), Decision("yes"))
    assert ruling(policy, Code("sh", "git status")) == "allow"


def test_what_was_edited_is_what_is_remembered():
    policy = Approvals()
    edited = Code("shell", "ls")
    policy.remember(Code("shell", "rm x"), Decision("always", edited=edited))
    assert ruling(policy, Code("shell", "rm x")) == "ask"
    assert ruling(policy, edited) == "allow"


def test_rules_that_nothing_holds_make_every_block_ask():
    rules = parse_rules('[[rule]]\ndecision = "deny"\ncommand = "git push"')
    policy = Approvals("auto", rules=rules, unenforced="your rules cannot be enforced here")
    assert policy.review(PRINT).reason == "your rules cannot be enforced here"
    assert ruling(policy, PRINT) == "ask"
    assert ruling(policy, Code("sh", "git -C . push")) == "deny"
    assert ruling(policy, ActionCall("browse", "{}")) == "allow"


def test_findings_force_a_question_even_where_nothing_else_does():
    policy = Approvals("auto", safe_mode="auto")
    verdict = policy.review(DELETE)
    assert verdict.ruling == "ask"
    assert verdict.findings == (Finding(2, "destructive-delete", "rmtree removes '/home/ann'"),)
    assert "line 2" in verdict.reason
    assert ruling(policy, PRINT) == "allow"


def test_findings_are_asked_about_even_after_always_and_under_an_allowing_rule():
    rules = parse_rules('[[rule]]\ndecision = "allow"\nlanguage = "python"')
    policy = Approvals("ask", rules=rules, safe_mode="auto")
    policy.remember(PRINT, Decision("always"))
    assert ruling(policy, PRINT) == "allow"
    assert ruling(policy, DELETE) == "ask"


def test_safe_mode_ask_only_offers_the_scan():
    policy = Approvals("auto", safe_mode="ask")
    assert ruling(policy, DELETE) == "allow"
    assert [finding.rule for finding in policy.scan(DELETE)] == ["destructive-delete"]


def test_a_language_that_cannot_be_scanned_is_asked_about_in_safe_mode():
    verdict = Approvals("auto", safe_mode="auto").review(Code("ruby", "puts 1"))
    assert (verdict.ruling, verdict.reason) == ("ask", "ruby cannot be scanned")


def test_without_a_sandbox_every_block_needs_a_yes():
    rules = parse_rules('[[rule]]\ndecision = "allow"\nlanguage = "python"')
    policy = Approvals("auto", rules=rules, confined=False)
    policy.remember(PRINT, Decision("always"))
    assert ruling(policy, PRINT) == "ask"
    assert "no sandbox" in policy.review(PRINT).reason


def test_another_scanner_may_add_findings():
    extra = Finding(1, "local-rule", "because")
    policy = Approvals("auto", safe_mode="auto", extra_scan=lambda language, source: (extra,))
    assert policy.review(PRINT).findings == (extra,)


def test_a_file_with_secrets_is_asked_about_once():
    policy, show = Approvals("auto"), Code("shell", "cat config/.env")
    assert policy.review(show).reason == "the model may see what is in config/.env"
    policy.remember(show, Decision("no"))
    assert ruling(policy, show) == "ask"
    policy.remember(show, Decision("yes"))
    assert ruling(policy, Code("python", "open('config/.env').read()")) == "allow"
    assert ruling(policy, Code("shell", "cat .env.production")) == "ask"
    assert ruling(policy, Code("shell", "cat .env.example")) == "allow"


def test_a_rule_may_allow_a_file_with_secrets():
    rules = parse_rules('[[rule]]\ndecision = "allow"\ncommand = "cat"')
    assert ruling(Approvals("ask", rules=rules), Code("shell", "cat .env")) == "allow"


def test_safe_mode_ask_offers_a_scan_where_one_can_be_had():
    policy = Approvals("ask", safe_mode="ask")
    assert policy.review(PRINT).offers_scan
    assert not policy.review(Code("ruby", "puts 1")).offers_scan
    assert not Approvals("ask").review(PRINT).offers_scan
