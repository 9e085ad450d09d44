"""Shell code that is understood as a whole: plain commands, of which every word is literal.

What a rule allows runs without a question, so whatever is not known to be harmless here makes the
block one that is not understood: redirections, assignments, expansions, functions, loops.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from interpreter.policies.scan.command_words import Words
from interpreter.policies.scan.shell import parse_shell

if TYPE_CHECKING:
    from tree_sitter import Node

_OPERATORS = frozenset({"&&", "||", "|", ";", "\n", '"'})
_STRUCTURE = frozenset({"program", "list", "pipeline", "command", "command_name"})
_WORD = re.compile(r"(?!=)[\w./,:@%+=~*?\[\]-]+")
_COMMENT = re.compile(r"#[^$`<>();|&]*")
_PATTERN = re.compile(r"[*?\[]")
_UNSEEN = re.compile(r"[^\S\n\t ]|[\x00-\x08\x0e-\x1f\x7f]")

_CHANGES_WORDS = frozenset({"alias", "unalias", "eval", "source", ".", "hash", "enable", "trap"})
_CHANGES_WORDS |= {"set", "shopt", "setopt", "export", "declare", "typeset", "local", "readonly"}
_CHANGES_WORDS |= {"exec", "bind", "zmodload", "autoload", "unset", "complete", "cd", "pushd"}
_CHANGES_VARIABLES = re.compile(
    r"PATH|.*_PATH|LD_.*|DYLD_.*|GIT_.*|BASH_.*|ENV|IFS|PS\d|PROMPT_COMMAND|.*EDITOR|.*PAGER"
    r"|HOME|SHELL|LESS.*|CDPATH|FPATH|path|fpath|PYTHON.*|NODE_.*|PERL.*|RUBY.*"
)


def plain_commands(source: str) -> list[Words] | None:
    """The commands of a block, word by word; None if anything else happens in it."""
    if _UNSEEN.search(source):
        return None
    root = parse_shell(source)
    if root.has_error:
        return None
    commands: list[Words] = []
    for node in _walk(root):
        if node.type == "command":
            words = [_literal(child) for child in node.children]
            if None in words or not words:
                return None
            commands.append([word for word in words if word is not None])
        elif not _is_known(node):
            return None
    return commands or None


def may_change_words(source: str) -> bool:
    """Whether commands after this block, in the same shell, may mean something else than before."""
    root = parse_shell(source)
    return root.has_error or any(map(_changes_words, _walk(root, into_commands=True)))


def _walk(node: Node, *, into_commands: bool = False) -> Iterator[Node]:
    yield node
    for child in node.children if into_commands or node.type != "command" else ():
        yield from _walk(child, into_commands=into_commands)


def _is_known(node: Node) -> bool:
    if node.type == "comment":
        return bool(_COMMENT.fullmatch(_text(node)))
    return node.type in (_STRUCTURE if node.is_named else _OPERATORS)


def _literal(node: Node) -> str | None:
    """What a word says if that is all written there; None otherwise."""
    text = _text(node)
    match node.type:
        case "command_name":
            inner = node.children[0] if len(node.children) == 1 else None
            word = _literal(inner) if inner is not None else None
            return None if word is None or _PATTERN.search(word) or "~" in word else word
        case "word" | "number":
            return text if _WORD.fullmatch(text) and _stays_one_word(text) else None
        case "raw_string":
            return text[1:-1]
        case "string":
            plain = all(child.type in ('"', "string_content") for child in node.children)
            return text[1:-1] if plain and not re.search(r"[\\$`!]", text) else None
        case "concatenation":
            parts = [_literal(child) for child in node.children]
            return None if None in parts else "".join(part for part in parts if part is not None)
    return None


def _stays_one_word(text: str) -> bool:
    """A pattern must begin with a letter, lest a file's name become an option."""
    return not _PATTERN.search(text) or bool(re.match(r"[\w./~]", text))


def _changes_words(node: Node) -> bool:
    match node.type:
        case "function_definition" | "declaration_command":
            return True
        case "variable_assignment":
            name = node.child_by_field_name("name")
            return name is None or bool(_CHANGES_VARIABLES.fullmatch(_text(name)))
        case "command_name":
            word = _literal(node)
            return word is None or word in _CHANGES_WORDS
    return False


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
