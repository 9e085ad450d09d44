"""What the program at the other end asks of us while a session goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from interpreter.assembly.session_factory import SessionFactory
from interpreter.headless.conversation import HeadlessConversation
from interpreter.headless.flags import MODES, with_mode
from interpreter.headless.hook_callbacks import HookCallbacks
from interpreter.headless.message_ids import next_checkpoint
from interpreter.headless.tool_rules import ToolRules
from interpreter.protocol.errors import ConfigurationError, InterpreterError
from interpreter.session.session import Session
from interpreter.settings.settings import Settings

Answer = Mapping[str, Any]
NOT_HERE = {
    "mcp_reconnect": "a tool server is started again by itself when it is used",
    "mcp_toggle": "tool servers cannot be switched off while a session runs",
    "stop_task": "there are no tasks of that kind",
}


class IncomingRequests:
    """Answers each; an InterpreterError becomes its sentence."""

    def __init__(
        self,
        conversation: HeadlessConversation,
        rules: ToolRules,
        hooks: HookCallbacks,
        greeting: Answer,
        usual: Settings,
    ) -> None:
        self._conversation = conversation
        self._live = conversation.live
        self._rules = rules
        self._hooks = hooks
        self._greeting = greeting
        self._usual = usual
        """The settings before any mode or model was chosen."""
        self._known: dict[str, Callable[[Answer], Answer]] = {
            "initialize": self._initialize,
            "interrupt": self._interrupt,
            "set_permission_mode": self._set_permission_mode,
            "set_model": self._set_model,
            "set_max_thinking_tokens": lambda request: {},
            "rewind_files": self._rewind,
            "mcp_status": self._mcp_status,
            "get_context_usage": self._context_usage,
        }

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The line that answers a line with a request."""
        request = message.get("request")
        told: dict[str, Any] = {"request_id": message.get("request_id")}
        try:
            told |= {"subtype": "success", "response": self._done(request)}
        except InterpreterError as error:
            told |= {"subtype": "error", "error": str(error)}
        return {"type": "control_response", "response": told}

    def expect(self) -> None:
        """A message has come."""
        self._conversation.expect()

    def stop(self) -> None:
        """Nobody can ask any more: end what runs."""
        self._conversation.interrupt()

    def _done(self, request: Any) -> Answer:
        subtype = request.get("subtype") if isinstance(request, dict) else None
        if subtype in NOT_HERE:
            raise ConfigurationError(f"{subtype} is not possible: {NOT_HERE[subtype]}.")
        if subtype not in self._known:
            there = ", ".join(self._known)
            raise ConfigurationError(
                f"There is no control request {str(subtype)[:80]!r}; there are: {there}."
            )
        return self._known[subtype](request)

    def _initialize(self, request: Answer) -> Answer:
        if request.get("agents"):
            raise ConfigurationError("Agents cannot be given here: they are not known.")
        self._hooks.configure(request.get("hooks"))
        return {**self._greeting, "hook_on_failure_supported": True}

    def _interrupt(self, request: Answer) -> Answer:
        self._conversation.interrupt()
        return {}

    def _set_permission_mode(self, request: Answer) -> Answer:
        mode = request.get("mode")
        if mode not in MODES:
            raise ConfigurationError(f"The permission mode is one of {', '.join(MODES)}.")
        self._rules.mode = str(mode)
        model = self._live.settings.model
        self._live.settings = replace(with_mode(self._usual, str(mode)), model=model)
        return {"mode": mode}

    def _set_model(self, request: Answer) -> Answer:
        model = request.get("model")
        if not isinstance(model, str | None):
            raise ConfigurationError("`model` is a name, or nothing for the usual one.")
        chosen = self._usual.model if model in (None, "default") else str(model)
        self._live.settings = replace(self._live.settings, model=chosen)
        return {}

    def _rewind(self, request: Answer) -> Answer:
        if request.get("dry_run"):
            raise ConfigurationError("rewind_files cannot be tried out.")
        narrator = self._conversation.narrator
        session = self._conversation.opened()[1]
        found = str(request.get("user_message_id", ""))
        found = narrator.known_as.get(found, found)
        told = self._live.go_back(lambda session: _gone_back(session, found)).result()
        narrator.checkpoint = (session.blocks or ("",))[-1]
        return {"canRewind": True, "told": told}

    def _mcp_status(self, request: Answer) -> Answer:
        factory, _ = self._conversation.opened()
        return {"mcpServers": servers_of(factory)}

    def _context_usage(self, request: Answer) -> Answer:
        _, session = self._conversation.opened()
        engine = session.engine
        used, most = engine.asking.context.tokens, engine.model.capabilities.context_window
        return {
            "categories": [{"name": "Messages", "tokens": used, "color": ""}],
            "totalTokens": used,
            "maxTokens": most,
            "rawMaxTokens": most,
            "percentage": round(100 * used / most, 1) if most else 0.0,
            "model": self._conversation.model,
            "mcpTools": [],
            "memoryFiles": [],
            "agents": [],
        }


def servers_of(factory: SessionFactory) -> list[dict[str, Any]]:
    """The servers of tools as a program is told of them; they start when they are needed."""
    servers = factory.environment.tool_servers
    if not servers.configs:
        return []
    found = []
    for server in servers.servers:
        status = "failed" if server.trouble else "connected" if server.was_started else "pending"
        entry = {"name": server.config.name, "status": status, "scope": server.config.source}
        found.append({**entry, **({"error": server.trouble} if server.trouble else {})})
    return found


def _gone_back(session: Session, message: str) -> str:
    checkpoint = next_checkpoint(message, session.id, session.blocks)
    if checkpoint is None:
        raise ConfigurationError(f"There is no message {message[:80]!r} to go back to.")
    return session.undo_to(checkpoint) if checkpoint else "nothing has changed since"
