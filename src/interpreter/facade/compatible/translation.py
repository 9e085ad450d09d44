"""From the attributes that programs set to the settings that a turn is made from."""

from __future__ import annotations

from interpreter.facade.compatible.llm import Llm
from interpreter.facade.compatible.options import Options
from interpreter.settings.settings import Settings, as_safe_mode


def settings_of(options: Options, llm: Llm, system_message: str, instructions: str) -> Settings:
    """The settings of this moment."""
    return Settings(
        model=llm.named,
        api_base=llm.api_base or "",
        api_key=llm.api_key or "",
        api_version=llm.api_version or "",
        context_window=llm.context_window or 0,
        max_tokens=llm.max_tokens or 0,
        temperature=llm.temperature or None,  # 0 is the default, and never sent
        supports_functions=llm.supports_functions,
        supports_vision=llm.supports_vision,
        max_budget=llm.max_budget or 0.0,
        reasoning_effort=llm.reasoning_effort or "",
        dialect=llm.dialect or "",
        model_timeout=llm.timeout or 0.0,
        execution_instructions=_text(llm.execution_instructions),
        auto_run=options.auto_run,
        offline=options.offline,
        safe_mode=as_safe_mode(options.safe_mode),
        system_message=system_message,
        custom_instructions=instructions,
        keep_history=options.conversation_history,
        max_output=options.max_output,
        shrink_images=options.shrink_images,
        user_message_template=options.user_message_template,
        always_apply_user_message_template=options.always_apply_user_message_template,
        code_output_template=options.code_output_template,
        empty_code_output_template=options.empty_code_output_template,
        code_output_sender=options.code_output_sender,
        verbose=options.verbose,
        debug=options.debug,
        plain=options.plain_text_display,
        highlight_active_line=options.highlight_active_line,
        multi_line=options.multi_line,
        speak_messages=options.speak_messages,
        loop=options.loop,
        loop_message=options.loop_message,
        loop_breakers=tuple(options.loop_breakers),
        sandbox=options.sandbox,
        workspace=options.workspace,
        approval=options.approval,
        rules=options.rules,
        env=tuple(f"{name}={value}" for name, value in options.env.items()),
        max_memory=options.max_memory,
        max_programs=options.max_programs,
        max_turn_budget=options.max_turn_budget,
        max_turn_tokens=options.max_turn_tokens,
        max_turn_seconds=options.max_turn_seconds,
        max_session_tokens=options.max_session_tokens,
        max_session_steps=options.max_session_steps,
        max_session_seconds=options.max_session_seconds,
    )


def _text(instructions: str | bool | None) -> str:
    return instructions if isinstance(instructions, str) else ""
