"""A reply that has only some of a file of code loses nothing of the rest."""

import pytest

from interpreter.models.small.coding.whole import whole

SHOP = '''\
#!/usr/bin/env python3
# All rights reserved.
"""A shop."""
import os

# in percent
VAT = 20


def price(item):
    return item * 2  # for now


# what all of them cost
def total(items):
    return 0


class Cart(list):
    sign = "$"

    def add(self, item):
        # it is not counted
        self.append(item)

    @property
    def total(self):
        return 0


if __name__ == "__main__":
    print(total([1]))
'''


def test_a_function_stands_in_the_place_of_the_old_one():
    reply = "def total(items):\n    return sum(items)\n\n\nprint(total([1]))\nresult = total([2])\n"
    assert whole(SHOP, reply) == SHOP.replace(
        "def total(items):\n    return 0", "def total(items):\n    return sum(items)"
    )


def test_what_is_new_stands_before_what_follows_it_in_the_reply():
    reply = "import math\nimport os\nVAT = 10\nRATE = 2\n\ndef total(items):\n    return math.fsum(items) * RATE\n\ndef bill():\n    pass\n"
    right = SHOP.replace("import os", "import math\nimport os").replace("VAT = 20", "VAT = 10")
    right = right.replace(
        "# what all of them cost\ndef total(items):\n    return 0",
        "# what all of them cost\nRATE = 2\n\n\ndef total(items):\n    return math.fsum(items) * RATE"
        "\n\n\ndef bill():\n    pass",
    )
    assert whole(SHOP, reply) == right


def test_methods_of_a_class_are_kept():
    reply = (
        "class Cart(list):\n  def last(self):\n    return self[-1]\n"
        "  @property\n  def total(self):\n    return sum(self)\n"
        "  @total.setter\n  def total(self, value):\n    self[:] = [value]\n"
    )
    names = {}
    text = whole(SHOP, reply)
    exec(text, names)
    cart = names["Cart"]([1, 2])
    cart.add(3)
    assert cart.total == 6
    cart.total = 7
    assert cart.last() == 7
    assert "# it is not counted" in text
    assert text.partition("class Cart")[0] == SHOP.partition("class Cart")[0]


@pytest.mark.parametrize(
    ("old", "reply"),
    [
        ("def f(): pass\n", "import os\n\n\ndef f():\n    return g()\n\n\ndef g(): ...\n"),
        ("x = 1\nprint(x)\n", "number = 2\nprint(number)\n"),
        ("class A:\n    def f(self):\n        pass\n", "class A:\n    pass\n"),
        ("class A(B):\n    def f(self): return 1\n", "class A(C):\n    pass\n"),
        ("", "def f(): ...\n"),
        ("def f(:\n", "def f(): ...\n"),
        ("def f(): ...\n", "def f(:\n"),
    ],
)
def test_a_reply_that_has_all_is_the_file(old, reply):
    assert whole(old, reply) == reply


def test_what_stands_above_the_code_is_kept():
    old = '#!/bin/python\n# All rights reserved.\n"""A shop."""\ndef f(): ...\n'
    assert whole(old, "# a shop\ndef f(): return 1\n") == (
        '#!/bin/python\n# All rights reserved.\n# a shop\n"""A shop."""\n\ndef f(): return 1\n'
    )
    assert whole("#!/bin/sh\n\n# mine\n\nx = 1\n", "x = 2\n") == "#!/bin/sh\n\n# mine\n\nx = 2\n"
    assert whole("# mine\ndef f(:\n", "def f(): ...\n") == "# mine\ndef f(): ...\n"


def test_what_some_editors_begin_a_file_with_is_no_code():
    old, reply = "\ufeffdef f(): ...\n\ndef g(): ...\n", "def g(): return 1\n"
    assert whole(old, reply) == "\ufeffdef f(): ...\n\ndef g(): return 1\n"
    assert whole("\ufeffdef g(): ...\n", reply) == f"\ufeff{reply}"
    assert whole(old, "print('I do not know')\n") == ""


def test_what_the_user_wants_to_be_gone_is_not_put_back():
    old, reply = "def add(a, b): ...\n\ndef half(a): ...\n", "def half(a): ...\n"
    assert whole(old, reply, "Change sums.py: remove add") == reply
    assert whole(old, reply, "Change sums.py: rename half") == old
    assert whole(old, reply, "Change half in sums.py: use add instead") == old


THREE = "def foo(): ...\n\n\ndef bar(): ...\n\n\ndef baz(): ...\n"


@pytest.mark.parametrize(
    "asked",
    [
        "Fix app.py: remove foo and bar.",
        "Fix app.py: remove the functions foo and bar",
        "Change app.py: delete `foo`, `bar`",
        "Clean app.py up by removing foo() and bar().",
        "Fix app.py: get rid of the foo and bar functions in it",
        "Fix app.py: merge foo and bar into one function baz",
        "Change app.py: replace the functions foo and bar by baz",
        "Fix app.py: remove the unused functions",
        "Fix app.py: remove dead code.",
        "Fix baz in app.py and drop everything that is not used",
        "Change app.py: remove all functions except baz",
    ],
)
def test_several_that_are_to_be_gone_and_all_of_a_kind_are_not_put_back(asked):
    assert whole(THREE, "def baz(): ...\n", asked) == "def baz(): ...\n"


@pytest.mark.parametrize(
    "asked",
    [
        "Fix the bug in app.py; do not remove anything",
        "Fix the bug in app.py; do not remove or rename foo or bar",
        "Don't delete the functions foo and bar of app.py, fix baz",
        "Fix baz in app.py without removing foo and bar",
        "Remove the bug in app.py: foo crashes, and bar",
        "Remove the print statements from foo and bar in app.py",
        "Fix remove, foo and bar in app.py",
        "Remove unused imports in app.py",
        "Remove the function call in baz",
        "Change app.py: remove the unused functions, but keep foo and bar",
    ],
)
def test_what_nobody_wants_to_be_gone_stays(asked):
    assert whole(THREE, "def baz(): ...\n", asked) == THREE


def test_a_method_goes_where_the_user_wants_that():
    old = "class A:\n    def foo(self):\n        return self\n\n    def bar(self): ...\n"
    reply = "class A:\n    def bar(self): ...\n"
    assert whole(old, reply, "Fix app.py: delete the method foo") == reply
    assert whole(old, reply, "Fix the method bar in app.py") == old


@pytest.mark.parametrize(
    ("old", "reply"),
    [
        ("A, B = 1, 2\ndef f(): ...\n", "A = 3\n"),  # one of them would be lost
        ("a = 1; b = 2\ndef f(): ...\n", "a = 3\n"),
        ("def f(): ...\ndef g(): ...\nprint(g())\n", "def f(): ...\nprint(f() + 1)\n"),
        ("def f(): ...\n", "print('I do not know')\n"),
        ("def f()\n    return 1\n\ndef g(): ...\n", "def f():\n    return 1\n"),
        (
            "class A:\n  def f(self)\n    pass\n  def g(self): ...\n",
            "class A:\n  def f(self): ...\n",
        ),
        ("def f(): ...\n\nasync def g(): ...\n", "def f(:\n"),
    ],
)
def test_a_reply_that_has_no_place_in_it_is_nothing(old, reply):
    assert whole(old, reply) == ""
