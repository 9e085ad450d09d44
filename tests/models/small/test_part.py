"""What a reply has for one function of a long file is put there as the file has it."""

import subprocess
import sys

import pytest

from interpreter.models.small.coding.part import Part
from interpreter.models.small.model import SmallModel
from interpreter.protocol.events import ActionProposed, CodeDelta, ReplyFinished, TextDelta
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import ActionResult, Code, Message, Output, user_says
from interpreter.protocol.ports import Capabilities, Request
from interpreter.session.request.shrink import shown_output

METHOD = "    def total(self):\n        return 0"
FUNCTION = "def total(prices):\n    return 0"


def test_a_method_is_indented_as_it_was():
    part = Part("Cart.total", METHOD)
    assert part.fitted("def total(self):\n    return 1\n") == (
        "    def total(self):\n        return 1"
    )


def test_of_a_whole_class_only_the_method_is_taken():
    part = Part("Cart.total", METHOD, frozenset({"Cart", "Cart.add"}))
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


def test_what_does_not_parse_is_taken_as_it_is():
    reply = "def total(self:\n    return 1"
    assert Part("Cart.total", METHOD).fitted(reply) == ("    def total(self:\n        return 1")


@pytest.mark.parametrize(
    "reply", ["print('I do not know')\ntotals = 1", "class Box:\n    def total(self): ...", ""]
)
def test_a_reply_that_has_no_such_part_has_nothing_for_it(reply):
    assert Part("Cart.total", METHOD).fitted(reply) == ""


@pytest.mark.parametrize(
    "reply",
    [
        "import math\n\n@property\ndef total(self):\n    return math.fsum(self.all)\n",
        'def total(self):\n    text = """\na\n  b"""\n    return text\n',
        "def _sum(self):\n    return 1\n\ndef total(self):\n    return self._sum()\n",
        "class Cart:\n    rate = 2\n\n    def total(self):\n        return self.rate\n",
    ],
)
def test_what_was_fitted_stays(reply):
    part = Part("Cart.total", METHOD)
    once = part.fitted(reply)
    assert part.fitted(once) == once


SHOP = """\
from __future__ import annotations

VAT = 0.1


def price(item):
    return item * 2


def total(items):
    return 0


def bill(items):
    return f"{total(items)} for {[price(item) for item in items]}"


class Cart(list):
    sign = "$"

    def add(self, item):
        self.append(item)

    def total(self):
        return 0
"""
KNOWN = frozenset({"annotations", "VAT", "price", "total", "bill", "Cart"})
OF_CART = KNOWN | {"Cart.sign", "Cart.add", "Cart.total"}


def shop_with(name, reply):
    """The names of the shop in which a part was written anew."""
    text = FUNCTION.replace("prices", "items") if name == "total" else METHOD
    fitted = Part(name, text, OF_CART if "." in name else KNOWN).fitted(reply)
    assert SHOP.count(text) == 1
    names = {}
    exec(SHOP.replace(text, fitted), names)
    return names


def test_functions_and_values_that_the_file_has_are_left_out():
    reply = (
        "from __future__ import annotations\n\nVAT = 9\n\ndef price(item):\n    return 0\n\n"
        "def total(items):\n    return sum(price(item) for item in items) * (1 + VAT)\n"
    )
    shop = shop_with("total", reply)
    assert shop["total"]([5]) == 11
    assert shop["bill"]([5]) == "11.0 for [10]"


def test_values_and_classes_that_the_file_lacks_come_along_and_examples_do_not():
    reply = (
        "import math\nRATE = 0.5\nclass Sum(float): ...\n\n"
        "def total(items):\n    result = math.fsum(items) * RATE\n    return Sum(result)\n\n"
        "items = [1]\nresult = total(items) + nothing\n"
    )
    assert shop_with("total", reply)["total"]([6]) == 3


def test_a_value_at_the_top_of_a_reply_is_known_to_a_method():
    reply = "RATE = 0.5\nLIMIT = 1\n\ndef total(self):\n    return sum(self) * RATE\n"
    cart = shop_with("Cart.total", reply)["Cart"]([6])
    assert cart.total() == 3
    assert not hasattr(cart, "LIMIT")


@pytest.mark.parametrize(
    "reply",
    [
        "import math\n\ndef _half(x):\n    return x / 2\n\n"
        "def total(self):\n    return self._sum()\n\n"
        "def _sum(self):\n    return _half(math.fsum(self))\n",
        "class Cart(list):\n    half = 2\n    sign = '%'\n\n"
        "    def __init__(self):\n        raise ValueError\n\n"
        "    def add(self, item):\n        pass\n\n"
        "    @property\n    def _sum(self):\n        return sum(self) / self.half\n\n"
        "    def total(self):\n        self.add(0)\n        return self._sum\n",
    ],
)
def test_other_methods_that_a_method_uses_stand_beside_it(reply):
    cart = shop_with("Cart.total", reply)["Cart"]([6])
    assert cart.total() == 3
    assert cart.sign == "$"


class Writing:
    """A model that writes one reply after the other, and what it was asked."""

    name = "embedded/writing"
    capabilities = Capabilities()

    def __init__(self, *replies):
        self.replies = list(replies)
        self.asked = []

    def stream(self, request, interrupt):
        self.asked.append(request.messages[-1].text)
        source = self.replies.pop(0)
        yield CodeDelta("python", source)
        yield ActionProposed(Code("python", source))
        yield ReplyFinished("actions")

    def close(self):
        pass


def turn_about(question, folder, *replies):
    """What is said in the end about a request to change a file, and what was asked for it."""
    model = Writing(*replies)
    small = SmallModel(model, lambda number: model)
    messages = [user_says(question)]
    for _ in range(9):
        events = list(small.stream(Request("", tuple(messages)), Interrupt()))
        actions = [event.action for event in events if isinstance(event, ActionProposed)]
        if not actions:
            return "".join(e.text for e in events if isinstance(e, TextDelta)), model.asked
        run = [sys.executable, "-c", actions[0].source]
        done = subprocess.run(run, cwd=folder, capture_output=True, text=True)
        result = ("failed", done.stderr.splitlines()[-1]) if done.returncode else ("ok", "")
        told = Message("computer", (Output(done.stdout), ActionResult("", *result)))
        messages += [Message("assistant", (actions[0],)), shown_output(told)]
    raise AssertionError("it never ends")


LONG = SHOP.partition("class Cart")[0] + "# a line of text\n" * 300
WRONG, RIGHT = "print('I do not know')\ntotals = 1", "def total(items):\n    return sum(items)"
FIX = "Fix the function total in shop.py."


def test_a_reply_without_the_function_is_asked_for_once_more(tmp_path):
    (tmp_path / "shop.py").write_text(LONG)
    said, asked = turn_about(FIX, tmp_path, WRONG, RIGHT)
    assert said.startswith("total in shop.py is written and compiles")
    assert (tmp_path / "shop.py").read_text() == LONG.replace(
        "def total(items):\n    return 0", RIGHT
    )
    assert "does not hold what is to be written" in asked[1]


def test_the_function_stays_where_no_reply_holds_it(tmp_path):
    (tmp_path / "shop.py").write_text(LONG)
    said, asked = turn_about(FIX, tmp_path, WRONG, WRONG)
    assert (
        said
        == "What the model wrote twice in a row is not total in shop.py, and was not put there."
    )
    assert (tmp_path / "shop.py").read_text() == LONG
    assert len(asked) == 2


def test_what_the_file_has_is_found_out_and_not_written_twice(tmp_path):
    (tmp_path / "shop.py").write_text(LONG)
    again = "VAT = 9\n\ndef price(item):\n    return 0\n\n" + RIGHT
    _, asked = turn_about(FIX, tmp_path, again)
    assert (tmp_path / "shop.py").read_text() == LONG.replace(
        "def total(items):\n    return 0", RIGHT
    )
    assert "names: " not in asked[0]


@pytest.mark.parametrize("fence", ["```", "    ```"])
def test_a_function_with_a_line_that_would_end_a_reply_stays(tmp_path, fence):
    text = f'return """\n{fence}\n{fence}\n"""'
    (tmp_path / "shop.py").write_text(LONG.replace("return 0", text))
    said, asked = turn_about(FIX, tmp_path)
    assert "shop.py is as it was: the function that is to be changed holds a line of three" in said
    assert not asked


def test_an_example_that_names_its_language_ends_no_reply(tmp_path):
    text = '"""\n    ```python\n    total([])\n    ```\n    """\n    return 0'
    (tmp_path / "shop.py").write_text(LONG.replace("return 0", text))
    said, _ = turn_about(FIX, tmp_path, RIGHT)
    assert said.startswith("total in shop.py is written and compiles")


def test_the_function_is_shown_whole_however_long_all_else_is(tmp_path):
    """Of an output that is longer than is read, the middle is left out."""
    long = LONG.replace("return 0", f"return 0 * len('{'x' * 2_500}')", 1)
    many = "".join(f"def helper_{n}(x, y):\n    return {n}\n\n\n" for n in range(300))
    (tmp_path / "shop.py").write_text(long + many)
    for name in ("test_one.py", "test_two.py"):
        test = "import shop\ndef test(): assert shop.total([1]) == 1\n"
        (tmp_path / name).write_text(test + "# a line of text\n" * 300)
    _, (first, *_) = turn_about(FIX, tmp_path, RIGHT, RIGHT)
    assert "x" * 2_500 in first
    assert RIGHT in (tmp_path / "shop.py").read_text()


def test_a_file_that_somebody_else_changed_meanwhile_is_not_said_to_be_written(
    tmp_path, monkeypatch
):
    file, other = tmp_path / "shop.py", LONG.replace("return 0", "return 1")
    file.write_text(LONG)
    stream = Writing.stream

    def changing(self, request, interrupt):
        file.write_text(other)
        return stream(self, request, interrupt)

    monkeypatch.setattr(Writing, "stream", changing)
    said, asked = turn_about(FIX, tmp_path, RIGHT)
    assert said == (
        "shop.py could not be written, and is as it was: "
        "LookupError: the part to be changed is not in shop.py once"
    )
    assert file.read_text() == other
    assert len(asked) == 1


def test_a_function_that_got_worse_is_written_back_as_it_was(tmp_path):
    (tmp_path / "shop.py").write_text(LONG)
    (tmp_path / "test_shop.py").write_text(
        "import shop\ndef test_none(): assert shop.total([]) == 0\n"
        "def test_one(): assert shop.total([1]) == 1\n"
    )
    worse = [f"def total(items):\n    return {n}" for n in (7, 8, 9)]
    said, asked = turn_about("Fix total in shop.py.", tmp_path, *worse)
    assert said.startswith("shop.py is as it was: nothing that was written for it passes more of")
    assert (tmp_path / "shop.py").read_text() == LONG
    assert "As it is: " not in asked[0]
