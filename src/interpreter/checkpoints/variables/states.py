"""What every keeper of a language's state offers, and what it says about a restoration."""

from __future__ import annotations

from dataclasses import field
from typing import Protocol

from interpreter.protocol.values import frozen


@frozen
class StateReport:
    """What was put back, and what could not be; names of variables, with the reason why not."""

    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    lost: dict[str, str] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    unseen: bool = False
    """Whether everything is as it was, and more may have changed than was looked at."""

    def sentence(self) -> str:
        """One line for user and model."""
        parts = []
        if self.restored:
            parts.append(f"{_some(self.restored)} restored")
        if self.removed:
            parts.append(f"{_some(self.removed)} removed")
        if self.kept:
            parts.append(f"left as is, since it cannot be copied: {_reasons(self.kept)}")
        if self.lost:
            parts.append(f"not restored: {_reasons(self.lost)}")
        if self.unseen:
            parts.append("all else in memory is as it was")
        return "; ".join(parts) or "no variable had changed"


class StateKeeper(Protocol):
    """Keeps one language's variables before a block and puts them back."""

    def before(self, name: str) -> None:
        """A block is about to run; keep what is there under a name."""
        ...

    def after(self) -> None:
        """The block has ended: what is too much to keep can go while nobody waits."""
        ...

    def keep_now(self, name: str) -> None:
        """Keep what is there at once."""
        ...

    def restore(self, name: str) -> StateReport:
        """Go back to what was kept."""
        ...

    def forget(self, name: str) -> None:
        """Give up what was kept."""
        ...

    def close(self) -> None:
        """Give up everything."""
        ...


def _some(names: tuple[str, ...], most: int = 8) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def _reasons(lost: dict[str, str]) -> str:
    texts = tuple(f"{name} ({why})" for name, why in sorted(lost.items()))
    return _some(texts)
