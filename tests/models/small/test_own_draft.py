"""Questions for which no program of ours is written, and how long it takes to see that."""

import time

import pytest

from interpreter.models.small.own_draft import own_draft

PROFILE = """

sales.csv: 4 rows x 2 columns
- 'item' text: 'tea', 'milk', 'oil', 'Total'
- 'units' int 3 to 12, a quantity: how many units is its sum"""
TOTAL = "\nCareful: 1 row(s) hold a total ('item' is 'Total')"


def test_a_table_with_a_row_that_holds_a_total_is_left_to_the_model():
    question = f"What is the average of units in sales.csv?{PROFILE}"
    assert own_draft(question)
    assert own_draft(question + TOTAL) == ""


@pytest.mark.parametrize("piece", [" ", "-", "a.", "(", "a/a-"])
def test_a_long_question_takes_no_time(piece):
    begun = time.monotonic()
    own_draft(f"What is the total of units {piece * 16_000}{PROFILE}")
    assert time.monotonic() - begun < 1
