"""Parts of `computer` that this version does not have: using them says so, plainly."""

from __future__ import annotations

from typing import Any, NoReturn

from interpreter.protocol.errors import ConfigurationError


class NotHere(ConfigurationError, AttributeError):
    """Something is not part of this version; `hasattr` says so, too."""


class Missing:
    """Stands where a module of `computer` would be; any use of it is a clear error."""

    def __init__(self, name: str, reason: str) -> None:
        self._name = name
        self._reason = reason

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        self._refuse(attribute)

    def __repr__(self) -> str:
        return f"<computer.{self._name}: {self._reason}>"

    def _refuse(self, attribute: str) -> NoReturn:
        raise NotHere(f"computer.{self._name}.{attribute} cannot be used: {self._reason}")


DESKTOP = "controlling the screen, mouse and keyboard is not part of this version."
MACOS = "it needs the applications of macOS, which this version does not drive."
MISSING = {
    "display": DESKTOP,
    "mouse": DESKTOP,
    "keyboard": DESKTOP,
    "mail": MACOS,
    "sms": MACOS,
    "calendar": MACOS,
    "contacts": MACOS,
    "browser": "driving a browser is not part of this version.",
    "vision": "no vision model is part of this version; give the picture to the model instead.",
    "docs": "searching in documentation is not part of this version.",
}
