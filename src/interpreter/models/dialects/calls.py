"""From the name and arguments of a call to an action, or to an error that the model can repair."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import replace
from typing import Any

from interpreter.models.dialects.arguments import without_half_characters
from interpreter.models.dialects.toolbox import EXECUTE, DialectTools
from interpreter.protocol.messages import Action, ActionCall, Code, MalformedCall

CUT_OFF = (
    "The reply was cut off by the token limit before this call was complete, so nothing ran. "
    "Write less at once: split the work into smaller blocks."
)
_REPEATED = re.compile(r"(?:functions[._:])?(?:execute)+")
_WRAPPED = re.compile(r"\s*(?:(?:functions\.)?execute\s*\()?\s*(\{.*\})\s*\)?;?\s*", re.DOTALL)
_ECHO = re.compile(r"\s*(?:execute){2,}\s*\Z")
_SCRIPT_OBJECT = re.compile(
    r""""(?:\\.|[^"\\])*"|'((?:\\.|[^'\\])*)'|`((?:\\.|[^`\\])*)`|([A-Za-z_]\w*)(?=\s*:)""",
    re.DOTALL,
)


def action_of(name: str, arguments: str, call_id: str, toolbox: DialectTools) -> Action:
    """The action that a call means; a MalformedCall says what is wrong with it."""
    name = canonical_name(name, toolbox)
    if name == EXECUTE:
        return _code_of(arguments, call_id, toolbox)
    language = toolbox.languages.find(name) if name not in toolbox.tools else None
    if language is not None:  # the model called the language itself
        return Code(language, _bare_code(arguments), call_id)
    if name not in toolbox.tools:
        known = ", ".join(sorted(toolbox.tools))
        return MalformedCall(
            arguments, f"There is no tool named {name!r}; there are: {known}.", call_id
        )
    return _call_of(name, arguments, call_id)


def canonical_name(name: str, toolbox: DialectTools) -> str:
    """The tool's name without what models put around it, such as `functions.` or a repetition."""
    if name in toolbox.tools:
        return name
    if _REPEATED.fullmatch(name):
        return EXECUTE
    return re.sub(r"^functions[._:]", "", name)


def loads_leniently(text: str) -> Any:
    """JSON, also with raw line breaks in strings, as JavaScript writes it, or encoded twice."""
    try:
        value = json.loads(text, strict=False)
    except ValueError as error:
        try:
            value = json.loads(_SCRIPT_OBJECT.sub(_as_json, text), strict=False)
        except ValueError:
            raise error from None
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        value = json.loads(value, strict=False)
    return value


def _as_json(found: re.Match[str]) -> str:
    """A name or a string of JavaScript, quoted as JSON wants it."""
    if found[3]:
        return f'"{found[3]}"'
    if found[0].startswith('"'):
        return found[0]
    body = re.sub(r"\\(['`])", r"\1", found[1] or found[2] or "")
    return '"' + re.sub(r'(?<!\\)"', r'\\"', body) + '"'


def cleaned(code: Code, toolbox: DialectTools) -> Code:
    """Code without what models put around it: a call of the tool, or its name."""
    source = _ECHO.sub("", code.source)
    if wrapped := _WRAPPED.fullmatch(source):
        with contextlib.suppress(ValueError):
            inner = loads_leniently(wrapped[1])
            if isinstance(inner, dict) and inner.keys() == {"language", "code"}:
                language = toolbox.languages.find(str(inner["language"])) or code.language
                return replace(code, language=language, source=str(inner["code"]))
    return replace(code, source=source) if source != code.source else code


def _code_of(arguments: str, call_id: str, toolbox: DialectTools) -> Action:
    try:
        value = loads_leniently(arguments)
    except ValueError as error:
        problem = f"The arguments are not valid JSON ({error}); send them again."
        return MalformedCall(arguments, problem, call_id)
    if not isinstance(value, dict) or not isinstance(value.get("code"), str):
        problem = 'The arguments must be an object with the strings "language" and "code".'
        return MalformedCall(arguments, problem, call_id)
    named = value.get("language")
    language = str(named) if named else toolbox.languages.default
    source = without_half_characters(value["code"])
    return cleaned(Code(toolbox.languages.find(language) or language, source, call_id), toolbox)


def _call_of(name: str, arguments: str, call_id: str) -> Action:
    try:
        value = loads_leniently(arguments or "{}")
    except ValueError as error:
        problem = f"The arguments of {name} are not valid JSON ({error}); send them again."
        return MalformedCall(arguments, problem, call_id)
    if not isinstance(value, dict):
        return MalformedCall(arguments, f"The arguments of {name} must be an object.", call_id)
    return ActionCall(name, json.dumps(value), call_id)


def _bare_code(arguments: str) -> str:
    try:
        value = loads_leniently(arguments)
    except ValueError:
        return arguments
    if isinstance(value, dict) and isinstance(value.get("code"), str):
        return str(value["code"])
    if isinstance(value, dict):
        return next((code for code in value.values() if isinstance(code, str)), arguments)
    return value if isinstance(value, str) else arguments
