"""What a question says about each part of its answer, and whether the values keep to it.

A form such as `@p_value[p] where "p" is a number between 0 and 1, rounded to four decimal places`
names parts, and says in words what may stand in each.
"""

from __future__ import annotations

import re

from interpreter.protocol.values import frozen

PART = re.compile(r"@(\w+)\[([^\]\n]*)\]")
NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?")
RANGE = re.compile(r"between (-?\d+(?:\.\d+)?) and (-?\d+(?:\.\d+)?)")
PLACES = re.compile(
    r"(?:round\w*|with|to|of) (?:\w+ ){0,4}?(\d|one|two|three|four|five|six) (?:decimal|digit)",
    re.IGNORECASE,
)
COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
WORD = r"[\"'][^\"'\n]{1,30}[\"']"
CHOICES = re.compile(rf"(?:be|either|one of:?) ((?:either )?{WORD}(?:,? (?:or )?{WORD})+)")
SLASHED = re.compile(r"\((\w+(?:/\w+)+)\)")
QUOTED = re.compile(r"[\"']([^\"'\n]{1,60})[\"']")
WHOLE = re.compile(r"\binteger\b")
BY_NAME = ((re.compile(r"p_?val"), 0.0, 1.0), (re.compile(r"correlation_coef"), -1.0, 1.0))
MEANT = {"true": "yes", "false": "no"}


def as_number(text: str) -> float:
    """A number as it is written; nothing where it is none after all."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return 0.0


@frozen
class Wanted:
    """What may stand in one part of an answer."""

    low: float | None = None
    high: float | None = None
    places: int | None = None
    whole: bool = False
    choices: tuple[str, ...] = ()

    def refusal_of(self, value: str) -> str:
        """Why a value cannot be right, in words; empty when it can."""
        if self.choices:
            return "" if self._choice(value) else f"has to be one of {', '.join(self.choices)}"
        if self.low is None or self.high is None:
            return ""
        number = _number(value)
        if number is not None and self.low <= number <= self.high:
            return ""
        return f"has to be a number between {self.low:g} and {self.high:g}"

    def tidy(self, value: str) -> str:
        """The value as the form wants it written; what it says is not changed."""
        if self.choices:
            return self._choice(value) or value
        number = _number(value)
        if number is None:
            return value
        if self.whole and number.is_integer():
            return str(int(number))
        if self.places is not None and _decimals(value) > self.places:
            return f"{number:.{self.places}f}"
        return value

    def _choice(self, value: str) -> str:
        said = _plain(value)
        said = MEANT.get(said, said) if "yes" in map(_plain, self.choices) else said
        return next((choice for choice in self.choices if _plain(choice) == said), "")


def wanted_in(question: str) -> dict[str, Wanted]:
    """What the question says about the parts of its answer, by their names."""
    everywhere = {_count(found) for found in PLACES.findall(question)}
    usual = everywhere.pop() if len(everywhere) == 1 else None
    parts = dict(PART.findall(question))
    return {name: _wanted(name, _said_about(held, question), usual) for name, held in parts.items()}


def tidied(question: str, answer: str) -> str:
    """An answer whose parts are rounded and spelt as the question asks for."""
    wanted = wanted_in(question)

    def tidy(part: re.Match[str]) -> str:
        name, value = part.groups()
        return f"@{name}[{wanted[name].tidy(value)}]" if name in wanted else part.group()

    return PART.sub(tidy, answer)


def misfit(question: str, answer: str) -> str:
    """What cannot be right about the parts of an answer, in one sentence; empty when all can be."""
    wanted = wanted_in(question)
    wrong = [
        f"@{name}[{value}] cannot be right: it {reason}."
        for name, value in PART.findall(answer)
        if name in wanted and (reason := wanted[name].refusal_of(value))
    ]
    return " ".join(wrong)


def _said_about(held: str, question: str) -> str:
    """What is said about the word that stands in a part: in its place, and after it is quoted."""
    said = [held]
    for match in QUOTED.finditer(question):
        if match.group(1).strip() == held.strip():
            rest = question[match.end() :]
            stop = re.search(r"\n|\.(?!\d)|[\"'] (?:is|are) ", rest)
            said.append(rest[: stop.start()] if stop else rest)
    return " ".join(said)


def _wanted(name: str, said: str, usual_places: int | None) -> Wanted:
    low, high = _limits(name.lower(), said)
    places = PLACES.search(said)
    return Wanted(
        low=low,
        high=high,
        places=_count(places.group(1)) if places else usual_places,
        whole=bool(WHOLE.search(said)),
        choices=_choices(said),
    )


def _limits(name: str, said: str) -> tuple[float | None, float | None]:
    """The least and the greatest value, as they are said or as the name tells."""
    if found := RANGE.search(said):
        return float(found.group(1)), float(found.group(2))
    known = ((low, high) for pattern, low, high in BY_NAME if pattern.search(name))
    return next(known, (None, None))


def _choices(said: str) -> tuple[str, ...]:
    if found := CHOICES.search(said):
        return tuple(QUOTED.findall(found.group(1)))
    slashed = SLASHED.search(said)
    return tuple(slashed.group(1).split("/")) if slashed else ()


def _count(word: str) -> int:
    return COUNTS.get(word.lower()) or int(word)


def _number(text: str) -> float | None:
    found = NUMBER.fullmatch(text.strip())
    return float(found.group().replace(",", "")) if found else None


def _decimals(text: str) -> int:
    return len(text.strip().partition(".")[2]) if "e" not in text.lower() else 12


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip().lower()
