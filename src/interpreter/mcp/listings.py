"""What a server offers: tools, resources and prompts, read from its listings within limits."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from interpreter.protocol.values import frozen

LONGEST_NAME = 200
LONGEST_TEXT = 20_000
LONGEST_SCHEMA = 100_000
MOST_LISTED = 5_000
ANYTHING: Mapping[str, Any] = {"type": "object"}

T = TypeVar("T")


class NotListed(ValueError):
    """An entry cannot be used; the text says why."""


@frozen
class ListedTool:
    """Something that a server can do."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any] | None = None
    title: str = ""
    read_only: bool = False
    """Whether the server says that nothing is changed by it: a hint, and no more."""

    def digest(self) -> str:
        """What tells this tool from another one, or from itself after it was changed."""
        told = [self.name, self.title, self.description, self.input_schema, self.output_schema]
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


@frozen
class Resource:
    """Something that a server lets us read; a template has parts to be filled in, in braces."""

    uri: str
    name: str
    description: str = ""
    media_type: str = ""
    is_template: bool = False


@frozen
class Prompt:
    """A text that a server has ready; `required` names the arguments that it cannot do without."""

    name: str
    description: str = ""
    arguments: tuple[str, ...] = ()
    required: tuple[str, ...] = ()


def read_all(
    entries: Any, read: Callable[[Mapping[str, Any]], T]
) -> tuple[tuple[T, ...], tuple[str, ...]]:
    """The entries of a listing that can be used, and what is wrong with the others."""
    good: list[T] = []
    bad: list[str] = []
    for entry in entries if isinstance(entries, list) else ():
        try:
            if not isinstance(entry, dict):
                raise NotListed("an entry is no object")
            good.append(read(entry))
        except NotListed as error:
            bad.append(str(error))
    return tuple(good), tuple(bad)


def read_tool(entry: Mapping[str, Any]) -> ListedTool:
    """A tool of a listing."""
    name = _name(entry, "name")
    schema = _schema(entry.get("inputSchema"), name) or ANYTHING
    hints = entry.get("annotations")
    return ListedTool(
        name=name,
        description=_text(entry, "description"),
        input_schema=schema,
        output_schema=_schema(entry.get("outputSchema"), name),
        title=_text(entry, "title")[:LONGEST_NAME],
        read_only=isinstance(hints, dict) and hints.get("readOnlyHint") is True,
    )


def read_resource(entry: Mapping[str, Any]) -> Resource:
    """A resource or a template of a listing."""
    is_template = "uriTemplate" in entry
    uri = _name(entry, "uriTemplate" if is_template else "uri", longest=LONGEST_TEXT)
    name = _text(entry, "name")[:LONGEST_NAME] or uri
    kind = _text(entry, "mimeType")[:LONGEST_NAME]
    return Resource(uri, name, _text(entry, "description"), kind, is_template)


def read_prompt(entry: Mapping[str, Any]) -> Prompt:
    """A prompt of a listing."""
    given = entry.get("arguments")
    arguments = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    return Prompt(
        _name(entry, "name"),
        _text(entry, "description"),
        tuple(_name(one, "name") for one in arguments),
        tuple(_name(one, "name") for one in arguments if one.get("required") is True),
    )


def _name(entry: Mapping[str, Any], key: str, longest: int = LONGEST_NAME) -> str:
    name = entry.get(key)
    if not isinstance(name, str) or not name.strip():
        raise NotListed("an entry has no name")
    if len(name) > longest or re.search(r"[\x00-\x1f\x7f]", name):
        raise NotListed(f"the name {name[:40]!r} is too long, or has control characters")
    return name


def _text(entry: Mapping[str, Any], key: str) -> str:
    text = entry.get(key)
    return text[:LONGEST_TEXT] if isinstance(text, str) else ""


def _schema(found: Any, name: str) -> Mapping[str, Any] | None:
    if found is None:
        return None
    if not isinstance(found, dict):
        raise NotListed(f"the schema of {name!r} is no object")
    if len(json.dumps(found)) > LONGEST_SCHEMA:
        raise NotListed(f"the schema of {name!r} is too long")
    return found
