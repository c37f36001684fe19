"""Prices: exact, the user's own first."""

from pathlib import Path

import pytest

from ragtrial.errors import ConfigError
from ragtrial.llm.prices import Price, read_prices


@pytest.fixture
def own(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "prices.toml"
        path.write_text(text, encoding="utf-8")
        read_prices.cache_clear()
        return path

    return write


def test_a_price_is_exact_to_the_picodollar():
    prices = read_prices(None)
    price = prices.of("gpt-4o-mini", "api.openai.com")
    assert price == Price(150_000, 600_000)
    assert price.of(1_000_000, 1_000_000) == 750_000_000_000
    assert prices.of("no-such-model", "api.openai.com") is None
    assert len(prices.known) >= 24
    assert all(price.input > 0 and price.output >= price.input for price in prices.known.values())


def test_the_users_prices_win_by_model_then_by_server(own):
    prices = read_prices(
        own('[models."gpt-4o-mini"]\ninput = 1\noutput = 0.075\n[servers."localhost:11434"]\ninput = 0\noutput = 0\n')
    )
    assert prices.of("gpt-4o-mini", "localhost:11434") == Price(1_000_000, 75_000)
    assert prices.of("qwen2.5:7b", "localhost:11434") == Price(0, 0)
    assert prices.of("qwen2.5:7b", "gpu.lan:1") is None
    assert prices.of("gpt-4o", "x") == Price(2_500_000, 10_000_000)


@pytest.mark.parametrize("host", ["localhost:11434", "localhost", "127.0.0.1:8080", "127.9.8.7", "[::1]:8000"])
def test_this_machine_costs_nothing_unless_the_user_gives_a_price(own, host: str):
    assert read_prices(None).of("gpt-4o", host) == Price(0, 0)
    assert read_prices(own('[models."gpt-4o"]\ninput = 1\noutput = 2\n')).of("gpt-4o", host) == Price(10**6, 2 * 10**6)
    assert read_prices(own(f'[servers."{host}"]\ninput = 1\noutput = 2\n')).of("m", host) == Price(10**6, 2 * 10**6)


@pytest.mark.parametrize("host", ["localhost.example.org", "gpu.lan:8000", "128.0.0.1", "10.0.0.1:8000", "[::2]", ""])
def test_other_machines_may_cost_something(host: str):
    assert read_prices(None).of("mine", host) is None


def test_the_price_of_the_120b_model_gives_what_the_paper_paid():
    price = read_prices(None).of("openai/gpt-oss-120b", "openrouter.ai")
    assert price.of(1015, 476) / 10**6 == pytest.approx(121, rel=0.03)
    assert price.of(5885, 118) / 10**6 == pytest.approx(252, rel=0.03)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[modells]\n", "have the key 'modells'"),
        ("models = 3", "have the key 'models'"),
        ("[models.x]\ninput = 1", "need input and output for models.x"),
        ("[models.x]\ninput = 1\noutput = -1", "need input and output"),
        ("[models.x]\ninput = true\noutput = 1", "need input and output"),
        ("[models.x]\ninput = nan\noutput = 1", "need input and output"),
        ("[models.x]\ninput = '1'\noutput = 1", "need input and output"),
        ("[models]\nx = 1", "need input and output"),
        ("[models", "are no TOML"),
    ],
)
def test_a_table_that_is_not_right_is_refused(own, text: str, message: str):
    with pytest.raises(ConfigError, match=message):
        read_prices(own(text))
