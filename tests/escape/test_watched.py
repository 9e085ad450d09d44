"""Nothing in a cell writes without the journal, whoever started it."""

import pytest

SCENARIOS = (
    "written_by_a_program_that_nobody_wrapped",
    "written_by_a_program_that_nobody_wrapped_without_namespaces",
    "a_process_without_the_filter",
    "started_when_the_journal_is_gone",
    "held_up_by_a_program_that_waits_for_the_journal",
)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_program_of_a_cell_is_watched(scenario, name):
    assert scenario("watch_scenarios.py", name) == "held\n"
