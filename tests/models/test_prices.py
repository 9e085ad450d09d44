"""What tokens cost."""

import json

import pytest

from interpreter.models.prices import Price, facts_about, pricing_of, refresh
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import Usage


def test_cached_and_written_tokens_have_their_own_price():
    price = Price(input=2, output=10, cached=0.2, cache_write=2.5)
    usage = Usage(input=1_000_000, cached=400_000, output=100_000)
    assert price.cost(usage, written=100_000) == pytest.approx(1.0 + 0.08 + 0.25 + 1.0)


@pytest.mark.parametrize(
    "name", ["gpt-4o", "claude-opus-4-5", "claude-opus-4-5-20251101", "gemini/gemini-2.5-pro"]
)
def test_known_models_have_a_price_a_window_and_abilities(name):
    facts = facts_about(name)
    assert facts.price is not None
    assert facts.context_window >= 128_000
    assert facts.tools
    assert facts.images


def test_nothing_is_known_about_an_unknown_model():
    assert facts_about("nobody/nothing").price is None
    assert pricing_of("nobody/nothing")(Usage(input=5)) is None


def test_the_table_can_be_refreshed_by_hand(tmp_path):
    row = {
        "mode": "chat",
        "input_cost_per_token": 1e-6,
        "output_cost_per_token": 2e-6,
        "max_input_tokens": 9,
    }
    source, target = tmp_path / "map.json", tmp_path / "deep" / "prices.json"
    source.write_text(json.dumps({"new-model": row, "sample_spec": {"mode": "x"}}))
    assert refresh(source, target) == 1
    assert facts_about("new-model", target).price == Price(1.0, 2.0)
    assert facts_about("gpt-4o", target).price is not None
    assert pricing_of("new-model", target)(Usage(input=1_000_000)) == 1.0


def test_a_file_that_is_no_price_map_is_refused(tmp_path):
    source = tmp_path / "map.json"
    source.write_text("<html>")
    with pytest.raises(ConfigurationError, match="no price map"):
        refresh(source, tmp_path / "prices.json")
