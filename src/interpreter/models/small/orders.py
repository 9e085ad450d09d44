"""What to ask next when something was to be done: judged by the files that it leaves."""

from __future__ import annotations

from dataclasses import replace

from interpreter.models.small.checks.conditions import IN_DOUBT, LEFT_OUT, conditions_left_out
from interpreter.models.small.checks.named_files import (
    CHANGED,
    FILE_NOT_WRITTEN,
    changed_originals,
    not_written,
)
from interpreter.models.small.checks.program import WRITES
from interpreter.models.small.prompts.words import (
    AS_BEFORE,
    AS_IT_WAS,
    DONE,
    NO_FILES,
    NOT_DONE,
    NOT_WRITTEN,
    NOTHING_CHANGED,
)
from interpreter.models.small.rounds import Round
from interpreter.models.small.small_plan import (
    REPEATS,
    SmallPlan,
    assistant_says,
    known_now,
    shortened,
    with_more,
)
from interpreter.models.small.wanted import file_to_write, is_about_files
from interpreter.protocol.changed_files import FILES_NAMED
from interpreter.protocol.messages import Attempt, Message, user_says

MOST_CARRIED = 2  # further lines of what was printed, where nothing else is left of an order


def after_order(
    asked: tuple[Message, ...], rounds: list[Round], question: str, wrong: tuple[str, str]
) -> SmallPlan:
    """An order is judged by the files that it leaves, and may be done without a word.

    `wrong` is what is wrong with the file that it names: for the model, and for the user.
    """
    last = rounds[-1]
    attempt: Attempt = "again" if last.changes_the_old else "whole"
    files = list(dict.fromkeys(change for one in rounds for change in one.files))
    trouble, answer = _undone(question, files)
    if answer == NOTHING_CHANGED and all(WRITES.search(one.source) for one in rounds):
        answer = AS_IT_WAS
    if trouble and len(rounds) > REPEATS:
        return SmallPlan((), answer=f"{answer}\n\n{shortened(last.output)}".strip())
    if trouble:
        return replace(_again(asked, rounds, trouble), attempt=attempt, instead=answer)
    done = f"Done: {', '.join(files[:FILES_NAMED])}." if files else "It ran."
    only_new = all(change.startswith("added ") for change in files)
    if only_new and len(rounds) == 1 and (left_out := conditions_left_out(question, last)):
        told = (assistant_says(last.code), user_says(LEFT_OUT.format(conditions=left_out)))
        instead = done + IN_DOUBT.format(conditions=left_out) + wrong[1]
        return SmallPlan((*asked, *told), len(rounds), must_act=True, instead=instead)
    if wrong[0] and len(rounds) <= REPEATS:
        return replace(_again(asked, rounds, wrong[0]), attempt=attempt, instead=done + wrong[1])
    spoilt = changed_originals(question, files)
    printed = shortened(last.output)
    words = DONE.format(
        files=f"Files: {', '.join(files[:FILES_NAMED])}." if files else NO_FILES,
        printed=f"\nIt printed:\n{printed}" if printed else "",
        variables=known_now(last),
    )
    messages = (*asked, assistant_says(last.code), user_says(words))
    doubt = (CHANGED.format(names=spoilt) if spoilt else "") + wrong[1]
    instead = done if files else printed or done
    ran = frozenset(one.source.strip() for one in rounds if not one.failed)
    carried = "" if files or printed.count("\n") > MOST_CARRIED else printed
    return SmallPlan(messages, doubt=doubt, instead=instead + doubt, ran=ran, output=carried)


def _undone(question: str, files: list[str]) -> tuple[str, str]:
    """What the model, and in the end the user, is told about a file that was to be written."""
    if names := not_written(question, files, file_to_write(question)):
        return FILE_NOT_WRITTEN.format(names=names), NOT_DONE.format(names=names)
    if not files and is_about_files(question):
        return NOT_WRITTEN, NOTHING_CHANGED
    return "", ""


def _again(asked: tuple[Message, ...], rounds: list[Round], trouble: str) -> SmallPlan:
    """Say what is wrong: at first with the block, then without it: the model clings to it."""
    if rounds[-1].changes_the_old:
        trouble = f"{trouble}\n{AS_BEFORE}"
    shown = (*asked, assistant_says(rounds[-1].code), user_says(trouble))
    afresh = (*asked[:-1], with_more(asked[-1], trouble))
    return SmallPlan(shown if len(rounds) == 1 else afresh, len(rounds), must_act=True)
