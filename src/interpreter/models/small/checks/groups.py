"""Whether rows that belong together are put together: of two tables, or spelt in two ways."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from interpreter.models.small.checks.program import FOLDS, STRIPS
from interpreter.models.small.checks.which import TEXT_COLUMN
from interpreter.models.small.parsed import parsed
from interpreter.models.small.prompts.hints import COLUMN
from interpreter.models.small.prompts.reminders import shared_column

# As inside/files/profile_file.py writes it.
SPELT = re.compile(r"^Careful: '(.+?)' has one thing written differently", re.MULTILINE)
SAME_CASE = re.compile(
    r"\bcase[- ]insensitiv|\b(?:ignor\w+|regardless of|irrespective of) (?:upper|lower)?[ -]?case\b"
    r"|\b(?:upper|lower)(?:[- ]?case)? (?:and|or) (?:upper|lower)[- ]?case\b[^.\n]{0,20}\bsame\b",
    re.IGNORECASE,
)
EXACTLY = re.compile(r"\bspelling|\bexactly\b|\bas written\b|\bcase[- ]sensitiv", re.IGNORECASE)
GROUPING = ("groupby", "value_counts", "nunique", "unique", "drop_duplicates", "pivot_table")
JOINING = re.compile(
    r"\b(?:merge|join|map|concat|zip|isin|reindex|get|loc|JOIN|apply|sumproduct)\b"
)
FOR_EACH = re.compile(
    r"(?<!if )(?<!does )(?<!do )(?<!is )(?<!are )(?<!has )(?<!have )(?<!did )"
    r"\b(?:per|each|every) (?:single )?(\w+)"
    r"|\b(?:which|what) (\w+)\b[^.?!\n]{0,200}\beach of them\b",
    re.IGNORECASE,
)
OF_ALL = re.compile(r"\baverage\b|\bmean\b|\bif\b", re.IGNORECASE)
LOOKED_AT = 4_000  # characters
APART = re.compile(
    r"groupby|value_counts|pivot|crosstab|group by|Counter|defaultdict|set_index|nunique|unique\("
    r"|\bfor\b|resample|Grouper",
    re.IGNORECASE,
)
ALL_AT_ONCE = """\
The request wants this for each {column}, and the program puts all of them together. Write \
df.groupby({column!r}) and print a line for each {column}. Write the whole block again."""
BY_ROW = """\
The columns of two tables are combined row by row, but their rows are in another order. Join them \
first: pd.merge(one, other, on={column!r}). Write the whole block again."""
BY_SPELLING = """\
{column!r} has one thing written in several ways (upper and lower case, blanks), which are counted \
apart. First make them alike: df[{column!r}] = df[{column!r}].str.strip().str.lower(). Write the \
whole block again."""


def not_put_together(request: str, source: str) -> str:
    """What a model is told about rows that it keeps apart, or mixes up; nothing if all is well."""
    tree = parsed(source)
    if not tree.body:
        return ""
    if each := _of_each(request, source):
        return ALL_AT_ONCE.format(column=each)
    column = shared_column(request)
    if column and "index" not in source and not JOINING.search(source) and any(_combines(tree)):
        return BY_ROW.format(column=column)
    named = spelt_apart(request, source, tree)
    return BY_SPELLING.format(column=named) if named else ""


def spelt_apart(request: str, source: str, tree: ast.Module) -> str:
    """The column by which a program groups or counts, though one thing is written in several ways
    there; nothing where it makes them alike, or the spelling is meant."""
    words = request.partition("\n\n")[0]
    is_alike = FOLDS.search(source) or STRIPS.search(source) or "replace(" in source
    if is_alike or EXACTLY.search(words):
        return ""
    apart = SPELT.findall(request) or (COLUMN.findall(request) if SAME_CASE.search(words) else [])
    grouped = set(_grouped(tree))
    return next((name for name in apart if name in grouped), "")


def _of_each(request: str, source: str) -> str:
    """The column for each of whose values something is wanted, where a program tells none apart."""
    words = request.partition("\n\n")[0][:LOOKED_AT]
    found = [] if OF_ALL.search(words) else FOR_EACH.findall(words)
    nouns = {_stem("".join(one)) for one in found}
    columns = (name for name, _ in TEXT_COLUMN.findall(request))
    named = next((name for name in columns if _stem(name) in nouns), "")
    return "" if APART.search(source) or named in source else named


def _stem(word: str) -> str:
    """A word without the ending of a plural."""
    return word.casefold().removesuffix("s")


def _combines(tree: ast.Module) -> Iterator[bool]:
    """Whether columns of two tables that were read are added, multiplied and so on."""
    read = {
        node.targets[0].id
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and _reads(node)
    }
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(ast.Subscript(ast.Name(one)), _, ast.Subscript(ast.Name(other))):
                yield one != other and {one, other} <= read


def _reads(node: ast.Assign) -> bool:
    match node.value:
        case ast.Call(ast.Attribute(attr=name)):
            return name.startswith("read_")
        case _:
            return False


def _grouped(tree: ast.Module) -> Iterator[str]:
    """The columns by whose values rows are grouped or counted."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Attribute(inner, name), arguments) if name in GROUPING:
                for part in (part for one in (inner, *arguments) for part in _beside_tests(one)):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield part.value


def _beside_tests(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression but for comparisons, which choose rows."""
    if not isinstance(node, ast.Compare):
        yield node
        for part in ast.iter_child_nodes(node):
            yield from _beside_tests(part)
