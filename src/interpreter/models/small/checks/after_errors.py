"""Programs that failed in a way that says how they are put right, without asking the model."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

NOT_A_NUMBER = re.compile(
    r"(?:could not convert string to float|invalid literal for int\(\) with base 10): '([^'\n]*)'"
    r"|Unable to parse string [\"']([^\"'\n]*)[\"']"
)
WITH_NUMBERS = r"pd.to_numeric({column}.where({column}.astype(str).str.contains(r'\d')))"
NO_FIRST = re.compile(r"KeyError: (?:np\.int64\()?(0|-1)\b")
OF_ROWS = frozenset((
    *("value_counts", "sort_values", "nlargest", "nsmallest", "sum", "mean", "median", "count"),
    *("size", "max", "min", "nunique", "mode", "head", "tail", "dropna"),
))
"""Methods whose result has its rows' names for an index, and no numbers from 0 on."""
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
Edit = tuple[ast.expr, str]


def as_the_error_says(source: str, error: str) -> str:
    """The program put right; the same where its error says nothing of the kind."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    not_a_number = NOT_A_NUMBER.search(error) if "import pandas as pd" in source else None
    if not_a_number and not re.search(r"\d", not_a_number[1] or not_a_number[2] or ""):
        return _edited(source, _numbers_alone(tree))
    if NO_FIRST.search(error):
        return _edited(source, _by_place(tree))
    if found := NO_SUCH_NAME.search(error):
        return _imported_elsewhere(source, tree, found[1], found[2])
    return source


def _numbers_alone(tree: ast.Module) -> Iterator[Edit]:
    """What has no digit is no number: columns become numbers where there are some."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Attribute(column, "astype"), [kind], []) if ast.unparse(kind).strip(
                "'\""
            ) in ("float", "int", "float64", "int64", "np.float64"):
                yield node, WITH_NUMBERS.format(column=ast.unparse(column))
            case ast.Call(ast.Attribute(ast.Name("pd"), "to_numeric"), [column], []):
                yield node, WITH_NUMBERS.format(column=ast.unparse(column))


def _by_place(tree: ast.Module) -> Iterator[Edit]:
    """`chosen["name"][0]` looks for a row that is called 0: the first one is `.iloc[0]`."""
    counted = {
        name.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _has_rows(node.value)
        for name in node.targets
        if isinstance(name, ast.Name)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(
                ast.Subscript(slice=ast.Constant(str())) as column, place, ast.Load()
            ) if _is_an_end(place):
                yield node, f"{ast.unparse(column)}.iloc[{ast.unparse(place)}]"
            case ast.Subscript(ast.Name(name) as rows, place, ast.Load()) if (
                name in counted and _is_an_end(place)
            ):
                yield node, f"{ast.unparse(rows)}.iloc[{ast.unparse(place)}]"


def _has_rows(value: ast.expr) -> bool:
    match value:
        case ast.Call(ast.Attribute(attr=method)):
            return method in OF_ROWS
        case ast.Subscript(slice=ast.Constant(str())):
            return True
        case _:
            return False


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


def _edited(source: str, edits: Iterator[Edit]) -> str:
    """With each piece replaced by its text; what is within another one, or in several lines, stays
    as it is."""
    lines = [line.encode() for line in source.split("\n")]
    found = [edit for edit in edits if edit[0].lineno == edit[0].end_lineno]
    found.sort(key=lambda edit: (edit[0].lineno, edit[0].col_offset))
    apart: list[Edit] = []
    for node, text in found:
        last = apart[-1][0] if apart else None
        if last is None or (last.lineno, last.end_col_offset or 0) <= (
            node.lineno,
            node.col_offset,
        ):
            apart.append((node, text))
    for node, text in reversed(apart):
        line = lines[node.lineno - 1]
        line = line[: node.col_offset] + text.encode() + line[node.end_col_offset :]
        lines[node.lineno - 1] = line
    return b"\n".join(lines).decode()
