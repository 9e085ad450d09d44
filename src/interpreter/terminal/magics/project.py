"""Commands about what a project tells the model: what is remembered of it, and its own commands."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.visible import sentence, visible, visible_lines
from interpreter.settings.settings import Settings
from interpreter.terminal.chat import Chat
from interpreter.terminal.input.editor import edit


def hook_lines(settings: Settings) -> Iterator[str]:
    """A line for each hook, and one for whatever is left out."""
    from interpreter.assembly.hooks import configured, left_out, user_file  # noqa: PLC0415

    found = configured(settings)
    for hook in found.hooks:
        what = f"{hook.event} {hook.matcher}".strip()
        where = "outside of the sandbox" if hook.outside else "in the sandbox"
        more = f", if {hook.condition}" if hook.condition else ""
        yield f"{visible(what)}: {visible(hook.command)}"
        yield f"  {where}, {hook.seconds:g} s{visible(more)}; from {visible(str(hook.file))}"
    yield from (*found.mistakes, *found.left_out)
    for file in left_out(settings):
        yield sentence(f"Not used, because this directory is not trusted: {file}")
    if not found.hooks and not found.mistakes:
        yield sentence(f"There are no hooks. Yours would be in {user_file()}; see docs/hooks.md.")


def memory(chat: Chat, argument: str) -> None:
    """Show what is remembered, let the user edit it, or forget all of it."""
    kept = chat.factory.guidance.memory
    if argument == "edit":
        kept.write(edit(kept.text(), "markdown"))
        chat.desk.note("The model is told so from the next session on.")
    elif argument == "forget":
        kept.write("")
        chat.desk.note("Forgotten.")
    elif argument:
        raise ConfigurationError("%memory shows what is remembered; %memory edit, %memory forget.")
    else:
        text = kept.text().strip()
        chat.desk.note(
            "\n".join(visible_lines(text)) if text else "Nothing is remembered here yet."
        )


def hooks(chat: Chat, argument: str) -> None:
    """The hooks of the user and of the project."""
    chat.desk.note("\n".join(hook_lines(chat.settings)))


def agents(chat: Chat, argument: str) -> None:
    """The agents of the user and of the project."""
    known = chat.factory.guidance.agents.values()
    lines = [f"{one.name}  {one.description}" for one in known]
    chat.desk.note("\n".join(lines) or "There are none: .agents/agents/NAME.md makes one.")


def commands(chat: Chat, argument: str) -> None:
    """The commands of the user and of the project: `/name`."""
    known = chat.factory.guidance.commands.values()
    lines = [f"/{one.name} {one.hint}".rstrip() + f"  {one.description}" for one in known]
    lines += chat.mentions.described()
    chat.desk.note("\n".join(lines) or "There are none: .agents/commands/NAME.md makes one.")
