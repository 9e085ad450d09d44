"""Shapes of shell code that are dangerous whatever its words say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from interpreter.policies.scan.command_words import Problem

if TYPE_CHECKING:
    from tree_sitter import Node


def walk(node: Node) -> Iterator[Node]:
    """A node and all named ones below it, in the order of the source."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += reversed(current.named_children)


def text_of(node: Node) -> str:
    """What is written there."""
    return (node.text or b"").decode("utf-8", "replace")


def programs_in(node: Node) -> list[str]:
    """The names of all programs below a node."""
    return [text_of(n).rsplit("/", 1)[-1] for n in walk(node) if n.type == "command_name"]


def fills_disk(node: Node) -> Iterator[Problem]:
    """``cat /dev/zero > file``"""
    statement, place = node.parent, node.child_by_field_name("destination")
    body = statement.child_by_field_name("body") if statement is not None else None
    if body is None or place is None or text_of(place).startswith("/dev/"):
        return
    if re.match(r"(?:yes\b|cat\s+/dev/(?:zero|u?random))", text_of(body)) and "|" not in text_of(
        body
    ):
        yield "system-change", "it fills the disk"


def spawns_without_end(node: Node) -> Iterator[Problem]:
    """``while :; do something & done``"""
    text = text_of(node)
    endless = re.match(r"(?:while\s+(?::|true|\[ 1 \]|\(\(\s*1\s*\)\))|for\s*\(\(\s*;\s*;)", text)
    if endless and re.search(r"(?<![&>|])&(?![&>\d])", text) and not re.search(r"wait|sleep", text):
        yield "system-change", "it starts programs without end"


def fork_bomb(node: Node) -> Iterator[Problem]:
    """A function that starts itself twice."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None:
        return
    if programs_in(body).count(text_of(name)) > 1 and re.search(r"[|&]", text_of(body)):
        yield "system-change", "the function starts itself again and again"
