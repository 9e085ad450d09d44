"""Foreign text as a picture that cannot lie, for every face that shows code, names and questions.

Each character is drawn either as itself or as a mark, never left out. What may be drawn as itself
is what is known to be seen and to be told apart: letters of scripts in wide use, signs, pictures.
All else (controls, invisible and format characters, odd spaces, letters that look like others) is
drawn as its number, `⟨U+202E⟩`. The few characters that marks are made of are always drawn as
numbers themselves, so that a picture can be read back in one way only.

What code prints and models say is made fit for a terminal or a page: words and colours, no more.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

OPEN, TAB, SPACE, CONTINUED = "⟨", "⇥", "␠", "↪"
OWN = frozenset((OPEN, TAB, SPACE, CONTINUED))
MARKS = {"\t": f"{TAB}┄┄┄"}
MARK = re.compile(r"⟨U\+[0-9A-F]{4,6}⟩")
NARROWEST = 8  # columns
LONGEST_CLUSTER = 4  # a letter and the signs above, below and around it

Span = tuple[str, str]
"""A piece of text and its style."""

BESIDE_ANY = frozenset(("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL"))
"""Scripts whose letters are taken for no letter of an alphabet, so that they may be mixed."""
ALPHABETS = (
    *("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "GEORGIAN", "HEBREW", "ARABIC", "DEVANAGARI"),
    *("BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM"),
    *("SINHALA", "THAI", "LAO", "TIBETAN", "MYANMAR", "KHMER", "ETHIOPIC"),
)
SCRIPTS = BESIDE_ANY.union(ALPHABETS)
"""Scripts that people write today; the others have many letters that look like these."""
WITH_PARTS = frozenset(["THAI", "LAO", "HANGUL"])
"""Scripts with everyday letters that Unicode takes apart for compatibility."""
UNSEEN = re.compile(
    r"FILLER|BLANK|VARIATION SELECTOR|INHERENT|NULL|JOINER|INVISIBLE|CHOSEONG|JUNGSEONG|JONGSEONG"
    r"|NIKHAHIT|NIGGAHITA"
)
"""Words in the names of letters and signs that are not seen, or not as one character."""
LATIN_APART = frozenset("əƏɓƁɗƊƙƘɛƐɔƆ")
"""Letters of living languages outside the usual ranges."""
IN_FORMULAS = frozenset("ΔΘΛΞΠΣΦΨΩβδθλμξπσφψ")
"""Greek letters that look like no Latin ones and may stand beside them."""
LOOKALIKES = frozenset(
    "АВЕЅІЈКМНОРСТУХҮҺӀԌасеорхуѕіјһԁԛԝѵӏк"  # Cyrillic
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϜικνορυχγϝ"  # Greek
    "ՏՍՕԼհոսցօզք"  # Armenian
    "סוןاهഠဝ"
)
"""Letters that can be taken for Latin ones: a word of nothing else is not what it seems."""
LOOKALIKE_SIGNS = frozenset("‐‑‒−⁃∕⁄⧸╱∶꞉׃։٫٬․‚′‵‛∗⁎٭∣∼∖⧵⧹⁓⁏⟩")
"""Signs that can be taken for those that programs are made of."""
SEEN_SIGNS = frozenset("…‼⁇⁈⁉")

NOT_PLAIN = re.compile(r"[^ -~]")
WORD = re.compile(r"[^\W\d_]+")
RIGHT_TO_LEFT = ("R", "AL", "AN")


def drawn(line: str) -> list[str]:
    """What is drawn for each character of a line: the character, or a mark."""
    shown = list(line)
    if NOT_PLAIN.search(line) is None and not line.endswith(" "):
        return shown
    for at in _not_as_itself(line):
        shown[at] = MARKS.get(line[at]) or f"{OPEN}U+{ord(line[at]):04X}⟩"
    for at in range(len(line.rstrip(" ")), len(line)):
        shown[at] = SPACE
    return shown


def is_mark(shown: str) -> bool:
    """Whether what is drawn for a character is a mark."""
    return shown[:1] in OWN


def visible_lines(source: str) -> list[str]:
    """The lines of code or of another long text, as they are drawn."""
    return ["".join(drawn(line)) for line in source.split("\n")]


def legible(source: str) -> str:
    """Code to be read and copied: what is drawn, but for its tabs and spaces, which stay."""
    lines = (zip(line, drawn(line), strict=True) for line in source.split("\n"))
    return "\n".join(
        "".join(one if one in " \t" else shown for one, shown in line) for line in lines
    )


def visible(name: str) -> str:
    """A name, host, path or title as it is drawn in one line."""
    spaces = len(name) - len(name.lstrip(" "))
    shown = f"{OPEN}U+000A⟩".join("".join(drawn(line)) for line in name.split("\n"))
    return SPACE * spaces + shown[spaces:]


def sentence(text: str) -> str:
    """A sentence or a few lines in which names have been drawn already: their marks stay."""
    return "\n".join(_sentence_line(line.rstrip(" ")) for line in text.split("\n"))


def _sentence_line(line: str) -> str:
    shown = drawn(line)
    kept = {at for found in MARK.finditer(line) for at in range(*found.span())}
    kept.update(at for at, character in enumerate(line) if character in (TAB, SPACE))
    return "".join(line[at] if at in kept else one for at, one in enumerate(shown))


def wrapped(spans: Sequence[Span], width: int) -> list[list[Span]]:
    """A drawn line as rows: those that go on begin with a mark, and no row ends in a space."""
    width = max(NARROWEST, width)
    if sum(len(text) for text, _ in spans) <= width // 2:  # no character is wider than two
        return [list(spans)]
    rows: list[list[Span]] = [[]]
    room = width
    for character, style in ((one, style) for text, style in spans for one in text):
        size = cells(character)
        if size > room:
            _end_row(rows[-1])
            rows.append([(f"{CONTINUED} ", "")])
            room = width - 2
        room -= size
        rows[-1].append((character, style))
    return [list(_joined(row)) for row in rows]


def _end_row(row: list[Span]) -> None:
    text, style = row[-1]
    if text == " ":
        row[-1] = (SPACE, style)


def _joined(row: Iterable[Span]) -> Iterator[Span]:
    text, style = "", ""
    for piece, piece_style in row:
        if piece_style != style and text:
            yield text, style
            text = ""
        text, style = text + piece, piece_style
    if text:
        yield text, style


@lru_cache(maxsize=4096)
def cells(character: str) -> int:
    """The columns that a drawn character takes."""
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


# Which characters of a line are not drawn as themselves.


def _not_as_itself(line: str) -> set[int]:
    marked = {at for at, character in enumerate(line) if not is_plain(character)}
    if line.startswith("─"):
        marked.add(0)  # it would look like the rules above and below the code
    if not line.isascii():
        marked |= _loose_signs(line)
        marked |= _lookalike_letters(line)
        marked |= _turned_round(line, marked)
    return marked


@lru_cache(maxsize=8192)
def is_plain(character: str) -> bool:
    """Whether a character, taken alone, is seen and is no other's double."""
    if character.isascii():
        return character.isprintable()
    if character in OWN or character in LOOKALIKE_SIGNS:
        return False
    kind = unicodedata.category(character)
    if kind[0] in "CZ" or unicodedata.normalize("NFC", character) != character:
        return False
    if UNSEEN.search(unicodedata.name(character, "")):
        return False
    match kind[0]:
        case "L" | "M":
            return _is_in_use(character)
        case "N":
            return kind == "No" or character == "〇"
        case _:
            return not _is_lookalike_sign(character, kind)


def _is_in_use(character: str) -> bool:
    """Whether a letter, or a sign on a letter, belongs to a script that people write today."""
    script, number = script_of(character), ord(character)
    if script == "LATIN" and not 0xC0 <= number <= 0x17F:
        apart = bool(unicodedata.decomposition(character)) or character in LATIN_APART
        return apart and unicodedata.normalize("NFKC", character) == character
    if script == "CYRILLIC" and number > 0x52F:
        return False
    if script not in SCRIPTS:
        return False
    return script in WITH_PARTS or unicodedata.normalize("NFKC", character) == character


def _is_lookalike_sign(character: str, kind: str) -> bool:
    name = unicodedata.name(character, "")
    if kind == "Sk":
        return "EMOJI MODIFIER" not in name
    if character in SEEN_SIGNS or name.startswith(("SUPERSCRIPT", "SUBSCRIPT")):
        return False
    same = unicodedata.normalize("NFKC", character)
    narrow = unicodedata.east_asian_width(character) not in "WF"
    return narrow and same.isascii() and not any(map(str.isalnum, same))


@lru_cache(maxsize=8192)
def script_of(character: str) -> str:
    """The first word of a character's name, which is its script if it has one."""
    return re.split(r"[ -]", unicodedata.name(character, ""), maxsplit=1)[0]


def _loose_signs(line: str) -> set[int]:
    """Signs on letters that stand on nothing of their script, twice, too many, or out of order."""
    marked: set[int] = set()
    start = 0
    for at, character in enumerate(line):
        if unicodedata.category(character)[0] != "M":
            start = at
            continue
        cluster = line[max(start, at - LONGEST_CLUSTER) : at + 1]
        fits = (
            len(cluster) <= LONGEST_CLUSTER
            and cluster[0].isalpha()
            and script_of(cluster[0]) == script_of(character)
            and cluster[-2] != character
            and unicodedata.normalize("NFC", cluster) == cluster
        )
        if not fits:
            marked.add(at)
    return marked


def _lookalike_letters(line: str) -> set[int]:
    """Letters that seem to be Latin: in a word with Latin ones, or in a word of their own."""
    marked: set[int] = set()
    words = list(WORD.finditer(line))
    for place, word in enumerate(words):
        if word[0].isascii():
            continue
        scripts = {script_of(one) for one in word[0] if one.isalpha()} - BESIDE_ANY
        alone = all(one in LOOKALIKES for one in word[0])
        if len(scripts) > 1:
            marked.update(at for at in range(*word.span()) if not _is_at_home(line[at]))
        elif alone and not _is_among_its_own(line, words, place):
            marked.update(range(*word.span()))
    return marked


def _is_at_home(letter: str) -> bool:
    script = script_of(letter)
    latin = script == "LATIN" or not letter.isalpha()
    return latin or script in BESIDE_ANY or letter in IN_FORMULAS


def _is_among_its_own(line: str, words: Sequence[re.Match[str]], place: int) -> bool:
    """Whether a short word stands in a sentence: one space from a word that can be no Latin one."""
    word = words[place]
    before, after = words[max(0, place - 1)], words[min(len(words) - 1, place + 1)]
    near = [before] if line[before.end() : word.start()] == " " else []
    near += [after] if line[word.end() : after.start()] == " " else []
    own = script_of(word[0][0])
    return any(
        {script_of(one) for one in other[0]} == {own}
        and not all(one in LOOKALIKES for one in other[0])
        for other in near
    )


def _turned_round(line: str, marked: set[int]) -> set[int]:
    """Letters written from right to left that would move the numbers and signs after them.

    A few such words with single spaces between them are read as they stand, as long as a letter
    from left to right, or the end of the line, comes before the next number or such word.
    """
    kinds = "".join(direction_of(one) if at not in marked else "L" for at, one in enumerate(line))
    if "R" not in kinds:
        return set()
    allowed: set[int] = set()
    for found in re.finditer(r"(?<!R)(?<!R )R++(?: R++)*+(?=[^LER]*(?:L|$))", kinds):
        allowed.update(range(*found.span()))
    return {at for at, kind in enumerate(kinds) if kind == "R"} - allowed


def direction_of(character: str) -> str:
    """R and L move what is beside them, E is a European digit, N moves nothing; or a space."""
    kind = unicodedata.bidirectional(character)
    if kind in RIGHT_TO_LEFT:
        return "R"
    if kind == "NSM":
        return "R" if script_of(character) in ("ARABIC", "HEBREW") else "N"
    if character == " ":
        return " "
    return {"L": "L", "EN": "E"}.get(kind, "N")


SGR = re.compile(r"\x1b\[[0-9;:]*m")
_ONE = (
    r"(?:[34]8[;:](?:5[;:]\d{1,3}|2::?\d{1,3}:\d{1,3}:\d{1,3}|2;\d{1,3};\d{1,3};\d{1,3})"
    r"|0*(?:[1-4]|7|9|2[1-79]|[34][0-79]|9[0-7]|10[0-7]|4:[0-5])?)"
)
COLOURS_ONLY = re.compile(rf"\x1b\[{_ONE}(?:;{_ONE}){{0,15}}m")  # nothing that conceals or blinks
NOT_TEXT = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # a control sequence: colour, cursor, erase
    r"|\x1b[P\]X^_][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # a string: title, link, clipboard, picture
    r"|\x1b[ -/]+[0-~]|\x1b[0-OQ-WYZ\\`-~]"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
    # turns text round, ends lines, or cannot be seen; what joins emoji is kept
    "|[\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e00ff]"
)


def without_styles(text: str) -> str:
    """Text without any escape code."""
    return SGR.sub("", text)


def tame(text: str) -> str:
    """Foreign output with its colours and line ends only: no cursor, title, clipboard or bell.

    What turns text round is drawn as a mark. This is for what code prints and models say; what is
    asked about is drawn by `protocol.visible`, which leaves nothing out.
    """
    return NOT_TEXT.sub(_tamed, text)


def _tamed(found: re.Match[str]) -> str:
    piece = found[0]
    if piece < " " or "\x7f" <= piece < "\xa0":  # a control character, and what it begins
        return piece if COLOURS_ONLY.fullmatch(piece) else ""
    return visible(piece)


def tame_plain(text: str) -> str:
    """Foreign text without any escape code or control character."""
    return without_styles(tame(text))
