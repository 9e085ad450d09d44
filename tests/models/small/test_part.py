"""What a reply has for one function of a long file is put there as the file has it."""

import pytest

from interpreter.models.small.coding.part import Part

METHOD = "    def total(self):\n        return 0"
FUNCTION = "def total(prices):\n    return 0"


def test_a_method_is_indented_as_it_was():
    part = Part("Cart.total", METHOD)
    assert part.fitted("def total(self):\n    return 1\n") == (
        "    def total(self):\n        return 1"
    )


def test_of_a_whole_class_only_the_method_is_taken():
    part = Part("Cart.total", METHOD)
    reply = (
        "class Cart:\n    def add(self):\n        pass\n\n    def total(self):\n        return 1\n"
    )
    assert part.fitted(reply) == "    def total(self):\n        return 1"


def test_what_a_function_brings_along_stands_before_it():
    reply = (
        "import math\n\ndef rounded(x):\n    return round(x, 2)\n\n"
        "def total(prices):\n    return rounded(math.fsum(prices))\n\nprint(total([1]))\n"
    )
    assert Part("total", FUNCTION).fitted(reply) == (
        "import math\n\n\ndef rounded(x):\n    return round(x, 2)\n\n\n"
        "def total(prices):\n    return rounded(math.fsum(prices))"
    )


def test_what_a_method_brings_along_stands_within_it():
    reply = 'import math\n\ndef total(self):\n    """Sum."""\n    return math.fsum(self.all)\n'
    assert Part("Cart.total", METHOD).fitted(reply) == (
        "    def total(self):\n"
        '        """Sum."""\n'
        "        import math\n"
        "        return math.fsum(self.all)"
    )


def test_texts_of_several_lines_are_not_indented():
    reply = 'def total(self):\n    text = """\na\n  b"""\n    return text\n'
    assert Part("Cart.total", METHOD).fitted(reply) == (
        '    def total(self):\n        text = """\na\n  b"""\n        return text'
    )


def test_decorators_belong_to_it():
    reply = "@property\ndef total(self):\n    return 1\n"
    assert Part("Cart.total", METHOD).fitted(reply) == (
        "    @property\n    def total(self):\n        return 1"
    )


@pytest.mark.parametrize("reply", ["def total(self:\n    return 1", "x = 1\ny = 2", ""])
def test_what_has_no_such_part_is_taken_as_it_is(reply):
    fitted = Part("Cart.total", METHOD).fitted(reply)
    assert fitted.replace("    ", "") == reply.replace("    ", "")


def test_what_was_fitted_stays():
    part = Part("Cart.total", METHOD)
    reply = "import math\n\n@property\ndef total(self):\n    return math.fsum(self.all)\n"
    once = part.fitted(reply)
    assert part.fitted(once) == once
