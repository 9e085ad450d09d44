"""Ways to write things that libraries no longer have, written as they have them now.

A small model has learnt from years of programs for older versions, and writes the same old way
again however often it fails.
"""

from __future__ import annotations

import ast
import re

TO_NEW = tuple(
    (re.compile(old), new)
    for old, new in (
        (r"\.weekday_name\b(?!\()", ".day_name()"),
        (r"\.dt\.(?:weekofyear|week)\b(?!\()", ".dt.isocalendar().week"),
        (r"\.iteritems\(\)", ".items()"),
        (r"\bdelim_whitespace\s*=\s*True\b", 'sep=r"\\\\s+"'),
        (r"\berror_bad_lines\s*=\s*False\b", 'on_bad_lines="skip"'),
        (r"\bline_terminator\s*=", "lineterminator="),
        (r"\.fillna\(method\s*=\s*[\"'](?:ffill|pad)[\"']\)", ".ffill()"),
        (r"\.fillna\(method\s*=\s*[\"'](?:bfill|backfill)[\"']\)", ".bfill()"),
        (r"((?:\.resample\(|\bfreq\s*=\s*)[\"'])([MQ])([\"'])", r"\g<1>\g<2>E\g<3>"),
        (r"((?:\.resample\(|\bfreq\s*=\s*)[\"'])[AY]([\"'])", r"\g<1>YE\g<2>"),
        (r"((?:\.resample\(|\bfreq\s*=\s*)[\"']\d*)H([\"'])", r"\g<1>h\g<2>"),
        (r"((?:\.resample\(|\bfreq\s*=\s*)[\"']\d*)T([\"'])", r"\g<1>min\g<2>"),
        (r"\bnp\.(float|int|bool|object|str)\b(?!\w|_)", r"\g<1>"),
        (r"\bnp\.NaN\b", "np.nan"),
        (r"\bnp\.Inf\b", "np.inf"),
        (r"\bnp\.product\(", "np.prod("),
        (r"\bnp\.trapz\(", "np.trapezoid("),
        (r"\.get_sheet_by_name\(([^()\n]+)\)", r"[\g<1>]"),
        (r"\.get_sheet_names\(\)", ".sheetnames"),
        (r"\.get_feature_names\(", ".get_feature_names_out("),
        (r"(OneHotEncoder\([^()\n]*)\bsparse\s*=", r"\g<1>sparse_output="),
        (r"(style\.use\([\"'])seaborn(?!-v0)", r"\g<1>seaborn-v0_8"),
        (
            r"\bmean_squared_error\(([^()\n]*),\s*squared\s*=\s*False\s*\)",
            r"(mean_squared_error(\g<1>) ** 0.5)",
        ),
        (r"\.corr\(\)", ".corr(numeric_only=True)"),
    )
)
BUILT_ON_NUMBERS = ("mean", "median", "std", "var")


def in_new_ways(source: str) -> str:
    """The program as it has to be written now; the same where there is nothing old in it."""
    better = source
    for old, new in TO_NEW:
        better = old.sub(new, better)
    better = _with_rows_put_together(better)
    try:
        ast.parse(better)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    return better


def _with_rows_put_together(source: str) -> str:
    """`df = df.append(row)`, which no table has any more, is written with `pd.concat`."""
    try:
        tree = ast.parse(source) if ".append(" in source or ".groupby(" in source else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    lines = [line.encode() for line in source.split("\n")]
    nodes = (
        (node for node in ast.walk(tree) if isinstance(node, ast.stmt | ast.expr)) if tree else ()
    )
    found = [(node, new) for node in nodes if (new := _new(node))]
    found.sort(key=lambda one: (one[0].lineno, one[0].col_offset), reverse=True)
    for node, new in found:  # from behind, so that places stay right
        if node.lineno == node.end_lineno:
            line = lines[node.lineno - 1]
            line = line[: node.col_offset] + new.encode() + line[node.end_col_offset :]
            lines[node.lineno - 1] = line
    return b"\n".join(lines).decode()


def _new(node: ast.AST) -> str:
    match node:
        case ast.Assign(
            [ast.Name(name)],
            ast.Call(ast.Attribute(ast.Name(table), "append"), [rows], options),
        ) if name == table:  # a list is never given what its append returns
            added = ast.unparse(rows)
            added = f"pd.DataFrame([{added}])" if isinstance(rows, ast.Dict) else added
            more = "".join(f", {ast.unparse(one)}" for one in options)
            return f"{name} = pd.concat([{name}, {added}]{more})"
        case ast.Call(
            ast.Attribute(ast.Call(ast.Attribute(_, "groupby")) as groups, name), [], []
        ) if name in BUILT_ON_NUMBERS:  # of all columns, texts too
            return f"{ast.unparse(groups)}.{name}(numeric_only=True)"
        case _:
            return ""
