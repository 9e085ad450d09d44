"""A session around a scripted model and a small tool, so that turns can be watched."""

from dataclasses import dataclass, field

from interpreter.models.scripted import ScriptedModel
from interpreter.policies.approvals import Approvals
from interpreter.protocol.actions import Decision
from interpreter.protocol.events import ExecutionFinished, OutputDelta
from interpreter.protocol.ports import Capabilities, ToolSpec, nobody_answers
from interpreter.session.budget import Budget
from interpreter.session.engine import Asking, Engine, TurnLimits
from interpreter.session.request.context import Context
from interpreter.session.session import Session
from tests.no_checkpoints import NoCheckpoints


@dataclass
class Echo:
    """A tool that prints the code it is given; `before` is called first, `failure` is raised."""

    ran: list = field(default_factory=list)
    before: object = None
    failure: object = None
    fails_at: str = "\0"
    closed: int = 0
    spec = ToolSpec("execute", "Echo code.", "{}")

    def run(self, action, context):
        self.ran.append(action)
        try:
            if self.failure:
                raise self.failure
            yield OutputDelta(f"{action.source}\n")
            if self.before:
                self.before()
            outcome = "interrupted" if context.interrupt.requested else "ok"
            failed = action.source == self.fails_at
            yield ExecutionFinished("failed" if failed else outcome)
        finally:
            self.closed += 1


def make_session(echo, *script, approve=None, store=None, steps=20, **options):
    policy, checkpoints = Approvals("ask" if approve else "auto"), NoCheckpoints()
    engine = Engine(
        model=ScriptedModel(script, piece=3),
        tools={"execute": echo},
        policy=lambda: policy,
        checkpoints=lambda: checkpoints,
        asking=Asking(Context(Capabilities(context_window=1_000_000)), Budget()),
        approve=approve or (lambda request: Decision("yes")),
        answer=nobody_answers,
        limits=TurnLimits(steps=steps),
    )
    identity = {"store": store, "session_id": store.create()} if store else {}
    return Session(engine, **identity, **options)
