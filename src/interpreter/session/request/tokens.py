"""How many tokens something is, without asking anybody: estimated, at a rate that is learnt."""

from __future__ import annotations

import math

from interpreter.protocol.messages import (
    ActionCall,
    ActionResult,
    Code,
    Display,
    MalformedCall,
    Message,
    Output,
    Part,
    Reasoning,
    Text,
)

_USUAL_RATE = 0.29  # tokens per character of English and code
_SLOWEST, _FASTEST = 0.15, 1.2
_PICTURE = 4_000  # characters that a picture weighs
_AROUND_A_MESSAGE = 16


class TokenEstimate:
    """Weighs text in characters and turns weights into tokens, at a rate it learns."""

    def __init__(self, *, images: bool = True) -> None:
        self._picture = _PICTURE if images else 80
        self._rate = _USUAL_RATE

    def weigh(self, message: Message) -> int:
        """The weight of a message, which never changes."""
        if message.audience == "user":
            return 0
        return _AROUND_A_MESSAGE + sum(self._weigh_part(part) for part in message.parts)

    def weigh_text(self, text: str) -> int:
        """The weight of plain text: letters beyond Latin are about a token each."""
        return len(text) if text.isascii() else len(text) + sum(map("\u07ff".__lt__, text))

    def tokens(self, weight: int) -> int:
        """A weight in tokens."""
        return math.ceil(weight * self._rate)

    def characters(self, tokens: int) -> int:
        """About how many characters so many tokens are."""
        return int(tokens / self._rate)

    def calibrate(self, weight: int, tokens: int) -> bool:
        """Learn the rate from a request that a provider has counted; whether it can be that one."""
        if weight < 400:
            return False
        seen = min(max(tokens / weight, _SLOWEST), _FASTEST)
        # Up at once, down slowly: too many tokens is an error, too few is only a waste.
        self._rate = seen if seen > self._rate else 0.7 * self._rate + 0.3 * seen
        return _SLOWEST <= tokens / weight <= _FASTEST

    def _weigh_part(self, part: Part) -> int:
        match part:
            case Text(text) | Output(text):
                return self.weigh_text(text)
            case Code(language, source):
                return self.weigh_text(source) + len(language) + 40
            case ActionCall(tool, arguments):
                return self.weigh_text(arguments) + len(tool) + 40
            case MalformedCall(raw, problem):
                return self.weigh_text(raw[:2_000] + problem) + 40
            case Display():
                return self.weigh_text(part.text) + (self._picture if part.image else 0)
            case ActionResult(_, outcome, summary):
                return self.weigh_text(summary) + len(outcome)
            case Reasoning(text, signature):
                return self.weigh_text(text) + len(signature) if signature else 0
