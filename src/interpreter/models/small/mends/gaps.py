"""Gaps in tables: rows that are dropped for nothing, and gaps that are not looked at.

`df.dropna()` takes away every row that lacks anything, also in columns that the question is not
about: of a table with one sparse column little is left. And what SciPy computes of a column with a
gap is no number.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from interpreter.models.small.checks.program import WRITES, Edit, edited, tables_read
from interpreter.models.small.parsed import editable, if_it_parses
from interpreter.models.small.prompts.hints import COLUMN, INCOMPLETE

SAID = re.compile(  # whoever speaks of gaps says which rows are meant
    r"\b(?:missing|nulls?|nan|n/?a|incomplete|complete|empty|gaps?|blanks?|listwise|drop\w*|any|all|every\w*|full|fully|filled|answered)\b",
    re.I,
)
FILLS = re.compile(r"\b(?:fill\w*|imput\w+|replac\w+|treat\w*|count\w* as)\b", re.IGNORECASE)
TREATED = re.compile(
    r"\.(?:dropna|fillna|notna|notnull|isna|isnull|interpolate|ffill|bfill|query)\(|\bnan|isfinite"
)
FILLED = re.compile(r"\.(?:fillna|interpolate|ffill|bfill)\(|Imputer\(")
IN_VAIN = re.compile(r"^\w+\[[^\]\n]+\]\.dropna\([^()\n]*\)$", re.MULTILINE)
NOT_A_NUMBER = re.compile(r"\b[Ii]nput (?:\w+ )?contains NaN|\bcontains? (?:NaN|infs or NaNs)")
OF_SCIPY = frozenset((
    *("zscore", "skew", "kurtosis", "shapiro", "normaltest", "jarque_bera", "kstest", "ks_2samp"),
    *("ttest_ind", "ttest_rel", "ttest_1samp", "mannwhitneyu", "wilcoxon", "kruskal", "f_oneway"),
    *("spearmanr", "kendalltau", "pointbiserialr", "linregress", "levene", "bartlett"),
    *("sem", "iqr", "mode", "gmean", "hmean", "describe", "variation"),
))
"""What SciPy computes without gaps, if it is told so."""
OF_NUMPY = {
    "np.median": "np.nanmedian",
    "np.percentile": "np.nanpercentile",
    "np.quantile": "np.nanquantile",
}
TWO = 2  # columns that a coefficient is of
ALL_COLUMNS = re.compile(r"\.(?:drop|columns|select_dtypes|iloc|corr|cov|describe|values|to_\w+)\b")


def with_fewer_dropped(question: str, source: str) -> str:
    """A program that drops only rows which lack something that it uses; the same program where it
    does so already, or where it is not known what it uses."""
    gaps = set(INCOMPLETE.findall(question))
    is_plain = "dropna(" in source and gaps and not ALL_COLUMNS.search(source)
    if not is_plain or SAID.search(question.partition("\n\n")[0]):
        return source
    tree = editable(source)
    used = [name for name in dict.fromkeys(COLUMN.findall(question)) if name in _names(tree)]
    calls = _bare_calls(tree)
    if not used or not calls or gaps <= set(used):
        return source
    lines = [line.encode() for line in source.split("\n")]
    for call in sorted(calls, key=lambda one: one.col_offset, reverse=True):
        more = f"subset={used!r}{', ' if call.keywords else ''}".encode()
        at = (call.func.end_col_offset or 0) + 1
        number = (call.func.end_lineno or 1) - 1
        lines[number] = lines[number][:at] + more + lines[number][at:]
    return if_it_parses(b"\n".join(lines).decode(), source)


def with_gaps_left_out(question: str, source: str) -> str:
    """A program that tells SciPy and NumPy to leave out the gaps of a column, of which they would
    compute no number else; the same program where it looks at gaps itself, or has none."""
    gaps = frozenset(INCOMPLETE.findall(question))
    words, looks = question.partition("\n\n")[0], TREATED.search(IN_VAIN.sub("", source))
    if not gaps or looks or FILLS.search(words):
        return source
    return if_it_parses(edited(source, _without_gaps(editable(source), gaps)), source)


def _without_gaps(tree: ast.Module, gaps: frozenset[str]) -> Iterator[Edit]:
    """Calls with columns that have gaps, as they leave them out."""
    imported = {name for node in ast.walk(tree) for name in _of_scipy(node)}
    for node in ast.walk(tree):
        match node:
            case ast.Call(function, [_, *_] as given, named) if not gaps.isdisjoint(
                column for _, column in map(_column, given)
            ):
                called = ast.unparse(function)
                name = called.rpartition("stats.")[2]
                is_scipy = name in imported if name == called else called.endswith(f"stats.{name}")
                if is_scipy and name in OF_SCIPY:
                    yield node, f"{ast.unparse(node)[:-1]}, nan_policy='omit')"
                elif called in OF_NUMPY:
                    yield function, OF_NUMPY[called]
                elif is_scipy and name == "pearsonr" and not named:
                    yield from _of_pairs(node, [_column(one) for one in given], called)


def _of_scipy(node: ast.AST) -> list[str]:
    """The names that a statement imports from SciPy's statistics."""
    match node:
        case ast.ImportFrom("scipy.stats", names):
            return [one.asname or one.name for one in names]
        case _:
            return []


def _of_pairs(call: ast.Call, columns: list[tuple[str, str]], called: str) -> Iterator[Edit]:
    """Two columns of one table, by the rows that have both."""
    tables, names = {table for table, _ in columns}, [column for _, column in columns]
    if len(names) == TWO and len(tables) == 1:
        yield call, f"{called}(*{tables.pop()}[{names!r}].dropna().to_numpy().T)"


def _column(node: ast.expr) -> tuple[str, str]:
    """The table and the column that an argument is; nothing for all others."""
    match node:
        case ast.Subscript(ast.Name(table), ast.Constant(str(column))):
            return table, column
        case _:
            return "", ""


def without_rows_with_gaps(question: str, source: str, error: str) -> str:
    """A program that failed since a column that it uses has gaps, without the rows that have them;
    the same program where it failed otherwise, fills gaps, or writes files."""
    tree = editable(source)
    if not NOT_A_NUMBER.search(error) or WRITES.search(source) or FILLED.search(source):
        return source
    used, words = _names(tree), question.partition("\n\n")[0]
    gaps = [name for name in dict.fromkeys(INCOMPLETE.findall(question)) if name in used]
    tables = list(tables_read(tree))
    if len(tables) != 1 or not gaps or FILLS.search(words):
        return source
    ((table, end),) = tables
    dropped, lines = f"{table} = {table}.dropna(subset={gaps!r})", source.split("\n")
    if dropped in lines:
        return source
    lines[end:end] = [dropped]
    return if_it_parses("\n".join(lines), source)


def _names(tree: ast.AST) -> set[str]:
    """The texts and attributes of a program, among which its columns are."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Constant(str(text)):
                found.add(text)
            case ast.Attribute(attr=name):
                found.add(name)
    return found


def _bare_calls(tree: ast.Module) -> list[ast.Call]:
    """`table.dropna()` of tables that were read as a whole, and of which nothing was chosen yet."""
    tables: set[str] = set()
    calls = []
    for statement in tree.body:
        for node in ast.walk(statement):
            match node:
                case ast.Call(ast.Attribute(ast.Name(name), "dropna"), []) if name in tables:
                    if all(one.arg == "inplace" for one in node.keywords):
                        calls.append(node)
        match statement:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(attr=how))):
                keeps_all = how.startswith("read_") or (
                    how in ("dropna", "copy") and name in tables
                )
                (tables.add if keeps_all else tables.discard)(name)
            case ast.Assign([ast.Name(name)]):
                tables.discard(name)
    return calls
