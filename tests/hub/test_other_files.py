"""Files that are pasted in place of a config.json are named; what no model type tells is read by its architecture."""

from typing import Any

import pytest

from kvdesk.core.errors import RefusalError
from kvdesk.hub import reader
from kvdesk.hub.config_view import open_view
from kvdesk.hub.parameters import count

LLAMA: dict[str, Any] = {
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "intermediate_size": 14336,
}


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"tokenizer_class": "LlamaTokenizer", "model_max_length": 4096}, "tokenizer"),
        ({"version": "1.0", "added_tokens": [], "pre_tokenizer": None, "model": {}}, "tokenizer"),
        ({"metadata": {"total_size": 5}, "weight_map": {}}, "index"),
        ({"image_processor_type": "CLIPImageProcessor"}, "image processor"),
        ({"feature_extractor_type": "WhisperFeatureExtractor"}, "feature extractor"),
        ({"_from_model_config": True, "eos_token_id": 2}, "generation"),
        ({"temperature": 0.6, "transformers_version": "4.40.0"}, "generation"),
        ({"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8"}}, "hf_quant_config"),
        ({"bits": 4, "group_size": 128}, "quantisation"),
        ({"dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8, "vocab_size": 32768}, "params.json"),
        ({"architecture": "resnet50", "num_classes": 1000, "num_features": 2048}, "timm"),
        ({"model_type": "llama", "model_config": LLAMA, "context_window_size": 4096}, "MLC-LLM"),
    ],
)
def test_other_files_are_named(config: dict[str, Any], named: str) -> None:
    with pytest.raises(RefusalError, match=named) as caught:
        reader.read(config)
    assert caught.value.code == "other-file"
    assert "config.json" in caught.value.remedy


def test_vision_models_keep_nothing() -> None:
    with pytest.raises(RefusalError, match="not a text generator") as caught:
        reader.read({"model_type": "vit", "hidden_size": 768, "num_hidden_layers": 12})
    assert caught.value.code == "no-decoder"


def test_part_of_a_generator_is_not_called_none() -> None:
    with pytest.raises(RefusalError, match="not known to kvdesk"):
        reader.read({"model_type": "kosmos-2"})


@pytest.mark.parametrize("model_type", [{}, {"model_type": None}, {"model_type": "house_llama"}])
def test_parameters_by_architecture(model_type: dict[str, Any]) -> None:
    # Llama 3.1 8B: 8,030,261,248 (the index file of meta-llama/Llama-3.1-8B, 16,060,522,496 bytes of bf16)
    counted = count(open_view({**LLAMA, **model_type, "architectures": ["LlamaForCausalLM"]}))
    assert counted is not None
    assert counted.total == 8_030_261_248
