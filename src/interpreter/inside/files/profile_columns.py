"""What the columns of a table hold, and what to be careful about: loaded by profile_file.py."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

VALUE = 28  # characters of an example
NULLS = {"", "na", "n/a", "nan", "null", "none", "#n/a", "<na>", "-nan", "nil"}
TRUTH = {"True", "False", "TRUE", "FALSE", "true", "false"}  # what pandas reads as bool
EXACT = 1e12
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")
DATE = re.compile(
    r"\d{4}[-/]\d{1,2}[-/]\d{1,2}([ T]\d|$)|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}$"
    r"|[A-Z][a-z]{2,8}\.? \d{1,2},? \d{4}$|\d{1,2}\.? [A-Z][a-z]{2,8}\.?,? \d{4}$"
)
DOTTED = re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}$")
YEAR_FIRST = r".str.replace(r'^(\d+)\.(\d+)\.(\d{4})$', r'\3-\2-\1', regex=True)"
WITH_POINT = ".str.replace('.', '').str.replace(',', '.').astype(float)"
DIGITS = r".str.replace(r'[^\d.-]', '', regex=True).astype(float)"
DIGITS_AND_COMMA = r".str.replace(r'[^\d,-]', '', regex=True).str.replace(',', '.').astype(float)"
ENDS_IN_CENTS = re.compile(r"\d,\d{1,2}(?!\d)")
COMMA_AND_THREE, DOT_AND_THREE = (re.compile(rf"\d{mark}\d{{3}}(?!\d)") for mark in (",", r"\."))
DIGIT = re.compile(r"\d")
WORD = re.compile(r"[^\W\d_]+")
ZERO_FIRST = re.compile(r"0\d+$")  # a number would lose it: postcodes, keys
COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+$")  # the decimal point of half the world
DOTS = re.compile(r"[+-]?\d+(\.\d+)+$")
THOUSANDS = re.compile(r"[+-]?\d{1,3}(\.\d{3})+$")
LEADING_NUMBER = re.compile(r"[+-]?\d[\d ,.]*\S*")
PERCENT = re.compile(r"[+-]?\d[\d,.]*\s*%$")
MONEY = re.compile(r"[+-]?[$€£¥]\s*[+-]?\d[\d,.]*$|[+-]?\d[\d,.]*\s*(?:[$€£¥]|EUR|USD)$")
GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?$")
QUANTITY = re.compile(r"(?:^|_| )(units?|quantity|qty|pieces|items|copies|sold)(?:$|_| )", re.I)
TOTALS = {"total", "totals", "grand total", "subtotal"}
TOTALS_AT_THE_END = {*TOTALS, "sum", "all", "gesamt", "summe", "overall"}  # elsewhere mere values
MANY_DECIMALS = re.compile(r"^(-?\d+\.\d{3})\d{3,}((?:[eE][-+]?\d+)?)$")
LOOKED_AT = 200  # values whose form is looked at
MOST_ALIKE = 3  # spellings that are named
LONGEST_TEXT = 80  # characters of a text that somebody might name
VALUES = 20_000  # characters of the list of values
VALUE_WORDS = 4  # of a value that somebody might name

texts_of: dict[str, Counter[str]] = {}
"""How often each column has which text, for those that have texts one could ask about."""


def example(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= VALUE else text[: VALUE - 3] + "..."


def shown_in_row(value: object) -> str:
    """A value of a row, without decimals that tell a model nothing and cost a lot."""
    return MANY_DECIMALS.sub(r"\1\2", example(value))


def column(values: Sequence[str], name: str = "") -> str:
    """What a column holds: its type, range or examples, and how much is missing."""
    filled = [value for value in values if value.strip().lower() not in NULLS]
    missing = len(values) - len(filled)
    words = [kind_of(filled, f"df[{name!r}]" if name else "x")] if filled else ["empty"]
    if words[0].startswith("int") and (zero := code_with_zero(name, filled)):
        how = f"read with dtype={{{name!r}: str}}, so that zeros stay"
        words = [f"digits, such as {example(zero)!r}: {how}"]
    if words[0].startswith("int") and QUANTITY.search(name):
        words.append(f"a quantity: how many {example(name)} is its sum")
    if missing and filled:
        words.append(f"{missing} missing")
    return ", ".join(words)


def code_with_zero(name: str, filled: list[str]) -> str:
    """One of them that begins with a zero, where all are codes of one length: postcodes, keys."""
    lengths = {len(value.strip()) for value in filled}
    if not name or QUANTITY.search(name) or len(lengths) > 1 or max(lengths) < 3:
        return ""
    return next(filter(ZERO_FIRST.match, filled), "")


def kind_of(filled: list[str], it: str) -> str:
    """Its type, and how to make numbers or dates of `it`, where that takes more than a word."""
    numbers = [value for value in filled if NUMBER.match(value.strip())]
    if len(numbers) == len(filled):
        return numeric([float(value) for value in numbers], all(is_whole(v) for v in numbers))
    if set(filled) <= TRUTH:
        return "bool"
    different = sorted(set(filled), key=filled.index) if len(filled) < 5000 else list(set(filled))
    others = [value for value in different if not NUMBER.match(value.strip())]
    if len(numbers) >= 0.6 * len(filled) and not any(map(DIGIT.search, others)):
        odd = others[0]
        how = f"pd.to_numeric({it}, errors='coerce')"
        told = f"text: numbers and others such as {example(odd)!r}; numbers: {how}"
        return f"{told}, and without the others: df = df[{how}.notna()]" if it != "x" else told
    looked = [value.strip() for value in filled[:LOOKED_AT]]
    if all(map(DATE.match, looked)):
        return dates(filled, looked, it)
    if has_decimal_commas(looked):
        odd = next(value for value in looked if COMMA.match(value))
        return f"text: numbers with a decimal comma such as {example(odd)!r}: {it}{WITH_POINT}"
    if form := number_form(looked, it):
        return form
    if len(numbers) >= 0.6 * len(filled):
        return f"text: numbers and others such as {example(others[0])!r}"
    return text_kind(filled, different)


def number_form(looked: list[str], it: str) -> str:
    """Percent, money or numbers with marks between thousands, and how to make numbers of them."""
    for what, pattern in (("percent", PERCENT), ("money", MONEY), ("numbers", GROUPED)):
        if all(pattern.match(value) or NUMBER.match(value) for value in looked):
            odd = next((value for value in looked if pattern.match(value)), looked[0])
            how = digits_of(looked)
            more = f"; numbers: {it}{how}" if how else ", to be turned into numbers"
            return f"text: {what} such as {example(odd)!r}{more}"
    return ""


def digits_of(looked: list[str]) -> str:
    """How to make numbers of texts; nothing where a mark may be a decimal point or none."""
    cents, thousands = (any(map(mark.search, looked)) for mark in (ENDS_IN_CENTS, COMMA_AND_THREE))
    if cents:
        return "" if thousands else DIGITS_AND_COMMA
    dots = [value for value in looked if "." in value]
    return "" if dots and all(map(DOT_AND_THREE.search, dots)) else DIGITS


def dates(filled: list[str], looked: list[str], it: str) -> str:
    """Dates that are text: from when to when, or in how many forms they are written."""
    forms = {
        (value[:4].isdigit(), WORD.sub("a", DIGIT.sub("", value))[:1]): value for value in looked
    }
    if len(forms) > 1:
        shown = ", ".join(map(example, forms.values()))
        ordered = f"{it}{YEAR_FIRST}" if any(map(DOTTED.match, looked)) else it
        how = f"pd.to_datetime({ordered}, format='mixed')"
        return f"dates as text, in several forms: {shown}; make dates of them with {how}"
    if all(map(DOTTED.match, looked)):
        dotted = [value.strip() for value in filled if DOTTED.match(value.strip())]
        filled = sorted(dotted, key=lambda value: [int(part) for part in value.split(".")[::-1]])
    elif all(value[:4].isdigit() for value in looked):
        filled = sorted(filled)
    else:
        return f"dates as text, e.g. {', '.join(map(example, dict.fromkeys(looked[:2])))}"
    return f"dates as text, {example(filled[0])} to {example(filled[-1])}"


def text_kind(filled: list[str], different: list[str]) -> str:
    if len(different) <= 5:
        return "text: " + ", ".join(repr(example(value)) for value in different)
    begins = sum(bool(LEADING_NUMBER.match(value.strip())) for value in filled[:LOOKED_AT])
    if begins >= 0.9 * min(LOOKED_AT, len(filled)):
        return f"text, not numeric, e.g. {example(filled[0])!r}"
    return f"text, {len(different)} different, e.g. {example(filled[0])!r}"


def has_decimal_commas(values: Sequence[str]) -> bool:
    """Whether they are numbers with a decimal comma; 950 and 1,200 are not: it parts thousands."""
    with_comma = [value for value in values if "," in value]
    if not any(map(COMMA.match, values[:LOOKED_AT])) or not all(map(is_with_comma, values)):
        return False
    return not all(map(GROUPED.match, with_comma))


def is_with_comma(value: str) -> bool:
    """Whether it is a number where the decimal point is a comma."""
    return bool(COMMA.match(value) or THOUSANDS.match(value)) or is_whole(value)


def is_whole(value: str) -> bool:
    return value.strip().lstrip("+-").isdigit()


def numeric(numbers: list[float], whole: bool) -> str:
    low, high = min(numbers), max(numbers)
    if whole and abs(low) < EXACT and abs(high) < EXACT:
        return f"int {low:.0f} to {high:.0f}"
    return f"{'int' if whole else 'float'} {low:.6g} to {high:.6g}"


# How a table has to be read.


def lines_above(rows: Sequence[Sequence[str]]) -> int:
    """How many rows stand above the header, empty ones included: a title, a date, and the like."""
    widths = [len([value for value in row if value.strip()]) for row in rows[:20]]
    usual = max(filter(None, widths), key=widths.count, default=0)
    if usual < 2:
        return 0
    first = next(at for at, width in enumerate(widths) if width >= usual)
    # A header may lack its first name (",price", as pandas writes it); a title begins at the left.
    titled = all(not width or rows[at][0].strip() for at, width in enumerate(widths[:first]))
    return first if titled and all(width < max(2, usual / 2) for width in widths[:first]) else 0


def reads_as_numbers(rows: Sequence[Sequence[str]]) -> list[str]:
    """How to have numbers with a decimal comma read as numbers, where that spoils nothing else."""
    columns = itertools.zip_longest(*rows, fillvalue="")
    filled = [[v.strip() for v in values if v.strip().lower() not in NULLS] for values in columns]
    some = [values for values in filled if has_decimal_commas(values)]
    grouped = any("." in value for values in some for value in values)
    others = itertools.chain.from_iterable(values for values in filled if values not in some)
    if not some or (grouped and any(map(DOTS.match, others))):
        return []  # dates such as 3.1.2024 would become numbers, too, and 1.5 become 15
    return ["decimal=','", *(["thousands='.'"] if grouped else [])]


def with_point(value: str, grouped: bool) -> str:
    """A number with a decimal comma, perhaps with dots between thousands, as others write it."""
    is_number = COMMA.match(value.strip()) or (grouped and THOUSANDS.match(value.strip()))
    return value.replace(".", "").replace(",", ".") if is_number else value


# What to be careful about.


def pitfalls(
    names: Sequence[str], columns: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]
) -> Iterator[str]:
    """What people trip over in this table, a line each."""
    for name, values in zip(names, columns):  # noqa: B905
        totals = [value for value in values if value.strip().lower() in TOTALS]
        if not totals and values and values[-1].strip().lower() in TOTALS_AT_THE_END:
            totals = [values[-1]]
        if 0 < len(totals) <= max(1, len(values) // 10) and len(set(values)) > len(totals) + 1:
            yield f"Careful: {len(totals)} row(s) hold a total ({name!r} is {example(totals[0])!r})"
        if alike := spellings(values):
            yield f"Careful: {name!r} has one thing written differently: {alike}"
    twice = len(rows) - len({tuple(row) for row in rows})
    if twice and len(names) > 2:
        yield f"Careful: {twice} row(s) are there more than once"


def spellings(values: Iterable[str]) -> str:
    """Texts of a column that differ only in case or spaces."""
    groups: dict[str, set[str]] = {}
    for value in itertools.islice(dict.fromkeys(values), 2000):
        if not value.strip().isdigit() and value.strip():
            groups.setdefault("".join(value.lower().split()), set()).add(value)
    found = [sorted(group) for group in groups.values() if len(group) > 1]
    return "; ".join(", ".join(repr(value[:VALUE]) for value in one) for one in found[:MOST_ALIKE])


# What somebody might ask about.


def remember_texts(name: str, values: Iterable[object]) -> None:
    """Keep what texts a column has, unless they are sentences, numbers or dates."""
    texts = Counter(v for v in values if isinstance(v, str) and len(v) <= LONGEST_TEXT)
    for text in list(texts):
        letters = any(letter.isalpha() for letter in text) and text not in TRUTH
        if not letters or text.count(" ") >= VALUE_WORDS:
            del texts[text]
    if texts:
        texts_of.setdefault(name, Counter()).update(texts)


def listed_texts() -> str:
    """As JSON, each column with its texts and how often it has them, the most frequent first."""
    kept: dict[str, dict[str, int]] = {}
    ranked = {name: texts.most_common() for name, texts in texts_of.items()}
    room = VALUES
    ranks = itertools.zip_longest(*([(name, *t) for t in texts] for name, texts in ranked.items()))
    for name, text, count in filter(None, itertools.chain.from_iterable(ranks)):
        room -= len(json.dumps(text)) + len(name) + 12
        if room <= 0:
            break
        kept.setdefault(name, {})[text] = count
    return json.dumps(kept)


def parts_within(name: str, values: Sequence[object]) -> str:
    """How to take out parts of the objects or lists that a column holds, or nothing where it holds
    none; their texts are remembered."""
    objects = [value for value in values if isinstance(value, dict)]
    lists = [value for value in values if isinstance(value, list)]
    within = itertools.chain((one.values() for one in objects), lists)
    remember_texts(name, itertools.chain.from_iterable(within))
    if len(lists) > len(values) // 2:
        first = next(filter(None, lists), [])
        shown = f"lists, e.g. {json.dumps(first, ensure_ascii=False)[:VALUE]}"
        plain = (repr(item) for item in first if isinstance(item, (str, int, float)))
        if one := next(plain, ""):
            inside = f"isinstance(all, list) and {one} in all"
            return f"{shown}; rows with {one}: df[df[{name!r}].map(lambda all: {inside})]"
        return f"{shown}; a row for each of them: df.explode({name!r})"
    if len(objects) <= len(values) // 2:
        return ""
    parts = ", ".join(f"df[{name!r}].str[{key!r}]" for key in itertools.islice(objects[0], 6))
    return f"objects; what is in them: {parts}"[:160]
