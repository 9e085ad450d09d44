"""Profiles as Open Interpreter has them, in each of their forms: by `-p` and by the library."""

import pytest

from interpreter import Interpreter, OpenInterpreter
from interpreter.settings.paths import profile_directory
from interpreter.settings.profiles import with_profile
from interpreter.settings.settings import Settings
from interpreter.terminal.profile_parts import own_parts

FORMS = {  # a file's name, what is in it, and settings that come of it
    "by_group.yaml": (
        "version: 0.2.5\nllm:\n  model: gpt-4o\n  temperature: 0\ncomputer:\n"
        "  import_computer_api: true\n  api_base: https://nowhere.invalid\nsafe_mode: off\n",
        {"model": "gpt-4o", "safe_mode": "off", "api_base": ""},
    ),
    "instructions_of_the_model.yaml": (
        "llm:\n  supports_vision: true\n  custom_instructions: Look.\n",
        {"supports_vision": True, "custom_instructions": "Look."},
    ),
    "loads.py": (
        "from interpreter import interpreter\ninterpreter.llm.model = 'ollama/llama3'\n"
        "interpreter.llm.load()\ninterpreter.display_message('> Ready.')\n",
        {"model": "ollama/llama3"},
    ),
    "prepares.py": (
        "from interpreter import interpreter\ninterpreter.computer.run('python', 'ready = 41')\n"
        "interpreter.computer.skills.path = '/skills'\ninterpreter.auto_run = True\n",
        {"auto_run": True},
    ),
    "attributes.py": (
        "from interpreter import OpenInterpreter\ninterpreter = OpenInterpreter()\n"
        "interpreter.force_task_completion = True\ninterpreter.safe_mode = False\n"
        "interpreter.computer.offline = True\ninterpreter.llm.execution_instructions = False\n",
        {"safe_mode": "off", "offline": False, "execution_instructions": ""},
    ),
}


@pytest.fixture(params=FORMS)
def form(request):
    keep(request.param)
    return request.param, FORMS[request.param][1]


def keep(name):
    profile_directory().mkdir(parents=True, exist_ok=True)
    (profile_directory() / name).write_text(FORMS[name][0])


def the_same(settings, wanted):
    return {name: getattr(settings, name) for name in wanted}


def test_a_profile_of_this_form_is_read_by_the_command(form):
    name, wanted = form
    assert the_same(with_profile(Settings(), name, own=own_parts()), wanted) == wanted


def test_a_profile_of_this_form_is_read_by_the_library(form):
    name, wanted = form
    it = OpenInterpreter()
    it.use_profile(name)
    settings = it._settings(render=False)
    assert the_same(settings, wanted) == wanted
    it.close()


@pytest.mark.parametrize(
    "name", ["fast", "default.yaml", "vision.yaml", "os.py", "local", "llama3"]
)
def test_a_profile_that_open_interpreter_ships_is_known_by_its_name(name):
    with_profile(Settings(), name, own=own_parts())
    it = OpenInterpreter()
    it.use_profile(name)
    it.close()


def test_what_a_profile_runs_is_there_for_the_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keep("prepares.py")
    with Interpreter("scripted/demo", profile="prepares.py") as it:
        assert it.run("python", "print(ready + 1)").output == "42\n"


def test_what_a_profile_says_is_shown(form, capsys):
    with_profile(Settings(), form[0], own=own_parts())
    shown = {"loads.py": "> Ready.", "attributes.py": "'force_task_completion'"}
    assert shown.get(form[0], "") in capsys.readouterr().err
