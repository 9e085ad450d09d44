from dataclasses import replace

from interpreter.models.embedded.catalogue import catalogue
from interpreter.models.embedded.machine import Machine
from interpreter.models.local.readings import LocalModel
from interpreter.models.local.servers import OLLAMA, LocalServer
from interpreter.terminal.subcommands.local_menu import Entry, local_menu

LAPTOP = Machine(cores=4, memory=8_000_000_000, free=5_000_000_000)
BUILT_IN = [(catalogue().get(), True), (catalogue().get("qwen2.5-coder-7b"), False)]
SERVER = LocalServer(
    OLLAMA,
    "http://127.0.0.1:11434",
    (LocalModel("llama3.2:3b", 2_000_000_000, 8192, "3B Q4"), LocalModel("big", 40_000_000_000)),
)
MENU = local_menu(BUILT_IN, [SERVER], LAPTOP)


def test_everything_that_can_be_chosen_has_a_number():
    assert [line.split()[:2] for line in MENU.lines()][:4] == [
        ["1", "qwen2.5-coder-1.5b"],
        ["2", "qwen2.5-coder-7b"],
        ["3", "llama3.2:3b"],
        ["4", "big"],
    ]


def test_an_entry_tells_what_it_costs_and_whether_it_fits():
    notes = [entry.note for entry in MENU.entries]
    assert notes == [
        "built in, 1.1 GB",
        "built in, 4.7 GB, to download",
        "Ollama, 3B Q4, 2.0 GB, context 8,192",
        "Ollama, 40.0 GB, too big for 8.0 GB of memory",
    ]


def test_servers_that_do_not_run_come_with_how_to_start_them():
    assert "LM Studio: lms server start (or the Developer tab)" in MENU.hints
    assert not any("Ollama" in hint for hint in MENU.hints)


def test_a_server_without_models_is_mentioned():
    menu = local_menu([], [replace(SERVER, models=())], LAPTOP)
    assert (menu.entries, menu.hints[0]) == ((), "Ollama runs but has no models yet")


def test_an_entry_is_chosen_by_number_or_part_of_its_name():
    chosen = Entry(
        "ollama/llama3.2:3b",
        "llama3.2:3b",
        "Ollama, 3B Q4, 2.0 GB, context 8,192",
        "http://127.0.0.1:11434/v1",
        8192,
    )
    assert MENU.choose(" 3 ") == chosen
    assert MENU.choose("Llama3") == chosen


def test_an_answer_that_means_nothing_or_two_things_chooses_nothing():
    assert [MENU.choose(said) for said in ("", "0", "9", "qwen", "?")] == [None] * 5
