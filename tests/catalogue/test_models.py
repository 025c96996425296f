"""The models that work without a network."""

import pytest

from kvdesk.catalogue import models, tables
from kvdesk.core.errors import UsageError


def test_every_entry_is_read() -> None:
    cards = models.all_cards()
    assert len(cards) >= 40
    assert [card.name for card in cards] == list(models.names())
    ids = [key.lower() for card in cards for key in (card.name, card.hub_id, *card.also)]
    assert len(set(ids)) == len(ids)
    for card in cards:
        assert card == models.find(card.name) == models.find(card.hub_id.upper())
        assert card.config["model_type"]
        assert card.hub_id.count("/") == 1
        assert card.weights_bytes > 0
        assert card.weights_source


def test_the_default_is_llama_3_1_8b() -> None:
    card = models.find(models.DEFAULT)
    # 8,030,261,248 parameters of two bytes: https://huggingface.co/meta-llama/Llama-3.1-8B-Instruct
    assert card.parameters == 8_030_261_248
    assert card.weights_bytes == 16_060_522_496
    assert card.config["num_key_value_heads"] == 8
    assert models.find("meta-llama/Meta-Llama-3.1-8B") == card


def test_bytes_of_two_byte_models_are_twice_the_parameters() -> None:
    for card in models.all_cards():
        if card.weights_dtype in {"bf16", "fp16"}:
            assert card.weights_bytes == 2 * card.parameters, card.name


def test_gpt_oss_has_its_experts_in_mxfp4() -> None:
    # 36 layers x 128 experts x 3 x 2880 x 2880 elements at 17 bytes per 32; the other parameters at two bytes. The
    # checkpoint's index says total_size 65248815744.
    card = models.find("gpt-oss-120b")
    experts = 36 * 128 * 3 * 2880 * 2880
    assert card.weights_bytes == experts * 17 // 32 + 2 * (card.parameters - experts) == 65_248_815_744
    small = models.find("openai/gpt-oss-20b")
    experts = 24 * 32 * 3 * 2880 * 2880
    assert small.weights_bytes == experts * 17 // 32 + 2 * (small.parameters - experts)


def test_null_is_kept_apart_from_absent() -> None:
    # Mistral 7B v0.3 has no sliding window and says so with null; absent would mean the class's default of 4096.
    config = models.find("mistral-7b").config
    assert "sliding_window" in config
    assert config["sliding_window"] is None


@pytest.mark.parametrize(("name", "offer"), [("llama-3.1-8", "llama-3.1-8b"), ("gpt-oss", "gpt-oss-20b")])
def test_an_unknown_model_offers_close_ones(name: str, offer: str) -> None:
    assert not models.knows(name)
    with pytest.raises(UsageError) as caught:
        models.find(name)
    assert caught.value.code == "unknown-model"
    assert offer in caught.value.detail
    assert offer in caught.value.suggestions


def test_knows_names_and_ids() -> None:
    assert models.knows("Llama-3.1-8B")
    assert models.knows("openai/gpt-oss-20b")
    assert not models.knows("")
    assert not models.knows("openai/gpt-2")


@pytest.mark.parametrize("body", ["config = '[]'", "config = '{}'\nparameters = 1", "config = '{}'"])
def test_a_damaged_catalogue_is_a_defect(body: str) -> None:
    (table,) = tables.parse(f"[[model]]\n{body}\n", "model")
    with pytest.raises(KeyError):
        models.card_of(table)
