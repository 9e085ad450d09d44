"""Answers that are a text with places to be filled in, such as `Total: <amount>`."""

from __future__ import annotations

import re

from interpreter.models.small.form.printed import NUMBER, pairs_in

TEMPLATE = re.compile(
    r"\b(?:format|form|pattern|template)\b[^\n:]{0,40}:\s{0,9}(?:\{\s{0,9}\n)?(\S.{0,399}?)"
    r"(?=[\s,;(](?:where|for example|e\.g\.|such as)\b|\n\s{0,9}\n|\n\s{0,9}\}|\Z)",
    re.IGNORECASE | re.DOTALL,
)
GOES_ON = re.compile(r"\n|[.?!](?=\s)")  # behind the last place something else is said
WANTS = re.compile(r"\b(?:answer|reply|respond|give|print|return|output|use|write|say|in)\b", re.I)
MARKS = re.compile(r"(?:[\s@,;|/&+*-]|\band\b)*")
SHOWN = re.compile(  # without a colon, or behind other words than these
    r"\b(?:answer|reply|respond|give|print|return|output|use|write|say)\b[^.?!:\n]{0,60}"
    r"(?:\b(?:form|format|pattern|template) |\b(?:like this|as follows): ?)[\"'“`]?"
    r"([^\n]{0,200}?[<\[{][ ]?[A-Za-z][\w ,-]{0,60}[>\]}][^\n]{0,200}?)"
    r"(?=[\"'”`]|[.?!](?:\s|\Z)|\n|,? where\b|\Z)",
    re.IGNORECASE,
)
LOOKED_AT = 10_000  # characters of a request in which such a text is looked for
OF_MANY = re.compile(r"\b(?:each|every|per|all|lists?|lines|rows|files)\b", re.IGNORECASE)
SENTENCE_ENDS = re.compile(r"[.?!]\s+|\n")
PLACEHOLDER = re.compile(r"(?:(?<=\w)(\[)|[<\[{])\s*([A-Za-z][\w ,.-]{0,60}?)\s*[>\]}]")
LABEL = re.compile(r"(\w+)(?:\s?[:=][^\w\n]{0,2})?\Z")  # right before it, or with a mark between
SHORT = 4  # words of an answer that is no number


def template_in(question: str) -> str:
    """The text with places to be filled in that a question shows for its answer."""
    words = question.partition("\n\n")[0]
    found = TEMPLATE.search(words) or SHOWN.search(words[:LOOKED_AT])
    if found is None or OF_MANY.search(SENTENCE_ENDS.split(words[: found.start(1)])[-1]):
        return ""
    template = found.group(1).strip(" \n\t,;(")
    ends = [hole.end() for hole in PLACEHOLDER.finditer(template) if "</" not in template]
    return template[: ends[-1]] + GOES_ON.split(template[ends[-1] :])[0] if ends else ""


def places_in(template: str) -> list[tuple[str, str]]:
    """The places of a template: the word before each, and what stands in it."""
    holes = list(PLACEHOLDER.finditer(template))
    ends = (0, *(hole.end() for hole in holes))
    between = zip(ends, holes, strict=False)
    labels = (LABEL.search(template[end : hole.start()]) for end, hole in between)
    names = [(label.group(1) if label else "") for label in labels]
    return list(zip(names, (hole.group(2) for hole in holes), strict=True))


def with_plain_places(request: str) -> str:
    """A request whose text with places to be filled in is shown as lines, each of a name and its
    place: small models mix up the marks of other texts. The values are put into it by us. A text
    that says more than names and places stays as it is."""
    words, between, known = request.partition("\n\n")
    if not (template := template_in(words)):
        return request
    named = places_in(template)
    lines = {label or name: f"{label or name}: <{name}>" for label, name in named}
    before, _, behind = words.partition(template)
    is_wanted = WANTS.search(SENTENCE_ENDS.split(before)[-1]) and not behind.startswith("?")
    if len(lines) < len(named) or not is_wanted or _says_more(template):
        return request
    shown = "\n".join(lines.values())
    return f"{before}{shown if len(lines) == 1 else chr(10) + shown}{behind}{between}{known}"


def _says_more(template: str) -> bool:
    """Whether anything but marks stands beside the places and the words before them."""
    *between, last = PLACEHOLDER.sub("\0", template).split("\0")
    rest = (LABEL.sub("", text) for text in between)
    return not all(MARKS.fullmatch(text) for text in rest) or not MARKS.fullmatch(last.rstrip("."))


def leaves_a_place(template: str, printed: str) -> bool:
    """Whether a place of the template stands in what was printed as it is."""
    return any(hole.group() in printed for hole in PLACEHOLDER.finditer(template))


def filled(template: str, printed: str) -> str:
    """The template with what was printed in its places; nothing where a value is missing."""
    places = places_in(template)
    fixed = PLACEHOLDER.sub(lambda hole: _put(hole, "\0"), template).split("\0")
    if leaves_a_place(template, printed):
        values = _elsewhere(template, printed)
    elif given := _given(fixed, printed):
        values = [_as_shown(name, value) for (_, name), value in zip(places, given, strict=True)]
    else:
        values = _values_for(places, printed)
    if not values or len(values) != len(places):
        return ""
    each = iter(values)
    return PLACEHOLDER.sub(lambda hole: _put(hole, next(each)), template)


def _elsewhere(template: str, printed: str) -> list[str]:
    """Values that stand behind a template that was printed as it is: `ids[list]: [3, 4]`."""
    rest = printed.replace(template, "", 1).strip(" :=\n")
    holes = list(PLACEHOLDER.finditer(template))
    is_list = rest.startswith("[") and rest.endswith("]") and "\n" not in rest
    if len(holes) == 1 and template in printed and is_list:
        return [rest[1:-1] if holes[0].group(1) else rest]
    return NUMBER.findall(PLACEHOLDER.sub("", printed))


def _given(fixed: list[str], printed: str) -> list[str]:
    """What stands between these parts of a text, in order; nothing where the text is another."""
    first, *middle, last = fixed
    at, given = len(first), []
    for part in middle:
        found = printed.find(part, at + 1)
        if found < 0:
            return []
        given.append(printed[at:found])
        at = found + len(part)
    end = len(printed) - len(last)
    is_that = printed.startswith(first) and printed.endswith(last) and end > at
    return [*given, printed[at:end]] if is_that else []


def _as_shown(place: str, value: str) -> str:
    """A value as its place shows it: without the quotes and spaces that Python prints."""
    plain = value.strip()
    if (
        len(plain) > 1
        and plain[0] in "\"'"
        and plain[0] == plain[-1]
        and plain.count(plain[0]) == 2
    ):
        plain = plain[1:-1]
    return plain.replace(", ", ",") if "," in place and ", " not in place else plain


def _put(hole: re.Match[str], value: str) -> str:
    """The value for a place; brackets stay where a word stands right before them: x[3]."""
    return f"[{value}]" if hole.group(1) else value


def _values_for(holes: list[tuple[str, str]], printed: str) -> list[str]:
    """What belongs into each place, by its name or its label, or in order; nothing if unknown."""
    named = {key_of(name): value for name, value in pairs_in(printed)}
    found = [named.get(key_of(name)) or named.get(key_of(label)) for label, name in holes]
    keys = {key_of(word) for pair in holes for word in pair}
    left = [value for name, value in named.items() if name not in keys]
    if any(found) and (all(found) or len(left) == found.count(None)):
        others = iter(left)
        return [value or next(others) for value in found]
    numbers = [] if any(found) else list(named.values()) or NUMBER.findall(printed)
    if len(numbers) == len(holes):
        return numbers
    words = printed.rstrip(".").split()
    is_name = not numbers and len(words) <= SHORT and not {"is", "are", "was", "were"} & {*words}
    return [" ".join(words)] if is_name and words and len(holes) == 1 else []


def key_of(name: str) -> str:
    """A name however it is spelt."""
    return re.sub(r"\W+", "_", name.strip().lower())
