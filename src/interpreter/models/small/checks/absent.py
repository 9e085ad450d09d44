"""What a request asks about and no table has, and what a program takes for it instead.

"The average profit" of a table without such a column: a small model makes one up. What the word
means may be clear (revenue is units times price) or not; either way it is said.
"""

from __future__ import annotations

import ast
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import SequenceMatcher

from interpreter.models.small.checks.computed import sizes
from interpreter.models.small.checks.conditions import GROUPS
from interpreter.models.small.checks.program import MONTHS, WEEKDAYS
from interpreter.models.small.checks.sources import texts_compared
from interpreter.models.small.checks.which import ALL_VALUES, TEXT_COLUMN, values_in
from interpreter.models.small.parsed import parsed
from interpreter.models.small.prompts.hints import COLUMN, MOST_NAMED
from interpreter.models.small.rounds import Round
from interpreter.protocol.values import frozen

DEFINES = re.compile(
    r"[=*/(]|\b(?:times|minus|plus|divided|multipl\w+|product of|that is|defined|meaning"
    r"|(?<!what )(?<!which )is the|i\.e\.)",
    re.IGNORECASE,
)
COMPUTABLE = """
revenue sale turnover income amount spend spent spending value worth cost payment bill
area volume density speed bmi distance length duration age time day week weekday month quarter
year decade hour date ratio rate share percentage percent proportion fraction difference change
growth increase decrease gap delay surface range interval deviation variance correlation quantity
size score
"""
AGGREGATES = """
average mean median total sum count number maximum minimum max min highest lowest most least largest
smallest biggest greatest best worst top first last all each every answer result overall much
"""
DONE_WITH_IT = frozenset(AGGREGATES.split())
SAYS_HOW = frozenset(COMPUTABLE.split())
"""Words that say themselves what is to be computed; all others name something that was measured."""
NOT_THERE = "There is no column {name!r}. There is: {columns}. {formula}"
SAY_HOW = "It can be computed if you say how; a program would have taken {formula} for it."
COMPUTED_AS = "\n\n(There is no column {name!r}: it was computed as {formula}.)"
TAKEN_FOR = "\n\n(Not sure: there is no column {name!r}; the program takes {formula} for it.)"
MEASURE = re.compile(
    r"\b(?:average|mean|median|total|sum of|highest|lowest|most|least|greatest|largest|smallest"
    r"|biggest|maximum|minimum|overall|how much|what (?:is|are|was|were) the)"
    r"((?: (?!of\b|in\b|per\b|by\b|for\b|did\b|do\b|does\b|was\b|is\b|from\b|and\b)[\w-]+){1,3})"
)
NAME = re.compile(r"\b[A-Z][\w&'-]+(?: (?:& )?[A-Z][\w&'-]+)+\b")
ONE_NAME = re.compile(  # of somebody, or of a place
    rf"(?!(?:{'|'.join(map(str.title, MONTHS + WEEKDAYS))})\b)\b[A-Z][a-z]{{3,}}\b(?![.-]\w)"
)
CAPITAL = re.compile(r"[A-Z][a-z]")
GERMAN = re.compile(  # in which all nouns begin with a capital
    r"\b(?:der|die|das|ist|sind|und|von|wie|wieviel|welche\w*|den|dem|im|für|viele?|nach)\b"
)
SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
UNITS = frozenset((
    *(1.8, 5 / 9, 9, 5, 32, 273.15, 0.5556, 1.609, 1.60934, 0.621371, 0.6214, 2.54, 0.3048, 0.9144),
    *(3.28084, 3.281, 0.453592, 0.4536, 2.20462, 2.2046, 28.3495, 3.785, 3.78541, 3.6, 1000),
    *(1_000_000, 1024, 1024**2, 1024**3, 100, 10, 60, 3600, 24, 7, 12, 365, 365.25, 52),
))
"""By what a unit becomes another."""
BEGINS = re.compile(r"(?:^|[.!?:]\s+)\Z")
NEARLY = 0.75  # of one word
TEXT = re.compile(r"[\"']([^\"'\n]+)[\"']")
ALIKE, SHORTEST = 0.6, 5  # names that are taken for each other: USA is no slip for United States
NOBODY = "There is no {name} in the data. {column} has: {values}."
DOING = "who|they|we|i|you|he|she|is|are|was|were|be|been|being|has|have|had|not|got|get"
NO_ROWS = re.compile(
    r"IndexError: (?:index 0 is out of bounds|single positional indexer|list index out of range)"
    r"|arg(?:min|max) of an empty"
)
GUARDED = "# whether there is any"
GUARD = """\
there = {of}.dropna().astype(str)  # whether there is any
if not (there.str.strip().str.casefold() == {value!r}.casefold()).any():
    print({told!r}, ", ".join(sorted(there.unique())[:20]))
else:
"""
LABEL = re.compile(r"^([^:=\n]{3,80})[:=]", re.MULTILINE)
WORD = re.compile(r"[^\W\d_]{3,}")
LONGEST_FORMULA = 100
LOOKED_AT = 4_000  # characters of a request


@frozen
class MadeUp:
    """Something that a request names, that no table has, and what a program takes for it."""

    name: str
    formula: str
    is_computed: bool
    """Whether it is made of several columns, not one that is called otherwise."""

    @property
    def says_how(self) -> bool:
        """Whether its name says by itself how it is computed."""
        return any(_stem(word) in SAYS_HOW for word in self.name.split())

    @property
    def is_plain(self) -> bool:
        """Whether all its words do."""
        return all(_stem(word) in SAYS_HOW for word in self.name.split())

    @property
    def remark(self) -> str:
        """What stands beside an answer that was computed with it."""
        sure = self.says_how and self.is_computed
        return (COMPUTED_AS if sure else TAKEN_FOR).format(name=self.name, formula=self.formula)


def made_up(request: str, one: Round) -> MadeUp | None:
    """What a program made up for something that the request wants measured; None for nothing.

    Where the request itself says how it is computed, nothing is made up.
    """
    words, _, known = request.partition("\n\n")
    columns = COLUMN.findall(request)
    if not columns or DEFINES.search(words):
        return None
    there = {_stem(word) for word in WORD.findall(_spaced(known))}
    labels = {_stem(word) for label in LABEL.findall(one.output) for word in WORD.findall(label)}
    for name, value in _named(one.source):
        called = {_stem(word) for word in WORD.findall(_spaced(name))}
        called |= labels if called <= DONE_WITH_IT else set()
        computed = _combines_columns(value, columns)
        for nouns in _measured(words, there):
            said = " ".join(noun for noun in nouns if _stem(noun) in called)
            found = MadeUp(said, "", computed)
            other = _is_of_one_column(value, columns) and not found.is_plain
            if said and (computed or other):
                return replace(found, formula=_formula(value, columns))
    return None


def _measured(words: str, there: set[str]) -> Iterator[list[str]]:
    """What is to be measured and not there: the nouns after `average`, `how much` and so on."""
    for phrase in MEASURE.findall(words.casefold()):
        nouns = [word for word in WORD.findall(phrase) if word not in DONE_WITH_IT]
        if not any(_is_known(noun, there) for noun in nouns):
            yield nouns


def is_named(name: str, request: str) -> bool:
    """Whether the user speaks of a column or file by this name, and not of what somebody does, what
    is to be computed, or a file in a folder: "who enrolled" names no column, nor "per month"."""
    words, it = request.partition("\n\n")[0].casefold(), name.casefold()
    if len(it) < 2 or it not in words or _stem(it) in SAYS_HOW | DONE_WITH_IT:
        return False
    if not re.search(rf"(?<![\w/]){re.escape(it)}", words):
        return False
    does = it.isalpha() and re.search(rf"\b(?:{DOING})\s+{it}\b", words)
    return not does


def with_absence_told(request: str, source: str, error: str) -> str:
    """A program that took the first of no rows at all, made to say that there is none of those that
    the request names, and what there is; the same program where it failed otherwise."""
    if GUARDED in source or not NO_ROWS.search(error):
        return source
    body = parsed(source).body
    words = request.partition("\n\n")[0].casefold()
    for at, table, column, value in _selections(body):
        known = {name for one in body[:at] for name in _assigned(one)}
        if value.strip() and value.casefold() in words and table in known:
            begin, rest = ("\n".join(map(ast.unparse, part)) for part in (body[:at], body[at:]))
            told = f"There is no {column} {value!r}. There is:"
            guard = GUARD.format(of=f"{table}[{column!r}]", value=value, told=told)
            return f"{begin}\n{guard}{textwrap.indent(rest, '    ')}".lstrip("\n")
    return source


def _assigned(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.Assign([ast.Name(name)]):
            return [name]
        case _:
            return []


def _selections(body: list[ast.stmt]) -> Iterator[tuple[int, str, str, str]]:
    """Where rows are selected by a text: the statement, the table, the column and the text."""
    plain = [(at, one) for at, one in enumerate(body) if isinstance(one, ast.Assign | ast.Expr)]
    for at, node in ((at, node) for at, one in plain for node in ast.walk(one)):
        match node:
            case ast.Compare(
                ast.Subscript(ast.Name(table), ast.Constant(str(column))),
                [ast.Eq()],
                [ast.Constant(str(value))],
            ):
                yield at, table, column, value


def said_to_be_absent(request: str, one: Round) -> str:
    """The answer where a thing that was to be measured is not there and was made up of others, or a
    name is nowhere and rows of another one were selected."""
    if GUARDED in one.source and one.output.startswith("There is no "):
        return one.output.strip()
    if another := _selects_another(request, one) or _one_of_its_kind(request, one):
        return NOBODY.format(**another)
    found = made_up(request, one)
    if found is None or not found.is_computed or found.says_how:
        return ""
    columns = ", ".join(map(repr, COLUMN.findall(request)[:MOST_NAMED]))
    how = SAY_HOW.format(formula=found.formula)
    return NOT_THERE.format(name=found.name, columns=columns, formula=how)


def _selects_another(request: str, one: Round) -> dict[str, str]:
    """A name in the request that no table has, where a program selects by a value that is there and
    that the request does not speak of; nothing for all others."""
    words, _, known = request.partition("\n\n")
    names = NAME.finditer(words[:LOOKED_AT])
    found = (one.group() for one in names if not BEGINS.search(words[: one.start()]))
    missing = _not_in(known, found)
    said = {_stem(word) for word in WORD.findall(words.casefold())}
    for column, about in TEXT_COLUMN.findall(request):
        values = values_in(about)
        for text in texts_compared(one.source):
            strange = not said & {_stem(word) for word in WORD.findall(text.casefold())}
            alike = missing and SequenceMatcher(None, text, missing[0]).ratio() > ALIKE
            if alike and text in values and strange and len(text) > SHORTEST:
                there = ", ".join(map(repr, values[:MOST_NAMED]))
                return {"name": repr(missing[0]), "column": repr(column), "values": there}
    return {}


def _one_of_its_kind(request: str, one: Round) -> dict[str, str]:
    """A name that no table has, where a column lists nothing but names and one of them is spelt
    nearly like it; nothing where a program selects by one of those, which may be the same thing,
    or found something where not all that the tables hold is known."""
    words, _, known = request.partition("\n\n")
    patterns = (NAME,) if GERMAN.search(words) else (NAME, ONE_NAME)
    named = (one for pattern in patterns for one in pattern.finditer(words[:LOOKED_AT]))
    found = [one.group() for one in named if not BEGINS.search(words[: one.start()])]
    missing = _not_in(known, found)
    columns = TEXT_COLUMN.findall(request)
    is_all_known = all(ALL_VALUES.match(about) for _, about in columns)
    if not missing or GROUPS.search(one.source) or (any(sizes(one.output)) and not is_all_known):
        return {}
    chosen = set(TEXT.findall(one.source))
    for column, about in columns:
        values = values_in(about) if ALL_VALUES.match(about) else []
        are_names = values and all(map(CAPITAL.match, values)) and not chosen & set(values)
        for name in missing if are_names else ():
            if any(_may_be_taken_for(name, value) for value in values):
                there = ", ".join(map(repr, values))
                return {"name": repr(name), "column": repr(column), "values": there}
    return {}


def _not_in(known: str, names: Iterable[str]) -> list[str]:
    """The names that profiles do not have, however they are spelt: Jörg is Joerg, too."""
    there = "\n".join(_spellings(known))
    return [name for name in names if not any(one in there for one in _spellings(name))]


def _spellings(text: str) -> tuple[str, str]:
    """A text in small letters without accents, and with umlauts spelt out."""
    small = text.casefold()
    parts = unicodedata.normalize("NFKD", small)
    plain = "".join(part for part in parts if not unicodedata.combining(part))
    return plain, small.translate(SPELT_OUT)


def _may_be_taken_for(name: str, other: str) -> bool:
    """Whether a name is spelt nearly like another, and is no form of it: Laptops, Northern."""
    one, two = sorted((name.casefold(), other.casefold()), key=len)
    least = ALIKE if " " in name else NEARLY
    alike = SequenceMatcher(None, one, two).ratio() > least
    return alike and not two.startswith(one[:-1])


def _named(source: str) -> Iterator[tuple[str, ast.expr]]:
    """The names that a program gives to values: columns and variables."""
    nodes = list(ast.walk(parsed(source)))
    for node in nodes:
        match node:
            case ast.Assign([ast.Subscript(slice=ast.Constant(str(name)))], value):
                yield name, value
            case ast.Assign([ast.Name(name)], value):
                yield name, value
            case ast.keyword(str(name), value) if name:
                yield name, value


def _columns_in(value: ast.expr, columns: list[str]) -> set[str]:
    texts = {node.value for node in ast.walk(value) if isinstance(node, ast.Constant)}
    texts |= {node.attr for node in ast.walk(value) if isinstance(node, ast.Attribute)}
    return {column for column in columns if column in texts}


def _combines_columns(value: ast.expr, columns: list[str]) -> bool:
    """Whether it adds, subtracts, multiplies or divides a column: no selection of rows does."""
    for node in ast.walk(value):
        match node:
            case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right):
                sides = [_columns_in(side, columns) for side in (left, right)]
                compares = any(isinstance(part, ast.Compare) for part in ast.walk(node))
                if any(sides) and not compares and not _converts_units(value, columns):
                    return True
    return False


def _converts_units(value: ast.expr, columns: list[str]) -> bool:
    """Whether a column is only told in another unit: celsius * 9 / 5 + 32."""
    parts = (part.value for part in ast.walk(value) if isinstance(part, ast.Constant))
    numbers = [part for part in parts if isinstance(part, int | float)]
    return bool(numbers) and len(_columns_in(value, columns)) == 1 and UNITS.issuperset(numbers)


def _is_of_one_column(value: ast.expr, columns: list[str]) -> bool:
    match value:
        case ast.Call(ast.Attribute(inner, "mean" | "median" | "sum" | "max" | "min")):
            return len(_columns_in(inner, columns)) == 1
        case _:
            return False


def _formula(value: ast.expr, columns: list[str]) -> str:
    """An expression as people write it: units * price."""
    names = "|".join(map(re.escape, columns))
    try:
        text = ast.unparse(value)
    except RecursionError:  # of a very long sum
        return "a long formula"
    return re.sub(rf"\w+(?:\[['\"]({names})['\"]\]|\.({names})\b)", r"\1\2", text)[:LONGEST_FORMULA]


def _spaced(name: str) -> str:
    """A name whose words are apart: MedInc and med_inc are two words each."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).casefold()


def _is_known(word: str, there: set[str]) -> bool:
    """Whether a word is among those of the tables, perhaps shortened there or in another form."""
    stem = _stem(word)
    return any(
        stem == one
        or (len(one) >= 3 and stem.startswith(one))
        or (len(stem) >= 4 and one.startswith(stem[:4]))
        for one in there
    )


def _stem(word: str) -> str:
    word = word.casefold()
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
