"""Shapes of Python code that are dangerous whatever the texts in it say: loops that start or end
programs without end, files that are fetched and run, commands that are only spelled out somewhere.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import TypeGuard

from interpreter.policies.places import UNKNOWN
from interpreter.policies.scan.command_words import Problem
from interpreter.policies.scan.python_values import KnownValues
from interpreter.protocol.actions import Finding

Rescan = Callable[[str, str], tuple[Finding, ...]]

_STARTS = re.compile(
    r"^(?:os\.(?:fork|forkpty|spawn\w+|posix_spawn\w*|popen|system|exec\w+|startfile)|pty\.\w+"
    r"|subprocess\.\w+|multiprocessing\.(?:\w+\.)?Process|threading\.Thread|pexpect\.\w+|sh\.\w+"
    r"|asyncio\.create_subprocess_\w+|ctypes\..*|commands\.\w+|popen2\.\w+|plumbum\.\w+"
    r"|invoke\.run|fabric\..*|paramiko\..*|get_ipython\(\)\.\w+)$"
)
_MULTIPLIES = re.compile(
    r"^(?:os\.fork|subprocess\.Popen|os\.spawn\w+|os\.posix_spawn\w*"
    r"|multiprocessing\.(?:\w+\.)?Process|threading\.Thread)$"
)
_WAITS = re.compile(r"\.(?:wait|waitpid|join|communicate|sleep|poll|acquire)$")
_ENDS = re.compile(r"(?:^os\.kill(?:pg)?|\.(?:kill|terminate|send_signal))$")
_EVERY_PROCESS = re.compile(r"^psutil\.(?:process_iter|pids)\b")
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH", re.IGNORECASE)
_COMMAND = re.compile(
    r"\s*(?:sudo\s+|env\s+|nohup\s+|/\S*/)?(?:rm|find|dd|shred|curl|wget|chmod|chown|crontab|mkfs\S*"
    r"|bash|sh|zsh|python3?|perl|nc|ncat|socat|tar|scp|rsync|git|cat|eval|base64|cd|pkill|killall"
    r"|kill|systemctl|useradd|usermod|iptables|truncate|mv|wipefs|openssl|ssh)\s+\S"
)
_DROPS = re.compile(
    r"(?i)\b(?:drop\s+(?:table|database|schema)|truncate(?:\s+table)?)\s+(?:if\s+exists\s+)?(\w+)"
    r"|\bdelete\s+from\s+(\w+)\s*;?\s*\Z"
)
_HIDES_CODE = frozenset({"marshal.loads", "marshal.load", "types.CodeType", "types.FunctionType"})
_ASKS_KEYRING = re.compile(
    r"^(?:keyring\.get_\w+|secretstorage\.\w+|win32crypt\.\w+"
    r"|(?:pynput\.)?keyboard\.(?:Listener|on_press|hook|record))$"
)
_COMMANDS = re.compile(r"^(?:os\.(?:system|popen)|subprocess\.\w+|eval|exec)$")
_SERVERS = re.compile(
    r"^(?:http\.server|socketserver|flask|fastapi|aiohttp\.web|bottle|tornado|xmlrpc\.server)\b"
)
_FETCHES_FILE = re.compile(r"(?:urlretrieve|wget\.download)$")
_RUNS_FILE = re.compile(
    r"^(?:os\.(?:system|popen|exec\w+|spawn\w+|posix_spawn\w*|startfile)|subprocess\.\w+"
    r"|runpy\.\w+|importlib\.util\.spec_from_file_location|exec|eval|ctypes\.(?:CDLL|cdll\..*)"
    r"|execfile|imp\.load_\w+)$"
)


class Habits:
    """Looks at one tree, with what is known about the values in it."""

    def __init__(self, tree: ast.AST, values: KnownValues) -> None:
        self._tree = tree
        self._values = values
        self._fetched: set[str] = set()

    def problems(self, node: ast.AST, from_network: Callable[[ast.AST], bool]) -> Iterator[Problem]:
        """What is wrong with a node, beside what its texts say."""
        match node:
            case ast.While() | ast.For():
                yield from self._loop(node)
            case ast.FunctionDef():
                called = self._called(node)
                if node.name in called and any(map(_MULTIPLIES.match, called)):
                    yield "system-change", "the function starts itself again and again"
            case ast.Call():
                yield from self._call(node, from_network)

    def commands(self, rescan: Rescan) -> Iterator[Finding]:
        """Commands that are written somewhere in a block that starts programs."""
        names = [self._values.dotted(n) for n in ast.walk(self._tree) if _is_name(n)]
        texts = [n.value for n in ast.walk(self._tree) if isinstance(n, ast.Constant)]
        if not any(map(_STARTS.match, names)) and not {"system", "popen"} & set(map(str, texts)):
            return
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp):
                text = self._values.text(node).replace(UNKNOWN, "$UNKNOWN")
                found = rescan("shell", text) if _COMMAND.match(text) else ()
                yield from (Finding(node.lineno, one.rule, one.reason) for one in found)

    @property
    def _serves(self) -> bool:
        names = (self._values.dotted(n) for n in ast.walk(self._tree) if _is_name(n))
        return any(map(_SERVERS.match, names))

    def _called(self, node: ast.AST) -> set[str]:
        return {self._values.dotted(part.func) for part in ast.walk(node) if _is_call(part)}

    def _loop(self, node: ast.While | ast.For) -> Iterator[Problem]:
        called = self._called(node)
        if isinstance(node, ast.While) and _is_endless(node.test):
            starts = any(map(_MULTIPLIES.match, called))
            if starts and not any(map(_WAITS.search, called)):
                yield "system-change", "it starts programs without end"
            if _grows(node) and not any(map(_WAITS.search, called)):
                yield "system-change", "it takes memory without end"
        if isinstance(node, ast.For):
            over = [self._values.dotted(n.func) for n in ast.walk(node.iter) if _is_call(n)]
            texts = [self._values.text(n) for n in ast.walk(node.iter) if _is_text(n)]
            everything = any(map(_EVERY_PROCESS.match, over)) or "/proc" in texts
            if everything and any(map(_ENDS.search, called)) and not _chooses(node):
                yield "system-change", "it ends every process it can"
            yield from self._shown_environment(node, called)

    def _shown_environment(self, node: ast.For, called: set[str]) -> Iterator[Problem]:
        names = {self._values.dotted(n) for n in ast.walk(node.iter) if _is_name(n)}
        if "os.environ" not in names or "print" not in called:
            return
        texts = [self._values.text(n) for n in ast.walk(node) if _is_text(n)]
        if not _chooses(node) or any(map(_SECRET_NAME.search, texts)):
            yield "credential-read", "variables of the environment that may be keys are shown"

    def _call(self, call: ast.Call, from_network: Callable[[ast.AST], bool]) -> Iterator[Problem]:
        name = self._values.dotted(call.func)
        if name in _HIDES_CODE:
            yield "obfuscated-exec", f"{name} makes code of what nobody can read"
        unseen = call.args and self._values.text(call.args[0]) == UNKNOWN
        if unseen and _COMMANDS.match(name) and self._serves:
            yield "exfiltration", "whoever connects can run commands"
        if _ASKS_KEYRING.match(name):
            yield "credential-read", f"{name} takes what is typed, or stored passwords"
        if name == "print" and any(map(self._is_secret_variable, call.args)):
            yield "credential-read", "a key from the environment is shown"
        if name.endswith((".execute", ".executescript", ".executemany", ".read_sql")) and call.args:
            yield from self._query(self._values.text(call.args[0]))
        self._note_fetched(name, call, from_network)
        if _RUNS_FILE.match(name) and self._names_fetched(call):
            yield "pipe-to-shell", "a file that was just fetched is run unseen"

    def _query(self, text: str) -> Iterator[Problem]:
        """Tables that are dropped, and are not the block's own."""
        dropped = _DROPS.search(text)
        whole = ast.unparse(self._tree).lower()
        if dropped is None or ":memory:" in whole:
            return
        name = (dropped[1] or dropped[2] or "").lower()
        if not name or not re.search(
            rf"create\s+(?:temp\w*\s+)?table[^(]*\b{re.escape(name)}", whole
        ):
            yield "destructive-delete", "the query removes what is in a database"

    def _is_secret_variable(self, node: ast.expr) -> bool:
        match node:
            case ast.Subscript(value, key) if self._values.dotted(value) == "os.environ":
                return bool(_SECRET_NAME.search(self._values.text(key)))
            case ast.Call(function, [key, *_]):
                from_environment = self._values.dotted(function) in ("os.getenv", "os.environ.get")
                return from_environment and bool(_SECRET_NAME.search(self._values.text(key)))
        return False

    def _note_fetched(
        self, name: str, call: ast.Call, from_network: Callable[[ast.AST], bool]
    ) -> None:
        if _FETCHES_FILE.search(name) and len(call.args) > 1:
            self._fetched.add(self._values.text(call.args[1]))
        writes = name.endswith((".write", ".write_bytes", ".write_text", "shutil.copyfileobj"))
        if writes and any(map(from_network, call.args)) and isinstance(call.func, ast.Attribute):
            self._fetched.add(self._written(call))

    def _written(self, call: ast.Call) -> str:
        """The file that a method writes to: a path, or what was opened."""
        assert isinstance(call.func, ast.Attribute)
        owner = call.func.value
        if _is_call(owner) and self._values.dotted(owner.func).endswith("open") and owner.args:
            return self._values.text(owner.args[0])
        opened = [
            item.context_expr.args[0]
            for node in ast.walk(self._tree)
            if isinstance(node, ast.With)
            for item in node.items
            if _is_call(item.context_expr) and item.context_expr.args
            if isinstance(item.optional_vars, ast.Name) and isinstance(owner, ast.Name)
            if item.optional_vars.id == owner.id
        ]
        return self._values.text(opened[0] if opened else owner)

    def _names_fetched(self, call: ast.Call) -> bool:
        texts = [self._values.text(n) for n in ast.walk(call) if isinstance(n, ast.expr)]
        known = [name for name in self._fetched if name and UNKNOWN not in name]
        return any(name in text for name in known for text in texts)


def _is_call(node: ast.AST | None) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call)


def _is_text(node: ast.AST) -> TypeGuard[ast.expr]:
    return isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp)


def _is_name(node: ast.AST) -> TypeGuard[ast.expr]:
    return isinstance(node, ast.Name | ast.Attribute)


def _is_endless(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _grows(node: ast.While) -> bool:
    """Whether a loop only keeps more and more, and nothing leaves it."""
    parts = list(ast.walk(node))
    leaves = any(isinstance(part, ast.Break | ast.Return | ast.Yield | ast.Raise) for part in parts)
    keeps = any(
        _is_call(part) and isinstance(part.func, ast.Attribute) and part.func.attr == "append"
        for part in parts
    )
    large = any(
        (_is_call(part) and isinstance(part.func, ast.Name) and part.func.id == "bytearray")
        or (isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult | ast.Pow))
        for part in parts
    )
    return keeps and large and not leaves


def _chooses(node: ast.AST) -> bool:
    """Whether a condition compares something to a text."""
    return any(
        isinstance(part, ast.If)
        and any(
            isinstance(n, ast.Constant) and isinstance(n.value, str) for n in ast.walk(part.test)
        )
        for part in ast.walk(node)
    )
