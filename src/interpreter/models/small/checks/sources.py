"""What the text of a program tells: what it compares with, what it reads, what it leaves open."""

from __future__ import annotations

import ast
import builtins
import re

from interpreter.models.small.parsed import parsed
from interpreter.models.small.prompts.hints import ROWS

COMPARING = ("contains", "startswith", "endswith", "isin", "eq", "match", "fullmatch")
FILE = re.compile(
    r"(?<![\w.@/-])([\w-]+\.(?:csv|tsv|jsonl?|xlsx?|parquet|db|sqlite3?|pdf|txt|md|log|html?|ya?ml|toml"
    r"|ini|xml|env|cfg|conf|bib|tex|ics|vcf|eml))\b",
    re.IGNORECASE,
)
READS = re.compile(
    r"\b(?:open|read\w*|connect|load\w*|Path|ZipFile|PdfReader|run|system|popen|glob|rglob|iglob"
    r"|listdir|iterdir|scandir|walk|argv|input)\b"
)


EXAMPLE = re.compile(r"^- '.+?' text, (\d+) different, e\.g\. '(.+?)'", re.MULTILINE)
WALKS = re.compile(r"\b(?:glob|rglob|iterdir|listdir|scandir|walk)\(")


def reads_none_of(request: str, source: str) -> list[str]:
    """The files that a request names, where a program reads nothing at all, and uses nothing that
    was read before, or reads only others that lie around."""
    words, _, known = request.partition("\n\n")
    named = list(dict.fromkeys(FILE.findall(words)))
    near = set(FILE.findall(source)) - set(named)
    others = [one for one in near if re.search(rf"^{re.escape(one)}[: ]", known, re.MULTILINE)]
    is_reading = READS.search(source) and (not others or WALKS.search(source))
    if not named or is_reading or any(name in source for name in named):
        return []
    if not parsed(source).body:
        return []
    return [] if leans_on_others(source) else named


def does_not_take(request: str, source: str, target: str) -> list[str]:
    """The files of which another one is to be made, where a program that makes it neither names any
    of them nor goes through a folder."""
    words = request.partition("\n\n")[0]
    others = [one for one in dict.fromkeys(FILE.findall(words)) if _name(one) != _name(target)]
    if not target or any(_name(one) in source for one in others) or WALKS.search(source):
        return []
    return others


def _name(path: str) -> str:
    return path.rpartition("/")[2]


DELETING = ("remove", "unlink", "rmtree", "rmdir", "removedirs")


def deletes_what_nobody_named(request: str, source: str) -> bool:
    """Whether a program deletes a file by its name that is there, and that a request does not
    name."""
    words, _, known = request.partition("\n\n")
    nodes = list(ast.walk(parsed(source)))
    for node in nodes:
        match node:
            case ast.Call(ast.Attribute(attr=name) | ast.Name(name)) if name in DELETING:
                texts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
                names = [text.rpartition("/")[2] for text in texts if isinstance(text, str)]
                if any(len(one) > 1 and one in known and one not in words for one in names):
                    return True
    return False


# As tools/profile_file.py writes it.
ONE_OF_MANY = re.compile(r"^All of them: .*One of them is (\S+)/([^\s/,]+)", re.MULTILINE)
ONE_MEANT = re.compile(
    r"\b(?:newest|latest|oldest|first|last|largest|biggest|smallest|one|any|an?) (?:\w+ )?file\b",
    re.I,
)
READS_MANY = re.compile(r"\b(?:glob|rglob|iglob|listdir|iterdir|scandir|walk)\b")


def reads_one_of_many(request: str, source: str) -> str:
    """The folder that a request is about, where a program reads the one file of it that was shown,
    and no other; nothing for all others."""
    words = request.partition("\n\n")[0]
    if ONE_MEANT.search(words) or len({*FILE.findall(source)}) > 1:
        return ""
    for folder, name in ONE_OF_MANY.findall(request):
        if name in source and name not in words and not READS_MANY.search(source):
            return str(folder)
    return ""


def leans_on_others(source: str) -> bool:
    """Whether a program uses values that it did not make before: then it confirms nothing."""
    statements = parsed(source).body
    made = set(dir(builtins))
    for statement in statements:
        nodes = list(ast.walk(statement))
        used = {one.id for one in nodes if isinstance(one, ast.Name) and _is_load(one)}
        bound = {name for one in nodes for name in _bound_by(one)}
        targets = _targets(statement)
        if used - made - (bound - targets):
            return True
        made |= bound
    return False


def _is_load(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _targets(statement: ast.stmt) -> set[str]:
    """The names that an assignment gives a value after it has used that of others, or their own."""
    match statement:
        case ast.Assign(targets) | ast.AugAssign(target=targets):
            places = targets if isinstance(targets, list) else [targets]
            inner = (one for place in places for one in ast.walk(place))
            return {one.id for one in inner if isinstance(one, ast.Name) and not _is_load(one)}
        case _:
            return set()


def _bound_by(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(name, ast.Store()) | ast.arg(name):
            return [name]
        case ast.alias(name, other):
            return [other or name.partition(".")[0]]
        case ast.FunctionDef(name) | ast.ClassDef(name) | ast.ExceptHandler(name=str(name)):
            return [name]
        case _:
            return []


def texts_compared(source: str) -> list[str]:
    """The texts that a program compares something with, in any way."""
    nodes = list(ast.walk(parsed(source)))
    found: list[str] = []
    for node in nodes:
        match node:
            case ast.Compare(comparators=parts):
                pass
            case ast.Call(ast.Attribute(attr=name), parts) if name in COMPARING:
                pass
            case _:
                continue
        inner = (one for part in parts for one in ast.walk(part))
        found += [
            one.value
            for one in inner
            if isinstance(one, ast.Constant) and isinstance(one.value, str)
        ]
    return found


def taken_from_a_profile(question: str, source: str) -> str:
    """The text that rows are selected by, where it is only the example of a column that has another
    text in each row, and the request does not say it; nothing else."""
    words, _, known = question.partition("\n\n")
    rows = set(ROWS.findall(known))
    examples = {value for count, value in EXAMPLE.findall(known) if count in rows}
    nodes = ast.walk(parsed(source)) if examples else ()
    for node in nodes:
        match node:
            case ast.Compare(_, [ast.Eq()], [ast.Constant(str(text))]) if text in examples:
                if text.casefold() not in words.casefold():
                    return text
    return ""
