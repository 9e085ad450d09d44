"""The user's own rules, from a TOML file: deny, then ask, then allow.

"Allow" means that nobody is asked; what runs is confined all the same.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any, get_args

from interpreter.policies.commands import unwrapped
from interpreter.policies.facts import Facts, canonical, facts_of
from interpreter.protocol.actions import Ruling, Verdict
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.messages import Action, Code
from interpreter.protocol.values import frozen

_KEYS = frozenset({"decision", "language", "command", "path", "host", "tool", "reason"})
_KEYS |= {"matches", "passes"}
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

    def fits(self, facts: Facts) -> bool:
        """Whether the rule speaks about this. To allow, everything that is mentioned must fit;
        to deny or ask, one thing is enough."""
        quantify = all if self.decision == "allow" else any
        if self.languages and facts.language not in self.languages:
            return False
        if self.tools and facts.tool not in self.tools:
            return False
        mentioned = (
            (self.commands, [self._is_command(command) for command in facts.commands]),
            (self.paths, [self._is_path(path) for path in facts.paths]),
            (self.hosts, [self._is_host(host) for host in facts.hosts]),
        )
        return all(not wanted or (found and quantify(found)) for wanted, found in mentioned)

    def _is_command(self, command: tuple[str, ...]) -> bool:
        inner = tuple(unwrapped(list(command)))
        if self.decision == "allow":  # or "sudo" and the like would be allowed with it
            return any(command[: len(prefix)] == prefix for prefix in self.commands)
        return any(words[: len(p)] == p for p in self.commands for words in (command, inner))

    def _is_path(self, path: str) -> bool:
        return any(re.match(_pattern(wanted), _expanded(path)) for wanted in self.paths)

    def _is_host(self, host: str) -> bool:
        return any(
            host == wanted or (wanted.startswith("*.") and host.endswith(wanted[1:]))
            for wanted in self.hosts
        )


@frozen
class Rules:
    """All rules of a file."""

    rules: tuple[Rule, ...] = ()

    def verdict(self, action: Action) -> Verdict | None:
        """What the rules say; None when none speaks about the action."""
        facts = facts_of(action)
        for decision in _ORDER:
            for rule in self.rules:
                if rule.decision == decision and rule.fits(facts):
                    return Verdict(decision, rule.reason or f"a rule of yours says {decision}")
        return None


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
        hosts=tuple(word.lower() for word in _texts(entry, "host", name)),
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


def _check_examples(rule: Rule, entry: dict[str, Any], name: str) -> None:
    language = rule.languages[0] if rule.languages else "shell"
    for key, expected in (("matches", True), ("passes", False)):
        for example in _texts(entry, key, name):
            if rule.fits(facts_of(Code(language, example))) != expected:
                word = "does not match" if expected else "matches"
                raise ConfigurationError(f"{name}: it {word} its own example {example!r}.")


def _expanded(path: str) -> str:
    home = str(Path.home())
    return re.sub(r"^(?:~|\$\{?HOME\}?)(?=/|$)", lambda _: home, path)


def _pattern(glob: str) -> str:
    """A glob as an expression: ``*`` stays in one directory, ``**`` does not."""
    pieces = re.split(r"(\*\*/?|\*|\?)", _expanded(glob))
    known = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
    return "".join(known.get(piece, re.escape(piece)) for piece in pieces) + r"/?\Z"
