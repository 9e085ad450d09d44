"""Which requests order a file of code to be written anew, and which only speak of one."""

import time

import pytest

from interpreter.models.small.coding.orders import file_to_change


@pytest.mark.parametrize(
    "request_",
    [
        "Implement queen.py so that queen_test.py passes.\nTell me: what is a queen?\nIt attacks.",
        "Fix the bug in sums.py. Do not change the file sums_test.py.",
        "Implement sums.py. Do not change any files but sums.py.",
        "Fix sums.py so that test_sums.py passes. Don't change test_sums.py or the names of functions.",
        "Fix the bug in src/sums.py.",
        "There is a bug in the function. Correct it in sums.py",
        "Long instructions with data.csv.\nUse them to modify the supplied files: sums.py",
        "change sums.py so that add takes three numbers",
        "Complete sums.py: add gives the sum of both.",
        "Change `subtract` in sums.py: it gets a docstring.",
        "Fix the function total in shop.py.",
        "Implement add in sums.py so that the tests in sums_test.py pass.",
        "Fix the bug in x.py so that the tests in test_x.py pass.",
        "The tests in test_x.py fail. Please make them pass by repairing x.py",
        "x.py has a bug, fix it",
        "x.py has a bug. Fix it.",
        "Can you fix the bug in app.py?",
        "Could you please make the tests in test_x.py pass by changing x.py?",
        "I want you to fix x.py",
        "I need to fix the bug in app.py",
        "I have to make test_x.py pass. I should change x.py",
        "I'd like to update app.py so that it prints the sum.",
        "We need to update app.py so that it prints the sum.",
        "Fix the bug in app.py and run the tests",
        "Find the bug in app.py and fix it",
        "Fix the function grey in pic.py: it should not add 1.",
        "Fix sums.py so that test_sums.py passes.",
        "Edit the file /etc/x.py",
        "Fix the bug in ../lib/sums.py",
        "Complete ~/tools/run.py",
        "In sums.py, implement add and subtract.",
        "sums.py: fix add",
        "Please write add in sums.py; the tests in sums_test.py must pass",
        "Make test_x.py pass by changing x.py",
        "Do the tests fail? Fix x.py so that test_x.py passes.",
        "Check app.py and fix the bugs",
        "Could you look at app.py and fix the bug?",
        "Write sums.py so that test_sums.py passes",
        "# Task\n1. Implement the class Cart in `shop.py`.\n2. The tests are in test_shop.py.",
        "Hi! The program sums.py is wrong.\nPlease correct the error.",
        "Fix the problem with app.py",
        "Fix the bug in v1.2/main.py",
        "Do not change the tests but fix sums.py so that test_sums.py passes",
        "Change greet in hello.py to say hello and print the name",
        "Rewrite sums.py so that add takes a list, and run test_sums.py",
        "Get the tests in test_x.py to pass: implement x.py",
        "I have two files, x.py and test_x.py. Make the tests pass.",
        "I have two files, x.py and test_x.py. Fix the bug so that all tests pass.",
        "x.py is incomplete. Can you finish it?",
        "Implement the functions of x.py so that the tests in x_test.py pass.",
        "Update app.py. It should print the sum and tell me the mean.",
        "Fix the failing tests in test_x.py by changing x.py",
        "Change how app.py parses dates",
        "Fix whatever is wrong with app.py",
        "Fix the SyntaxError of app.py",
        "Fix the crash that makes app.py stop",
        "Change `total` of shop.py: it gets a docstring",
        "Update the line at the top of app.py",
        "Fix the failing app.py",
        "Fix the Python script app.py",
        "Change the port in server.py",
        "Rewrite app.py in a simpler way",
        "Rewrite app.py in Python 3",
        "Introduction.\nWhat is a queen? It cannot attack. Do not change the board.\nIs it so?\nImplement this in queen.py so that the tests in queen_test.py pass.",
    ],
)
def test_orders_to_change_a_file(request_):
    name, tests = file_to_change(request_)
    assert name.endswith(".py")
    assert name not in tests


@pytest.mark.parametrize(
    "request_",
    [
        "Here is what I have:\n# fix the bug in app.py\nWhat does it do?",
        "Fix the bug in app.py, but without changing the file app.py",
        "Find the bug in app.py and fix it. Do not write to any files.",
        "What should I change in app.py to make it faster?",
        "What does the function update in store.py do?",
        "How many lines did I edit in main.py?",
        "Is the change in app.py correct?",
        "Give me a complete overview of app.py",
        "Explain how I would fix the bug in parser.py",
        "Count the functions in app.py; do not edit app.py",
        "Fix the bug in app.py, run it and tell me the total it prints",
        "Do not change app.py, only tell me what it does.",
        "Write more tests for the class in shop.py into test_shop.py",
        "Make test_shop.py shorter; it tests shop.py",
        "Why does it crash when I edit main.py?",
        "Is it hard to extend plugin.py?",
        "Run app.py and fix nothing",
        "Which functions in utils.py update the database?",
        "Show me the update in app.py",
        "Write a report about test_app.py and app.py: what do they make?",
        "How does test_app.py make sure app.py works?",
        "Rename update.csv with rename.py",
        "What is the change of price per day, using stats.py?",
        "Change the delimiter in data.csv with conv.py",
        "Delete fix in app.py",
        "Does the fix in parser.py work?",
        "How many lines does sums.py have?",
        "Write a script hello.py that says hello",
        "Fix a.py and b.py so that test_a.py passes",
        "What does test_a.py test of a.py?",
        "Fix the column names in data.csv using clean.py",
        "Run a.py and tell me whether it is complete",
        "Complete the table with make_table.py",
        "We read and change app.py every day. How many lines does it have?",
        "Do not run, change or delete app.py",
        "Please don't fix sums.py",
        "I never want you to change app.py",
        "Tell me how to fix app.py.",
        "Without changing anything, find the bug in app.py",
        "Should I update app.py",
        "Can you explain the change in app.py?",
        "Would you change anything in app.py?",
        "Fix the bug in app.py. What was wrong?",
        "Fix the bug in app.py.\nThen run it and tell me the total.",
        "app.py made data.csv. Fix the errors in data.csv",
        "I ran app.py on my laptop. Fix the problem in my letter",
        "Edit the tests for app.py",
        "Update the README for app.py",
        "List the bugs in app.py and fix them",
        "Can you tell me what to change in app.py?",
        "Extend test_shop.py, which tests shop.py, by two tests that pass",
        "Write tests in test_shop.py that pass for shop.py",
        "Fix the tests in test_shop.py for shop.py",
        "Fix the bug in app.py, but do not write it to the file, only show me the code",
        "Find out how to fix app.py",
        "Fix the bug in app.py and print the total",
        "Describe the change in app.py",
        "I want to fix app.py. Where is the bug?",
        "I want to change app.py, where is the total computed?",
        "I must fix app.py. How do I start?",
        "I tried to fix app.py",
        "I do not want to change app.py",
        "Run app.py, then complete the sentence 'It prints'",
        "Edit the Dockerfile so that it runs app.py.",
        "Edit the Dockerfile and app.py.",
        "Fix the Dockerfile for app.py",
        "Fix the Dockerfile in the folder of app.py",
        "Update the Makefile to call main.py.",
        "Update the Makefile calling main.py",
        "Fix the cron job that starts backup.py.",
        "Edit the shell script that calls app.py",
        "Update the systemd service to start server.py at boot.",
        "Update requirements for app.py.",
        "Update the docs of app.py.",
        "Change the permissions of script.py to 755.",
        "Change the working directory to the folder of app.py",
        "Modify the environment so app.py can import numpy",
        "Edit the nginx config in front of server.py",
        "Rewrite app.py in Rust",
        "Please rewrite app.py into TypeScript",
    ],
)
def test_questions_and_other_orders_change_no_file(request_):
    assert file_to_change(request_) is None


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ("Fix the bug in ../lib/sums.py", "../lib/sums.py"),
        ("Fix the bug in ./v1.2/main.py.", "./v1.2/main.py"),
        ("Complete ~/tools/run.py", "/home/ann/tools/run.py"),
        ("Edit the file /srv/x.py", "/srv/x.py"),
    ],
)
def test_a_file_is_where_its_path_says(request_, name, monkeypatch):
    monkeypatch.setenv("HOME", "/home/ann")
    assert file_to_change(request_) == (name, ())


def test_a_file_at_an_address_or_with_another_ending_is_none_of_them():
    assert file_to_change("Fix the bug in https://example.org/lib/sums.py") is None
    assert file_to_change("Fix the bug in sums.py.bak") is None


@pytest.mark.parametrize(
    "request_",
    [
        "-" * 20_000,
        "../" * 7_000,
        "fix " * 5_000 + "app.py",
        "fix the " + "bug " * 7_000 + "app.py",
        "use " * 5_000,
        "a.py " * 4_000,
    ],
)
def test_long_requests_are_read_fast(request_):
    begun = time.process_time()
    file_to_change(request_)
    assert time.process_time() - begun < 0.5
