"""Scans shell code by its syntax tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from interpreter.policies.places import UNKNOWN, is_broad, is_secret, is_system
from interpreter.policies.scan.command_words import (
    DECODERS,
    DOWNLOADERS,
    INTERPRETERS,
    SHELLS,
    Problem,
    Words,
    program,
    unwrapped,
)
from interpreter.policies.scan.commands import judge, writes
from interpreter.policies.scan.script import scan_script
from interpreter.policies.scan.shell_habits import (
    fills_disk,
    fork_bomb,
    programs_in,
    spawns_without_end,
    text_of,
    walk,
)
from interpreter.protocol.actions import Finding

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

Rescan = Callable[[str, str], tuple[Finding, ...]]
"""Scans code of another language that was found in this one."""

_PLACED = frozenset({"rm", "rmdir", "unlink", "shred", "find", "chmod", "chown", "truncate", "mv"})
_SPELLERS = DECODERS | DOWNLOADERS | {"echo", "printf", "cut", "sed", "awk", "cat"}
_INLINE = {"python": "python", "python3": "python", "node": "javascript"}


@cache
def _parser() -> Parser:
    import tree_sitter_bash  # noqa: PLC0415 (only those who scan pay for it)
    from tree_sitter import Language, Parser  # noqa: PLC0415

    return Parser(Language(tree_sitter_bash.language()))


def scan_shell(source: str, rescan: Rescan) -> tuple[Finding, ...]:
    """What is dangerous in a piece of shell code."""
    return tuple(_ShellScan(rescan).findings(parse_shell(source)))


def parse_shell(source: str) -> Node:
    """The syntax tree of shell code."""
    return _parser().parse(source.encode("utf-8", "surrogatepass")).root_node


def all_words(source: str) -> list[Words]:
    """The words of every simple command in a piece of shell code, inner ones too."""
    root = parse_shell(source)
    scan = _ShellScan(lambda language, text: ())
    found = []
    for node in walk(root):
        scan.note(node)
        if node.type == "command":
            found.append(scan.words(node))
    return [words for words in found if words]


class _ShellScan:
    """One pass over a tree; keeps what variables hold and which files were fetched."""

    def __init__(self, rescan: Rescan) -> None:
        self._rescan = rescan
        self._variables: dict[str, str] = {}
        self._fetched: set[str] = set()
        self._place = ""
        self._remotes: set[str] = set()

    def findings(self, root: Node) -> Iterator[Finding]:
        for node in walk(root):
            line = node.start_point[0] + 1
            self.note(node)
            for rule, reason in self._problems(node):
                yield Finding(line, rule, reason)
            if node.type == "command":
                yield from self._inline(node, line)
            if node.type == "heredoc_body":
                yield from self._document(node)

    def note(self, node: Node) -> None:
        """Remember what a variable is set to, and where the shell goes."""
        if node.type == "variable_assignment":
            self._assign(node)
        if node.type == "for_statement":
            self._loop(node)
        if node.type == "command":
            words = self.words(node)
            if program(words) in ("cd", "pushd"):
                self._place = words[1] if len(words) > 1 else "~"

    def words(self, command: Node) -> Words:
        """The command's words, with quotes and known variables resolved."""
        words = []
        for child in command.named_children:
            if child.type == "command_name":
                words += [self._value(part) for part in child.named_children] or [text_of(child)]
            elif not child.type.endswith("redirect") and child.type != "variable_assignment":
                words.append(self._value(child))
        return words

    def _problems(self, node: Node) -> Iterator[Problem]:
        match node.type:
            case "command":
                words = self._placed(self.words(node))
                yield from judge(words)
                yield from self._shows_variables(words, node)
                yield from self._fetches(words)
                yield from self._pushes(words)
                yield from self._evaluates(words, node)
            case "pipeline":
                yield from self._pipeline(node)
            case "variable_assignment":
                if re.match(r"(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_\w+|BASH_ENV)=", text_of(node)):
                    yield "persistence", "every program from here on runs other code first"
            case "file_redirect":
                yield from fills_disk(node)
                self._note_fetched_into(node)
                yield from self._redirect(node)
            case "while_statement" | "for_statement" | "c_style_for_statement":
                yield from spawns_without_end(node)
            case "function_definition":
                yield from fork_bomb(node)

    def _placed(self, words: Words) -> Words:
        """The words as seen from where the shell is, if that is a home, the system, or all."""
        place = self._place.rstrip("/")
        if place not in ("", "~", "..") and not is_system(place):
            return words
        if not self._place or program(unwrapped(words)) not in _PLACED:
            return words
        first = words.index(unwrapped(words)[0]) + 1
        return words[:first] + [
            word if re.match(r"[-/~$+]|[0-7]{3,4}$", word) else f"{place}/{word}"
            for word in words[first:]
        ]

    def _shows_variables(self, words: Words, node: Node) -> Iterator[Problem]:
        alone = program(words) in ("env", "printenv", "export", "set", "declare") and not words[1:]
        into = (
            text_of(node.parent)
            if node.parent is not None and "pipeline" in node.parent.type
            else ""
        )
        if alone and not re.search(r"\|\s*(?:e?grep|rg|wc|awk|sed|head|tail|cut)\b", into):
            yield "credential-read", "all variables of the environment are shown"

    def _loop(self, node: Node) -> None:
        name, *values = [child for child in node.named_children if child.type != "do_group"]
        texts = [self._value(value) for value in values]
        if name.type == "variable_name" and texts:
            self._variables[text_of(name)] = max(texts, key=is_broad)

    def _assign(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is not None and value is not None:
            scratch = re.match(r"\$\(mktemp\b", text_of(value).strip('"'))
            self._variables[text_of(name)] = "/tmp/x" if scratch else self._value(value)

    def _value(self, node: Node) -> str:
        """What a word says, as far as it is known before it runs."""
        match node.type:
            case "raw_string":
                return text_of(node)[1:-1]
            case "ansi_c_string":
                return text_of(node)[2:-1].encode().decode("unicode_escape", "replace")
            case "string" | "concatenation":
                return self._pieces(node)
            case "simple_expansion" | "expansion":
                return self._expansion(node)
            case "command_substitution" | "process_substitution" | "arithmetic_expansion":
                return UNKNOWN
            case "string_content" | "variable_name":
                return text_of(node)
        return re.sub(r"\\(.)", r"\1", text_of(node))

    def _pieces(self, node: Node) -> str:
        if node.type == "string" and not node.named_children:
            return text_of(node)[1:-1]
        pieces, at = [], node.start_byte + (node.type == "string")
        whole = node.text or b""
        for child in node.named_children:
            pieces.append(whole[at - node.start_byte : child.start_byte - node.start_byte].decode())
            pieces.append(self._value(child))
            at = child.end_byte
        tail = whole[at - node.start_byte : len(whole) - (node.type == "string")]
        return "".join(pieces) + tail.decode("utf-8", "replace")

    def _expansion(self, node: Node) -> str:
        name = re.match(r"\$\{?(\w+)", text_of(node))
        if name is None:
            return UNKNOWN
        if name[1] in ("HOME", "PWD"):
            return "~" if name[1] == "HOME" else "."
        if name[1] == "UNKNOWN":
            return UNKNOWN
        return self._variables.get(name[1], UNKNOWN)

    def _stages(self, node: Node) -> list[Words]:
        commands = []
        for child in node.named_children:
            inner = child.child_by_field_name("body") if "redirected" in child.type else child
            if inner and inner.type in ("subshell", "compound_statement"):
                inside = (n for n in inner.named_children if n.type == "command")
                inner = next((n for n in inside if _is_interpreter(self.words(n))), None)
            commands.append(self.words(inner) if inner and inner.type == "command" else [])
        return [unwrapped(words) for words in commands]

    def _pipeline(self, node: Node) -> Iterator[Problem]:
        stages = self._stages(node)
        for place, words in enumerate(stages[1:], 1):
            before = {program(stage) for stage in stages[:place]}
            if before & DOWNLOADERS and program(words) in ("tar", "bsdtar", "cpio", "unzip"):
                places = [b for a, b in zip(words, words[1:], strict=False) if a == "-C"]
                self._fetched |= {f"{place.removeprefix('./').rstrip('/')}/" for place in places}
            if program(words) in INTERPRETERS and _reads_program(words):
                yield from _piped_into(program(words), before, text_of(node))
            if program(words) in ("rm", "shred") and _lists_broadly(stages[:place]):
                yield "destructive-delete", f"{program(words)} removes what is listed before"
            sends = program(words) in ("curl", "wget", "nc", "ncat", "netcat", "mail", "sendmail")
            if program(words) in ("ssh", "telnet") or words[:2] == ["openssl", "s_client"]:
                yield "exfiltration", f"what comes before is sent away by {program(words)}"
            if (
                sends
                and any(w in ("@-", "-", "data=@-") for w in words)
                or program(words) == "mail"
            ):
                yield "exfiltration", f"what comes before is sent away by {program(words)}"

    def _redirect(self, node: Node) -> Iterator[Problem]:
        destination = node.child_by_field_name("destination")
        if destination is None:
            return
        place = self._value(destination)
        if place.startswith(("/dev/tcp/", "/dev/udp/")):
            yield "exfiltration", "the shell opens a connection to another machine"
        elif any(child.type in ("<",) for child in node.children):
            if is_secret(place):
                yield "credential-read", f"{place!r} holds secrets"
        else:
            yield from writes([place])
            if place.endswith("*") and is_broad(place):
                yield "destructive-delete", f"{place!r} is overwritten, file by file"

    def _note_fetched_into(self, node: Node) -> None:
        """What a host sends is written to a file, to be run later."""
        statement, destination = node.parent, node.child_by_field_name("destination")
        if statement is None or destination is None:
            return
        body = statement.child_by_field_name("body")
        before = programs_in(body) if body is not None else []
        if set(before) & DOWNLOADERS:
            self._fetched.add(self._value(destination).removeprefix("./"))

    def _fetches(self, words: Words) -> Iterator[Problem]:
        """A file that was fetched and is then run."""
        inner = unwrapped(words)
        name = program(inner)
        if name in DOWNLOADERS:
            pairs = zip(inner, inner[1:], strict=False)
            targets = [b for a, b in pairs if re.fullmatch(r"-[a-zA-Z]*[oO]|--output\S*", a)]
            targets += [w.partition("=")[2] for w in inner if w.startswith("--output")]
            targets += [w[2:] for w in inner if re.match(r"-[oO][./~\w]", w)]
            plain = [w.rsplit("/", 1)[-1] for w in inner[1:] if re.match(r"https?://", w)]
            self._fetched |= {t.removeprefix("./") for t in (*targets, *plain) if t}
            yield from writes(targets)
            return
        runs = inner[1:2] if name in INTERPRETERS or name in (".", "source") else inner[:1]
        directories = tuple(name for name in self._fetched if name.endswith("/"))
        plain = [word.removeprefix("./") for word in runs]
        if any(word in self._fetched or word.startswith(directories) for word in plain):
            yield "pipe-to-shell", "a file that was just fetched is run unseen"

    def _pushes(self, words: Words) -> Iterator[Problem]:
        """A repository that is sent where it was never sent before."""
        if program(words) != "git":
            return
        if "remote" in words and {"add", "set-url"} & set(words):
            self._remotes |= {word for word in words if re.fullmatch(r"[\w-]+", word)}
        told = words[words.index("push") + 1 :] if "push" in words else []
        known = self._remotes - {"git", "remote", "add", "set-url", "origin"}
        if any(re.match(r"\w+://|[\w.-]+@[\w.-]+:", word) or word in known for word in told):
            yield "exfiltration", "git sends everything to another machine"

    def _evaluates(self, words: Words, node: Node) -> Iterator[Problem]:
        inner = unwrapped(words)
        name = program(inner)
        evaluates = name in ("eval", ".", "source") or (name in SHELLS and "-c" in inner)
        runs_file = name in INTERPRETERS and any(
            child.type == "process_substitution" for child in node.named_children
        )
        if evaluates or runs_file:
            inside = [program(unwrapped(self.words(n))) for n in walk(node) if n.type == "command"]
            yield from _piped_into(name, set(inside[1:]), text_of(node))
            if name == "eval" and not inside[1:] and UNKNOWN in "".join(inner[1:]):
                yield "obfuscated-exec", "eval runs a text that is not in the block"
        elif inner and inner[0].startswith(UNKNOWN) and set(programs_in(node)) & _SPELLERS:
            yield "obfuscated-exec", "the command itself is hidden in encoded text"

    def _document(self, body: Node) -> Iterator[Finding]:
        """A program that an interpreter is given as its input."""
        statement = body.parent.parent if body.parent is not None else None
        command = statement.child_by_field_name("body") if statement is not None else None
        if command is None or command.type != "command":
            return
        words = unwrapped(self.words(command))
        name = program(words)
        language = "shell" if name in SHELLS else _INLINE.get(name)
        if language and _reads_program(words):
            for finding in self._rescan(language, text_of(body)):
                yield Finding(body.start_point[0] + finding.line, finding.rule, finding.reason)

    def _inline(self, node: Node, line: int) -> Iterator[Finding]:
        """Code of a language that is given on the command line."""
        for inner in _interpreted(unwrapped(self.words(node))):
            yield from self._inline_code(inner, line)

    def _inline_code(self, inner: Words, line: int) -> Iterator[Finding]:
        name = program(inner)
        options = ("-c", "-e", "-ce", "-lc", *(["-r"] if name == "php" else []))
        code = next((b for a, b in zip(inner, inner[1:], strict=False) if a in options), "")
        language = "shell" if name in SHELLS or name == "eval" else _INLINE.get(name)
        if name == "eval":
            code = " ".join(inner[1:])
        if name in ("perl", "ruby", "php") and code:
            for rule, reason in scan_script(code):
                yield Finding(line, rule, reason)
        if language and code and UNKNOWN not in code:
            for finding in self._rescan(language, code):
                yield Finding(line, finding.rule, finding.reason)


def _interpreted(words: Words) -> Iterator[Words]:
    """The command, and those inside it that an interpreter begins, as after ``find -exec``."""
    yield words
    for place, word in enumerate(words[1:], 1):
        if program([word]) in INTERPRETERS and {"-c", "-e"} & set(words[place + 1 : place + 4]):
            yield words[place:]
    if program(words) in ("awk", "gawk", "mawk"):
        for word in words[1:]:
            for quoted in re.findall(r'system\(\s*"((?:[^"\\]|\\.)*)"', word):
                yield ["sh", "-c", quoted.replace('\\"', '"')]


def _lists_broadly(stages: list[Words]) -> bool:
    """Whether one of them lists files of a home or of the system."""
    return any(
        program(words) in ("find", "ls", "locate", "fd") and any(map(_is_far, words[1:]))
        for words in stages
    )


def _is_far(place: str) -> bool:
    return place.startswith(("~", "/", "..")) and is_broad(place)


def _is_interpreter(words: Words) -> bool:
    return program(unwrapped(words)) in INTERPRETERS


def _reads_program(words: Words) -> bool:
    """Whether an interpreter takes its program from its input."""
    operands = [word for word in words[1:] if not word.startswith("-")]
    return not operands or "-s" in words or "-" in words[1:]


def _piped_into(name: str, before: set[str], text: str) -> Iterator[Problem]:
    if before & DOWNLOADERS:
        yield "pipe-to-shell", f"{name} runs what a host sends, unseen"
    elif before & DECODERS or re.search(r"\\x[0-9a-fA-F]{2}", text):
        yield "obfuscated-exec", f"{name} runs text that is encoded"
