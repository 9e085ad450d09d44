"""The system text."""

from dataclasses import replace

from interpreter.session.request.system_text import PromptFacts, system_prompt

FACTS = PromptFacts(
    "Debian 12", "Sunday 2026-11-15", "/home/ada", ("python", "shell"), "Sandboxed: no network."
)


def test_it_tells_where_the_model_works():
    text = system_prompt(FACTS)
    for fact in ("Debian 12", "2026-11-15", "/home/ada", "no network"):
        assert fact in text
    assert "python, shell" in system_prompt(replace(FACTS, size="small"))


def test_it_is_short_and_shorter_for_small_models():
    full, small = system_prompt(FACTS), system_prompt(replace(FACTS, size="small"))
    assert len(small) < len(full) < 350 * 3  # English has about four letters to a token


def test_a_system_message_replaces_ours_and_instructions_follow_it():
    text = system_prompt(FACTS, system_message="Be {{ 1 + 1 }}.", custom_instructions="Use metric.")
    assert text == "Be {{ 1 + 1 }}.\n\nUse metric."


def test_templates_are_only_expanded_by_a_renderer_that_is_handed_in():
    text = system_prompt(
        FACTS,
        system_message="Be {{ x }}.",
        custom_instructions="{{ y }}",
        render=lambda text: text.replace("{{ x }}", "kind"),
    )
    assert text == "Be kind.\n\n{{ y }}"
