"""What an expression of a Python block says, as far as that is known before it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TypeGuard

from interpreter.policies.places import UNKNOWN

_JOINS = frozenset({"os.path.join", "pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath"})
_SAME = frozenset({"os.path.expanduser", "os.path.abspath", "os.path.realpath", "os.fspath", "str"})
_SAME |= {"os.path.expandvars", "os.path.normpath", "bytes", "int"}
_METHODS_SAME = frozenset({"expanduser", "resolve", "absolute", "as_posix", "encode", "decode"})
_METHODS_SAME |= {"strip", "lower"}
_CHILDREN = frozenset({"iterdir", "glob", "rglob"})
_LISTINGS = frozenset({"os.listdir", "os.scandir", "os.walk", "glob.glob", "glob.iglob"})


class Values:
    """Names of imported things, and texts that variables hold."""

    def __init__(self) -> None:
        self._imports: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._lists: dict[str, list[str]] = {}

    def learn(self, node: ast.AST) -> None:
        """Take in an import, an assignment or a loop."""
        match node:
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case ast.Assign([ast.Name(target)], value) | ast.withitem(value, ast.Name(target)):
                self._assign(target, value)
            case ast.AnnAssign(ast.Name(target), _, value) if value is not None:
                self._assign(target, value)
            case ast.For(target, iterated) | ast.comprehension(target, iterated):
                self._loop(target, iterated)

    def narrow(self, names: Iterable[str]) -> None:
        """What these stand for was chosen by a condition: not everything here, but some of it."""
        for name in names:
            if self._texts.get(name, "").startswith(("./*", "*")):
                self._texts[name] = "./some"

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for name in node.names:
            if isinstance(node, ast.ImportFrom):
                self._imports[name.asname or name.name] = f"{node.module}.{name.name}"
            else:
                whole = name.name if name.asname else name.name.split(".")[0]
                self._imports[name.asname or whole] = whole

    def dotted(self, node: ast.expr) -> str:
        """The full name of a function or attribute, such as ``os.path.join``."""
        match node:
            case ast.Name(name):
                return self._imports.get(name, name)
            case ast.Attribute(value, attribute):
                return f"{self.dotted(value)}.{attribute}"
            case ast.Call(ast.Name("getattr"), [target, name, *_]):
                return f"{self.dotted(target)}.{self.text(name)}"
            case ast.Call(function, [name, *_]) if self._is_import(function):
                return self.text(name)
            case ast.Call(function):
                return f"{self.dotted(function)}()"
            case ast.Subscript(value):
                return f"{self.dotted(value)}[]"
        return UNKNOWN

    def text(self, node: ast.AST) -> str:
        """What it says; UNKNOWN stands for the parts that cannot be told."""
        match node:
            case ast.Constant(value):
                return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
            case ast.Name(name):
                return self._texts.get(name, UNKNOWN)
            case ast.JoinedStr(values):
                return "".join(self.text(value) for value in values)
            case ast.FormattedValue(value):
                return self.text(value)
            case ast.BinOp() | ast.UnaryOp():
                return self._operation(node)
            case ast.Subscript(value, key):
                return self._subscript(value, key)
            case ast.Call():
                return self._call(node)
        return UNKNOWN

    def _operation(self, node: ast.BinOp | ast.UnaryOp) -> str:
        match node:
            case ast.BinOp(left, ast.Add(), right):
                return self.text(left) + self.text(right)
            case ast.BinOp(left, ast.Div(), right):
                return _joined([self.text(left), self.text(right)])
            case ast.UnaryOp(ast.USub(), ast.Constant(value)):
                return f"-{value!s}"
        return UNKNOWN

    def texts(self, node: ast.AST) -> list[str] | None:
        """The texts of a list or tuple that is written out."""
        match node:
            case ast.List(items) | ast.Tuple(items):
                return [self.text(item) for item in items]
            case ast.Name(name):
                return self._lists.get(name)
            case ast.Call(ast.Attribute(value, "split"), []) if UNKNOWN not in self.text(value):
                return self.text(value).split()
        return None

    def _is_import(self, function: ast.expr) -> bool:
        return self.dotted(function) in ("__import__", "importlib.import_module")

    def _assign(self, target: str, value: ast.expr) -> None:
        listed = self.texts(value)
        if listed is not None:
            self._lists[target] = listed
        name = self.dotted(value)
        if isinstance(value, ast.Attribute) and not name.startswith(UNKNOWN):
            self._imports[target] = name
        if isinstance(value, ast.Call) and self._is_import(value.func):
            self._imports[target] = self.text(value.args[0]) if value.args else UNKNOWN
        self._texts[target] = self.text(value)

    def _loop(self, target: ast.expr, iterated: ast.expr) -> None:
        first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
        if not isinstance(first, ast.Name):
            return
        listed = self.texts(iterated)
        if listed:
            self._texts[first.id] = max(listed, key=_danger)
        elif _is_call(iterated):
            self._texts[first.id] = self._listing(iterated)

    def _listing(self, call: ast.Call) -> str:
        """What stands for everything that a listing yields."""
        if isinstance(call.func, ast.Attribute) and call.func.attr in _CHILDREN:
            pattern = self.text(call.args[0]) if call.args else "*"
            return _joined([self.text(call.func.value), pattern.removeprefix("**/")])
        if self.dotted(call.func) in _LISTINGS:
            place = self.text(call.args[0]) if call.args else "."
            is_pattern = self.dotted(call.func).startswith("glob")
            return place if is_pattern else _joined([place, "*"])
        if self.dotted(call.func) in ("sorted", "list", "reversed", "enumerate") and call.args:
            inner = call.args[0]
            return self._listing(inner) if _is_call(inner) else UNKNOWN
        return UNKNOWN

    def _subscript(self, value: ast.expr, key: ast.expr) -> str:
        if self.dotted(value) == "os.environ" and self.text(key) in ("HOME", "USERPROFILE"):
            return "~"
        return UNKNOWN

    def _call(self, call: ast.Call) -> str:
        name = self.dotted(call.func)
        texts = [self.text(argument) for argument in call.args]
        if name in ("pathlib.Path.home", "pathlib.Path().home"):
            return "~"
        if name in _JOINS:
            return _joined(texts) or "."
        if name in ("os.getcwd", "pathlib.Path.cwd"):
            return "."
        if name in ("os.getenv", "os.environ.get"):
            return "~" if texts[:1] == ["HOME"] else UNKNOWN
        if name in ("tempfile.mkdtemp", "tempfile.TemporaryDirectory", "tempfile.gettempdir"):
            return "/tmp/x"
        if name in _SAME and texts:
            return texts[0]
        if name == "chr" and isinstance(call.args[0], ast.Constant):
            return chr(int(texts[0]))
        return self._method(call, texts)

    def _method(self, call: ast.Call, texts: list[str]) -> str:
        if not isinstance(call.func, ast.Attribute):
            return UNKNOWN
        owner = self.text(call.func.value)
        match call.func.attr:
            case "joinpath":
                return _joined([owner, *texts])
            case "join" if call.args and (listed := self.texts(call.args[0])) is not None:
                return owner.join(listed)
            case "replace" if len(texts) == 2:
                return owner.replace(texts[0], texts[1])
            case name if name in _METHODS_SAME:
                return owner
        return UNKNOWN


def _is_call(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call)


def _danger(text: str) -> int:
    return text.startswith(("/", "~", "."))


def _joined(parts: list[str]) -> str:
    whole = ""
    for part in parts:
        whole = part if part.startswith(("/", "~")) or not whole else f"{whole.rstrip('/')}/{part}"
    return whole
