"""Calls written as text: JSON, tags, or something like a function call."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from interpreter.models.dialects.calls import action_of, canonical_name, loads_leniently
from interpreter.models.dialects.toolbox import EXECUTE, DialectTools
from interpreter.protocol.messages import Action, Code, MalformedCall

_NAME_KEYS = ("name", "tool", "tool_name", "function", "action", "function_name")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "params", "input", "action_input")
_XML_CALL = re.compile(r"<function=([\w.]+)>(.*?)(?:</function>|\Z)", re.DOTALL)
_XML_PARAMETER = re.compile(r"<parameter=(\w+)>\n?(.*?)\n?</parameter>", re.DOTALL)
_NAMED_JSON = re.compile(
    r"\s*([A-Za-z_][\w.]*)\s*(?:\[ARGS\])?\s*\(?\s*(\{.*\})\s*\)?\s*\Z", re.DOTALL
)
_LOOSE_LANGUAGE = re.compile(r"""["']?language["']?\s*[:=]\s*["'](\w+)["']""")
_LOOSE_CODE = re.compile(
    r"""["']?code["']?\s*[:=]\s*(?P<quote>\"\"\"|'''|["'])(?P<code>.*)(?P=quote)[\s,})\]]*\Z""",
    re.DOTALL,
)


def calls_in(text: str, toolbox: DialectTools) -> list[Action]:
    """The actions that a piece of text asks for; none if it is not a call after all."""
    text = text.strip()
    for read in (_xml_calls, _json_calls, _named_json, _function_call):
        actions = read(text, toolbox)
        if actions:
            return actions
    return _loose_call(text, toolbox)


def _xml_calls(text: str, toolbox: DialectTools) -> list[Action]:
    return [
        action_of(name, json.dumps(dict(_XML_PARAMETER.findall(body))), "", toolbox)
        for name, body in _XML_CALL.findall(text)
    ]


def _json_calls(text: str, toolbox: DialectTools) -> list[Action]:
    try:
        value = loads_leniently(text)
    except (ValueError, RecursionError):
        return []
    items = value if isinstance(value, list) else [value]
    actions = [_call_in(item, toolbox) for item in items]
    return [action for action in actions if action is not None]


def _call_in(item: Any, toolbox: DialectTools) -> Action | None:
    if not isinstance(item, dict):
        return None
    inner = item.get("function")
    if isinstance(inner, dict):
        return _call_in(inner, toolbox)
    name = next((item[key] for key in _NAME_KEYS if isinstance(item.get(key), str)), None)
    arguments = next((item[key] for key in _ARGUMENT_KEYS if key in item), None)
    if name is None:
        if isinstance(item.get("code"), str) and isinstance(item.get("language"), str):
            return action_of(EXECUTE, json.dumps(item), "", toolbox)
        return _call_in(arguments, toolbox) if isinstance(arguments, dict) else None
    if not _is_callable(name, toolbox):
        return None
    if arguments is None:
        arguments = {key: value for key, value in item.items() if key not in _NAME_KEYS}
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return action_of(name, written, "", toolbox)


def _is_callable(name: str, toolbox: DialectTools) -> bool:
    name = canonical_name(name, toolbox)
    return name == EXECUTE or name in toolbox.tools or toolbox.languages.find(name) is not None


def _named_json(text: str, toolbox: DialectTools) -> list[Action]:
    found = _NAMED_JSON.match(text)
    if found is None or not _is_callable(found[1], toolbox):
        return []
    action = action_of(found[1], found[2], "", toolbox)
    return [] if isinstance(action, MalformedCall) else [action]


def _function_call(text: str, toolbox: DialectTools) -> list[Action]:
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    if not isinstance(tree, ast.Call):
        return []
    name = ast.unparse(tree.func)
    if not _is_callable(name, toolbox):
        return []
    arguments = _literal_arguments(tree)
    return [] if arguments is None else [action_of(name, json.dumps(arguments), "", toolbox)]


def _literal_arguments(call: ast.Call) -> dict[str, Any] | None:
    try:
        named = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg}
        placed = [ast.literal_eval(value) for value in call.args]
    except ValueError:
        return None
    if len(placed) == 1 and isinstance(placed[0], dict):
        return {**placed[0], **named}
    names = ("language", "code") if len(placed) > 1 else ("code",)
    arguments = {**dict(zip(names, placed, strict=False)), **named}
    return arguments if _is_plain(arguments) else None


def _is_plain(value: Any) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True


def _loose_call(text: str, toolbox: DialectTools) -> list[Action]:
    """A call of `execute` whose quotes are wrong: what stands between the outermost ones."""
    language, code = _LOOSE_LANGUAGE.search(text), _LOOSE_CODE.search(text)
    if language is None or code is None:
        return []
    known = toolbox.languages.find(language[1]) or language[1]
    return [Code(known, _unescaped(code["code"]))]


def _unescaped(source: str) -> str:
    if "\n" in source:
        return source.strip("\n")
    pairs = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\'": "'", "\\\\": "\\"}
    return re.sub(r"\\[nt\"'\\]", lambda found: pairs[found[0]], source)
