"""Scans JavaScript by its syntax tree."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from interpreter.policies.places import UNKNOWN, is_broad, is_secret, is_system
from interpreter.policies.scan.command_words import Problem
from interpreter.policies.scan.commands import writes
from interpreter.protocol.actions import Finding

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

Rescan = Callable[[str, str], tuple[Finding, ...]]

_WHOLE_IMPORTS = ("namespace_import", "import_clause")
_FILES = re.compile(r"^(?:node:)?fs(?:/promises|\.promises)?\.")
_COMMANDS = re.compile(r"^(?:node:)?child_process\.")
_READS = re.compile(r"\b(?:readFile(?:Sync)?|createReadStream|execSync|process\.env)\b")
_SENDS = re.compile(
    r"^fetch$|^(?:axios|got|needle|superagent)(?:\.(?:post|put|patch))?$|sendBeacon$"
    r"|^(?:node:)?dns(?:/promises|\.promises)?\.(?:lookup|resolve\w*)$|^(?:node:)?https?\.get$"
)
_HIDDEN = re.compile(r"\batob\(|,\s*['\"](?:base64|hex)['\"]|fromCharCode|unescape\(|\.reverse\(\)")
_OPEN_MODE = r"[2367]['\"]?$|^0o[2467]\d{3}$"
_EVALUATORS = re.compile(
    r"^(?:\w+\.)?(?:eval|Function)$|\bvm\.(?:runIn\w+|Script)$|\._compile$|constructor\.constructor$"
)
_SHELL_ON_A_WIRE = re.compile(
    r"""(?:spawn|exec\w*)\(\s*['"`](?:/bin/|/usr/bin/)?(?:ba|z|c)?(?:sh|md\.exe)"""
)
_MODULES = re.compile(r"(?:^|\.)(?:require|import|_load)$")
_TIMERS = frozenset({"setTimeout", "setInterval", "setImmediate"})
_SERVES = re.compile(r"\bcreateServer\(|\bexpress\(\)|\bfastify\(|new (?:WebSocket)?Server\(")
_CONNECTS = re.compile(r"\.(?:connect|createConnection)\(|new (?:net\.)?Socket\(")
_FETCHES = re.compile(r"\b(?:fetch|axios|got|https?\.get)\b")


@cache
def _parser() -> Parser:
    import tree_sitter_javascript  # noqa: PLC0415 (only those who scan pay for it)
    from tree_sitter import Language, Parser  # noqa: PLC0415

    return Parser(Language(tree_sitter_javascript.language()))


def scan_javascript(source: str, rescan: Rescan) -> tuple[Finding, ...]:
    """What is dangerous in a piece of JavaScript."""
    tree = _parser().parse(source.encode("utf-8", "surrogatepass"))
    return tuple(_JavaScriptScan(rescan).findings(tree.root_node))


def _walk(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += reversed(current.named_children)


def _text(node: Node | None) -> str:
    return "" if node is None else (node.text or b"").decode("utf-8", "replace")


class _JavaScriptScan:
    """One pass over a tree; keeps what names stand for and what variables hold."""

    def __init__(self, rescan: Rescan) -> None:
        self._rescan = rescan
        self._names: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._tainted: set[str] = set()
        self._serves = False
        self._hidden: set[str] = set()
        """Variables that hold text which was decoded."""

    def findings(self, root: Node) -> Iterator[Finding]:
        self._serves = bool(_SERVES.search(_text(root)))
        if _SHELL_ON_A_WIRE.search(_text(root)) and _CONNECTS.search(_text(root)):
            yield Finding(1, "exfiltration", "a shell is tied to a connection")
        for node in _walk(root):
            line = node.start_point[0] + 1
            self._learn(node)
            if node.type in ("while_statement", "for_statement"):
                yield from _spawns_without_end(node, line)
            if node.type in ("call_expression", "new_expression"):
                self._bind(node)
                for rule, reason in self._problems(node):
                    yield Finding(line, rule, reason)
                for finding in self._inner(node):
                    yield Finding(line, finding.rule, finding.reason)

    def _learn(self, node: Node) -> None:
        match node.type:
            case "variable_declarator" | "assignment_expression":
                self._assign(node)
            case "augmented_assignment_expression":
                name = _text(node.child_by_field_name("left"))
                added = self._value(node.child_by_field_name("right"))
                self._texts[name] = self._texts.get(name, UNKNOWN) + added
            case "import_statement":
                self._import(node)

    def _bind(self, node: Node) -> None:
        """``import("fs").then(fs => …)``: the function's parameter is what came."""
        function = node.child_by_field_name("function")
        if function is None or not _text(function).endswith(".then"):
            return
        came = self._dotted(function.child_by_field_name("object"))
        for argument in self._arguments(node):
            parameter = argument.child_by_field_name("parameter")
            if parameter is not None:
                self._names[_text(parameter)] = came

    def _import(self, node: Node) -> None:
        module = _text(node.child_by_field_name("source")).strip("'\"")
        for part in _walk(node):
            if part.type == "import_specifier":
                name = _text(part.child_by_field_name("name"))
                alias = _text(part.child_by_field_name("alias")) or name
                self._names[alias] = f"{module}.{name}"
            elif part.type == "identifier" and part.parent and part.parent.type in _WHOLE_IMPORTS:
                self._names[_text(part)] = module

    def _assign(self, node: Node) -> None:
        target = node.child_by_field_name("name") or node.child_by_field_name("left")
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        if target is None or value is None:
            return
        if target.type == "object_pattern":
            module = self._dotted(value)
            for part in target.named_children:
                key = _text(part.child_by_field_name("key")) or _text(part)
                alias = _text(part.child_by_field_name("value")) or key
                self._names[alias] = f"{module}.{key}"
            return
        name = _text(target)
        self._names[name] = self._dotted(value)
        self._texts[name] = self._value(value)
        if _READS.search(_text(value)) or self._is_tainted(value):
            self._tainted.add(name)
        if _HIDDEN.search(_text(value)):
            self._hidden.add(name)

    def _dotted(self, node: Node | None) -> str:
        """The full name of a function, such as ``fs.rmSync``."""
        if node is None:
            return UNKNOWN
        match node.type:
            case "identifier":
                return self._names.get(_text(node), _text(node))
            case "member_expression":
                owner = self._dotted(node.child_by_field_name("object"))
                return f"{owner}.{_text(node.child_by_field_name('property'))}"
            case "subscript_expression":
                owner = self._dotted(node.child_by_field_name("object"))
                return f"{owner}.{self._value(node.child_by_field_name('index'))}"
            case "call_expression":
                arguments = self._arguments(node)
                if _MODULES.search(_text(node.child_by_field_name("function"))) and arguments:
                    return self._value(arguments[0])
                return f"{self._dotted(node.child_by_field_name('function'))}()"
            case "await_expression" | "parenthesized_expression" | "sequence_expression":
                return self._dotted(node.named_children[-1]) if node.named_children else UNKNOWN
        return UNKNOWN

    def _value(self, node: Node | None) -> str:
        """What an expression says, as far as it is known before it runs."""
        if node is None:
            return UNKNOWN
        match node.type:
            case "string" | "number" | "unary_expression":
                return _text(node).strip("'\"")
            case "template_string":
                return self._template(node)
            case "identifier":
                return self._texts.get(_text(node), UNKNOWN)
            case "binary_expression":
                return self._value(node.named_children[0]) + self._value(node.named_children[-1])
            case "member_expression":
                return "~" if _text(node) in ("process.env.HOME", "os.homedir") else UNKNOWN
            case "call_expression":
                return self._called(node)
        return UNKNOWN

    def _template(self, node: Node) -> str:
        pieces = []
        for child in node.named_children:
            inner = child.named_children[0] if child.type == "template_substitution" else None
            pieces.append(self._value(inner) if inner is not None else _text(child))
        return "".join(pieces)

    def _called(self, node: Node) -> str:
        name = self._dotted(node.child_by_field_name("function"))
        parts = [self._value(argument) for argument in self._arguments(node)]
        if re.search(r"(?:^|\.|:)os\.homedir$|^homedir$", name):
            return "~"
        if re.search(r"path\.(?:join|resolve)$", name):
            return re.sub(r"(?<=.)/+", "/", "/".join(parts))
        function = node.child_by_field_name("function")
        owner = function.child_by_field_name("object") if function is not None else None
        if owner is not None and name.endswith(".join"):
            return self._joined(owner, parts[0] if parts else ",")
        if owner is not None and name.endswith((".concat", ".toString", ".trim")):
            return self._value(owner) + "".join(parts if name.endswith(".concat") else ())
        return UNKNOWN

    def _joined(self, owner: Node, separator: str) -> str:
        """A list that is written out, or a text turned round, put together again."""
        if owner.type == "array":
            return separator.join(self._value(child) for child in owner.named_children)
        turned = re.fullmatch(r"(.+)\.split\(['\"]{2}\)\.reverse\(\)", _text(owner), re.DOTALL)
        texts = [
            self._value(part) for part in _walk(owner) if part.type in ("string", "identifier")
        ]
        return texts[-1][::-1] if turned and texts else UNKNOWN

    def _arguments(self, node: Node) -> list[Node]:
        found = node.child_by_field_name("arguments")
        return [] if found is None else list(found.named_children)

    def _problems(self, node: Node) -> Iterator[Problem]:
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        name, arguments = self._dotted(function), self._arguments(node)
        if _FILES.match(name):
            yield from self._files(name.rpartition(".")[2], arguments)
        if _SENDS.search(name) or name.endswith((".write", ".end", ".send")):
            yield from self._sends(name, arguments)
        yield from self._evaluates(name, arguments, node)
        if name == "process.kill" and arguments and self._value(arguments[0]) in ("-1", "1"):
            yield "system-change", "it ends every process it can"
        shown = " ".join(map(_text, arguments)) if name.startswith("console.") else ""
        if re.fullmatch(r"(?:JSON\.stringify\(|Object\.\w+\()?process\.env\b(?!\.).*", shown):
            yield "credential-read", "all variables of the environment are shown"

    def _files(self, method: str, arguments: list[Node]) -> Iterator[Problem]:
        place = self._value(arguments[0]) if arguments else ""
        method = method.removesuffix("Sync")
        if method in ("rm", "rmdir", "unlink"):
            recursive = any("recursive" in _text(argument) for argument in arguments[1:])
            dear = is_system(place) or place.startswith("~/") or is_secret(place)
            if place != UNKNOWN and ((recursive and is_broad(place)) or dear):
                yield "destructive-delete", f"{method} removes {place.replace(UNKNOWN, '…')!r}"
        elif method in ("writeFile", "appendFile", "createWriteStream", "truncate"):
            yield from writes([place])
        elif method in ("copyFile", "rename", "symlink", "cp") and len(arguments) > 1:
            yield from writes([self._value(arguments[1])])
        elif method == "chmod" and re.search(_OPEN_MODE, " ".join(map(_text, arguments[1:2]))):
            yield "permission-change", f"{_text(arguments[1])} opens files to everybody"
        if method not in ("writeFile", "appendFile") and is_secret(place):
            yield "credential-read", f"{place!r} holds secrets"

    def _sends(self, name: str, arguments: list[Node]) -> Iterator[Problem]:
        carries = arguments if not name.endswith("fetch") else arguments[1:]
        text = " ".join(_text(argument) for argument in carries)
        if any(self._is_tainted(argument) for argument in arguments) or _READS.search(text):
            yield "exfiltration", "what the block read is sent to a host"

    def _evaluates(self, name: str, arguments: list[Node], node: Node) -> Iterator[Problem]:
        if name.endswith(".then") and [_text(a) for a in arguments] == ["eval"]:
            yield "pipe-to-shell", "it runs what a host sends, unseen"
        as_text = name in _TIMERS and _HIDDEN.search(" ".join(map(_text, arguments[:1])))
        if not arguments or not (_EVALUATORS.search(name) or as_text):
            return
        code = arguments[-1] if name == "Function" else arguments[0]
        hidden = _HIDDEN.search(_text(code)) or _text(code) in self._hidden
        if UNKNOWN not in self._value(code) and not hidden:
            return
        if _FETCHES.search(_text(node)) or _is_in_answer(node):
            yield "pipe-to-shell", "it runs what a host sends, unseen"
        else:
            yield "obfuscated-exec", f"{name} runs a text that is not in the block"

    def _inner(self, node: Node) -> tuple[Finding, ...]:
        """Commands and code inside texts."""
        name = self._dotted(node.child_by_field_name("function"))
        arguments = self._arguments(node)
        if not arguments:
            return ()
        first = self._value(arguments[0])
        if name == "eval" and UNKNOWN not in first:
            return self._rescan("javascript", first)
        if not _COMMANDS.match(name):
            return ()
        method = name.rpartition(".")[2].removesuffix("Sync")
        if _HIDDEN.search(_text(arguments[0])) or _text(arguments[0]) in self._hidden:
            why = "the command is hidden in encoded text"
            return (Finding(1, "obfuscated-exec", why),)
        if first == UNKNOWN and self._serves:
            return (Finding(1, "exfiltration", "whoever connects can run commands"),)
        if method == "exec":
            return self._rescan("shell", first.replace(UNKNOWN, "$UNKNOWN"))
        listed = [a for a in arguments[1:2] if a.type == "array"]
        words = [first, *(self._value(child) for a in listed for child in a.named_children)]
        return self._rescan("shell", shlex.join(words))

    def _is_tainted(self, node: Node) -> bool:
        names = (part for part in _walk(node) if "identifier" in part.type)
        return any(_text(part) in self._tainted for part in names)


def _is_in_answer(node: Node) -> bool:
    """Whether it is in a function that is called with what a host sends."""
    parent = node.parent
    while parent is not None:
        function = parent.child_by_field_name("function")
        if function is not None and re.search(
            r"(?:https?\.get|fetch|axios)\b", _text(function)[-40:]
        ):
            return True
        if function is not None and re.search(r"\bhttps?['\"]\)\.get$", _text(function)):
            return True
        parent = parent.parent
    return False


def _spawns_without_end(node: Node, line: int) -> Iterator[Finding]:
    text = _text(node)
    endless = re.match(r"(?:while\s*\(\s*(?:true|1|!0)\s*\)|for\s*\(\s*;\s*;\s*\))", text)
    if endless and re.search(r"\b(?:fork|spawn\w*|exec\w*|new Worker)\(", text):
        yield Finding(line, "system-change", "it starts programs without end")
