"""Without a sandbox: only after it was typed, and said all the while."""


def test_it_has_to_be_typed(start):
    terminal = start("Hello.", arguments=["--sandbox", "off"])
    terminal.wait_for("code runs with all of your rights", "Type off to go on:")
    terminal.type("off\n")
    terminal.wait_for_prompt()
    terminal.type("hi\n")
    terminal.wait_for("the sandbox is off", "Hello.")


def test_anything_else_starts_nothing(start):
    terminal = start(arguments=["--sandbox", "off"])
    terminal.wait_for("Type off to go on:")
    terminal.type("yes\n")
    terminal.wait_for("Nothing was started")
    assert terminal.wait_for_end() == 2
