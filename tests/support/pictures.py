"""Reading back what was drawn: if it can be done, no two texts have the same picture."""

import re


def source_of_line(drawn: str) -> str:
    """The line that a picture without line breaks was drawn of."""
    tokens = re.compile(r"⟨U\+([0-9A-F]{4,6})⟩|(⇥┄┄┄)|(␠)")
    return tokens.sub(_character, drawn)


def _character(found: re.Match[str]) -> str:
    if found[1]:
        return chr(int(found[1], 16))
    return "\t" if found[2] else " "
