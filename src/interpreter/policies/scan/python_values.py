"""What an expression of a Python block says, as far as that is known before it runs."""

from __future__ import annotations

import ast
import base64
import binascii
import codecs
import re
import shlex
from collections.abc import Callable, Iterable
from typing import TypeGuard

from interpreter.policies.places import UNKNOWN

_JOINS = frozenset({"os.path.join", "pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath"})
_SAME = frozenset({"os.path.expanduser", "os.path.abspath", "os.path.realpath", "os.fspath", "str"})
_SAME |= {"os.path.expandvars", "os.path.normpath", "bytes", "int"}
_METHODS_SAME = frozenset({"expanduser", "resolve", "absolute", "as_posix", "encode", "decode"})
_METHODS_SAME |= {"strip", "lower", "rstrip", "lstrip", "casefold"}
_MOST = 1000
_EVERYTHING = {
    "os": ("system", "popen", "remove", "unlink", "rmdir", "fork", "kill", "chmod", "environ"),
    "subprocess": ("run", "call", "Popen", "check_call", "check_output", "getoutput"),
    "shutil": ("rmtree", "move", "copy", "copyfile", "copytree"),
    "pathlib": ("Path", "PurePath"),
    "requests": ("get", "post", "put"),
    "base64": ("b64decode", "b32decode", "b85decode"),
    "urllib.request": ("urlopen", "urlretrieve", "Request"),
    "socket": ("socket", "create_connection", "gethostbyname"),
}
"""What a star brings in, of what matters here."""
_CHILDREN = frozenset({"iterdir", "glob", "rglob"})
_LISTINGS = frozenset({"os.listdir", "os.scandir", "os.walk", "glob.glob", "glob.iglob"})


class KnownValues:
    """Names of imported things, and texts that variables hold."""

    def __init__(self) -> None:
        self._imports: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._lists: dict[str, list[str]] = {}
        self._origins: dict[str, str] = {}
        self._place = ""
        """Where the block went, if it went anywhere."""

    def bind(self, tree: ast.AST) -> None:
        """Take in everything at once, so that functions know what they are called with."""
        for node in ast.walk(tree):
            self.learn(node)
        functions = {n.name: n.args for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        for node in ast.walk(tree):
            match node:
                case ast.Assign([ast.Name(name)], ast.Lambda(arguments)):
                    functions[name] = arguments
                case ast.Call(ast.Name(name), given) if name in functions:
                    self._pass(functions[name], given)
                case ast.Call(ast.Lambda(arguments), given):
                    self._pass(arguments, given)

    def _pass(self, parameters: ast.arguments, given: list[ast.expr]) -> None:
        for parameter, value in zip(parameters.args, given, strict=False):
            if parameter.arg not in self._texts or UNKNOWN in self._texts[parameter.arg]:
                self._assign(parameter.arg, value)

    def learn(self, node: ast.AST) -> None:
        """Take in an import, an assignment, a loop or what is added to a list."""
        match node:
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case ast.For(target, iterated) | ast.comprehension(target, iterated):
                self._loop(target, iterated)
            case ast.Call():
                self._learn_from_call(node)
            case _:
                self._learn_assignment(node)

    def _learn_assignment(self, node: ast.AST) -> None:
        match node:
            case ast.Assign([ast.Name(target)], value) | ast.withitem(value, ast.Name(target)):
                self._assign(target, value)
            case ast.AnnAssign(ast.Name(target), _, value) if value is not None:
                self._assign(target, value)
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
                for one, value in zip(targets, values, strict=False):
                    self._learn_assignment(ast.Assign([one], value))
            case ast.Assign([ast.Attribute() as target], value):
                self._texts[self.dotted(target)] = self.text(value)
            case ast.NamedExpr(ast.Name(target), value):
                self._assign(target, value)
            case ast.AugAssign(ast.Name(target), ast.Add() | ast.Div(), value):
                self._extend(target, value, path=isinstance(node.op, ast.Div))

    def _learn_from_call(self, node: ast.Call) -> None:
        match node:
            case ast.Call(ast.Attribute(ast.Name(target), "append"), [value]):
                self._lists.setdefault(target, []).append(self.text(value))
            case ast.Call(ast.Attribute(ast.Name(target), "extend"), [value]):
                self._lists.setdefault(target, []).extend(self.texts(value) or [UNKNOWN])
            case ast.Call(function, [place]) if self.dotted(function) == "os.chdir":
                self._place = self.text(place)

    def origin(self, name: str) -> str:
        """What a variable was made by."""
        return self._origins.get(name, "")

    def narrow(self, names: Iterable[str]) -> None:
        """What these stand for was chosen by a condition: not everything here, but some of it."""
        for name in names:
            if self._texts.get(name, "").startswith(("./*", "*")):
                self._texts[name] = "./some"

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for name in node.names:
            if name.name == "*" and isinstance(node, ast.ImportFrom):
                everything = _EVERYTHING.get(node.module or "", ())
                self._imports |= {one: f"{node.module}.{one}" for one in everything}
            elif isinstance(node, ast.ImportFrom):
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
            case ast.Subscript(value, key):
                return self._looked_up(self.dotted(value), self.text(key))
        return UNKNOWN

    def _looked_up(self, table: str, key: str) -> str:
        """A function that is taken out of a table of names."""
        tables = ("globals()", "locals()", "vars()", "sys.modules", "__builtins__", "builtins")
        if not key.isidentifier() or not (table in tables or table.endswith(".__dict__")):
            return f"{table}[]"
        owner = table.removesuffix(".__dict__")
        known = owner in tables or owner.endswith("__builtins__")
        return key if known else f"{owner}.{key}"

    def text(self, node: ast.AST) -> str:
        """What it says; UNKNOWN stands for the parts that cannot be told."""
        match node:
            case ast.Constant(value):
                return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
            case ast.JoinedStr(values):
                return "".join(self.text(value) for value in values)
            case ast.FormattedValue(value):
                return self.text(value)
            case ast.BinOp() | ast.UnaryOp():
                return self._operation(node)
            case ast.Call():
                return self._call(node)
            case ast.Name() | ast.Attribute() | ast.Subscript():
                return self._held(node)
        return UNKNOWN

    def _held(self, node: ast.Name | ast.Attribute | ast.Subscript) -> str:
        match node:
            case ast.Name(name):
                return self._texts.get(name, UNKNOWN)
            case ast.Subscript(value, key):
                return self._subscript(value, key)
            case ast.Attribute(value, "parent"):
                return self.text(value).rpartition("/")[0] or "/"
            case ast.Attribute(value, "path"):
                return self._texts.get(self.dotted(node)) or self.text(value)
            case ast.Attribute():
                return self._texts.get(self.dotted(node), UNKNOWN)

    def _extend(self, target: str, value: ast.expr, *, path: bool) -> None:
        if target in self._lists:
            self._lists[target] = self._lists[target] + (self.texts(value) or [UNKNOWN])
        before, added = self._texts.get(target, UNKNOWN), self.text(value)
        self._texts[target] = _joined([before, added]) if path else before + added

    def _operation(self, node: ast.BinOp | ast.UnaryOp) -> str:
        match node:
            case ast.BinOp(left, ast.Add(), right):
                return self.text(left) + self.text(right)
            case ast.BinOp(left, ast.Mod(), right):
                return self._filled(self.text(left), right)
            case ast.BinOp(left, ast.Div(), right):
                return _joined([self.text(left), self.text(right)])
            case ast.UnaryOp(ast.USub(), ast.Constant(value)):
                return f"-{value!s}"
        return UNKNOWN

    def _filled(self, pattern: str, values: ast.expr) -> str:
        given = values.elts if isinstance(values, ast.Tuple) else [values]
        texts = iter([self.text(value) for value in given])
        return re.sub(r"%[sdr]", lambda _: next(texts, UNKNOWN), pattern)

    def texts(self, node: ast.AST) -> list[str] | None:
        """The texts of a list or tuple that is written out."""
        match node:
            case ast.List(items) | ast.Tuple(items):
                return [self.text(item) for item in items]
            case ast.Name(name):
                return self._lists.get(name)
            case ast.BinOp(left, ast.Add(), right):
                first, second = self.texts(left), self.texts(right)
                return None if first is None or second is None else first + second
            case ast.Call(ast.Attribute(value, "split"), []) if UNKNOWN not in self.text(value):
                return self.text(value).split()
            case ast.Call(function, [value]) if self.dotted(function) == "shlex.split":
                return _split(self.text(value))
            case ast.ListComp(element, [part]) | ast.GeneratorExp(element, [part]):
                return self._each(element, part)
            case ast.Call(ast.Name("map"), [ast.Name("chr"), numbers]):
                return [_character(text) for text in self.texts(numbers) or []] or None
        return None

    def _each(self, element: ast.expr, part: ast.comprehension) -> list[str] | None:
        """A list that is made of each of another one, as far as both are written out."""
        listed = self.texts(part.iter)
        if listed is None or not isinstance(part.target, ast.Name) or part.ifs:
            return None
        before, found = self._texts.get(part.target.id), []
        for text in listed[:_MOST]:
            self._texts[part.target.id] = text
            found.append(self.text(element))
        self._texts[part.target.id] = UNKNOWN if before is None else before
        return found

    def _is_import(self, function: ast.expr) -> bool:
        name = self.dotted(function)
        return name == "importlib.import_module" or name.rpartition(".")[2] == "__import__"

    def _assign(self, target: str, value: ast.expr) -> None:
        listed = self.texts(value)
        if listed is not None:
            self._lists[target] = listed
        name = self.dotted(value)
        taken = isinstance(value, ast.Attribute | ast.Subscript) and not name.endswith("[]")
        if taken and not name.startswith(UNKNOWN):
            self._imports[target] = name
        if isinstance(value, ast.Call) and self._is_import(value.func):
            self._imports[target] = self.text(value.args[0]) if value.args else UNKNOWN
        self._texts[target] = self.text(value)
        self._origins[target] = name
        if isinstance(value, ast.Dict):
            for key, item in zip(value.keys, value.values, strict=True):
                if isinstance(key, ast.Constant):
                    self._texts[f"{target}[{key.value!r}]"] = self.text(item)

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
            place = self._place if place == "." and self._place else place
            is_pattern = self.dotted(call.func).startswith("glob")
            return place if is_pattern else _joined([place, "*"])
        if self.dotted(call.func) in ("sorted", "list", "reversed", "enumerate") and call.args:
            inner = call.args[0]
            return self._listing(inner) if _is_call(inner) else UNKNOWN
        return UNKNOWN

    def _subscript(self, value: ast.expr, key: ast.expr) -> str:
        if self.dotted(value) == "os.environ" and self.text(key) in ("HOME", "USERPROFILE"):
            return "~"
        if isinstance(key, ast.Slice):
            backwards = self.text(key.step) == "-1" if key.step is not None else False
            whole = backwards and key.lower is None and key.upper is None
            return self.text(value)[::-1] if whole else UNKNOWN
        listed = self.texts(value)
        place = self.text(key)
        if listed and place.lstrip("-").isdecimal() and -len(listed) <= int(place) < len(listed):
            return listed[int(place)]
        if isinstance(value, ast.Name) and isinstance(key, ast.Constant):
            return self._texts.get(f"{value.id}[{key.value!r}]", UNKNOWN)
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
        if texts and name in _CONVERTS:
            return self._converted(name, texts)
        return self._listing(call) if name in _LISTINGS else self._method(call, texts)

    def _converted(self, name: str, texts: list[str]) -> str:
        if name == "chr":
            return _character(texts[0])
        if name in _SAME or UNKNOWN in texts[0]:
            return texts[0] if name in _SAME else UNKNOWN
        return texts[0][::-1] if name == "reversed" else _decoded(name, texts)

    def _method(self, call: ast.Call, texts: list[str]) -> str:
        if not isinstance(call.func, ast.Attribute):
            return UNKNOWN
        owner = self.text(call.func.value)
        match call.func.attr:
            case "joinpath":
                return _joined([owner, *texts])
            case "join" if call.args and isinstance(call.args[0], ast.Call) and not owner:
                return self.text(call.args[0])
            case "join" if call.args and (listed := self.texts(call.args[0])) is not None:
                return owner.join(listed)
            case "replace" if len(texts) == 2:
                return owner.replace(texts[0], texts[1])
            case "format":
                given = iter(texts)
                return re.sub(r"\{\w*\}", lambda _: next(given, UNKNOWN), owner)
            case name if name in _METHODS_SAME:
                return owner
        return UNKNOWN


def _character(number: str) -> str:
    return chr(int(number)) if number.isdecimal() and int(number) < 0x110000 else UNKNOWN


def _split(text: str) -> list[str] | None:
    try:
        return shlex.split(text)
    except ValueError:
        return None


def _decoded(name: str, texts: list[str]) -> str:
    """What an encoded text says that is written in the block."""
    try:
        if name == "codecs.decode":
            return codecs.decode(texts[0], "rot13") if "rot" in "".join(texts[1:2]) else UNKNOWN
        return _DECODERS[name](texts[0].encode()).decode("utf-8", "replace")
    except (ValueError, LookupError, TypeError):
        return UNKNOWN


_DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "base64.b64decode": base64.b64decode,
    "base64.urlsafe_b64decode": base64.urlsafe_b64decode,
    "base64.b32decode": base64.b32decode,
    "base64.b85decode": base64.b85decode,
    "binascii.unhexlify": binascii.unhexlify,
    "binascii.a2b_base64": binascii.a2b_base64,
    "bytes.fromhex": lambda text: bytes.fromhex(text.decode()),
    "codecs.decode": bytes,
}

_CONVERTS = frozenset({"chr", "reversed", *_SAME, *_DECODERS})


def _is_call(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call)


def _danger(text: str) -> int:
    return text.startswith(("/", "~", "."))


def _joined(parts: list[str]) -> str:
    whole = ""
    for part in parts:
        whole = part if part.startswith(("/", "~")) or not whole else f"{whole.rstrip('/')}/{part}"
    return whole
