"""Programs that failed in a way that says how they are put right, without asking the model."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Literal

from interpreter.models.small.checks.program import WRITES, Edit, edited
from interpreter.models.small.checks.which import TEXT_COLUMN
from interpreter.models.small.parsed import editable

NOT_A_NUMBER = re.compile(
    r"(?:could not convert string to float|invalid literal for int\(\) with base 10): '([^'\n]*)'"
    r"|Unable to parse string [\"']([^\"'\n]*)[\"']"
)
HAS_DIGIT = r".astype(str).str.contains(r'\d')"
MADE_NUMBERS = re.compile(r"^- '(.+?)' text: .*?(df\['.+\))$", re.MULTILINE)  # by its profile
CONVERTS = re.compile(r"\b(?:float|int|to_numeric)\b")
WITH_NUMBERS = f"pd.to_numeric({{column}}.where({{column}}{HAS_DIGIT}))"
OF_TEXT = ("replace", "strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "lower", "upper")
"""Methods by which a text becomes another one."""
WHOLE = ".map(int, na_action='ignore')"  # cut off as `astype(int)` does, and gaps stay
KINDS = {"float": "", "float64": "", "np.float64": "", "int": WHOLE, "int64": WHOLE}
NO_FIRST = re.compile(r"KeyError: (?:np\.int64\()?(?:0|-1)(?!\.?\w)")
LABELLED = re.compile(r"\bset_index\(|\bindex_col\b|\bindex\s*=(?!\s*(?:=|False|True))")
"""Programs that name their rows, perhaps by numbers: 0 may be such a name."""
OF_ROWS = frozenset((
    *("sort_values", "sort_index", "nlargest", "nsmallest", "head", "tail", "sample"),
    *("dropna", "drop_duplicates"),
))
"""Methods that choose or order rows, so that the first one need not be called 0."""
Rows = Literal["table", "chosen", "column", ""]
"""A table as it was read, rows that a method chose of it, a column; nothing for all others."""
NO_SUCH_NAME = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")
HOMES = {
    "sklearn.cluster": ("KMeans", "DBSCAN", "AgglomerativeClustering"),
    "sklearn.decomposition": ("PCA",),
    "sklearn.ensemble": ("RandomForestClassifier", "RandomForestRegressor", "IsolationForest"),
    "sklearn.impute": ("SimpleImputer", "KNNImputer"),
    "sklearn.linear_model": ("LinearRegression", "LogisticRegression", "Ridge", "Lasso"),
    "sklearn.model_selection": ("train_test_split", "cross_val_score", "GridSearchCV", "KFold"),
    "sklearn.neighbors": ("KNeighborsClassifier", "KNeighborsRegressor"),
    "sklearn.preprocessing": ("StandardScaler", "MinMaxScaler", "LabelEncoder", "OneHotEncoder"),
    "sklearn.metrics": ("mean_squared_error", "r2_score", "accuracy_score", "silhouette_score"),
    "scipy.stats": ("pearsonr", "spearmanr", "ttest_ind", "zscore", "skew", "kurtosis", "shapiro"),
    "collections": ("Counter", "defaultdict", "OrderedDict", "deque"),
    "datetime": ("datetime", "date", "timedelta"),
    "pathlib": ("Path",),
}
"""Where names live that are looked for elsewhere."""
ONE_VALUE = re.compile(r"cannot unpack non-iterable (?:numpy\.float64|float) object")
CORRELATIONS = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}


def as_the_error_says(question: str, source: str, error: str) -> str:
    """The program put right; the same where its error says nothing of the kind."""
    tree = editable(source)
    is_known = "import pandas as pd" in source and not WRITES.search(source)
    not_a_number = NOT_A_NUMBER.search(error) if is_known else None
    if not_a_number and (better := edited(source, _as_profiles_tell(question, tree))) != source:
        return better
    if not_a_number and not re.search(r"\d", not_a_number[1] or not_a_number[2] or ""):
        return source if HAS_DIGIT in source else edited(source, _numbers_alone(question, tree))
    if NO_FIRST.search(error) and not LABELLED.search(source):
        return edited(source, _by_place(tree))
    if ONE_VALUE.search(error):
        better = edited(source, _with_p_values(tree))
        return source if better == source else f"from scipy import stats\n{better}"
    if found := NO_SUCH_NAME.search(error):
        return _imported_elsewhere(source, tree, found[1], found[2])
    return source


def _numbers_alone(question: str, tree: ast.Module) -> Iterator[Edit]:
    """What has no digit is no number: a column becomes numbers where there are some. Which of
    several it was the error does not say, so that it may only be those that are known as text."""
    found = list(_conversions(tree))
    is_only_one = len({(table, name) for _, table, name, *_ in found}) == 1
    texts = {name for name, _ in TEXT_COLUMN.findall(question)}
    for node, _, name, column, cut in found:
        if is_only_one or name in texts:
            yield node, WITH_NUMBERS.format(column=column) + cut


def _as_profiles_tell(question: str, tree: ast.Module) -> Iterator[Edit]:
    """What makes numbers of a column in another way than its profile says."""
    ways = {name: _as_written(way) for name, way in MADE_NUMBERS.findall(question)}
    ours = {node: (table, name) for node, table, name, *_ in _conversions(tree)}
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Subscript(ast.Name(table), ast.Constant(str(name)))], made):
                place, converts = (table, name), _conversion_in(made)
            case ast.Call() if node in ours:
                place, converts = ours[node], node
            case _:
                continue
        (table, name), text = place, ast.unparse(converts) if converts else ""
        way = ways.get(name, "").replace("df[", f"{table}[")
        if converts and way and way != text and f"{table}[{name!r}]" in text:
            yield converts, way


def _conversion_in(value: ast.expr) -> ast.expr | None:
    """What makes numbers within a value that is assigned, without what is computed of them:
    of `df["a"].astype(float) / 100` the part before the division."""
    for node in ast.walk(value):
        match node:
            case ast.Call(ast.Attribute(attr="astype" | "apply" | "map" | "to_numeric")):
                computes = any(isinstance(part, ast.BinOp) for part in ast.walk(node))
                if CONVERTS.search(ast.unparse(node)) and not computes:
                    return node
    return None


def _as_written(way: str) -> str:
    """An expression as a program would have it; nothing where it was cut off, or is another than
    profiles have: a row of a file can look like a line of them."""
    try:
        tree = ast.parse(way, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return ast.unparse(tree) if _is_plain(tree.body) else ""


def _is_plain(way: ast.expr) -> bool:
    """Whether it replaces texts of a column and makes numbers of it, and does nothing else."""
    match way:
        case ast.Subscript(ast.Name("df"), ast.Constant(str())):
            return True
        case ast.Call(ast.Attribute(inner, "astype"), [ast.Name("float")], []):
            return _is_plain(inner)
        case ast.Call(
            ast.Attribute(ast.Attribute(inner, "str"), "replace"),
            [ast.Constant(str()), ast.Constant(str())],
            named,
        ):
            return all(isinstance(one.value, ast.Constant) for one in named) and _is_plain(inner)
        case _:
            return False


def _conversions(tree: ast.Module) -> Iterator[tuple[ast.expr, str, str, str, str]]:
    """Where a column, as it is or with its texts changed, becomes numbers: its table, its name,
    what is converted, and how that is cut off. What is computed first may be truth or a sum, which
    have no digits or are numbers already."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Attribute(converted, "astype"), [kind], []):
                cut = KINDS.get(ast.unparse(kind).strip("'\""))
            case ast.Call(ast.Attribute(ast.Name("pd"), "to_numeric"), [converted], []):
                cut = ""
            case _:
                continue
        if cut is not None and (column := _column_in(converted)):
            yield node, *column, ast.unparse(converted), cut


def _column_in(converted: ast.expr) -> tuple[str, str] | None:
    """The table and the name of a column, also where methods of texts change it."""
    match converted:
        case ast.Subscript(ast.Name(table), ast.Constant(str(name))):
            return table, name
        case ast.Call(ast.Attribute(ast.Attribute(inner, "str"), way)) if way in OF_TEXT:
            return _column_in(inner)
        case _:
            return None


def _with_p_values(tree: ast.Module) -> Iterator[Edit]:
    """`r, p = x.corr(y)`: pandas has the coefficient alone, SciPy both."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(
                [ast.Tuple([_, _])], ast.Call(ast.Attribute(one, "corr"), [other], named) as call
            ):
                how = {given.arg: ast.unparse(given.value).strip("'") for given in named}
                function = CORRELATIONS.get(how.pop("method", "pearson"))
                if function and not how:
                    yield call, f"stats.{function}({ast.unparse(one)}, {ast.unparse(other)})"


def _by_place(tree: ast.Module) -> Iterator[Edit]:
    """`chosen["name"][0]` looks for a row that is called 0: the first one is `.iloc[0]`. Counts and
    sums of groups are left alone, since their 0 is a value that was counted."""
    known = _known_rows(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(rows, place, ast.Load()) if _is_an_end(place) and _rows_of(
                rows, known
            ) in ("chosen", "column"):
                yield node, f"{ast.unparse(rows)}.iloc[{ast.unparse(place)}]"


def _known_rows(tree: ast.Module) -> dict[str, Rows]:
    """The names that hold what pandas read, or rows of it, wherever they are given a value."""
    values = dict(_values_of_names(tree))
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    stored = [name for name in names if isinstance(name.ctx, ast.Store)]
    known: dict[str, Rows] = {}
    for name in sorted(stored, key=lambda one: (one.lineno, one.col_offset)):
        rows = _rows_of(values[name], known) if name in values else ""
        known[name.id] = rows if known.get(name.id, rows) else ""
    return known


def _values_of_names(tree: ast.Module) -> Iterator[tuple[ast.Name, ast.expr]]:
    """What is assigned to names; a group is rows of the table that is grouped."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name() as name], value):
                yield name, value
            case ast.For(
                ast.Tuple([_, ast.Name() as group]), ast.Call(ast.Attribute(table, "groupby"))
            ):
                yield group, table


def _rows_of(value: ast.expr, known: dict[str, Rows]) -> Rows:
    match value:
        case ast.Name(name):
            return known.get(name, "")
        case ast.Call(ast.Attribute(ast.Name("pd"), how)):
            return "table" if how.startswith("read_") or how == "DataFrame" else ""
        case ast.Call(ast.Attribute(inner, "copy" | "query")):
            return _rows_of(inner, known)
        case ast.Call(ast.Attribute(inner, how)) if how in OF_ROWS:
            rows = _rows_of(inner, known)
            return "chosen" if rows == "table" else rows
        case ast.Subscript(inner, place):
            return _part_of(_rows_of(inner, known), place)
        case _:
            return ""


def _part_of(rows: Rows, place: ast.expr) -> Rows:
    """What a table or a column has in brackets: a column, rows, or a single value."""
    match place:
        case ast.Constant(str()):
            return "column" if rows in ("table", "chosen") else ""
        case ast.Compare() | ast.BinOp():
            return rows
        case ast.Constant() | ast.UnaryOp(ast.USub()):
            return ""
        case _:
            return rows if rows != "column" else ""


def _is_an_end(place: ast.expr) -> bool:
    return ast.unparse(place) in ("0", "-1")


def _imported_elsewhere(source: str, tree: ast.Module, name: str, module: str) -> str:
    """The program with the import from where the name lives, or without it, if it is not used."""
    is_used = any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))
    home = next((home for home, names in HOMES.items() if name in names and home != module), "")
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or node.module != module:
            continue
        others = [one.name for one in node.names if one.name != name]
        is_plain = len(others) < len(node.names) and node.lineno == node.end_lineno
        if not is_plain or (is_used and not home) or any(one.asname for one in node.names):
            continue
        kept = [f"from {module} import {', '.join(others)}"] if others else []
        moved = [f"from {home} import {name}"] if is_used else []
        lines, indent = source.split("\n"), " " * node.col_offset
        new = kept + moved or (["pass"] if indent else [])
        lines[node.lineno - 1 : node.lineno] = [indent + line for line in new]
        return "\n".join(lines)
    return source
