"""Typed getters: where each value comes from, what is a fault, and what was used."""

import pytest

from kvdesk.core.errors import RefusalError
from kvdesk.core.json_value import JsonValue
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.hub.config_view import ConfigView, Reading, open_view


def view(**config: JsonValue) -> ConfigView:
    return open_view(config)


def test_a_value_of_the_file_is_recorded_with_its_path() -> None:
    reading = Reading(where="meta-llama/X@abc")
    found = open_view({"hidden_size": 4096}, reading)
    assert found.integer("hidden_size") == 4096
    assert reading.facts == {"hidden_size": Sourced(4096, Source(Origin.CONFIG, "hidden_size (meta-llama/X@abc)"))}
    assert reading.used == {"hidden_size"}


def test_class_defaults_fill_gaps_but_null_hides_them() -> None:
    # transformers 5.24.0 models/mistral/configuration_mistral.py: num_key_value_heads 8
    absent = view(model_type="mistral")
    assert absent.integer_or_none("num_key_value_heads") == 8
    fact = absent.reading.facts["num_key_value_heads"]
    assert fact.source.origin is Origin.CLASS_DEFAULT
    assert fact.source.detail == "num_key_value_heads of mistral, transformers 5.24.0"
    assert view(model_type="mistral", num_key_value_heads=None).integer_or_none("num_key_value_heads") is None


def test_a_class_renames_keys() -> None:
    # transformers 5.24.0 models/gpt2/configuration_gpt2.py: hidden_size is n_embd
    found = view(model_type="gpt2", n_embd=1600)
    assert found.integer("hidden_size") == 1600
    assert list(found.reading.facts) == ["n_embd"]


def test_the_user_wins_over_other_spellings() -> None:
    reading = Reading(overridden={"num_key_value_heads": None})
    found = open_view({"n_head_kv": 8, "num_key_value_heads": 4}, reading)
    assert found.integer("n_head_kv", "num_key_value_heads") == 4
    assert str(reading.facts["num_key_value_heads"].source) == "yours: num_key_value_heads, not in config.json"


def test_nested_objects_take_the_defaults_of_their_class() -> None:
    # transformers 5.24.0 models/gemma3/configuration_gemma3.py: Gemma3TextConfig, num_attention_heads 8
    text = view(model_type="gemma3", text_config={"hidden_size": 2560}).section("text_config")
    assert text is not None
    assert text.integer("num_attention_heads") == 8
    assert text.prefix == "text_config."


def test_an_absent_object_is_the_class_s_own() -> None:
    # transformers 5.24.0 models/qwen3_asr/configuration_qwen3_asr.py: text_config of 28 layers, 8 KV heads
    text = view(model_type="qwen3_asr").section("text_config")
    assert text is not None
    assert (text.integer("num_hidden_layers"), text.integer("num_key_value_heads")) == (28, 8)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("32", "whole number"),
        (True, "whole number"),
        (32.5, "whole number"),
        (float("nan"), "whole number"),
        (float("inf"), "whole number"),
        ([32], "whole number"),
        ({}, "an object"),
        (-1, "at least 1"),
        (0, "at least 1"),
        (10**30, "at most"),
    ],
)
def test_faults_name_the_key(value: JsonValue, words: str) -> None:
    found = view(num_hidden_layers=value)
    assert found.integer("num_hidden_layers") == 1
    with pytest.raises(RefusalError) as caught:
        found.reading.raise_faults()
    assert caught.value.code == "bad-value"
    assert "“num_hidden_layers”" in caught.value.detail
    assert words in caught.value.detail


def test_all_faults_are_gathered() -> None:
    found = view(a="x", b=-1, c=["y", 3], d=[1, "z"], e=3, f={}, g=1, h="s", i="t", j=[{}, 4])
    found.texts_or_none("h")
    found.integers_or_none("i")
    found.objects_or_none("j")
    found.integer("a")
    found.integer("b")
    found.texts_or_none("c")
    found.integers_or_none("d")
    found.text_or_none("e")
    found.flag("f")
    found.section("g")
    found.objects_or_none("e")
    found.integer("missing")
    with pytest.raises(RefusalError) as caught:
        found.reading.raise_faults()
    for path in ("a", "b", "c", "d[1]", "e", "f", "g", "h", "i", "j[1]", "missing"):
        assert f"“{path}”" in caught.value.detail


def test_whole_floats_are_whole_numbers() -> None:
    assert view(a=32.0).integer("a") == 32


def test_lists_flags_and_texts() -> None:
    found = view(types=["full", "full"], counts=[1, 2], on=True, name="x", blocks=[{"n": 1}, {"n": 2}])
    assert found.texts_or_none("types") == ("full", "full")
    assert found.integers_or_none("counts") == (1, 2)
    assert found.flag("on")
    assert found.flag("absent", fallback=True)
    assert found.text_or_none("name") == "x"
    blocks = found.objects_or_none("blocks")
    assert blocks is not None
    assert [block.integer("n") for block in blocks] == [1, 2]
    assert "blocks[1].n" in found.reading.facts
    found.reading.raise_faults()
    assert found.texts_or_none("absent") is None
    assert found.integers_or_none("absent") is None
    assert found.objects_or_none("absent") is None
    assert found.section("absent") is None


def test_derived_values_say_how() -> None:
    found = view()
    assert found.integer_or("head_dim", fallback=128, how="hidden_size / num_attention_heads") == 128
    assert found.reading.facts["head_dim"].source == Source(Origin.DERIVED, "hidden_size / num_attention_heads")
