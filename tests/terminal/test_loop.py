"""--loop: the model is asked to go on until it says that it is done."""


def test_it_goes_on_until_the_model_says_so(chat):
    terminal = chat("Half of it.", "The task is done.", "too much", arguments=["--loop"])
    terminal.type("do it\n")
    terminal.wait_for("Half of it.", "The task is done.")
    terminal.wait_for_prompt()
    assert "too much" not in terminal.everything()
