"""Completion for shells, made from the same table as --help."""

from __future__ import annotations

from interpreter.protocol.errors import ConfigurationError
from interpreter.terminal.arguments import GROUPS, CommandFlag
from interpreter.terminal.commands import SUBCOMMANDS

USAGE = """\
usage: interpreter completion bash >> ~/.bashrc
       interpreter completion zsh > ~/.zfunc/_interpreter    (with fpath+=~/.zfunc before compinit)
       interpreter completion fish > ~/.config/fish/completions/interpreter.fish"""
COMMANDS = (*SUBCOMMANDS, "serve")


def completion_command(arguments: list[str]) -> int:
    """Print the completion of one shell."""
    match arguments:
        case ["bash"]:
            print(bash())
        case ["zsh"]:
            print(zsh())
        case ["fish"]:
            print(fish())
        case ["-h" | "--help"]:
            print(USAGE)
        case _:
            raise ConfigurationError("For which shell? interpreter completion bash, zsh or fish")
    return 0


def _flags() -> list[CommandFlag]:
    return [flag for flags in GROUPS.values() for flag in flags]


def _choices(flag: CommandFlag) -> tuple[str, ...]:
    return tuple(flag.options.get("choices", ()))


def bash() -> str:
    """For bash, whose completions are a function and a word list."""
    names = " ".join([*(name for flag in _flags() for name in flag.names), *COMMANDS])
    cases = "\n".join(
        f'    {"|".join(flag.names)}) choices="{" ".join(_choices(flag))}" ;;'
        for flag in _flags()
        if _choices(flag)
    )
    return f"""\
_interpreter() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} choices=
  case $before in
{cases}
  esac
  if [[ -n $choices ]]; then
    COMPREPLY=($(compgen -W "$choices" -- "$word"))
  elif [[ $word == -* ]] || [[ $COMP_CWORD == 1 && -n $word ]]; then
    COMPREPLY=($(compgen -W "{names}" -- "$word"))
  fi
  [[ ${{#COMPREPLY[@]}} -gt 0 ]] || COMPREPLY=($(compgen -f -- "$word"))
}}
complete -o filenames -F _interpreter interpreter i"""


def zsh() -> str:
    """For zsh."""
    lines = []
    for flag in _flags():
        text = flag.help.replace("[", "(").replace("]", ")").replace(":", ";").replace("'", "")
        value = (
            f":{flag.names[-1].lstrip('-')}:({' '.join(_choices(flag))})" if _choices(flag) else ""
        )
        value = value or (":value:_files" if flag.takes_value else "")
        lines += [f"  '{name}[{text}]{value}'" for name in flag.names]
    commands = " ".join(COMMANDS)
    arguments = " \\\n".join([*lines, f"  '1:command:({commands})'", "  '*:file:_files'"])
    return f"#compdef interpreter i\n_arguments \\\n{arguments}"


def fish() -> str:
    """For fish."""
    lines = [f"complete -c interpreter -n __fish_use_subcommand -a '{' '.join(COMMANDS)}'"]
    for flag in _flags():
        names = " ".join(_fish_name(name) for name in flag.names)
        text = flag.help.replace("'", "")
        value = (
            f" -x -a '{' '.join(_choices(flag))}'" if _choices(flag) else " -r" * flag.takes_value
        )
        lines.append(f"complete -c interpreter {names}{value} -d '{text}'")
    return "\n".join([*lines, "complete -c i -w interpreter"])


def _fish_name(name: str) -> str:
    if name.startswith("--"):
        return f"-l {name[2:]}"
    return f"-o {name[1:]}"  # never -s: letters after one dash do not add up here
