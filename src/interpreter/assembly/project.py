"""What a project tells the model, wired to a session: read once, and only where it is trusted."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from interpreter.guidance.memory import Memory
from interpreter.guidance.project import OwnFiles, ProjectGuidance, asks_for_trust
from interpreter.guidance.skills import Skill, body
from interpreter.protocol import safe_files
from interpreter.protocol.calls import Arguments, CallContext, HostFunction
from interpreter.protocol.errors import CallFailed
from interpreter.protocol.visible import sentence
from interpreter.settings import trust
from interpreter.settings.paths import config_directory, data_directory
from interpreter.settings.settings import Settings

MOST_FILES, MOST_BYTES = 500, 20_000_000  # of one skill
_ONE_TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
_ONE_NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def project_memory(directory: Path) -> Memory:
    """What is remembered of a project; keys and passwords never are."""

    def redact(text: str) -> str:
        from interpreter.policies.secrets import Secrets

        return Secrets(os.environ).redact(text)

    return Memory(data_directory() / "memory", directory, redact)


def project_guidance(settings: Settings, notice: Callable[[str], None]) -> ProjectGuidance:
    """What the user and the project say; what is left out of an untrusted one is said."""
    directory = settings.directory()
    if not settings.personal:
        return ProjectGuidance(directory, None, project_memory(directory), trusted=False)
    trusted = trust.is_trusted(directory)
    own = OwnFiles(Path.home(), config_directory() / "AGENTS.md")
    guidance = ProjectGuidance(directory, own, project_memory(directory), trusted=trusted)
    for warning in guidance.warnings:
        notice(warning)
    left_out = () if trusted or trust.was_declined(directory) else asks_for_trust(directory)
    if left_out:
        names = ", ".join(left_out[:4])
        notice(
            sentence(
                f"Not used, because this directory is not trusted: {names}. To trust it: "
                "interpreter trust"
            )
        )
    return guidance


def guidance_functions(
    guidance: Callable[[], ProjectGuidance], exchange: Callable[[], Path]
) -> tuple[HostFunction, ...]:
    """`memory.remember` and `skills.read`, for code."""

    def remember(given: Arguments, context: CallContext) -> str:
        try:
            return f"Remembered: {guidance().memory.remember(given['text'])}"
        except (ValueError, OSError) as error:
            raise CallFailed(str(error), "ValueError") from error

    def read(given: Arguments, context: CallContext) -> str:
        skill = guidance().skill(given["name"])
        if skill is None:
            known = ", ".join(guidance().skill_names) or "none"
            raise CallFailed(
                f"There is no skill {given['name']!r}; there are: {known}.", "KeyError"
            )
        place = skill.file.parent if skill.of_project else _handed_over(skill, exchange())
        return f"{body(skill).strip()}\n\n(The files of this skill are in {place}.)"

    return (
        HostFunction(
            "memory.remember",
            "Keep a note about this project for later sessions.",
            _ONE_TEXT,
            remember,
            asks=True,
            sends=lambda: True,
        ),
        HostFunction("skills.read", "What a skill says.", _ONE_NAME, read, asks=False),
    )


def _handed_over(skill: Skill, exchange: Path) -> Path:
    """A copy of the user's own skill where the code can read it: the home is hidden from it."""
    target = exchange / "skills" / skill.name
    files = [file for file in sorted(skill.file.parent.rglob("*")) if safe_files.is_file(file)]
    if len(files) > MOST_FILES or sum(file.stat().st_size for file in files) > MOST_BYTES:
        raise CallFailed(f"The skill {skill.name} is too large to be handed over.", "ValueError")
    for file in files:
        place = target / file.relative_to(skill.file.parent)
        safe_files.make_folder(place.parent, mode=0o755)
        executable = os.access(file, os.X_OK)
        with safe_files.opened(file) as source:
            safe_files.write(place, source.read(), mode=0o755 if executable else 0o644)
    return target
