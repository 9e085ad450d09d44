"""Compatibility: parts that programs made for Open Interpreter build or call by themselves."""

from __future__ import annotations

import sys
from typing import Any

from interpreter import lmc
from interpreter.facade.compatible import computer
from interpreter.facade.compatible import computer_parts as modules
from interpreter.facade.compatible.interpreter import OpenInterpreter
from interpreter.facade.compatible.model import llm
from interpreter.facade.compatible.profile import apply_profile
from interpreter.session.request.shrink import TokenEstimate
from interpreter.settings.paths import config_directory, profile_directory
from interpreter.terminal import commands


class Computer(computer.Computer):
    """A computer for an interpreter."""

    def __init__(self, interpreter: OpenInterpreter) -> None:
        super().__init__(
            interpreter._open_factory,
            lambda text, picture: interpreter.llm.answer(text, picture),
            interpreter.skills_directory,
        )
        self.interpreter = interpreter


class Llm(llm.Llm):
    """A model for an interpreter."""

    def __init__(self, interpreter: OpenInterpreter) -> None:
        super().__init__(interpreter._model, interpreter._model_beside)
        self.interpreter = interpreter


class Files(modules.Files):
    """The files of a computer."""

    def __init__(self, computer: computer.Computer | None = None) -> None:
        self.computer = computer


def profile(interpreter: OpenInterpreter, filename_or_url: str) -> OpenInterpreter:
    """Apply a profile; the interpreter."""
    apply_profile(interpreter, filename_or_url)
    return interpreter


profile_dir = str(profile_directory())


def main() -> int:
    """The command `interpreter`, with the arguments of this program."""
    return commands.run(sys.argv[1:])


def start_terminal_interface(interpreter: OpenInterpreter) -> None:
    """A conversation in the terminal."""
    interpreter.chat()


def count_tokens(text: str = "", model: str = "") -> int:
    """How many tokens a text is, about; nobody is asked."""
    estimate = TokenEstimate()
    return estimate.tokens(estimate.weigh_text(text))


def count_messages_tokens(
    messages: list[dict[str, Any]] | None = None, model: str | None = None
) -> tuple[int, float]:
    """How many tokens messages are, about, and what sending them costs, if that is known."""
    estimate = TokenEstimate()
    weight = sum(map(estimate.weigh, lmc.decode_all(messages or [])))
    tokens = estimate.tokens(weight)
    return tokens, token_cost(tokens, model or "")


def token_cost(tokens: int = 0, model: str = "") -> float:
    """What so many tokens cost to send; 0 where nobody knows."""
    from interpreter.models.prices import pricing_of  # noqa: PLC0415  (a large table)
    from interpreter.protocol.events import Usage  # noqa: PLC0415

    return pricing_of(model, None)(Usage(input=tokens, output=0)) or 0.0


def get_storage_path(subdirectory: str | None = None) -> str:
    """Where settings are kept, or a directory in there."""
    place = config_directory()
    return str(place / subdirectory if subdirectory else place)
