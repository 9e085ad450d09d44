"""The form in which a question wants its answer, and answers written in it.

Forms that people ask for: JSON, CSV, only the number, yes or no, and numbers rounded as they say.
"""

from __future__ import annotations

import ast
import csv
import json
import math
import re
from typing import Any

from interpreter.models.small.schemas import fitted, schema_in
from interpreter.protocol.values import frozen

NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?")
DECIMAL = re.compile(r"(?<![\w.])[-+]?\d[\d,]*\.\d+(?:[eE][-+]?\d+)?(?![\w.]\d)")
PLACES = re.compile(
    r"(?:round\w*|with|to|of) (?:\w+ ){0,4}?(\d|one|two|three|four|five|six) (?:decimal|digit)",
    re.IGNORECASE,
)
COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
JSON = re.compile(r"(?<![.\w])json\b(?! ?(?:files?|lines)\b)", re.IGNORECASE)
CSV = re.compile(r"(?<![.\w])csv\b(?! ?files?\b)", re.IGNORECASE)
ONE_NUMBER = re.compile(
    r"\b(?:only|just|nothing but) (?:with )?(?:the |a |one |that )?(?:\w+ )?"
    r"(?:number|integer|value|figure)\b(?! of)",
    re.IGNORECASE,
)
TEMPLATE = re.compile(
    r"\b(?:format|form|pattern|template)\b[^\n:]{0,40}:\s*(?:\{\s*\n)?(.{1,400}?)"
    r"(?=[\s,;(]+(?:where|for example|e\.g\.|such as)\b|\n\s*\n|\n\s*\}|\Z)",
    re.IGNORECASE | re.DOTALL,
)
PLACEHOLDER = re.compile(r"(?:(?<=\w)(\[)|[<\[{])\s*([A-Za-z][\w ,-]{0,60}?)\s*[>\]}]")
LABEL = re.compile(r"(\w+)[^\w\n]{0,3}\Z")
SHORT = 4  # words of an answer that is no number
YES_NO = re.compile(r"\byes ?(?:or|/) ?no\b", re.IGNORECASE)
REASON = re.compile(r"\b(?:reason|why|because|explain)\b", re.IGNORECASE)
SAID = {"true": "Yes", "yes": "Yes", "false": "No", "no": "No"}
SCALAR = re.compile(r"\b(?:np|numpy)\.(?:float|int|uint|str|bool)\w*\(((?:'[^'\n]*')|[^()\n]*)\)")
TRUTH = re.compile(r"\b(?:np|numpy)\.(True|False)_\b")
PAIR = re.compile(r"['\"]?([^:=,'\"]+)['\"]? ?[:=,] ?['\"]?([^:=,'\"]+)['\"]?")
KEY = re.compile(r"""["'](\w+)["'] ?:""")
NAME = r"['\"`]?[\w-]+['\"`]?"
LIST = rf"{NAME}(?:(?:, and |, | and |,){NAME})*"
KEYS = re.compile(rf"\bkeys?(?: named| called|:)? ({LIST})", re.IGNORECASE)
NO_NAMES = """
a an the one no nothing in of for with each every then that which only all its their save write
store sort sorted keep print tell show round rounded use put as are is to from being by and
"""
ENDS_A_LIST = frozenset(NO_NAMES.split())
VALUE_NOW = re.compile(r"(?:^|; )(\w+): (-?\d[\d.eE+-]*)(?=;|$)")  # among the variables
MISSING = re.compile(r"(?<!\w)(?:nan|nat|none|null)(?!\w)", re.IGNORECASE)


def plain(text: str) -> str:
    """A text in which NumPy's values are written as everybody writes them."""
    return TRUTH.sub(r"\1", SCALAR.sub(r"\1", text))


def as_number(text: str) -> float:
    """A number as it is written; nothing where it is none after all."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return 0.0


@frozen
class AskedForm:
    """What a question says about how its answer should look."""

    kind: str = ""
    """json, csv, template, number, yes or no; nothing where any words will do."""
    places: int | None = None
    """To which decimal place numbers are to be rounded, where that is said, and once."""
    schema: dict[str, Any] | None = None
    """What JSON has to fit, where that is said."""
    words: frozenset[str] = frozenset()
    """All words of the question: names in JSON are among them."""
    only_key: str = ""
    """The name in JSON, where the question shows one and no other."""
    keys: tuple[str, ...] = ()
    """The names in JSON, where the question lists them."""
    template: str = ""
    """A text with places to be filled in, such as `Total: <amount>`."""

    def written(self, output: str) -> str:
        """What was printed, in this form; nothing where it cannot be."""
        printed = output.strip()
        match self.kind:
            case "json":
                return self._json(printed)
            case "csv":
                return self.rounded(printed) if _is_csv(printed) else ""
            case "template":
                return self._filled(printed)
            case "number":
                found = NUMBER.findall(printed)
                return self.rounded(found[0]) if len(found) == 1 else ""
            case "yes or no":
                return SAID.get(printed.rstrip(".").lower(), "")
            case _:
                return ""

    def missing_keys(self, output: str) -> list[str]:
        """The keys that were asked for and have no value in an output that has others of them."""
        value = data_in(output)
        named = value.keys() if isinstance(value, dict) else [name for name, _ in pairs_in(output)]
        there = {_key(str(name)) for name in named}
        missing = [key for key in self.keys if _key(key) not in there]
        return missing if len(missing) < len(self.keys) else []

    def rounded(self, text: str) -> str:
        """A text whose numbers have no more decimals than were asked for."""
        places = self.places
        if places is None:
            return text

        def rounded(found: re.Match[str]) -> str:
            number = found.group()
            short = "e" not in number.lower() and len(number.partition(".")[2]) <= places
            return number if short else f"{as_number(number):.{places}f}"

        return DECIMAL.sub(rounded, text)

    def _filled(self, printed: str) -> str:
        """The template with what was printed in its places; nothing where a value is missing."""
        if _is_filled(PLACEHOLDER.sub("\0", self.template).split("\0"), printed):
            return self.rounded(printed)
        holes = list(PLACEHOLDER.finditer(self.template))
        labels = (LABEL.search(self.template[: hole.start()]) for hole in holes)
        names = [(label.group(1) if label else "") for label in labels]
        pairs = zip(names, (hole.group(2) for hole in holes), strict=True)
        values = _values_for(list(pairs), printed)
        if not values:
            return ""
        filled = iter(values)
        return self.rounded(PLACEHOLDER.sub(lambda hole: _put(hole, next(filled)), self.template))

    def _json(self, printed: str) -> str:
        value = data_in(printed)
        try:
            fitting = self._with_keys(self._fitted(value, printed))
            return json.dumps(self._fit(fitting), ensure_ascii=False)
        except (TypeError, ValueError):  # such as a set, or what does not fit
            return ""

    def _fitted(self, value: Any, printed: str) -> Any:
        if self.schema is not None and value is None:  # a number in a sentence, or a text
            numbers = NUMBER.findall(printed)
            value = as_number(numbers[0]) if len(numbers) == 1 else printed
        elif self.schema is None and not isinstance(value, dict | list):
            value = self._named(printed)
        return fitted(value, self.schema)

    def _with_keys(self, value: Any) -> Any:
        """The value with the keys that were asked for, however they are spelt."""
        if not self.keys or not isinstance(value, dict):
            return value
        spelt = {_key(str(key)): item for key, item in value.items()}
        if spelt.keys() != {_key(key) for key in self.keys}:
            raise ValueError("other keys than were asked for")
        return {key: spelt[_key(key)] for key in self.keys}

    def _named(self, printed: str) -> Any:
        """Lines such as `mean age: 3`, by the names that the question has for them."""
        if self.only_key and NUMBER.fullmatch(printed):
            return {self.only_key: _value(printed)}
        pairs = [(self._name(name), _value(value)) for name, value in pairs_in(printed)]
        if not pairs or not all(name for name, _ in pairs):
            raise ValueError("no names that the question has")
        return dict(pairs)

    def _name(self, printed: str) -> str:
        joined = re.sub(r"\W+", "_", printed.strip())
        return next((one for one in (printed, joined, joined.lower()) if one in self.words), "")

    def _fit(self, value: Any) -> Any:
        match value:
            case dict():
                return {str(key): self._fit(item) for key, item in value.items()}
            case list() | tuple():
                return [self._fit(item) for item in value]
            case float() if not math.isfinite(value):
                return None
            case float() if self.places is not None:
                return round(value, self.places)
            case _:
                return value


def _is_filled(fixed: list[str], printed: str) -> bool:
    """Whether a text has these parts in order, with something between each two of them."""
    first, *middle, last = fixed
    at = len(first)
    for part in middle:
        found = printed.find(part, at + 1)
        if found < 0:
            return False
        at = found + len(part)
    return printed.startswith(first) and printed.endswith(last) and len(printed) - len(last) > at


def _put(hole: re.Match[str], value: str) -> str:
    """The value for a place; brackets stay where a word stands right before them: x[3]."""
    return f"[{value}]" if hole.group(1) else value


def _values_for(holes: list[tuple[str, str]], printed: str) -> list[str]:
    """What belongs into each place, by its name or its label, or in order; nothing if unknown."""
    named = {_key(name): value for name, value in pairs_in(printed)}
    found = [named.get(_key(name)) or named.get(_key(label)) for label, name in holes]
    if all(found):
        return [value for value in found if value]
    numbers = list(named.values()) or NUMBER.findall(printed)
    if len(numbers) == len(holes):
        return numbers
    words = printed.rstrip(".").split()
    is_name = not numbers and len(words) <= SHORT and not {"is", "are", "was", "were"} & {*words}
    return [" ".join(words)] if is_name and words and len(holes) == 1 else []


def _key(name: str) -> str:
    return re.sub(r"\W+", "_", name.strip().lower())


def yes_or_no(printed: str) -> str:
    """The Yes or No that a text is, or ends with; nothing where it is neither."""
    words = printed.strip().rstrip(".!").split()
    return SAID.get(words[-1].lower(), "") if words and "\n" not in printed.strip() else ""


def wants_a_reason(question: str) -> bool:
    """Whether yes or no is asked for, with the reason."""
    return bool(YES_NO.search(question) and REASON.search(question))


def form_of(question: str) -> AskedForm:
    """The form that a question asks for."""
    said = {COUNTS.get(word.lower()) or int(word) for word in PLACES.findall(question)}
    places = said.pop() if len(said) == 1 else None
    if (schema := schema_in(question)) is not None:
        return AskedForm("json", places, schema)
    if JSON.search(question):
        keys = set(KEY.findall(question))
        words = frozenset(re.findall(r"\w+", question))
        only = keys.pop() if len(keys) == 1 else ""
        return AskedForm("json", places, None, words, only, tuple(listed(KEYS.search(question))))
    if template := template_in(question):
        return AskedForm("template", places, template=template)
    if CSV.search(question):
        return AskedForm("csv", places)
    if ONE_NUMBER.search(question):
        return AskedForm("number", places)
    if YES_NO.search(question) and not REASON.search(question):
        return AskedForm("yes or no", places)
    return AskedForm("", places)


def listed(found: re.Match[str] | None) -> list[str]:
    """The names in `name, value and total`, up to a word that is none."""
    names: list[str] = []
    for name in re.split(r", and | and |, ?", found.group(1) if found else ""):
        bare = name.strip("'\"`")
        if not bare or bare.lower() in ENDS_A_LIST:
            break
        names.append(bare)
    return names


def template_in(question: str) -> str:
    """The text with places to be filled in that a question shows for its answer."""
    found = TEMPLATE.search(question.partition("\n\n")[0])
    template = found.group(1).strip() if found else ""
    return template if PLACEHOLDER.search(template) else ""


def data_in(text: str) -> Any:
    """The value that a text is, as JSON or as Python writes it; None where it is anything else."""
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text.strip())
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
    return None


def pairs_in(text: str) -> list[tuple[str, str]]:
    """Names and values, one of each in a line; nothing where a line is anything else."""
    found = [PAIR.fullmatch(line.strip()) for line in text.strip().splitlines()]
    pairs = [(pair.group(1).strip(), pair.group(2).strip()) for pair in found if pair]
    return pairs if len(pairs) == len(found) else []


def _value(text: str) -> Any:
    value = data_in(text)
    if value is None and NUMBER.fullmatch(text):
        return as_number(text)
    return text if value is None else value


def _is_csv(printed: str) -> bool:
    rows = [row for row in csv.reader(printed.splitlines()) if row]
    return len(rows) > 1 and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1
