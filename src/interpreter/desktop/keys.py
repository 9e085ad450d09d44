"""The names of keys: many spellings, one name each, which is the one that X11 uses."""

from __future__ import annotations

import unicodedata

from interpreter.protocol.desktop import DesktopError

MODIFIERS = ("Control_L", "Shift_L", "Alt_L", "Super_L")
NAMES = {
    "ctrl": "Control_L", "control": "Control_L", "ctrlleft": "Control_L", "ctrlright": "Control_R",
    "shift": "Shift_L", "shiftleft": "Shift_L", "shiftright": "Shift_R",
    "alt": "Alt_L", "option": "Alt_L", "altleft": "Alt_L", "altright": "Alt_R",
    "altgr": "ISO_Level3_Shift",
    "win": "Super_L", "super": "Super_L", "meta": "Super_L", "cmd": "Super_L",
    "command": "Super_L", "winleft": "Super_L", "winright": "Super_R",
    "enter": "Return", "return": "Return", "newline": "Return", "\n": "Return", "\r": "Return",
    "tab": "Tab", "\t": "Tab", "space": "space", " ": "space", "spacebar": "space",
    "esc": "Escape", "escape": "Escape", "backspace": "BackSpace", "back_space": "BackSpace",
    "del": "Delete", "delete": "Delete", "ins": "Insert", "insert": "Insert",
    "home": "Home", "end": "End", "pageup": "Prior", "pgup": "Prior", "page_up": "Prior",
    "prior": "Prior", "pagedown": "Next", "pgdn": "Next", "page_down": "Next", "next": "Next",
    "up": "Up", "down": "Down", "left": "Left", "right": "Right",
    "arrowup": "Up", "arrowdown": "Down", "arrowleft": "Left", "arrowright": "Right",
    "capslock": "Caps_Lock", "caps_lock": "Caps_Lock", "numlock": "Num_Lock",
    "printscreen": "Print", "prtsc": "Print", "print": "Print", "menu": "Menu", "apps": "Menu",
    "pause": "Pause", "scrolllock": "Scroll_Lock", "plus": "plus", "minus": "minus",
}  # fmt: skip
_EXACT = {name.lower(): name for name in NAMES.values()}


def key_name(spelled: str) -> str:
    """The name of a key, however somebody spells it; a single letter is its own name."""
    if len(spelled) == 1 and spelled not in "\n\r\t ":
        return spelled
    lower = spelled.strip().lower() or spelled
    if found := NAMES.get(lower) or _EXACT.get(lower):
        return found
    if lower[:1] == "f" and lower[1:].isdecimal() and 1 <= int(lower[1:]) <= 24:
        return lower.upper()
    if lower.startswith("kp_"):
        return "KP_" + spelled.strip()[3:].capitalize()
    return _spelled_out(spelled)


def _spelled_out(spelled: str) -> str:
    """A letter by its name, such as `period` or `exclam`."""
    try:
        return unicodedata.lookup(PUNCTUATION.get(spelled.strip().lower(), spelled.strip()))
    except KeyError:
        raise DesktopError(
            f"There is no key {spelled!r}; write names such as 'enter', 'ctrl', 'f5' or one letter."
        ) from None


def combination(spelled: str) -> tuple[str, ...]:
    """The keys of `ctrl+shift+t`, in order."""
    if len(spelled) == 1:
        return (key_name(spelled),)
    parts = spelled.replace("++", "+plus").split("+")
    return tuple(key_name(part) for part in parts if part.strip() or part == " ")


PUNCTUATION = {
    "period": "full stop", "exclam": "exclamation mark", "question": "question mark",
    "slash": "solidus", "backslash": "reverse solidus", "equal": "equals sign",
    "at": "commercial at", "percent": "percent sign", "dollar": "dollar sign",
    "asterisk": "asterisk", "underscore": "low line", "bracketleft": "left square bracket",
    "bracketright": "right square bracket", "parenleft": "left parenthesis",
    "parenright": "right parenthesis", "braceleft": "left curly bracket",
    "braceright": "right curly bracket", "grave": "grave accent", "numbersign": "number sign",
    "less": "less-than sign", "greater": "greater-than sign", "bar": "vertical line",
    "asciitilde": "tilde", "asciicircum": "circumflex accent", "quotedbl": "quotation mark",
}  # fmt: skip
