"""What a question says about the parts of its answer, and what is made of that."""

import pytest

from interpreter.models.small.forms import misfit, tidied

FORM = (
    "Answer as @p[p_value] @far[yes_or_no] @n[count] @r[r_value]\n"
    'where "p_value" is a number between 0 and 1, rounded to four decimal places,\n'
    '"yes_or_no" is a string that can either be "Yes" or "No" as described,\n'
    '"count" is an integer. "r_value" is a number between -1 and 1, rounded to 2 decimal places.'
)


@pytest.mark.parametrize(
    ("given", "tidy"),
    [
        ("@p[0.123456]", "@p[0.1235]"),
        ("@p[0.5]", "@p[0.5]"),
        ("@p[1.5e-07]", "@p[0.0000]"),
        ("@r[0.987]", "@r[0.99]"),
        ("@n[12.0]", "@n[12]"),
        ("@n[12.5]", "@n[12.5]"),
        ("@n[1e999]", "@n[1e999]"),
        ("@far[yes]", "@far[Yes]"),
        ("@far[False]", "@far[No]"),
        ("@far[perhaps]", "@far[perhaps]"),
        ("@other[0.123456]", "@other[0.123456]"),
    ],
)
def test_values_are_written_as_the_form_wants_them(given, tidy):
    assert tidied(FORM, given) == tidy


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ("@p[0.03] @far[Yes] @n[3] @r[-0.5]", ""),
        ("@p[49592.5]", "@p[49592.5] cannot be right: it has to be a number between 0 and 1."),
        ("@r[none]", "@r[none] cannot be right: it has to be a number between -1 and 1."),
        ("@far[7.8]", "@far[7.8] cannot be right: it has to be one of Yes, No."),
        ("@far[true]", ""),
    ],
)
def test_values_that_cannot_be_are_noticed(given, wrong):
    assert misfit(FORM, given) == wrong


def test_a_rounding_that_is_said_once_counts_for_all_parts():
    question = "Give @mean[m] and @median[d], rounded to two decimals."
    assert tidied(question, "@mean[1.23456] @median[2.34567]") == "@mean[1.23] @median[2.35]"


def test_names_tell_what_values_can_be():
    assert "between 0 and 1" in misfit("Answer as @p_value[x]", "@p_value[3.2]")
    assert "one of Yes, No" in misfit("Answer as @far[is it far (Yes/No)]", "@far[3.2]")


def test_a_question_without_a_form_is_left_alone():
    assert tidied("How many?", "It is 3.14159 @home.") == "It is 3.14159 @home."
    assert misfit("How many?", "@n[3]") == ""
