from interpreter.protocol.events import Usage
from interpreter.terminal.render.screen import Tally


def test_the_time_of_a_turn_is_without_the_time_that_the_user_took():
    now = [100.0]
    tally = Tally(lambda: now[0])
    tally.begin_turn()
    tally.add(Usage(input=10, output=5))
    now[0] += 2
    tally.hold()
    now[0] += 60
    tally.go_on()
    now[0] += 1
    assert tally.line() == "10 tokens in, 5 out · 3.0 s"
