"""Tools come from installed packages: a real one is built, installed and used by a session."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from interpreter.assembly import SessionFactory
from interpreter.models.scripted import ScriptedModel
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import ConfigurationError, PluginError
from interpreter.protocol.events import ExecutionFinished, OutputDelta
from interpreter.protocol.ports import nobody_answers
from interpreter.settings.settings import Settings, changed

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "reploop-weather"
version = "1.0"
[project.entry-points."interpreter.tools"]
weather = "reploop_weather:make"
faulty = "reploop_weather:make_faulty"
misnamed = "reploop_weather:make"
broken = "reploop_weather:missing"
"""
SOURCE = """
import json, os
from interpreter.protocol.events import ExecutionFinished, OutputDelta
from interpreter.protocol.ports import ToolSpec

SCHEMA = json.dumps({"type": "object", "properties": {"place": {"type": "string"}}})

class Weather:
    spec = ToolSpec("weather", "The weather at a place.", SCHEMA)
    def __init__(self, parts):
        self._workspace = parts.workspace
    def run(self, action, context):
        yield OutputDelta(f"{json.loads(action.arguments)['place']}: fine, {self._workspace.name}, ")
        yield OutputDelta(os.environ.get("WEATHER_API_KEY", "no key"))
        yield ExecutionFinished("ok")

class Faulty:
    spec = ToolSpec("faulty", "Fails.", SCHEMA)
    def run(self, action, context):
        yield OutputDelta("so far ")
        raise ZeroDivisionError("of the plug-in")

def make(parts):
    return Weather(parts)

def make_faulty(parts):
    return Faulty()
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A directory in which pip has installed the package."""
    project, site = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("site")
    (project / "pyproject.toml").write_text(PROJECT)
    (project / "reploop_weather.py").write_text(SOURCE)
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, "--target", site, project], check=True
    )
    return site


@pytest.fixture
def session(tmp_path, monkeypatch, site):
    monkeypatch.syspath_prepend(site)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    opened = []

    def start(*script, **settings):
        chosen = Settings(model="scripted/demo", auto_run=True, **settings)
        factory = SessionFactory(chosen, lambda request: Decision("yes"), nobody_answers)
        opened.append(factory)
        return factory.open_session(chosen, model=ScriptedModel(script))

    yield start
    for factory in opened:
        factory.close()


def test_a_session_has_the_usual_tools_and_none_that_only_is_installed(session):
    conversation = session("Done.")
    assert list(conversation.engine.tools) == ["execute", "jobs", "compare"]
    assert [spec.name for spec in conversation.engine.asking.tools] == ["execute", "jobs"]


def test_settings_choose_the_tools_that_the_model_has(session):
    conversation = session(
        {"tool": "weather", "arguments": '{"place": "Rome"}'},
        {"tool": "jobs"},
        "Done.",
        tools=("execute", "weather"),
    )
    assert [spec.name for spec in conversation.engine.asking.tools] == ["execute", "weather"]
    events = list(conversation.send("How is it?"))
    assert "".join(event.text for event in events if isinstance(event, OutputDelta)).startswith(
        "Rome: fine, work, "
    )
    ends = [event for event in events if isinstance(event, ExecutionFinished)]
    assert [end.outcome for end in ends] == ["ok", "invalid"]
    assert "there is no tool 'jobs'" in ends[1].summary


def test_secrets_are_taken_out_of_what_a_tool_says(session, monkeypatch):
    monkeypatch.setenv("WEATHER_API_KEY", "wk-0123456789abcdefghij")
    conversation = session(
        {"tool": "weather", "arguments": '{"place": "Rome"}'}, "Done.", tools=("weather",)
    )
    events = list(conversation.send("How is it?"))
    said = "".join(event.text for event in events if isinstance(event, OutputDelta))
    assert "Rome: fine" in said
    assert "0123456789abcdefghij" not in said


def test_a_tool_that_fails_is_news_for_the_model(session):
    conversation = session({"tool": "faulty"}, "Done.", tools=("faulty",))
    events = list(conversation.send("Go."))
    (end,) = [event for event in events if isinstance(event, ExecutionFinished)]
    assert end.outcome == "failed"
    assert "of the package 'reploop-weather' failed: ZeroDivisionError" in end.summary
    assert conversation.transcript[-1].text == "Done."


@pytest.mark.parametrize("name", ["broken", "misnamed"])
def test_a_broken_plug_in_names_its_distribution(session, name):
    with pytest.raises(PluginError, match="of the package 'reploop-weather' is broken"):
        session("Done.", tools=("execute", name))


def test_a_tool_that_is_not_there_is_a_mistake_in_the_settings(session):
    with pytest.raises(ConfigurationError, match=r"no tool 'wether'.* execute, .*weather"):
        session("Done.", tools=("wether",))


def test_a_profile_says_which_tools_there_are():
    assert changed(Settings(), {"tools": ("execute",)}, source="test").tools == ("execute",)


def test_the_built_in_tools_are_registered_as_those_of_packages_are():
    from interpreter.tools.toolbox import BUILT_IN, GROUP

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert project["project"]["entry-points"][GROUP] == BUILT_IN
