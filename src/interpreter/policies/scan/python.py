"""Scans Python code by its syntax tree."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Iterator

from interpreter.policies.places import UNKNOWN, is_broad, is_dear, is_prose, is_secret, is_system
from interpreter.policies.scan.command_words import Problem
from interpreter.policies.scan.commands import opened, writes
from interpreter.policies.scan.python_habits import Habits
from interpreter.policies.scan.python_values import KnownValues
from interpreter.protocol.actions import Finding

Rescan = Callable[[str, str], tuple[Finding, ...]]

_SOURCES = frozenset({"open", "os.environ", "subprocess.check_output", "os.popen", "os.getenv"})
_SOURCES |= {"pyperclip.paste", "PIL.ImageGrab.grab", "pyautogui.screenshot", "mss.mss", "input"}
_ADDS = ("append", "add", "extend", "update", "write")
_DEAR_MODULES = frozenset({"os", "subprocess", "builtins", "__builtins__", "shutil", "sys", "pty"})
_OUR_GROUP = ("os.killpg", "0")
_OPEN_BITS = frozenset({"S_ISUID", "S_ISGID", "S_IWOTH", "S_IRWXO"})
_SHELL_CALLS = frozenset({"os.system", "os.popen", "subprocess.getoutput", "commands.getoutput"})
_SHELL_CALLS |= {
    "subprocess.getstatusoutput",
    "asyncio.create_subprocess_shell",
    "get_ipython().system",
}
_ARGV_CALLS = frozenset({"subprocess.run", "subprocess.call", "subprocess.Popen"})
_ARGV_CALLS |= {"subprocess.check_call", "subprocess.check_output"}
_SPLIT_CALLS = frozenset({"asyncio.create_subprocess_exec"})
_REPLACES = re.compile(r"^os\.(?:exec\w+|spawn\w+|posix_spawnp?)$")
_TREE_REMOVALS = frozenset({"shutil.rmtree", "os.removedirs", "send2trash.send2trash"})
_REMOVALS = frozenset({"os.remove", "os.unlink", "os.rmdir"})
_COPIES = frozenset({"shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.move", "os.rename"})
_COPIES |= {"os.replace", "os.symlink", "os.link", "shutil.copytree"}
_READS = ("read", "read_text", "read_bytes", "readlines")
_EVALUATORS = frozenset({"exec", "eval", "compile", "builtins.exec", "builtins.eval"})
_LOADERS = frozenset({"pickle.loads", "marshal.loads", "dill.loads", "cloudpickle.loads"})
_SENDERS = re.compile(
    r"^(?:requests|httpx|aiohttp|session|s|client)(?:\.\w+(?:\(\))?)*\.(?:post|put|patch)$"
    r"|\.(?:sendmail|send_message|storbinary|storlines|upload_file\w*|upload_\w+|put_object|putfo"
    r"|post|patch|request|send|sendall|sendto|send_bytes|basic_publish|create_gist|files_upload)$"
    r"|^urllib\.request\.(?:urlopen|Request)$|^urllib3\.|(?i:sftp).*\.put$"
)
_WIRES = re.compile(r"^(?:telnetlib|socket|ftplib|smtplib|paramiko|websocket\w*|serial)\b")
_SENDS_FILE = re.compile(r"(?:upload_file\w*|storbinary|(?i:sftp).*\.put(?:fo)?)$")
_HANDED_ON = re.compile(
    r"^(?:os\.(?:system|popen|remove|unlink|rmdir|removedirs|kill|chmod|chown)|shutil\.(?:rmtree|move)"
    r"|subprocess\.\w+|exec|eval|builtins\.(?:exec|eval)|requests\.(?:post|put))$"
)
_GETTERS = re.compile(
    r"^(?:requests|httpx)\.(?:get|head|request)$|^urllib\.request\.urlopen$|^webbrowser\.open"
    r"|(?:^|\.)(?:gethostbyname\w*|getaddrinfo|resolver\.(?:resolve|query))$|\.get$(?<=session.get)"
)
_DECODERS = re.compile(
    r"base64\.\w*decode|codecs\.decode|bytes\.fromhex|binascii\.\w+|zlib\.decompress|lzma\.|bz2\.|\b(?:chr|reversed)\b"
)
_LIBC = re.compile(
    r"(?:CDLL\(\)|cdll\.\w+(?:\(\))?|libc|windll\.\w+)\.(?:system|exec\w+|popen|fork|kill|unlink"
    r"|rmdir|remove|reboot|mount|ptrace|mprotect|syscall|setuid|chmod|chown)$"
)
_NETWORK = re.compile(
    r"\b(?:requests|httpx|urllib\.request|urlopen|socket|aiohttp|urllib3|http\.client|pycurl)\b"
)


def scan_python(source: str, rescan: Rescan) -> tuple[Finding, ...]:
    """What is dangerous in a block; lines that are for a notebook's shell are scanned as such."""
    python, shell = _without_magics(source)
    found = [
        Finding(line, finding.rule, finding.reason)
        for line, text in shell
        for finding in rescan("shell", text)
    ]
    try:
        tree = ast.parse(python)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return tuple(found)  # what cannot be parsed cannot run either
    return (*found, *_PythonScan(rescan).findings(tree))


def _without_magics(source: str) -> tuple[str, list[tuple[int, str]]]:
    first = source.lstrip().partition("\n")
    if re.match(r"%%(?:bash|sh|script|zsh|!)", first[0]):
        return "", [(1, first[2])]
    lines, shell = source.splitlines(), []
    for place, line in enumerate(lines):
        magic = re.match(r"(\s*)(?:\w+\s*=\s*)?(?:!!?|%sx\s|%system\s)(.*)", line)
        if magic:
            shell.append((place + 1, magic[2]))
            lines[place] = f"{magic[1]}pass"
        elif re.match(r"\s*%\w", line):
            lines[place] = re.sub(r"^(\s*).*", r"\1pass", line)
    return "\n".join(lines), shell


class _PythonScan:
    """One pass over a tree, in the order of the source."""

    def __init__(self, rescan: Rescan) -> None:
        self._rescan = rescan
        self._values = KnownValues()
        self._tainted: set[str] = set()
        self._spelled: set[str] = set()
        """Variables with texts that were put together of pieces for no reason."""
        self._commands: list[str] = []
        """What is started, in order: one command may fetch what the next one runs."""

    def findings(self, tree: ast.AST) -> Iterator[Finding]:
        self._values.bind(tree)
        habits = Habits(tree, self._values)
        for node in _in_order(tree):
            self._values.learn(node)
            if isinstance(node, ast.If) and _compares_text(node.test):
                self._values.narrow(n.id for n in ast.walk(node.test) if isinstance(n, ast.Name))
            self._taint(node)
            found = (*self._problems(node), *habits.problems(node, self._is_from_network))
            for rule, reason in found:
                yield Finding(getattr(node, "lineno", 1), rule, reason)
            for call in self._calls(node):
                yield from self._inner(call)
        yield from habits.commands(self._rescan)
        yield from self._moved("shell", "\n".join(self._commands), 1)

    def _is_from_network(self, node: ast.AST) -> bool:
        names = " ".join(self._names_in(node))
        return bool(_NETWORK.search(names)) or self._is_tainted(node, "network")

    def _calls(self, node: ast.AST) -> Iterator[ast.Call]:
        """The call that a node is, and those of functions that are handed on with arguments."""
        if isinstance(node, ast.Call):
            yield node
            given = [*node.args, *(k.value for k in node.keywords if k.arg == "target")]
            lists = [k.value for k in node.keywords if k.arg == "args"]
        elif isinstance(node, ast.Tuple) and len(node.elts) == 2:
            given, lists = node.elts[:1], node.elts[1:]
        else:
            return
        for place, function in enumerate(given):
            if _HANDED_ON.match(self._values.dotted(function)):
                listed = [
                    a for one in lists if isinstance(one, ast.Tuple | ast.List) for a in one.elts
                ]
                call = ast.Call(function, [*given[place + 1 :], *listed], [])
                yield ast.copy_location(call, node)

    def _problems(self, node: ast.AST) -> Iterator[Problem]:
        for call in self._calls(node):
            name = self._values.dotted(call.func)
            yield from self._removal(name, call)
            yield from self._files(name, call)
            yield from self._execution(name, call)
            yield from self._sending(name, call)
            yield from self._rights(name, call)

    def _argument(self, call: ast.Call, place: int, keyword: str = "") -> ast.expr | None:
        if len(call.args) > place:
            return call.args[place]
        return next((k.value for k in call.keywords if keyword and k.arg == keyword), None)

    def _first_text(self, call: ast.Call) -> str:
        return self._values.text(call.args[0]) if call.args else ""

    def _owner(self, call: ast.Call) -> str:
        """The text of what a method is called on, for paths."""
        return (
            self._values.text(call.func.value) if isinstance(call.func, ast.Attribute) else UNKNOWN
        )

    def _removal(self, name: str, call: ast.Call) -> Iterator[Problem]:
        method = name.rpartition(".")[2]
        first = self._argument(call, 0, "path")
        place = self._values.text(first) if first is not None else ""
        if name in _TREE_REMOVALS and is_broad(place) and place != UNKNOWN:
            yield "destructive-delete", f"{method} removes {place.replace(UNKNOWN, '…')!r}"
        if name == "os.truncate" and is_broad(place) and place != UNKNOWN:
            yield "destructive-delete", f"{method} empties {place!r}"
        if name in _REMOVALS and is_dear(place):
            yield "destructive-delete", f"{method} removes {place.replace(UNKNOWN, '…')!r}"
        if method in ("unlink", "rmdir") and name not in _REMOVALS and is_dear(self._owner(call)):
            yield "destructive-delete", f"{method} removes {self._owner(call)!r}"

    def _files(self, name: str, call: ast.Call) -> Iterator[Problem]:
        places = [self._values.text(argument) for argument in call.args]
        method = name.rpartition(".")[2]
        if name in ("open", "io.open", "os.open", "codecs.open"):
            mode = self._values.text(self._argument(call, 1, "mode") or ast.Constant("r"))
            yield from opened(places[0] if places else "", mode)
        elif method in ("open", "read_text", "read_bytes", "write_text", "write_bytes", "touch"):
            mode = "w" if method.startswith(("write", "touch")) else (places or ["r"])[0]
            yield from opened(self._owner(call), mode if method == "open" else mode[:1])
        elif name in _COPIES and len(places) > 1:
            yield from writes([places[1]])
            yield from opened(places[0], "r")
        elif name not in _EVALUATORS:
            for place in places:
                if is_secret(place) and not is_prose(place):
                    yield "credential-read", f"{place!r} holds secrets"
        if name in ("print", "json.dumps") and any(map(self._is_whole_environment, call.args)):
            yield "credential-read", "all variables of the environment are shown"

    def _is_whole_environment(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call) and self._values.dotted(node.func) in ("dict", "str", "list"):
            return any(map(self._is_whole_environment, node.args))
        name = self._values.dotted(node)
        return name in ("os.environ", "os.environ.items()", "os.environ.copy()")

    def _execution(self, name: str, call: ast.Call) -> Iterator[Problem]:
        first = self._argument(call, 0)
        if first is None:
            return
        names = " ".join(self._names_in(first))
        hidden = bool(_DECODERS.search(names)) or self._is_tainted(first, "decoded")
        if name in _EVALUATORS and (hidden or UNKNOWN in self._values.text(first)):
            yield from self._evaluation(name, first, names)
        if name in _LOADERS and (_NETWORK.search(names) or hidden):
            yield "obfuscated-exec", f"{name} runs what it loads"
        if name in _SHELL_CALLS | _ARGV_CALLS and hidden:
            yield "obfuscated-exec", f"{name} runs a command that is hidden in encoded text"
        if name == "pty.spawn" or (name == "os.dup2" and "fileno" in names):
            yield "exfiltration", "a shell is tied to a connection"
        yield from self._hidden_function(name, call)

    def _hidden_function(self, name: str, call: ast.Call) -> Iterator[Problem]:
        table = re.match(r"(?:__builtins__|builtins|globals\(\)|vars\(\))\b.*\[\]$", name)
        if table or self._is_hidden_function(name, call):
            yield "obfuscated-exec", "the function that is called is hidden"
        if _LIBC.search(name):
            yield "obfuscated-exec", "a command is started behind Python's back"

    def _is_hidden_function(self, name: str, call: ast.Call) -> bool:
        """Whether the name of a function is computed, where it could be a dangerous one."""
        taken = call if name == "getattr" else call.func
        if not isinstance(taken, ast.Call) or self._values.dotted(taken.func) != "getattr":
            return False
        if len(taken.args) < 2:
            return False
        owner, wanted = self._values.dotted(taken.args[0]), taken.args[1]
        dear = owner.partition(".")[0] in _DEAR_MODULES
        unknown = UNKNOWN in self._values.text(wanted)
        plain = isinstance(wanted, ast.Constant) or (
            isinstance(wanted, ast.Name) and wanted.id not in self._spelled
        )
        spelled = self._is_tainted(wanted, "decoded") or not plain
        return (unknown and (dear or taken is call.func)) or (spelled and dear)

    def _evaluation(self, name: str, code: ast.expr, names: str) -> Iterator[Problem]:
        if _NETWORK.search(names) or self._is_tainted(code, "network"):
            yield "pipe-to-shell", f"{name} runs what a host sends, unseen"
        elif not isinstance(code, ast.Call) or self._values.dotted(code.func) != "ast.parse":
            yield "obfuscated-exec", f"{name} runs a text that is not in the block"

    def _sending(self, name: str, call: ast.Call) -> Iterator[Problem]:
        wired = _WIRES.search(self._values.origin(name.removesuffix(".write")))
        if not _SENDERS.search(name) and not wired:
            if _GETTERS.search(name) and any(self._is_tainted(a) for a in _parts(call.args)):
                yield "exfiltration", "what the block read becomes part of an address"
            return
        payload = [*call.args, *(k.value for k in call.keywords)]
        sends_file = any(k.arg == "files" for k in call.keywords) or _SENDS_FILE.search(name)
        if sends_file or any(self._is_tainted(part) for part in payload):
            yield "exfiltration", f"{name.rpartition('.')[2]} sends what the block read to a host"

    def _rights(self, name: str, call: ast.Call) -> Iterator[Problem]:
        method = name.rpartition(".")[2]
        if method == "chmod":
            mode = self._argument(call, 1 if name == "os.chmod" else 0, "mode")
            if (
                isinstance(mode, ast.Constant)
                and isinstance(mode.value, int)
                and mode.value & 0o6002
            ):
                yield "permission-change", f"{oct(mode.value)} opens files to everybody"
            if mode is not None and _OPEN_BITS & {
                n.rpartition(".")[2] for n in self._names_in(mode)
            }:
                yield "permission-change", "a file is opened to everybody or changes identity"
            place = self._first_text(call) if name == "os.chmod" else self._owner(call)
            if is_system(place):
                yield "permission-change", f"chmod changes {place!r}"
        if name in ("os.chown", "shutil.chown") and is_system(self._first_text(call)):
            yield "permission-change", "the owner of a system file is changed"
        victim = self._first_text(call) if name in ("os.kill", "os.killpg") else ""
        if victim in ("-1", "1") or victim.startswith("/proc") or (name, victim) == _OUR_GROUP:
            yield "system-change", "it ends every process it can"
        if name in ("os.setuid", "os.seteuid"):
            yield "privilege", "it changes whose rights it has"

    def _inner(self, call: ast.Call) -> Iterator[Finding]:
        """Commands and code inside texts."""
        name, line = self._values.dotted(call.func), call.lineno
        first = self._argument(call, 0, "args")
        if first is None:
            return
        words = self._words(name, call, first)
        if words is not None:
            self._commands.append(shlex.join(words))
            yield from self._moved("shell", shlex.join(words), line)
            given = next((k.value for k in call.keywords if k.arg == "input"), None)
            fed = given is not None and self._is_from_network(given)
            if fed or ("-c" in words and self._is_tainted(first, "network")):
                yield Finding(line, "pipe-to-shell", "a shell runs what a host sends, unseen")
        elif name in _SHELL_CALLS | _ARGV_CALLS:
            self._commands.append(self._values.text(first))
            if self._values.text(first) == UNKNOWN and self._is_tainted(first):
                yield Finding(line, "obfuscated-exec", "it runs a command that is not in the block")
            yield from self._moved("shell", self._values.text(first), line)
            if self._is_tainted(first, "network"):
                yield Finding(line, "pipe-to-shell", "a shell runs what a host sends, unseen")
        elif name in _EVALUATORS and UNKNOWN not in self._values.text(first):
            yield from self._moved("python", self._values.text(first), line)

    def _words(self, name: str, call: ast.Call, first: ast.expr) -> list[str] | None:
        """The command that a call starts word by word."""
        if name in _ARGV_CALLS:
            return self._values.texts(first)
        if name not in _SPLIT_CALLS and not _REPLACES.match(name):
            return None
        listed = [texts for a in call.args if (texts := self._values.texts(a))]
        return listed[0] if listed else [self._values.text(a) for a in call.args]

    def _moved(self, language: str, text: str, line: int) -> Iterator[Finding]:
        shown = text.replace(UNKNOWN, "$UNKNOWN") if language == "shell" else text
        for finding in self._rescan(language, shown):
            yield Finding(line, finding.rule, finding.reason)

    def _names_in(self, node: ast.AST) -> list[str]:
        return [
            self._values.dotted(part)
            for part in ast.walk(node)
            if isinstance(part, ast.Attribute | ast.Name | ast.Call)
        ]

    def _taint(self, node: ast.AST) -> None:
        """Remember variables that hold what was read from files, the environment or programs."""
        match node:
            case (
                ast.Assign([ast.Name(target)], value)
                | ast.withitem(value, ast.Name(target))
                | ast.AugAssign(ast.Name(target), _, value)
                | ast.For(ast.Name(target), value)
                | ast.comprehension(ast.Name(target), value)
            ):
                self._stain(target, value)
            case ast.FunctionDef(name=target):
                returned = (part.value for part in ast.walk(node) if isinstance(part, ast.Return))
                for value in filter(None, returned):
                    self._stain(target, value)
            case ast.Call(ast.Attribute(ast.Name(target), method), [value, *_]) if method in _ADDS:
                self._stain(target, value)

    def _stain(self, target: str, value: ast.expr) -> None:
        if isinstance(value, ast.BinOp) and all(map(_is_text, (value.left, value.right))):
            self._spelled.add(target)
        if self._is_tainted(value):
            self._tainted.add(target)
        if self._is_from_network(value):
            self._tainted.add(f"network {target}")
        if _DECODERS.search(" ".join(self._names_in(value))) or self._is_tainted(value, "decoded"):
            self._tainted.add(f"decoded {target}")

    def _is_tainted(self, node: ast.AST, kind: str = "") -> bool:
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and f"{kind} {part.id}".strip() in self._tainted:
                return True
            if kind or not isinstance(part, ast.Call | ast.Attribute):
                continue
            name = self._values.dotted(part.func if isinstance(part, ast.Call) else part)
            if name in _SOURCES:
                return name != "os.environ" or not isinstance(node, ast.Subscript)
            if name.rpartition(".")[2] in _READS and not _NETWORK.search(name):
                return True
        return False


def _compares_text(test: ast.expr) -> bool:
    return any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in ast.walk(test))


def _in_order(tree: ast.AST) -> Iterator[ast.AST]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(list(ast.iter_child_nodes(node)))


def _parts(nodes: list[ast.expr]) -> Iterator[ast.expr]:
    for node in nodes:
        yield from (part for part in ast.walk(node) if isinstance(part, ast.expr))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
