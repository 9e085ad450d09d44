"""What every policy promises to a turn."""

import pytest

from interpreter.policies.approvals import Approvals
from interpreter.policies.rules import parse_rules
from interpreter.protocol.actions import Decision, Verdict
from interpreter.protocol.messages import ActionCall, Code, MalformedCall

POLICIES = {
    "asking": lambda: Approvals("ask"),
    "running": lambda: Approvals("auto"),
    "refusing": lambda: Approvals("never"),
    "careful": lambda: Approvals("auto", safe_mode="auto"),
    "unconfined": lambda: Approvals("auto", confined=False),
    "ruled": lambda: Approvals("ask", rules=parse_rules('[[rule]]\ndecision="deny"\ntool="x"')),
}
ACTIONS = [
    Code("python", "print(1)"),
    Code("shell", "ls"),
    Code("cobol", "DISPLAY 'HELLO'."),
    Code("python", "def broken("),
    Code("shell", ""),
    ActionCall("browse", '{"url": "https://example.org"}'),
    ActionCall("browse", "not json"),
    MalformedCall("{{", "not JSON"),
]


@pytest.fixture(params=POLICIES)
def policy(request):
    return POLICIES[request.param]()


@pytest.mark.parametrize("action", ACTIONS, ids=repr)
def test_every_action_gets_a_verdict(policy, action):
    assert policy.review(action).ruling in ("allow", "ask", "deny")


@pytest.mark.parametrize("action", ACTIONS, ids=repr)
def test_a_verdict_does_not_change_by_being_given(policy, action):
    assert policy.review(action) == policy.review(action)


@pytest.mark.parametrize("answer", ["yes", "no", "dry_run", "stop"])
def test_only_always_is_remembered(policy, answer):
    before = [policy.review(action) for action in ACTIONS]
    for action in ACTIONS:
        policy.remember(action, Decision(answer))
    assert [policy.review(action) for action in ACTIONS] == before


def test_nothing_of_a_call_that_cannot_be_understood_runs_so_nobody_is_asked(policy):
    assert policy.review(MalformedCall("{{", "not JSON")) == Verdict("allow")
