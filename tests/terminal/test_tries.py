"""%try, %compare, %keep and %drop."""

MAKE = {"text": "Making.", "code": "n = 1; open('a.txt', 'w').write('one\\n'); print('was made')"}


def test_of_two_tries_one_is_kept(chat):
    terminal = chat(MAKE, "Made.", arguments=["-y"])
    terminal.type("%try one\n")
    terminal.wait_for("This is one")
    terminal.wait_for_prompt()
    terminal.type("make it\n")
    terminal.wait_for("was made", "Made.")
    terminal.wait_for_prompt()
    terminal.type("%try two\n")
    terminal.wait_for("This is two")
    terminal.wait_for_prompt()
    terminal.type("%compare\n")
    terminal.wait_for("one: 4 messages more", "variables: n (new)", "+one", "two  (you are here)")
    terminal.type("%drop\n")
    terminal.wait_for("two is forgotten.")
    terminal.type("%keep\n")
    terminal.wait_for("This is no try")
    terminal.type("%try one\n")
    terminal.type("%keep\n")
    terminal.wait_for("Kept: 4 messages, 1 file and the variables")
    terminal.wait_for_prompt()
    terminal.type("! cat a.txt\n")
    terminal.wait_until(lambda: "\none\n" in terminal.everything().split("! cat a.txt")[-1])
