"""Slips that small models make again and again, and that can be put right without asking them."""

from __future__ import annotations

import ast
import io
import itertools
import re
import tokenize

from interpreter.models.small.checks.absent import with_absence_told
from interpreter.models.small.checks.program import edited
from interpreter.models.small.mends.after_errors import as_the_error_says
from interpreter.models.small.mends.folders import WRITING, begun_with, with_folders
from interpreter.models.small.mends.old_ways import in_new_ways
from interpreter.models.small.parsed import editable, if_it_parses, parsed
from interpreter.models.small.prompts.hints import COLUMN, CUSTOMARY

HOLDERS = (ast.List, ast.ListComp, ast.Tuple, ast.Dict, ast.DictComp)
FILLING = ("fillna", "ffill", "bfill", "replace", "clip", "interpolate")
NOT_FOUND = re.compile(
    r"No such file or directory|non-existent directory|KeyError|columns expected but not"
)
NO_KEY = re.compile(r"KeyError: [\"'](?!\[|None of)(.+?)[\"']")
NO_KEYS = re.compile(  # as pandas says it of several
    r"KeyError: [\"'](?:None of \[Index\()?\[([^\]\n]{1,2000})\]"
    r"|columns expected but not found: \[([^\]\n]{1,2000})\]"
)
QUOTED = re.compile(r"'([^'\n]+)'")
HOW = r"(?:(?:sep|encoding|decimal|thousands)='(?:[^'\\\n]|\\t){1,20}'|skiprows=\d+)"
READ_WITH = re.compile(rf"^(\S+) \(read it with ({HOW}(?:, {HOW})*)\): \d+ rows", re.MULTILINE)
RENAMES = re.compile(r"\.columns\b|\brename\(|\bnames=|\bread_sql|\bsqlite3\b")
NOT_TAKEN = re.compile(r"TypeError: (\S*?)\(\) got an unexpected keyword argument '(\w+)'")
CHANGES_NOTHING = frozenset((
    *("verbose", "infer_datetime_format", "low_memory", "copy"),
    *("encoding", "engine", "index_label", "memory_map"),
))  # whatever their value, the result is the same wherever a function does not take them
CALLED_ELSE = {  # by the end of a function's name
    ("sort_values", "reverse"): ("ascending", True),
    ("sort_values", "descending"): ("ascending", True),
    ("sort_index", "reverse"): ("ascending", True),
    ("sort", "descending"): ("reverse", False),
    ("sorted", "descending"): ("reverse", False),
    ("drop_duplicates", "columns"): ("subset", False),
    ("dropna", "columns"): ("subset", False),
}
"""How an argument is called that a function takes in its place; whether it means the opposite."""
DONE_IN_PLACE = ("append", "extend", "fit", "info", "insert", "reverse", "sort", "update")
KEEPS_ITS_ROWS = frozenset((
    *("apply", "map", "applymap", "round", "abs", "astype", "replace", "convert_dtypes", "cumsum"),
    *("shift", "rank", "diff", "fillna", "dropna", "clip", "assign", "rename", "sort_values"),
    *("sort_index", "reset_index", "set_index", "drop", "drop_duplicates", "add_prefix", "where"),
))
"""What is meant to be kept: the data in another form, and no part or sum of it."""
PARTS_OF_COLUMNS = ("str", "dt", "cat")  # `df["a"].str` is read, never assigned
NOT_OF_ARRAYS = re.compile(r"'numpy\.ndarray' object has no attribute '(\w+)'")


def without_slips(source: str) -> str:
    """A program without lines that change nothing, that makes the folders into which it writes."""
    return with_folders(_without_inplace(source))


def to_be_run(source: str) -> str:
    """A program that nobody has seen yet, without slips and without what libraries no longer have:
    one that has run shows itself whether it needs that."""
    return without_slips(in_new_ways(source))


def after_error(question: str, source: str, error: str) -> str:
    """A program that failed, with what the error tells put right; the same where it tells nothing
    of the kind."""
    if (told := with_absence_told(question, source, error)) != source:
        return told
    if (read := as_profiles_say(question, source)) != source:
        return read
    if found := NOT_OF_ARRAYS.search(error):
        return as_of_array(source, found.group(1))
    if found := NOT_TAKEN.search(error):
        return _with_its_arguments(source, *found.groups())
    if (better := as_the_error_says(question, source, error)) != source:
        return if_it_parses(better, source)
    newer = source if "NameError" in error else in_new_ways(source, error)
    if NOT_FOUND.search(error) or newer != source:
        return with_columns(question, without_slips(newer), error)
    return source


def _with_its_arguments(source: str, function: str, name: str) -> str:
    """A program with an argument that a function does not take called as it does, or without it,
    if it would change nothing; the same where its meaning is not known, where several calls have
    one of that name, or where the call is not in one line."""
    tree = editable(source)
    wrong = _calls_with(tree, name)
    if len(wrong) != 1 or wrong[0].lineno != wrong[0].end_lineno:
        return source
    (call,) = wrong
    given = next(one for one in call.keywords if one.arg == name)
    call.keywords.remove(given)
    method = function.rpartition(".")[2]
    if name == "inplace":
        written = _kept_in_place(tree, call, given.value, method)
    else:
        written = _said_otherwise(tree, call, given, method)
    if not written:
        return source
    return if_it_parses(edited(source, iter([(call, written)])), source)


def _calls_with(tree: ast.Module, name: str) -> list[ast.Call]:
    """The calls that have an argument of that name."""
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call)]
    return [one for one in calls if any(given.arg == name for given in one.keywords)]


def _said_otherwise(tree: ast.Module, call: ast.Call, given: ast.keyword, method: str) -> str:
    """A call with an argument that was taken out of it as it is called there, or without it where
    it changes nothing; nothing where it is not known what it means."""
    if given.arg in CHANGES_NOTHING:
        return ast.unparse(call)
    known, is_opposite = CALLED_ELSE.get((method, given.arg or ""), ("", False))
    value = _opposite(tree, given.value) if is_opposite else given.value
    if not known or value is None:
        return ""
    call.keywords.append(ast.keyword(known, value))
    return ast.unparse(call)


def _opposite(tree: ast.Module, value: ast.expr) -> ast.expr | None:
    """The opposite of a truth, of each in a list, or of a name that has no other values; None for
    all others: `not [False, True]` is False, and sorts by something else."""
    match value:
        case ast.Constant(bool(truth)):
            return ast.Constant(not truth)
        case ast.List(parts) | ast.Tuple(parts) if all(map(_is_a_truth, parts)):
            truths = (ast.unparse(one) == "True" for one in parts)
            return ast.List([ast.Constant(not one) for one in truths], ast.Load())
        case ast.Name(name):
            named = [one for one in ast.walk(tree) if isinstance(one, ast.Assign)]
            values = [one.value for one in named if name in map(ast.unparse, one.targets)]
            is_known = (
                values and all(map(_is_a_truth, values)) and _stored(tree, name) == len(values)
            )
            return ast.UnaryOp(ast.Not(), value) if is_known else None
        case _:
            return None


def _stored(tree: ast.Module, name: str) -> int:
    """How often a name is given a value, also as an argument or by a loop."""
    nodes = list(ast.walk(tree))
    given = [one for one in nodes if isinstance(one, ast.arg) and one.arg == name]
    names = [one for one in nodes if isinstance(one, ast.Name) and one.id == name]
    return len(given) + sum(isinstance(one.ctx, ast.Store) for one in names)


def _is_a_truth(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, bool)


def _kept_in_place(tree: ast.Module, call: ast.Call, value: ast.expr, method: str) -> str:
    """`df.round(2, inplace=True)`, where nothing is done in place, as `df = df.round(2)`; nothing
    where what it would change cannot be told, or not be assigned."""
    written, is_wanted = ast.unparse(call), ast.unparse(value)
    if is_wanted == "False":
        return written
    if is_wanted != "True" or not isinstance(call.func, ast.Attribute) or call.func.attr != method:
        return ""  # of another name: the argument was handed on to somebody else
    if method in DONE_IN_PLACE or WRITING.match(method):
        return written
    is_whole = method in KEEPS_ITS_ROWS or isinstance(call.func.value, ast.Attribute)
    changed = _assignable(tree, call, call.func.value) if is_whole else ""
    for node in ast.walk(tree) if changed else ():
        match node:
            case ast.Expr(whole) if whole is call:
                return f"{changed} = {written}"
            case ast.Assign([target], whole) if whole is call and ast.unparse(target) == changed:
                return written
    return ""


def _assignable(tree: ast.Module, call: ast.Call, owner: ast.expr) -> str:
    """The table or column whose method is called, if it can be assigned: no module, no value of
    another call, and no name that may be one of several that the table has."""
    if isinstance(owner, ast.Attribute) and owner.attr in PARTS_OF_COLUMNS:
        owner = owner.value
    if isinstance(owner, ast.Name) and _is_within(tree, call):
        return ""
    root = owner
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    imports = (one for one in ast.walk(tree) if isinstance(one, ast.Import | ast.ImportFrom))
    modules = {(one.asname or one.name).partition(".")[0] for each in imports for one in each.names}
    is_ours = isinstance(root, ast.Name) and root.id not in {*modules, *CUSTOMARY}
    return ast.unparse(owner) if is_ours else ""


def _is_within(tree: ast.Module, call: ast.Call) -> bool:
    """Whether a call stands in a function or a loop, whose names may be others' there."""
    parts = (ast.FunctionDef, ast.AsyncFunctionDef, ast.For)
    return any(call in ast.walk(one) for one in ast.walk(tree) if isinstance(one, parts))


def as_of_array(source: str, method: str) -> str:
    """A program that calls a method of tables on what is an array, in the way that works; the same
    where it calls it on several things."""
    called = re.compile(rf"(?<![\w.])(\w+)\.{re.escape(method)}\(")
    if len(set(called.findall(source))) != 1:
        return source
    in_place = _calls_with(parsed(source), "inplace")
    if any(isinstance(one.func, ast.Attribute) and one.func.attr == method for one in in_place):
        return source  # the new Series would be changed, and the array stay as it was
    if method == "abs":
        better, module = called.sub(r"np.abs(\g<1>", source), "numpy as np"
    else:
        better, module = called.sub(rf"pd.Series(\g<1>).{method}(", source), "pandas as pd"
    has_module = f"import {module}" in better
    return if_it_parses(better if has_module else begun_with(f"import {module}", better), source)


def as_profiles_say(question: str, source: str) -> str:
    """A program that reads tables as their profiles say, with `sep=';'`, `skiprows=3` and the like,
    where it gives nothing but the name."""
    for name, how in READ_WITH.findall(question.partition("\n\n")[2]):
        for mark in "\"'":
            plain = f"read_csv({mark}{name}{mark}"
            source = source.replace(f"{plain})", f"{plain}, {how})")
    return source


def _without_inplace(source: str) -> str:
    """`df["a"].fillna(0, inplace=True)`, which changes nothing any more, is written
    `df["a"] = df["a"].fillna(0)`."""
    if "inplace" not in source:
        return source
    lines, tree = source.split("\n"), editable(source)
    for node in ast.walk(tree):
        match node:
            case ast.Expr(
                ast.Call(ast.Attribute(ast.Subscript() as place, name), given, options)
            ) if name in FILLING and _is_in_place(options) and _is_column(tree, place):
                kept = [one for one in options if one.arg != "inplace"]
                value = ast.Call(ast.Attribute(place, name, ast.Load()), given, kept)
                at, end = node.lineno - 1, node.end_lineno or node.lineno
                better = f"{' ' * node.col_offset}{ast.unparse(place)} = {ast.unparse(value)}"
                alone = lines[at][: node.col_offset].strip() == "" and ";" not in lines[at]
                if alone and end == node.lineno:
                    lines[at] = better
    return if_it_parses("\n".join(lines), source)


def _is_in_place(options: list[ast.keyword]) -> bool:
    return any(one.arg == "inplace" and ast.unparse(one.value) == "True" for one in options)


def _is_column(tree: ast.Module, place: ast.Subscript) -> bool:
    """Whether it is a column, and no table that stands in a list or a dictionary."""
    if isinstance(place.slice, ast.Constant) and not isinstance(place.slice.value, str):
        return False
    owner = ast.unparse(place.value)
    return not any(
        isinstance(one, ast.Assign)
        and isinstance(one.value, HOLDERS)
        and owner in map(ast.unparse, one.targets)
        for one in ast.walk(tree)
    )


def with_columns(question: str, source: str, error: str) -> str:
    """A program that calls the columns of which an error says that they are missing as their table
    does: `Price`, where it says `price`. The same program where there is none, or it renames
    columns."""
    there = COLUMN.findall(question)
    columns = {_key(name): name for name in reversed(there) if _key(name)}
    missing = (name for name in _missing_in(error) if name not in there)
    spelt = {name: columns.get(_key(name), "") for name in missing}
    if not any(spelt.values()) or RENAMES.search(source):
        return source
    texts = {
        f"{mark}{name}{mark}": repr(new) for name, new in spelt.items() if new for mark in "\"'"
    }
    lines = source.split("\n")
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return source
    for token, following in reversed(list(itertools.pairwise(tokens))):
        is_name = token.string in texts and following.string != ":"
        if token.type == tokenize.STRING and is_name:
            (row, start), (_, end) = token.start, token.end
            line = lines[row - 1]
            lines[row - 1] = f"{line[:start]}{texts[token.string]}{line[end:]}"
    return if_it_parses("\n".join(lines), source)


def _missing_in(error: str) -> list[str]:
    """The columns that an error says are missing."""
    if several := NO_KEYS.search(error):
        return QUOTED.findall(several[1] or several[2])
    found = NO_KEY.search(error)
    return [found[1]] if found else []


def _key(name: str) -> str:
    """A name without its case, blanks and marks; nothing for one of a letter."""
    plain = re.sub(r"[\W_]+", "", name.casefold())
    return plain if len(plain) > 1 else ""
