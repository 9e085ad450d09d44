"""A project's own files at a real terminal: one question, commands of the user's own, memory."""


def test_a_directory_is_asked_about_once(start, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    (work / "AGENTS.md").write_text("Use tabs.")
    asked = start(arguments=["--workspace", str(work)])
    asked.wait_for("instruct the model or start programs: AGENTS.md.", "yes / [no]")
    asked.type("no\n")
    asked.wait_for("They are left out. To change that: interpreter trust")
    asked.wait_for_prompt()
    again = start(arguments=["--workspace", str(work)])
    again.wait_for_prompt()
    assert "instruct the model" not in again.everything()


def test_a_command_of_the_users_own_becomes_a_message(chat, own_home):
    commands = own_home / ".agents" / "commands"
    commands.mkdir(parents=True)
    (commands / "greet.md").write_text(
        "---\ndescription: Greets\n---\nGreet $1.\n!`echo it is $((6*7))`\n"
    )
    terminal = chat("Hello, Ada.")
    terminal.type("%commands\n")
    terminal.wait_for("/greet  Greets")
    terminal.wait_for_prompt()
    terminal.type("/greet Ada\n")
    terminal.wait_for("it is 42", "Hello, Ada.")


def test_the_memory_is_shown_and_forgotten(chat):
    terminal = chat(
        {"language": "python", "code": "memory.remember('Water the plants')"},
        "Done.",
        arguments=["-y"],
    )
    terminal.type("%memory\n")
    terminal.wait_for("Nothing is remembered here yet.")
    terminal.wait_for_prompt()
    terminal.type("remember it\n")
    terminal.wait_for("Done.")
    terminal.wait_for_prompt()
    terminal.type("%memory\n")
    terminal.wait_for("- Water the plants")
    terminal.wait_for_prompt()
    terminal.type("%memory forget\n")
    terminal.wait_for("Forgotten.")
