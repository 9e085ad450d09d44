"""What the ways to get a model's file have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from interpreter.protocol.errors import ModelError

Stage = Literal["downloading", "checking"]
Progress = Callable[[Stage, int, int], None]
"""Told how far it is: the stage, bytes done, bytes in all."""


class DownloadFailed(ModelError):
    """A model's file could not be had."""


class NoAnswer(DownloadFailed):
    """A source does not answer at all, so that it need not be asked for the next file."""


class WrongContent(DownloadFailed):
    """What was downloaded is not the file that was asked for; it was thrown away."""


def tell_nobody(stage: Stage, done: int, total: int) -> None:
    """The progress of those who do not watch."""
