"""What `OpenInterpreter(...)` takes, in the order programs know; each is an attribute too."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field, fields
from pathlib import Path
from typing import Any

from interpreter.settings.loop_words import LOOP_BREAKERS, LOOP_MESSAGE
from interpreter.settings.paths import config_directory

CODE_OUTPUT = (
    "Code output: {content}\n\n"
    "What does this output mean / what's next (if anything, or are we done)?"
)
EMPTY_CODE_OUTPUT = (
    "The code above was executed on my machine. It produced no text output. "
    "what's next (if anything, or are we done?)"
)


def conversations() -> str:
    """Where conversations are kept as JSON files."""
    return str(config_directory() / "conversations")


@dataclass(eq=False, repr=False)
class Options:
    """The options of an interpreter. All may be changed at any time; a turn reads them once."""

    messages: InitVar[list[dict[str, Any]] | None] = None
    offline: bool = False
    auto_run: bool = False
    verbose: bool = False
    debug: bool = False
    max_output: int = 2800
    safe_mode: str | bool = "off"
    shrink_images: bool = True
    loop: bool = False
    loop_message: str = LOOP_MESSAGE
    loop_breakers: list[str] = field(default_factory=lambda: list(LOOP_BREAKERS))
    disable_telemetry: bool = False
    in_terminal_interface: bool = False
    conversation_history: bool = True
    conversation_filename: str | None = None
    conversation_history_path: str = field(default_factory=conversations)
    os: bool = False
    speak_messages: bool = False
    llm: InitVar[Any] = None
    system_message: InitVar[str | None] = None
    custom_instructions: str = ""
    user_message_template: str = "{content}"
    always_apply_user_message_template: bool = False
    code_output_template: str = CODE_OUTPUT
    empty_code_output_template: str = EMPTY_CODE_OUTPUT
    code_output_sender: str = "user"
    computer: InitVar[Any] = None
    sync_computer: bool = False
    import_computer_api: bool = False
    skills_path: str | None = None
    import_skills: bool = False
    multi_line: bool = True
    contribute_conversation: bool = False
    plain_text_display: bool = False
    sandbox: str = "workspace"
    workspace: str = ""
    approval: str = ""
    rules: str = ""
    env: dict[str, str] = field(default_factory=dict)
    max_memory: int = 0
    max_programs: int = 0
    max_turn_budget: float = 0.0
    max_turn_tokens: int = 0
    max_turn_seconds: float = 0.0
    max_session_tokens: int = 0
    max_session_steps: int = 0
    max_session_seconds: float = 0.0

    highlight_active_line = True
    """Whether the line that runs is marked, in a terminal; not an argument."""
    runs_templates = True
    """Whether `{{ … }}` in the system message is run: not when a profile has set it."""

    def __post_init__(
        self,
        messages: list[dict[str, Any]] | None,
        llm: Any,
        system_message: str | None,
        computer: Any,
    ) -> None:
        """Make what is more than an option; dataclasses want this to exist here."""
        raise NotImplementedError

    @property
    def anonymous_telemetry(self) -> bool:
        """Always False: nothing is ever sent anywhere but to the model."""
        return False

    @property
    def will_contribute(self) -> bool:
        """Always False: conversations stay on this machine."""
        return False

    def skills_directory(self) -> Path:
        """Where skills are."""
        return Path(self.skills_path) if self.skills_path else config_directory() / "skills"


def set_alike(one: Any, other: Any) -> None:
    """Set an interpreter as another one is set; the file of its conversation is its own."""
    for option in fields(Options):
        setattr(other, option.name, getattr(one, option.name))
    other.conversation_filename = None
    other._system_message = one._system_message
    for name in ("highlight_active_line", "runs_templates"):
        setattr(other, name, getattr(one, name))
    for name in vars(one.llm).keys() - {"_opened"}:
        setattr(other.llm, name, getattr(one.llm, name))
    other.computer.languages = list(one.computer.languages)
    other.computer.load_dict(one.computer.to_dict())
