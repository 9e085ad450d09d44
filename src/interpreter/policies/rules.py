"""The user's own rules, from a TOML file: deny, then ask, then allow; and what an action mentions
(commands, paths, hosts), for rules to be held against.

"Allow" means that nobody is asked; what runs is confined all the same.
"""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

from interpreter.policies.path_patterns import expanded, expression
from interpreter.policies.scan.code_scan import LANGUAGES, scan_with
from interpreter.policies.scan.command_words import Words, unwrapped
from interpreter.policies.scan.shell import all_words
from interpreter.policies.scan.understood import plain_commands
from interpreter.protocol.actions import Finding, Ruling, Verdict
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.messages import Action, ActionCall, Code
from interpreter.protocol.system.program_rules import CommandLine, ProgramRule, command_lines
from interpreter.protocol.values import frozen

_HOST = re.compile(
    r"\b[a-z][a-z0-9+.-]*://(?:[^\s/@'\"]*@)?([A-Za-z0-9.-]+)|\b[\w.-]+@([\w-]+\.[\w.-]+)"
)
_QUOTED = re.compile(r"""(['"`])((?:(?!\1)[^\\\n])*)\1""")


@frozen
class CodeFacts:
    """What was found; `commands` is empty for code that starts none."""

    language: str
    tool: str
    commands: tuple[tuple[str, ...], ...]
    paths: frozenset[str]
    hosts: frozenset[str]


def canonical(language: str) -> str:
    """One name for the many that a language has."""
    name = language.lower()
    return next((known for known, names in LANGUAGES.items() if name in names), name)


def facts_of(action: Action) -> CodeFacts:
    """What an action mentions, as far as that can be seen before it runs."""
    match action:
        case Code(language, source):
            return _facts_of_code(canonical(language), source)
        case ActionCall(tool, arguments):
            return CodeFacts("", tool, (), _paths(_quoted(arguments)), _hosts(arguments))
    return CodeFacts("", "", (), frozenset(), frozenset())


@lru_cache(maxsize=4)  # rules, approvals and each program that starts ask about the same block
def _facts_of_code(language: str, source: str) -> CodeFacts:
    commands: list[Words] = []
    if language == "shell":
        commands = all_words(source)
    else:
        for snippet in _shell_inside(language, source):
            commands += all_words(snippet)
    texts = [word for command in commands for word in command]
    texts += _literals(language, source)
    whole = tuple(tuple(command) for command in commands)
    return CodeFacts(language, "", whole, _paths(texts), _hosts(source))


def _shell_inside(language: str, source: str) -> list[str]:
    found: list[str] = []

    def take(inner: str, text: str) -> tuple[Finding, ...]:
        if inner == "shell":
            found.append(text)
        return ()

    scan_with(language, source, take)
    return found


def _literals(language: str, source: str) -> list[str]:
    if language == "shell":
        return re.findall(r"[<>]\s*([^\s;&|<>]+)", source)
    if language == "python":
        try:
            nodes = list(ast.walk(ast.parse(source)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return _quoted(source)
        return [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return _quoted(source)


def _quoted(source: str) -> list[str]:
    return [match[2] for match in _QUOTED.finditer(source)]


def _paths(texts: list[str]) -> frozenset[str]:
    likely = (text for text in texts if len(text) < 4096 and "\n" not in text and "://" not in text)
    return frozenset(text for text in likely if "/" in text or text.startswith(("~", ".")))


def _hosts(source: str) -> frozenset[str]:
    found = (first or second for first, second in _HOST.findall(source))
    return frozenset(host.rstrip(".").lower() for host in found)


_KEYS = frozenset({"decision", "language", "command", "path", "host", "tool", "reason"})
_KEYS |= {"matches", "passes"}
_SUBJECTS = ("languages", "commands", "paths", "hosts", "tools")
_DOES_MORE = re.compile(
    r"--?(?:o|O|out\w*|exec\w*|ok|okdir|delete|fprint\w*|fls|ext-diff|textconv|upload-pack|pager"
    r"|receive-pack|open-files-in-pager|config|rcfile|init-file|to-command|checkpoint\S*|pre"
    r"|use-compress-program|compress-program|in-place|i|eval|e|c|command|run|rsh|editor|hook\S*"
    r"|write\S*|dump\S*|log-file\S*|save\S*|script\S*|files-from|load\S*|plugin\S*)(?:=.*)?\Z"
)
"""Options by which many a program that only looks writes files, or runs another."""
_ORDER: tuple[Ruling, ...] = ("deny", "ask", "allow")


@frozen
class Rule:
    """One rule. What is left empty is not looked at; of several values, one must fit."""

    decision: Ruling
    languages: tuple[str, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    paths: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    reason: str = ""

    def fits(self, action: Action, facts: CodeFacts) -> bool:
        """Whether the rule speaks about this. To deny or ask, one thing that it names is enough;
        to allow, the whole must be understood, and nothing else be in it."""
        if self.languages and facts.language not in self.languages:
            return False
        if self.tools and not any(_is_tool(wanted, facts.tool) for wanted in self.tools):
            return False
        if self.decision == "allow" and isinstance(action, Code):
            return self._allows(action, facts.language)
        quantify = all if self.decision == "allow" else any
        mentioned = (
            (self.commands, [self._is_command(command) for command in facts.commands]),
            (self.paths, [self._is_path(path) for path in facts.paths]),
            (self.hosts, [self.names_host(host) for host in facts.hosts]),
        )
        return all(not wanted or (found and quantify(found)) for wanted, found in mentioned)

    def is_only_about(self, subject: str) -> bool:
        """Whether it names things of this kind, and nothing else."""
        named = [name for name in _SUBJECTS if getattr(self, name)]
        return named == [subject]

    def _allows(self, action: Code, language: str) -> bool:
        """Code is allowed by its language, or as shell code of which each command is allowed."""
        if not self.commands:
            return self.is_only_about("languages")
        commands = plain_commands(action.source) if language == "shell" else None
        return bool(commands) and all(map(self._allows_command, commands or ()))

    def _allows_command(self, words: Words) -> bool:
        for prefix in self.commands:
            rest = words[len(prefix) :]
            if tuple(words[: len(prefix)]) == prefix and not any(map(_DOES_MORE.match, rest)):
                operands = [word for word in rest if not word.startswith("-")]
                return not self.paths or all(map(self._is_path, operands))
        return False

    def _is_command(self, command: tuple[str, ...]) -> bool:
        inner = unwrapped(list(command))
        lines = [line for c in (list(command), inner) if c for line in _lines(c)]
        rules = [ProgramRule("deny", words) for words in self.commands]
        return any(rule.rest(*line) is not None for rule in rules for line in lines)

    def _is_path(self, path: str) -> bool:
        return any(re.match(expression(wanted), expanded(path)) for wanted in self.paths)

    def names_host(self, host: str) -> bool:
        """Whether it names this host."""
        return any(
            host == wanted or (wanted.startswith("*.") and host.endswith(wanted[1:]))
            for wanted in self.hosts
        )


@frozen
class Rules:
    """All rules of a file."""

    rules: tuple[Rule, ...] = ()

    @property
    def programs(self) -> tuple[ProgramRule, ...]:
        """What is held where programs start."""
        return tuple(
            ProgramRule(rule.decision, words, rule.reason)
            for rule in self.rules
            if rule.decision != "allow" and rule.is_only_about("commands")
            for words in rule.commands
        )

    @property
    def denied_paths(self) -> tuple[str, ...]:
        """What is hidden from the code."""
        return tuple(
            path
            for rule in self.rules
            if rule.decision == "deny" and rule.is_only_about("paths")
            for path in rule.paths
        )

    @property
    def names_hosts(self) -> bool:
        """Whether there are hosts to refuse or to ask about."""
        return any(r.decision != "allow" and r.is_only_about("hosts") for r in self.rules)

    @property
    def allows_hosts(self) -> bool:
        """Whether there are hosts that are reached unasked."""
        return any(r.decision == "allow" and r.is_only_about("hosts") for r in self.rules)

    def host_verdict(self, host: str) -> Verdict | None:
        """What the rules say about a connection to a host."""
        fitting = [r for r in self.rules if r.is_only_about("hosts") and r.names_host(host)]
        return _first(fitting)

    def verdict(self, action: Action) -> Verdict | None:
        """What the rules say; None when none speaks about the action."""
        facts = facts_of(action)
        return _first([rule for rule in self.rules if rule.fits(action, facts)])


def _is_tool(wanted: str, tool: str) -> bool:
    """Whether a tool or a function of the host is meant: by its name, or all below `name.*`."""
    return tool == wanted or (wanted.endswith(".*") and tool.startswith(wanted[:-1]))


def _first(fitting: list[Rule]) -> Verdict | None:
    for decision in _ORDER:
        for rule in fitting:
            if rule.decision == decision:
                return Verdict(decision, rule.reason or f"a rule of yours says {decision}")
    return None


def _lines(words: Words) -> Iterator[CommandLine]:
    return command_lines([words[0].rsplit("/", 1)[-1]], words[1:])


def load_rules(path: Path) -> Rules:
    """The rules of a file; none if there is no file. A mistake in it is an error, not a shrug."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Rules()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The rules in {str(path)!r} cannot be read: {error}") from error
    return parse_rules(text, str(path))


def parse_rules(text: str, name: str = "rules") -> Rules:
    """The rules in a text, each checked against its own examples."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{name}: not TOML: {error}") from error
    entries = table.pop("rule", [])
    if table or not isinstance(entries, list):
        raise ConfigurationError(f"{name}: only [[rule]] tables belong here, not {list(table)}.")
    return Rules(tuple(_rule(entry, f"{name}, rule {n}") for n, entry in enumerate(entries, 1)))


def _rule(entry: dict[str, Any], name: str) -> Rule:
    unknown = set(entry) - _KEYS
    if unknown:
        raise ConfigurationError(f"{name}: unknown key {sorted(unknown)[0]!r}.")
    decision: Any = entry.get("decision")
    if decision not in get_args(Ruling):
        raise ConfigurationError(f'{name}: decision must be "deny", "ask" or "allow".')
    rule = Rule(
        decision,
        languages=tuple(canonical(word) for word in _texts(entry, "language", name)),
        commands=tuple(tuple(shlex.split(word)) for word in _texts(entry, "command", name)),
        paths=_texts(entry, "path", name),
        hosts=tuple(_host(word) for word in _texts(entry, "host", name)),
        tools=_texts(entry, "tool", name),
        reason=" ".join(_texts(entry, "reason", name)),
    )
    if not (rule.languages or rule.commands or rule.paths or rule.hosts or rule.tools):
        raise ConfigurationError(
            f"{name}: say what it is about: language, command, path, host, tool."
        )
    _check_examples(rule, entry, name)
    return rule


def _texts(entry: dict[str, Any], key: str, name: str) -> tuple[str, ...]:
    value = entry.get(key, [])
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(v, str) and v for v in values):
        raise ConfigurationError(f"{name}: {key} must be a text or a list of texts.")
    return tuple(values)


def _host(text: str) -> str:
    """A name as it is asked for: in lower case, without a last dot, and in its ASCII form."""
    name = text.lower().rstrip(".")
    try:
        return name if name.isascii() else name.encode("idna").decode()
    except UnicodeError:
        return name


def _check_examples(rule: Rule, entry: dict[str, Any], name: str) -> None:
    language = rule.languages[0] if rule.languages else "shell"
    for key, expected in (("matches", True), ("passes", False)):
        for example in _texts(entry, key, name):
            block = Code(language, example)
            if rule.fits(block, facts_of(block)) != expected:
                word = "does not match" if expected else "matches"
                raise ConfigurationError(f"{name}: it {word} its own example {example!r}.")
