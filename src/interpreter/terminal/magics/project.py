"""Commands about what a project tells the model: what is remembered of it, and its own commands."""

from __future__ import annotations

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.visible import visible_lines
from interpreter.terminal.chat import Chat
from interpreter.terminal.input.editor import edit


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
    from interpreter.terminal.subcommands.hook_list import hook_lines  # noqa: PLC0415  (rarely)

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
