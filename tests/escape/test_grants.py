"""A grant opens what the user was shown, nothing else, and for no longer than was said."""

import pytest

SCENARIOS = (
    *("swapped_while_the_question_is_open", "directory_swapped_for_a_link"),
    *("parent_swapped_for_a_link", "always_and_then_a_link"),
    *("always_and_then_a_link_without_namespaces", "a_device_instead_of_a_file"),
    *("keys_below_what_is_granted", "inner_first", "outer_first", "inner_writable"),
    *("outer_writable", "outer_writable_later", "a_link_below_what_may_be_written"),
    *("repository_in_what_may_be_written", "git_directory_that_may_be_written"),
    "programs_of_the_workspace_come_first_in_the_path",
    *("node_of_the_workspace_leads_elsewhere", "interpreter_in_the_home"),
)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_grant_opens_only_what_was_shown(scenario, name):
    assert scenario("grant_scenarios.py", name) == "held\n"
