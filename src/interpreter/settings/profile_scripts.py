"""Profiles that are Python: run with an `interpreter` in scope that notes what is set."""

from __future__ import annotations

import ast
import traceback
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from interpreter.protocol.errors import ConfigurationError
from interpreter.settings.own import ProfileParts
from interpreter.settings.settings import Settings

MODEL_SETTINGS = (
    *("model", "temperature", "context_window", "max_tokens", "max_budget", "api_base", "api_key"),
    *("api_version", "supports_vision", "supports_functions", "execution_instructions"),
)


class Notepad:
    """Takes any attribute, and has those it was made with."""

    def __init__(self, place: str, values: Mapping[str, Any]) -> None:
        self.__dict__.update(values)
        self.__dict__["_place"] = place

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ConfigurationError(f"{self._place}.{name} cannot be used in a profile")


def run_script(script: str, source: str, settings: Settings, own: ProfileParts) -> dict[str, Any]:
    """What a profile sets, by name; what is no setting is put into `own`."""
    values = asdict(settings) | {"messages": []}
    model = {name: values.pop(name) for name in MODEL_SETTINGS}
    llm = Notepad("interpreter.llm", model | {"completions": own.completions, "load": _nothing})
    languages = own.offered()
    computer = Notepad("interpreter.computer", _machine(languages, settings.skills_path, own))
    whole = {**values, "llm": llm, "computer": computer}
    interpreter = Notepad("interpreter", {**whole, "display_message": own.say})
    interpreter.__dict__["local_setup"] = lambda: llm.__dict__.update(own.choose_local())
    before = {**vars(interpreter), **vars(llm), **vars(computer), "languages": languages}
    execute(script, source, interpreter)
    named = (computer.languages, computer.terminal.languages)
    chosen = next((one for one in named if one != languages), languages)
    machine = {"languages": chosen, "skills_path": computer.skills.path}
    after = {**vars(interpreter), **vars(llm), **machine}
    after = {k: v for k, v in after.items() if k != "_place" and before.get(k, ...) != v}
    return _without_own(after, own, after.get("custom_instructions", settings.custom_instructions))


def _machine(languages: list[Any], skills_path: str, own: ProfileParts) -> dict[str, Any]:
    """What a profile finds in `interpreter.computer`."""

    def run(language: str, code: str, **options: Any) -> list[dict[str, Any]]:
        own.first.append((language, code))
        return []

    skills = Notepad("interpreter.computer.skills", {"path": skills_path})
    terminal = Notepad("interpreter.computer.terminal", {"languages": list(languages)})
    parts = {"languages": terminal.languages, "terminal": terminal, "skills": skills}
    return {**parts, "run": run, "terminate": _nothing}


def _nothing(*arguments: Any, **options: Any) -> None:
    """Done when it is needed, not by a profile."""


def _without_own(after: dict[str, Any], own: ProfileParts, instructions: str) -> dict[str, Any]:
    """The settings alone; languages that are only named are one."""
    own.completions = after.pop("completions", own.completions)
    languages = after.get("languages")
    if not isinstance(languages, list) or all(isinstance(one, str) for one in languages):
        return after
    own.languages = after.pop("languages")
    if own.instructions:
        after["custom_instructions"] = "\n\n".join(filter(None, (instructions, *own.instructions)))
    return after


def execute(script: str, source: str, interpreter: Any) -> None:
    """Run a profile with `interpreter` in scope; whatever goes wrong is one line."""
    try:
        code = compile(_without_own_interpreter(ast.parse(script)), source, "exec")
        exec(code, {"__name__": "profile", "interpreter": interpreter})
    except (Exception, SystemExit) as error:
        lines = traceback.extract_tb(error.__traceback__)
        line = next((at.lineno for at in reversed(lines) if at.filename == source), None)
        where = f" in line {line}" if line else ""
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ConfigurationError(f"The {source} failed{where}: {reason}.") from error


def _without_own_interpreter(module: ast.Module) -> ast.Module:
    """The program without what makes an interpreter: the one in scope is meant."""
    module.body = [line for line in module.body if not _makes_interpreter(line)]
    return module


def _makes_interpreter(line: ast.stmt) -> bool:
    match line:
        case ast.ImportFrom(module="interpreter"):
            line.names = [n for n in line.names if (n.asname or n.name) != "interpreter"]
            return not line.names
        case ast.Assign(targets=[ast.Name(id="interpreter")], value=ast.Call()):
            return True
        case _:
            return False
