"""An answer in words that says what was printed: all of it, and nothing that nobody computed."""

from __future__ import annotations

import re
from collections.abc import Callable

from interpreter.models.small.form.asked import SAID, wants_a_sentence, yes_or_no
from interpreter.models.small.form.printed import NUMBER, as_number, plain
from interpreter.models.small.prompts.hints import COLUMN

LINES_REPEATED = 8
MOST_SAID = 4  # values in one sentence
MEASURES = frozenset((
    *("mean", "average", "median", "total", "sum", "count", "number", "minimum", "maximum", "min"),
    *("max", "standard", "deviation", "range", "correlation", "coefficient", "variance", "share"),
    *("percentage", "rate", "ratio", "difference"),
))
FOOTER = re.compile(  # what pandas says about a table, and nobody asked for
    r"^(?:(?:Name|Length): .*)?dtype: \w+\n?|^\[\d+ rows x \d+ columns\]\n?", re.MULTILINE
)
NAMED = re.compile(r"([A-Za-z][\w '-]{0,60}?)\s*[:=]\s*(\S.*)")
SOME_WORDS = re.compile(r"[^\s.:;!?][^\s:;!?]*(?: [^\s:;!?]+){0,5}")


def faithful(answer: str, output: str, question: str) -> str:
    """An answer that carries what was printed: with a short output added, where something is left
    out, and the output alone, where the answer has numbers that nobody computed."""
    answer = plain(answer)
    said, printed = answer.strip(), FOOTER.sub("", output).strip()
    if contradicts(said, printed):
        return _as_printed(printed)
    if printed and invents(said, f"{printed}\n{question}"):
        return _as_printed(printed)
    if not printed or _carries(said, printed):
        return answer
    if sentence := as_sentence(question, printed):
        return sentence
    is_long = printed.count("\n") >= LINES_REPEATED  # and it was shown when it was printed
    return answer if said and is_long else f"{said}\n\n{_as_printed(printed)}".strip()


def contradicts(answer: str, printed: str) -> bool:
    """Whether an answer begins with the opposite of the Yes or No that was printed."""
    first = SAID.get(re.split(r"\W", answer, maxsplit=1)[0].lower())
    computed = yes_or_no(printed)
    return bool(first and computed) and first != computed


def with_reason(printed: str, variables: str) -> str:
    """Yes or No, with the numbers that it was computed from; nothing where it is not known."""
    computed = yes_or_no(printed)
    numbers = re.findall(r"(\w+): (-?\d[\d.]*)(?=;|$)", variables)
    reasons = ", ".join(f"{name.replace('_', ' ')} is {value}" for name, value in numbers)
    return f"{computed}: {reasons}." if computed and reasons else ""


def _as_printed(printed: str) -> str:
    """Lines that stay lines in an answer."""
    return f"```text\n{printed}\n```" if "\n" in printed else printed


def as_sentence(question: str, printed: str) -> str:
    """Lines such as `mean_age: 3` in one sentence, where one is asked for; nothing where they are
    anything else: then the model has to find words."""
    pairs = named_values(printed) if wants_a_sentence(question) else []
    names = [name.replace("_", " ").removeprefix("The ").removeprefix("the ") for name, _ in pairs]
    values = [value.rstrip(".") for _, value in pairs]
    if not 0 < len(pairs) <= MOST_SAID or not all(map(SOME_WORDS.fullmatch, (*names, *values))):
        return ""
    if not all(map(_is_label(question), (name for name, _ in pairs))):
        return ""
    said = [f"the {name} is {value}" for name, value in zip(names, values, strict=True)]
    return f"T{', and '.join(said)[1:]}."


def _is_label(question: str) -> Callable[[str], bool]:
    """Whether a name says what a value is (`mean age: 3`), and is none itself (`Berlin: 3`)."""
    words, _, profiles = question.partition("\n\n")
    known = {*re.findall(r"\w+", words), *MEASURES}
    values = {*re.findall(r"'([^'\n]+)'", profiles)} - {*COLUMN.findall(profiles)}

    def is_label(name: str) -> bool:
        capitals = (word for word in re.findall(r"\w+", name) if word[0].isupper())
        return name not in values and all(word.lower() in known for word in capitals)

    return is_label


def named_values(printed: str) -> list[tuple[str, str]]:
    """Lines such as `mean age: 3` or `mean_age = 3`; nothing where one is anything else."""
    found = [NAMED.fullmatch(line.strip()) for line in printed.strip().splitlines()]
    pairs = [(one.group(1).strip(), one.group(2).strip()) for one in found if one]
    return pairs if len(pairs) == len(found) else []


def invents(answer: str, known: str) -> bool:
    """Whether a number of the answer is neither printed nor asked about, rounded or in percent."""
    there = [as_number(text) for text in NUMBER.findall(known)]
    there += [100 * number for number in there]
    given = [(as_number(text), _decimals(text)) for text in NUMBER.findall(answer)]
    return not all(any(_is_given(one, [number]) for one in there) for number in given)


def _carries(answer: str, printed: str) -> bool:
    """Every number that was printed is there, perhaps rounded, and the word of each line that has
    a name and no number (`strength: weak`); without numbers, every word is."""
    wanted = [as_number(text) for text in NUMBER.findall(printed)]
    if not wanted:
        return _has_words(answer, printed)
    given = [(as_number(text), _decimals(text)) for text in NUMBER.findall(answer)]
    texts = [value for _, value in named_values(printed) if not NUMBER.search(value)]
    return all(_is_given(number, given) for number in wanted) and all(
        _has_words(answer, text) for text in texts
    )


def _has_words(answer: str, text: str) -> bool:
    return all(word in answer.lower() for word in re.findall(r"\w{2,}", text.lower()))


def _is_given(number: float, given: list[tuple[float, int]]) -> bool:
    return any(abs(round(number, places) - value) < 1e-9 for value, places in given)


def _decimals(text: str) -> int:
    return len(text.partition(".")[2]) if "e" not in text.lower() else 12
