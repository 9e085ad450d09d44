"""Commands about what is going on: checkpoints, variables, jobs, the model, limits, cost."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from interpreter.models.embedded.catalogue import PREFIX, catalogue
from interpreter.models.embedded.downloads import installed
from interpreter.models.embedded.model import places
from interpreter.models.local.servers import find_servers, usual_places
from interpreter.models.options import ModelOptions
from interpreter.protocol.errors import CheckpointConflict, ConfigurationError
from interpreter.protocol.events import ExecutionFinished, OutputDelta
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import ActionCall, Code
from interpreter.protocol.ports import OnConflict, ToolContext, nobody_answers
from interpreter.protocol.visible import visible
from interpreter.settings.keys import KEY_NAMES, kept_keys
from interpreter.terminal.chat import Chat
from interpreter.terminal.render.ansi import NO_COLOURS, tame_plain
from interpreter.terminal.render.markdown.tables import render
from interpreter.terminal.render.screen import CHARACTERS_PER_TOKEN


def reachable_models() -> Iterator[str]:
    """Names, and the beginnings of names where a key opens a whole catalogue."""
    kept = places(ModelOptions(environ=dict(os.environ)))
    built_in = (model.name for model in catalogue().shown() if installed(model, kept))
    yield from (f"{PREFIX}/{name}" for name in built_in)
    for server in find_servers(usual_places(os.environ)):
        yield from (f"{server.kind.prefix}/{model.name}" for model in server.models)
    keys = {**kept_keys(), **os.environ}
    yield from (f"{name}/…" for name, key in KEY_NAMES.items() if keys.get(key))


SWITCH = {"": None, "on": True, "true": True, "off": False, "false": False}
TABLE_WIDTH = 100
CHECKPOINT_DIGITS = 6
LIST_VARIABLES = r"""
def _list():
    import json, sys, types
    from IPython import get_ipython
    shell = get_ipython()
    hidden = set(getattr(shell, "user_ns_hidden", ()))
    kinds = (types.ModuleType, types.FunctionType, type)
    rows = []
    for name, value in sorted(shell.user_ns.items()):
        if name.startswith("_") or name in hidden or isinstance(value, kinds): continue
        try: shape = "x".join(map(str, value.shape)) if hasattr(value, "shape") else str(len(value)) if hasattr(value, "__len__") else ""
        except Exception: shape = ""
        try: size = int(value.nbytes) if hasattr(value, "nbytes") else int(value.memory_usage(deep=False).sum()) if type(value).__name__ == "DataFrame" else sys.getsizeof(value)
        except Exception: size = 0
        rows.append([name, type(value).__name__, shape, size])
    print(json.dumps(rows))
try: _list()
finally: del _list
"""  # noqa: E501


def undo(chat: Chat, argument: str) -> None:
    """Go back to before the last blocks, the last message, or a block: talk, files, variables."""
    words = argument.split()
    conflicts: OnConflict = "refuse"
    if words and words[-1] in ("keep", "overwrite"):
        conflicts = words.pop()  # type: ignore[assignment]
    match words:
        case []:
            work = partial(chat.session.undo, 1, conflicts)
        case [count] if count.isdigit() and len(count) < CHECKPOINT_DIGITS:
            work = partial(chat.session.undo, int(count), conflicts)
        case ["message"]:
            work = partial(chat.session.undo_message, conflicts)
        case ["to", name] | [name] if name.isdigit():
            work = partial(chat.session.undo_to, name.zfill(CHECKPOINT_DIGITS), conflicts)
        case _:
            examples = "%undo 2, %undo message, %undo to 000003"
            raise ConfigurationError(f"How far? For example: {examples}")
    chat.desk.note(_or_conflict(work, f"%undo {' '.join(words)}".rstrip()))


def redo(chat: Chat, argument: str) -> None:
    """Take the last undo back."""
    if argument not in ("", "keep", "overwrite"):
        raise ConfigurationError("%redo takes nothing, or one of keep and overwrite.")
    wish: OnConflict = argument or "refuse"  # type: ignore[assignment]
    chat.desk.note(_or_conflict(partial(chat.session.redo, wish), "%redo"))


def _or_conflict(work: Callable[[], str], command: str) -> str:
    try:
        return work()
    except CheckpointConflict as error:
        hint = f"Say {command} keep, or {command} overwrite."
        raise ConfigurationError(f"{error} {hint}") from error


def diff(chat: Chat, argument: str) -> None:
    """What a block changed."""
    kept = chat.session.engine.checkpoints()
    known = kept.list()
    if not argument and all(one.undone for one in known):
        chat.desk.note("Nothing has been changed by a block yet.")
        return
    from interpreter.terminal.render.markdown.highlight import highlight_diff  # noqa: PLC0415  (slow to import)

    done = [one.name for one in known if not one.undone]
    text = kept.diff(argument.zfill(CHECKPOINT_DIGITS) if argument else done[-1])
    colour = getattr(chat.desk, "colourful", False)
    chat.desk.note("\n".join(highlight_diff(text.rstrip() or "No changes.", colour=colour)))


def checkpoints(chat: Chat, argument: str) -> None:
    """The states that can be gone back to."""
    rows = [
        [one.name, time.strftime("%H:%M:%S", time.localtime(one.created)), _first_line(one.label)]
        + (["undone"] if one.undone else [""])
        for one in chat.session.engine.checkpoints().list()
    ]
    if not rows:
        chat.desk.note("There are no checkpoints yet.")
        return
    _table(chat, ["checkpoint", "time", "before", ""], rows)


def variables(chat: Chat, argument: str) -> None:
    """The live Python variables: name, type, shape, size."""
    events = list(chat.factory.run(Code("python", LIST_VARIABLES)))
    text = "".join(event.text for event in events if isinstance(event, OutputDelta))
    try:
        rows = json.loads(text.strip().splitlines()[-1])
    except (ValueError, IndexError):
        ends = [event.summary for event in events if isinstance(event, ExecutionFinished)]
        chat.desk.note(f"The variables cannot be listed. {' '.join(ends)}".rstrip())
        return
    if not rows:
        chat.desk.note("There are no variables yet.")
        return
    shown = [[*map(visible, map(str, row[:3])), _bytes(int(row[3]))] for row in rows]
    _table(chat, ["name", "type", "shape", "size"], shown)


def jobs(chat: Chat, argument: str) -> None:
    """Blocks that go on in the background; `stop N` ends one, a number reads it."""
    tool = chat.factory.environment.toolbox.get("jobs")
    wish: dict[str, object] = {"action": "list"}
    match argument.split():
        case []:
            pass
        case [number] if number.isdigit():
            wish = {"action": "read", "job": int(number)}
        case ["stop", number] if number.isdigit():
            wish = {"action": "stop", "job": int(number)}
        case _:
            raise ConfigurationError("%jobs lists them, %jobs 3 reads one, %jobs stop 3 ends it.")
    context = ToolContext(nobody_answers, Interrupt())
    events = list(tool.run(ActionCall("jobs", json.dumps(wish)), context))
    pieces = [event.text for event in events if isinstance(event, OutputDelta)]
    pieces += [event.summary for event in events if isinstance(event, ExecutionFinished)]
    chat.desk.note(tame_plain("\n".join(piece.rstrip() for piece in pieces if piece.strip())))


def model(chat: Chat, argument: str) -> None:
    """The model, or another one from now on."""
    if argument:
        chat.change(model=argument)
    chat.desk.note(f"The model is {chat.session.engine.model.name}.")


def models(chat: Chat, argument: str) -> None:
    """The models that can be reached."""
    from interpreter.terminal.magics.state import reachable_models  # noqa: PLC0415  (asks servers)

    now = chat.session.engine.model.name
    others = [name for name in reachable_models() if name != now]
    chat.desk.note("\n".join([f"* {visible(now)}", *(f"  {visible(name)}" for name in others)]))


def auto_run(chat: Chat, argument: str) -> None:
    """Run without asking."""
    wish = _switch(argument)
    if wish is not None:
        chat.change(auto_run=wish)
    chat.desk.note(
        "Code runs without asking." if chat.settings.auto_run else "Code is asked about."
    )


def voice(chat: Chat, argument: str) -> None:
    """Listen and speak, or be silent."""
    wish = _switch(argument)
    if wish is not None:
        chat.settings = replace(chat.settings, voice=wish)
        chat.talk()
        chat.show_notices()
    listens, speaks = chat.listener is not None, chat.voice is not None and chat.voice.can_speak
    chat.desk.note(
        f"Voice is {'on' if chat.settings.voice else 'off'}; "
        f"listening: {'Ctrl-T' if listens else 'no'}; speaking: {'yes' if speaks else 'no'}."
    )


def verbose(chat: Chat, argument: str) -> None:
    """Show what else happens."""
    wish = _switch(argument)
    chat.settings = replace(
        chat.settings, verbose=not chat.settings.verbose if wish is None else wish
    )
    chat.desk.verbose = chat.settings.verbose
    chat.desk.note(f"verbose is {'on' if chat.settings.verbose else 'off'}")


def safe_mode(chat: Chat, argument: str) -> None:
    """Scan code before it runs."""
    if argument and argument not in ("off", "ask", "auto"):
        raise ConfigurationError("safe_mode is off, ask or auto.")
    if argument:
        chat.change(safe_mode=argument)
    chat.desk.note(f"safe_mode is {chat.settings.safe_mode}")


def sandbox(chat: Chat, argument: str) -> None:
    """How code is confined."""
    if argument:
        raise ConfigurationError("The sandbox is chosen at the start: interpreter --sandbox LEVEL")
    if chat.factory.unconfined:
        chat.desk.note(f"Code is not confined: {chat.factory.unconfined}")
    else:
        chat.desk.note(
            f"The sandbox is {chat.settings.sandbox}; %grants lists what it lets through."
        )


def grants(chat: Chat, argument: str) -> None:
    """What was allowed, and for how long; `forget VALUE` takes one back, `forget blocks` those."""
    policy = chat.session.engine.policy()
    match argument.split(maxsplit=1):
        case []:
            given = [
                f"{one.kind:6} {visible(one.value)}  ({'for good' if one.for_good else 'session'})"
                for one in chat.factory.granted()
            ] + [f"block  {one}  (session)" for one in policy.allowed()]
            hint = "%grants forget VALUE takes one back, %grants forget blocks all blocks."
            nothing = "No host, place or block was allowed, for this session or for good."
            chat.desk.note("\n".join([*given, hint]) if given else nothing)
        case ["forget", "blocks"]:
            policy.forget()
            chat.desk.note("Every block is asked about again.")
        case ["forget", value]:
            gone = chat.factory.take_back(value)
            if not gone:
                raise ConfigurationError(f"{value!r} was not allowed; %grants lists what was.")
            named = ", ".join(visible(f"{one.kind} {one.value}") for one in gone)
            chat.desk.note(f"Taken back: {named}. It is asked about again from the next block on.")
        case _:
            raise ConfigurationError("%grants lists them, %grants forget VALUE takes one back.")


def cost(chat: Chat, argument: str) -> None:
    """Tokens and money so far."""
    budget = chat.session.engine.asking.budget
    limit = f" of ${budget.max_dollars:.2f}" if budget.max_dollars is not None else ""
    spent = f"{budget.session.describe()}{limit}"
    chat.desk.note(f"last turn:          {budget.turn.describe()}\nthis conversation:  {spent}")


def tokens(chat: Chat, argument: str) -> None:
    """About how many tokens the next request would have."""
    about = _tokens_now(chat) + len(argument) // CHARACTERS_PER_TOKEN
    window = chat.session.engine.model.capabilities.context_window
    chat.desk.note(f"about {about:,} of {window:,} tokens ({about / max(1, window):.1%})")


def compact(chat: Chat, argument: str) -> None:
    """Make a short account of what is older; all of it stays in the session."""
    context, before = chat.session.engine.asking.context, _tokens_now(chat)
    context.compact()
    if context.tokens >= before:
        chat.desk.note(f"It is short already: about {before:,} tokens.")
        return
    chat.desk.note(f"about {context.tokens:,} tokens instead of {before:,}")


def _tokens_now(chat: Chat) -> int:
    asking = chat.session.engine.asking
    asking.context.prepare(asking.system(), asking.tools, chat.session.transcript)
    return asking.context.tokens


def _switch(argument: str) -> bool | None:
    if argument.lower() not in SWITCH:
        raise ConfigurationError(f"{argument!r}? It is on or off.")
    return SWITCH[argument.lower()]


def _table(chat: Chat, header: list[str], rows: list[list[str]]) -> None:
    width = min(TABLE_WIDTH, shutil.get_terminal_size().columns)
    names, _, *lines = render(header, rows, width, NO_COLOURS)  # a rule would look like a block's
    chat.desk.note("\n".join([names, *lines]))


def _first_line(text: str) -> str:
    return visible(text.strip().split("\n")[0])[:60]


def _bytes(size: int) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size} {unit}"
        size //= 1000
    return f"{size} GB"
