"""The form in which a question wants its answer, and answers written in it.

Forms that people ask for: JSON, YAML, a dictionary, CSV, a table, lines or a list of values, a text
with places to fill in, only the number, yes or no, and numbers rounded as they say.
"""

from __future__ import annotations

import csv
import itertools
import math
import re
from typing import Any

from interpreter.models.small.form.kinds import (
    ARRAY,
    REASON,
    USUAL_ROOT,
    YES_NO,
    kind_of_values,
    plain_kind,
)
from interpreter.models.small.form.places import (
    filled,
    key_of,
    leaves_a_place,
    places_in,
    template_in,
)
from interpreter.models.small.form.printed import (
    NUMBER,
    as_number,
    data_in,
    is_csv,
    is_json,
    last_data_in,
    pairs_in,
    value_of,
    values_in,
    yaml_in,
)
from interpreter.models.small.form.schemas import fitted, schema_in
from interpreter.models.small.form.serialized import (
    as_csv,
    as_dictionary,
    as_json,
    as_lines,
    as_list,
    as_table,
    as_toml,
    as_xml,
    as_yaml,
)
from interpreter.protocol.values import frozen

OF_VALUES = frozenset(("json", "yaml", "toml", "xml", "dictionary", "table", "lines", "list"))
DECIMAL = re.compile(r"(?<![\w.])[-+]?\d[\d,]*\.\d+(?:[eE][-+]?\d+)?(?!\d|[\w.]\d)")
PLACES = re.compile(
    r"(?:(?:round\w*|with|to|of|,) (?:\w+ ){0,4}?|\()"
    r"(\d|one|two|three|four|five|six) (?:decimal|digit)",
    re.IGNORECASE,
)
COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
NUMBER_LAST = re.compile(rf"(?=[^\n]*[A-Za-z])[^\n:=]{{1,200}}[:=]\s+[$€£]?({NUMBER.pattern})")
SAYS = re.compile(  # before a number that is meant, and not part of a name as in "iPhone 15"
    r"\b(?:is|are|was|were|be|of|equals?|about|has|have|total|sum|count|number|average|mean|median"
    r"|min(?:imum)?|max(?:imum)?)\b|[:=]",
    re.IGNORECASE,
)
DENIES = re.compile(
    r"\b(?:no|not|none|cannot|unknown|missing|unable|sure|computed?)\b|n't\b", re.IGNORECASE
)
SENTENCE = re.compile(
    r"\b(?:an?|one|single|plain|short|full|complete)\b[^.?!\n]{0,30}\bsentence\b", re.IGNORECASE
)
SAID = {"true": "Yes", "yes": "Yes", "false": "No", "no": "No"}
KEY = re.compile(r"""["'](\w+)["'] ?:""")
NAME = r"(?:'[^'\n]{1,60}'|\"[^\"\n]{1,60}\"|`[^`\n]{1,60}`|[\w-]+)"
LIST = rf"{NAME}(?:(?:, and |, | and |,){NAME})*"
GONE = r"(?:removed|deleted|dropped|left|renamed|sorted|ordered|alphabetical\w*)\b"
KEYS = re.compile(
    rf"\b(?:(?:keys?|elements|tags)(?: named| called|:| (?:are|being)(?: named| called|:)?)?"
    rf"(?! values?\b| {GONE}) ((?>{LIST}))(?! {GONE})"
    rf"|(?:rows?|lines?|entry|entries) for each of ({LIST}))",
    re.IGNORECASE,
)
OTHER_KEYS = re.compile(  # something is done to them: they are not to be there, or as they are
    r"\b(?:chang|delet|drop|order|remov|renam|replac|sort|without)\w*\b"
    r"(?:(?!\b(?:with|having|whose)\b)[^.,;:!?\n]){0,40}?\bkeys?\b(?:[^.;!?\n]|\.\w)*",
    re.IGNORECASE,
)
COLUMNS = re.compile(
    rf"\b(?:with|having|has|have)(?: the| these| two| three| exactly| only)*"
    rf" (?:columns?|headers?|fields)(?: named| called|:)? ({LIST})"
    rf"(?![\w-]| (?:removed|dropped|left))"
    rf"|\b(?:just|only) (?:the )?({LIST}),? in (?:that|this) order\b"
    rf"|(?:^|[.;!] )(?:just|only) the columns ({LIST})(?![\w-])(?= *(?:[,.;]|$))",
    re.IGNORECASE,
)
NO_NAMES = """
a an the one no nothing in of for with each every then that which only all its their save write
store sort sorted keep print tell show round rounded use put as are is to from being by and two
three four five six seven eight nine ten also just respectively pretty please both must should
will shall can could may do does did have has had be these those this our your my his her there
where when if so it they we you add names matching corresponding equal most fewest least largest
biggest smallest highest lowest newest oldest latest earliest longest shortest ordered ascending
descending
"""
ENDS_A_LIST = frozenset(NO_NAMES.split())


@frozen
class AskedForm:
    """What a question says about how its answer should look."""

    kind: str = ""
    """json, yaml, toml, xml, dictionary, table, lines, list, csv, template, number, yes or no;
    nothing where any words will do."""
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
    columns: tuple[str, ...] = ()
    """The columns of a table, where the question names them."""
    separator: str = ""
    """What stands between names and values, or between values; of XML, what is around all."""
    is_array: bool = False
    """Whether JSON is to have values alone."""

    @property
    def is_of_values(self) -> bool:
        """Whether it is made of values and their names, which a dictionary has."""
        return self.kind in OF_VALUES

    def written(self, output: str) -> str:
        """What was printed, in this form; nothing where it cannot be."""
        printed = output.strip()
        match self.kind:
            case "json" | "yaml" | "dictionary" | "toml" | "xml":
                return self._serialized(printed)
            case "lines" | "list":
                return self.rounded(self._serialized(printed))
            case "table":
                is_table = printed.startswith("|") and "\n|" in printed
                return self.rounded(printed) if is_table else self._serialized(printed)
            case "csv":
                return self.rounded(printed) if is_csv(printed) else self._serialized(printed)
            case "template":
                return self.rounded(filled(self.template, printed))
            case "number":
                return self.rounded(_one_number(printed))
            case "yes or no":
                return SAID.get(printed.rstrip(".").lower(), "")
            case _:
                return ""

    def is_form_of(self, text: str) -> bool:
        """Whether a text is an answer in this form, with the names that were asked for, whatever
        it says."""
        match self.kind:
            case "json":
                return is_json(text) and self._has_keys(data_in(text))
            case "yaml":
                return self._has_keys(yaml_in(text))
            case "csv":
                cells = itertools.chain.from_iterable(csv.reader(text.splitlines()))
                return is_csv(text) and set(map(key_of, cells)) >= set(map(key_of, self.keys))
            case "lines":
                pairs = [line.partition(self.separator.strip()) for line in text.splitlines()]
                named = {name.strip(): value for name, mark, value in pairs if mark}
                return len(named) == len(pairs) and self._has_keys(named)
            case "list" | "template" | "table":
                return bool(self.written(text))
            case _:
                return bool(self.kind) and self.written(text) == text

    def _has_keys(self, value: Any) -> bool:
        """Whether a value has just the keys that were asked for, and something for one of them."""
        if not self.keys or not isinstance(value, dict):
            return value is not None and not self.keys
        there = [item for item in value.values() if item is not None and item == item]
        return set(map(key_of, map(str, value))) == set(map(key_of, self.keys)) and bool(there)

    def missing_keys(self, output: str) -> list[str]:
        """The keys that were asked for and have no value in an output that has others of them."""
        value = data_in(output)
        named = value.keys() if isinstance(value, dict) else [name for name, _ in pairs_in(output)]
        there = {key_of(str(name)) for name in named}
        missing = [key for key in self.keys if key_of(key) not in there]
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

    @property
    def places_named(self) -> list[tuple[str, str]]:
        """The places of the template: the word before each, and what stands in it."""
        return places_in(self.template)

    def leaves_a_place(self, printed: str) -> bool:
        """Whether a place of the template stands in what was printed as it is."""
        return leaves_a_place(self.template, printed)

    def _serialized(self, printed: str) -> str:
        try:
            value = data_in(printed)
            if value is None and self.keys:  # by which it is known as the answer
                value = last_data_in(printed)
            return self.of_value(self._with_keys(self._fitted(value, printed)))
        except (TypeError, ValueError, OverflowError, RecursionError):  # a set, what does not fit
            return ""

    def of_value(self, value: Any) -> str:
        """A value in this form; ValueError or TypeError where it cannot be."""
        write = {
            "json": as_json,
            "yaml": as_yaml,
            "toml": as_toml,
            "xml": as_xml(self.separator or USUAL_ROOT),
            "dictionary": as_dictionary,
            "csv": as_csv,
            "table": as_table,
            "lines": as_lines(self.separator),
            "list": as_list(self.separator),
        }[self.kind]
        if self.is_array and isinstance(value, dict):
            value = list(value.values())
        return write(self._fit(value), self.columns)

    def _fitted(self, value: Any, printed: str) -> Any:
        if self.schema is not None and value is None:  # a number in a sentence, or a text
            numbers = NUMBER.findall(printed)
            value = as_number(numbers[0]) if len(numbers) == 1 else printed
        elif self.kind == "list" and not isinstance(value, dict | list):
            is_tuple = isinstance(value, tuple) and printed.startswith("(")
            value = list(value) if is_tuple else values_in(printed, self.separator)
        elif self.schema is None and not isinstance(value, dict | list):
            value = self._named(printed)
        return fitted(value, self.schema)

    def _with_keys(self, value: Any) -> Any:
        """The value with the keys that were asked for, however they are spelt."""
        if not self.keys or not isinstance(value, dict):
            return value
        spelt = {key_of(str(key)): item for key, item in value.items()}
        if not spelt.keys() >= {key_of(key) for key in self.keys}:
            raise ValueError("other keys than were asked for")
        return {key: spelt[key_of(key)] for key in self.keys}

    def _named(self, printed: str) -> Any:
        """Lines such as `mean age: 3`, by the names that the question has for them."""
        only = self.only_key or (self.keys[0] if len(self.keys) == 1 else "")
        if only and NUMBER.fullmatch(printed):
            return {only: value_of(printed)}
        pairs = [(self._name(name), value_of(value)) for name, value in pairs_in(printed)]
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


def number_alone(question: str, said: str) -> str:
    """The number that a sentence says, where only that is wanted; nothing where it is not one that
    is new, or where something is denied."""
    form, words = form_of(question), question.partition("\n\n")[0]
    number = form.written(said).rstrip(".") if form.kind == "number" else ""
    return "" if DENIES.search(said) or number in NUMBER.findall(words) else number


def yes_or_no(printed: str) -> str:
    """The Yes or No that a text is, or ends with; nothing where it is neither."""
    words = printed.strip().rstrip(".!").split()
    return SAID.get(words[-1].lower(), "") if words and "\n" not in printed.strip() else ""


def wants_a_reason(question: str) -> bool:
    """Whether yes or no is asked for, with the reason."""
    return bool(YES_NO.search(question) and REASON.search(question))


def wants_a_sentence(question: str) -> bool:
    """Whether the answer is to be a sentence."""
    return bool(SENTENCE.search(question.partition("\n\n")[0]))


def _one_number(printed: str) -> str:
    """The number that a text says; nothing where there are several, or it is part of a name."""
    if labelled := NUMBER_LAST.fullmatch(printed):  # "spent in March 2024: 187.35"
        return labelled.group(1)
    found = NUMBER.findall(printed)
    before = printed.partition(found[0])[0] if len(found) == 1 else "a"
    is_sentence = printed.endswith(".") or SAYS.search(before)
    is_meant = is_sentence or not re.search(r"[^\W\d_]", before)
    return found[0].rstrip(".") if is_meant and not before[-1:].isalnum() else ""


def form_of(question: str) -> AskedForm:
    """The form that a question asks for."""
    words = question.partition("\n\n")[0]  # what is known of files says nothing about answers
    said = {COUNTS.get(word.lower()) or int(word) for word in PLACES.findall(words)}
    places = said.pop() if len(said) == 1 else None
    if (schema := schema_in(question)) is not None:
        return AskedForm("json", places, schema)
    kind, separator = kind_of_values(words)
    template = "" if kind == "json" else template_in(words)
    if kind and not template:
        shown = set(KEY.findall(words))
        return AskedForm(
            kind,
            places,
            words=frozenset(re.findall(r"\w+", words)),
            only_key=shown.pop() if len(shown) == 1 else "",
            keys=tuple(keys_in(words)),
            columns=tuple(listed(COLUMNS.search(words))),
            separator=separator,
            is_array=kind == "json" and bool(ARRAY.search(words)),
        )
    if template:
        return AskedForm("template", places, template=template)
    return AskedForm(plain_kind(words), places)


def keys_in(words: str) -> list[str]:
    """The names that the values of an answer, or of a file, are to have."""
    return listed(KEYS.search(OTHER_KEYS.sub("", words)))


def listed(found: re.Match[str] | None) -> list[str]:
    """The names in `name, value and total`, up to a word that is none."""
    names: list[str] = []
    names_given = next(filter(None, found.groups()), "") if found else ""
    for name in re.split(r", and | and |, ?", names_given):
        bare = name.strip("'\"`")
        if not bare or bare.lower() in ENDS_A_LIST:
            break
        names.append(bare)
    return names
