"""The next request to a small model, what its reply has to be, and the parts it is made of."""

from __future__ import annotations

from dataclasses import replace

from interpreter.models.small.faithful import invents
from interpreter.models.small.form.asked import AskedForm
from interpreter.models.small.form.printed import NUMBER
from interpreter.models.small.prompts.words import NOT_ANSWERED, is_no_answer, is_only_a_promise
from interpreter.models.small.rounds import Round
from interpreter.protocol.messages import Attempt, Message, Text
from interpreter.protocol.values import frozen

OUTPUT_SHOWN = 1_500  # characters of output that the model is shown
BLOCK, FILE = "block", "file"
REPEATS = 2  # failures after which an attempt starts afresh


@frozen
class SmallPlan:
    """The request as the small model gets it, and what its reply has to be."""

    messages: tuple[Message, ...]
    variation: int = 0
    output: str = ""
    """What the answer has to carry."""
    answer: str = ""
    """The answer itself, when there is nothing left to ask."""
    settled: bool = False
    """Whether programs were compared for it: words are wanted now, and no other block."""
    must_act: bool = False
    """Whether a reply without code would be a guess."""
    doubt: str = ""
    """What the user is told beside the answer."""
    known: str | None = None
    """What a reply may take its numbers from; None where it may say what it likes."""
    instead: str = NOT_ANSWERED
    """What is said instead of numbers that come from nowhere."""
    backing: str = ""
    """What was computed and not printed: an answer may be made of it without another block."""
    wants_json: str = ""
    """The schema of the reply, when it is the values of the answer."""
    form: AskedForm = AskedForm()
    """What the answer has to look like."""
    reproach: str = ""
    """What the model is told is wrong: not to be said to the user."""
    ran: frozenset[str] = frozenset()
    """Blocks that did what they do: one of them once more means that all is done."""
    keeps_files: str = ""
    """The request, where something is to be done with files, and nothing is to be deleted."""
    attempt: Attempt = ""
    """What becomes of a block that fails, and of the one before it."""
    spent: tuple[str, ...] = ()
    """Lines that failed twice: a block with one of them is not run again."""

    @property
    def may_be_refused(self) -> bool:
        """Whether a block has to be seen as a whole before anybody else sees it."""
        return bool(self.spent or self.ran or self.keeps_files)

    @property
    def wants_a_block(self) -> bool:
        """Whether another program is to be written, for lack of an answer."""
        return bool(self.must_act or self.reproach)

    @property
    def frame(self) -> str:
        """What the reply has to be: a block where only a block will do, or JSON."""
        if self.must_act and not self.backing:
            return BLOCK
        return self.wants_json

    def is_unfinished(self, said: str) -> bool:
        """Whether a reply without code is no answer yet."""
        return (self.must_act and not self._is_backed(said)) or is_only_a_promise(said)

    def honest(self, said: str) -> str:
        """A reply without code, unless it is no answer, or gives numbers that nobody computed."""
        if self.known is None:
            return said + self.doubt
        wrong = invents(said, self.known) or is_no_answer(said, self.known, self.reproach)
        return self.instead if wrong else said + self.doubt

    def in_json(self, said: str) -> str:
        """A reply in JSON, in the form that was asked for, with values that were printed."""
        written = replace(self.form, keys=()).written(said) if self.wants_json else ""
        return "" if invents(written, f"{self.output}\n{self.known or ''}") else written

    def _is_backed(self, said: str) -> bool:
        """Whether it gives numbers, all of them known from blocks that ran."""
        return bool(self.backing and NUMBER.search(said)) and not invents(said, self.backing)


def known_now(last: Round) -> str:
    """What a request says about the variables that there are now."""
    return f" Variables now: {last.variables}" if last.variables else ""


def with_more(question: Message, text: str) -> Message:
    """A question with something said behind it."""
    return replace(question, parts=(*question.parts, Text(f"\n\n{text}")))


def assistant_says(text: str) -> Message:
    """What the model is shown as its own reply."""
    return Message("assistant", (Text(text),))


def shortened(output: str) -> str:
    """An output, its middle left out where it is long."""
    text = output.strip()
    if len(text) <= OUTPUT_SHOWN:
        return text
    half = OUTPUT_SHOWN // 2
    return f"{text[:half]}\n...\n{text[-half:]}"
