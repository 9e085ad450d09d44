"""What can go wrong, in our own words; every text says what to do next."""

from __future__ import annotations

from typing import Any


class InterpreterError(Exception):
    """Anything that stops us; the text is one sentence for the user."""


class ConfigurationError(InterpreterError):
    """A setting, profile, flag or file of ours is wrong."""


class ModelError(InterpreterError):
    """The model could not answer."""


class AuthenticationFailed(ModelError):
    """The key is missing or wrong."""


class RateLimited(ModelError):
    """The provider wants us to wait, or the quota is used up."""


class ContextTooLong(ModelError):
    """The conversation does not fit into the model's window."""


class Unreachable(ModelError):
    """Nobody answers at the model's address."""


class UnknownModel(ModelError):
    """There is no model of that name."""


class OutOfBudget(ModelError):
    """The next request would cost more than may be spent."""


class ScriptEnded(ModelError):
    """A scripted model has no reply left."""


class RuntimeFailure(InterpreterError):
    """A language's process could not do its work."""


class StartFailed(RuntimeFailure):
    """The process did not come up."""


class Died(RuntimeFailure):
    """The process is gone."""


class UnknownLanguage(RuntimeFailure):
    """No runtime here runs that language."""


class SandboxUnavailable(InterpreterError):
    """The confinement asked for cannot be had on this machine."""


class WorkspaceUnusable(SandboxUnavailable):
    """The walls hold, and the code behind them could not use the directory that it is for."""


class CheckpointError(InterpreterError):
    """A state could not be kept or restored."""


class CheckpointConflict(CheckpointError):
    """Somebody else changed these files since; nothing was done. Ask, then say what to do."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        shown = ", ".join(paths[:8]) + (f" and {len(paths) - 8} more" if len(paths) > 8 else "")
        super().__init__(f"Changed by somebody else since: {shown}. Keep them or overwrite them?")
        self.paths = paths


class StoreError(InterpreterError):
    """The session database cannot be read or written."""


class PluginError(InterpreterError):
    """A plug-in is broken; the text names its distribution."""


class TransferFailed(InterpreterError):
    """A value could not be brought into or out of the code's world as data."""


class AnswerInvalid(InterpreterError):
    """The model's answer is not what was asked for, even after it was told so."""


class CallFailed(InterpreterError):
    """A function of the host could not do what code asked of it.

    `kind` names the exception that the code sees, `details` is plain data that it can look at.
    """

    def __init__(self, text: str, kind: str = "CallFailed", details: Any = None) -> None:
        super().__init__(text)
        self.kind = kind
        self.details = details


class NotApproved(InterpreterError):
    """Code wanted to run and nobody was there to say yes; it is still proposed."""


def install_command(extra: str) -> str:
    """What installs an extra: of the checkout, as no package index has us."""
    return f"pip install '.[{extra}]' in the checkout of reploop"


def why_unreadable(error: Exception) -> str:
    """Why a file could not be read, in a few words; of YAML with the line where it went wrong."""
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    if mark is not None and problem:
        return f"line {mark.line + 1}: {problem}"
    return getattr(error, "strerror", None) or " ".join(str(error).split())
