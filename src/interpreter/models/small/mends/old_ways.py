"""Ways to write things that libraries no longer have, written as they have them now.


A small model has learnt from years of programs for older versions, and writes the same old way
again however often it fails. What cannot work any more is put right at once, what still may only
once it has failed.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize

from interpreter.models.small.parsed import editable, if_it_parses

DEAD = tuple(
    (re.compile(old), new)
    for old, new in (
        (r"\.dt\.weekday_name\b(?!\()", ".dt.day_name()"),
        (r"\.dt\.weekofyear\b(?!\()", ".dt.isocalendar().week"),
        (r"\.iteritems\(\)", ".items()"),
        (r"\bdelim_whitespace\s*=\s*True\b", "sep=r'\\\\s+'"),
        (r"\berror_bad_lines\s*=\s*False\b", "on_bad_lines='skip'"),
        (r"([(,]\s*)line_terminator\s*=", r"\g<1>lineterminator="),
        (r"\bnp\.(float|int|object|str)\b(?!\w|_)", r"\g<1>"),
        (r"\bnp\.NaN\b", "np.nan"),
        (r"\bnp\.Inf\b", "np.inf"),
        (r"\bnp\.product\(", "np.prod("),
        (r"\bnp\.trapz\(", "np.trapezoid("),
        (r"\.get_sheet_names\(\)", ".sheetnames"),
        (r"\.get_feature_names\(", ".get_feature_names_out("),
        (r"(OneHotEncoder\([^()\n]*)\bsparse\s*=", r"\g<1>sparse_output="),
        (
            r"\bmean_squared_error\(([^()\n]*),\s*squared\s*=\s*False\s*\)",
            r"(mean_squared_error(\g<1>) ** 0.5)",
        ),
    )
)
"""Code that no installed version takes; texts of a program are not looked at."""
BY_A_TEXT = tuple(
    (re.compile(old), new)
    for old, new in (
        (r"\.fillna\(method\s*=\s*[\"'](?:ffill|pad)[\"']\)", ".ffill()"),
        (r"\.fillna\(method\s*=\s*[\"'](?:bfill|backfill)[\"']\)", ".bfill()"),
        (r"(style\.use\([\"'])seaborn(?!-v0)", r"\g<1>seaborn-v0_8"),
    )
)
OLD_FREQUENCY = re.compile(r"Invalid frequency: [MQAY]\b")  # of dates, and not of periods
BY_FREQUENCY = tuple(
    (re.compile(old), new)
    for old, new in (
        (r"(\.resample\([\"'])([MQ])([\"'])", r"\g<1>\g<2>E\g<3>"),
        (r"(\.resample\([\"'])[AY]([\"'])", r"\g<1>YE\g<2>"),
        (
            r"(\b(?:date_range|Grouper)\([^()\n]*\bfreq\s*=\s*[\"'])([MQ])([\"'])",
            r"\g<1>\g<2>E\g<3>",
        ),
    )
)
OF_TEXTS = re.compile(
    r"agg function failed|does not support operation"
    r"|not supported for dtype 'str'|with string dtype|unsupported operand type\(s\) for .*'str'"
    r"|Cannot perform reduction|[cC]ould not convert|operation '\w+' not supported"
)
NO_APPEND = "has no attribute 'append'"
BUILT_ON_NUMBERS = ("mean", "median", "std", "var")
REDUCING = (*BUILT_ON_NUMBERS, "min", "max", "sum")
OF_COLUMNS = ("ddof", "skipna")  # arguments with which they still give a value of each column


def in_new_ways(source: str, error: str = "") -> str:
    """The program as it has to be written now; the same where there is nothing old in it. With the
    error by which it failed more is known to be old."""
    better = _outside_of_texts(source)
    for old, new in (*BY_A_TEXT, *(BY_FREQUENCY if OLD_FREQUENCY.search(error) else ())):
        better = old.sub(new, better)
    if OF_TEXTS.search(error) or NO_APPEND in error:
        better = _as_the_error_says(better, error)
    return if_it_parses(better, source)


def _outside_of_texts(source: str) -> str:
    """With what is dead replaced wherever it is code."""
    if not any(old.search(source) for old, _ in DEAD):
        return source
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return source
    texts = [one.string for one in tokens if one.type in (tokenize.STRING, tokenize.COMMENT)]
    if any(old.search(text) for text in texts for old, _ in DEAD):
        return source  # a program about such programs
    for old, new in DEAD:
        source = old.sub(new, source)
    return source


def _as_the_error_says(source: str, error: str) -> str:
    """With rows put together by `pd.concat`, which tables no longer append, and with numbers taken
    from the columns that have them."""
    tree = editable(source)
    lines = [line.encode() for line in source.split("\n")]
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.stmt | ast.expr))
    found = [(node, new) for node in nodes if (new := _new(node, NO_APPEND in error))]
    if NO_APPEND not in error:
        found += [(one, f"{one.id}.select_dtypes('number')") for one in _tables_in_sums(tree)]
    found.sort(key=lambda one: (one[0].lineno, one[0].col_offset), reverse=True)
    for node, new in found:  # from behind, so that places stay right
        if node.lineno == node.end_lineno:
            line = lines[node.lineno - 1]
            line = line[: node.col_offset] + new.encode() + line[node.end_col_offset :]
            lines[node.lineno - 1] = line
    return b"\n".join(lines).decode()


def _tables_in_sums(tree: ast.Module) -> list[ast.Name]:
    """Where a whole table is computed with, as in `(df - df.min()) / df.std()`: its text and its
    dates are left out there."""
    tables, found = set[str](), []
    for statement in ast.walk(tree):
        match statement:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(ast.Name(of), how))) if (
                how.startswith("read_") or of in tables
            ):
                tables.add(name)
            case ast.Assign(_, ast.BinOp() as sums):
                found += _whole_tables(sums, tables)
    return found


def _whole_tables(sums: ast.BinOp, tables: set[str]) -> list[ast.Name]:
    """Those that are operands themselves, or of which a mean, least or most of each column is."""
    found = []
    for node in ast.walk(sums):
        match node:
            case ast.BinOp(ast.Name(left) as table) if left in tables:
                found.append(table)
            case ast.Call(ast.Attribute(ast.Name(of) as table, how), [], options) if (
                of in tables and how in REDUCING and all(one.arg in OF_COLUMNS for one in options)
            ):
                found.append(table)
    return found


def _new(node: ast.AST, appends: bool) -> str:
    match node:
        case ast.Assign(
            [ast.Name(name)], ast.Call(ast.Attribute(ast.Name(table), "append"), [rows], options)
        ) if name == table and appends:
            row, more = ast.unparse(rows), "".join(f", {ast.unparse(one)}" for one in options)
            row = f"pd.DataFrame([{row}]) if isinstance({row}, (dict, pd.Series)) else {row}"
            return f"{name} = pd.concat([{name}, {row}]{more})"
        case ast.Call(ast.Attribute(_, "corr") as corr, [], []) if not appends:
            return f"{ast.unparse(corr)}(numeric_only=True)"
        case ast.Call(
            ast.Attribute(ast.Call(ast.Attribute(_, "groupby")) as groups, name), [], []
        ) if name in BUILT_ON_NUMBERS and not appends:
            return f"{ast.unparse(groups)}.{name}(numeric_only=True)"
        case _:
            return ""
