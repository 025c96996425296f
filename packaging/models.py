"""Write resources/models.toml from config.json files and measured parameter counts.

Usage: python -m packaging.models CONFIG_FOLDER PARAMETERS.jsonl [resources/models.toml]

CONFIG_FOLDER holds `org__name.json`; each line of PARAMETERS.jsonl is an object with `config` (a file of that folder)
and `parameters`. Keys of a config that cannot change its geometry are left out, all others are kept as they are.
"""

import json
import sys
from pathlib import Path
from typing import NamedTuple

from kvdesk.core.json_value import JsonValue

HEADER = """\
# Well-known models for use without a network: facts. Written by packaging/models.py; edit its table, not this file.
#
# parameters: exact count without draft (MTP) layers, tied embeddings once. weights_bytes: bytes of these parameters as
# published, in weights_dtype. config: the config.json less the keys that cannot change the geometry. also: other Hub
# ids with the same geometry and the same bytes of weights.
"""


class Model(NamedTuple):
    """One line of the selection; `also` are Hub ids of the same geometry."""

    name: str
    hub_id: str
    file: str = ""
    also: tuple[str, ...] = ()


META = "meta-llama"
SELECTION = (
    Model("llama-3.1-8b", f"{META}/Llama-3.1-8B-Instruct", also=(f"{META}/Llama-3.1-8B", f"{META}/Meta-Llama-3.1-8B")),
    Model("llama-3.1-70b", f"{META}/Llama-3.1-70B-Instruct", also=(f"{META}/Meta-Llama-3.1-70B",)),
    Model("llama-3.3-70b", f"{META}/Llama-3.3-70B-Instruct", f"{META}/Llama-3.1-70B-Instruct"),
    Model("llama-3.1-405b", f"{META}/Llama-3.1-405B", f"{META}/Meta-Llama-3.1-405B", (f"{META}/Meta-Llama-3.1-405B",)),
    Model("llama-3.2-3b", f"{META}/Llama-3.2-3B-Instruct"),
    Model("llama-3.2-90b-vision", f"{META}/Llama-3.2-90B-Vision-Instruct"),
    Model("llama-3-8b", f"{META}/Meta-Llama-3-8B-Instruct"),
    Model("llama-2-7b", f"{META}/Llama-2-7b-hf", also=(f"{META}/Llama-2-7b-chat-hf",)),
    Model("llama-2-13b", f"{META}/Llama-2-13b-hf"),
    Model("llama-2-70b", f"{META}/Llama-2-70b-hf"),
    Model("mistral-7b", "mistralai/Mistral-7B-Instruct-v0.3"),
    Model("ministral-8b", "mistralai/Ministral-8B-Instruct-2410"),
    Model("mixtral-8x7b", "mistralai/Mixtral-8x7B-v0.1"),
    Model("mixtral-8x22b", "mistralai/Mixtral-8x22B-v0.1"),
    Model("devstral-small", "mistralai/Devstral-Small-2507"),
    Model("qwen2.5-0.5b", "Qwen/Qwen2.5-0.5B"),
    Model("qwen2.5-7b", "Qwen/Qwen2.5-7B"),
    Model("qwen2.5-14b", "Qwen/Qwen2.5-14B"),
    Model("qwen2.5-32b", "Qwen/Qwen2.5-32B"),
    Model("qwen2.5-72b", "Qwen/Qwen2.5-72B"),
    Model("qwq-32b", "Qwen/QwQ-32B"),
    Model("qwen3-0.6b", "Qwen/Qwen3-0.6B"),
    Model("qwen3-4b", "Qwen/Qwen3-4B"),
    Model("qwen3-8b", "Qwen/Qwen3-8B"),
    Model("qwen3-32b", "Qwen/Qwen3-32B"),
    Model("qwen3-30b-a3b", "Qwen/Qwen3-30B-A3B"),
    Model("qwen3-235b-a22b", "Qwen/Qwen3-235B-A22B"),
    Model("qwen3-coder-480b-a35b", "Qwen/Qwen3-Coder-480B-A35B-Instruct"),
    Model("qwen3-next-80b-a3b", "Qwen/Qwen3-Next-80B-A3B-Instruct"),
    Model("qwen3-vl-8b", "Qwen/Qwen3-VL-8B-Instruct"),
    Model("qwen3.5-27b", "Qwen/Qwen3.5-27B"),
    Model("qwen3.5-35b-a3b", "Qwen/Qwen3.5-35B-A3B"),
    Model("qwen3.5-122b-a10b", "Qwen/Qwen3.5-122B-A10B"),
    Model("gemma-3-4b", "google/gemma-3-4b-it"),
    Model("gemma-3-27b", "google/gemma-3-27b-it"),
    Model("gemma-4-26b-a4b", "google/gemma-4-26B-A4B"),
    Model("phi-3-mini-128k", "microsoft/Phi-3-mini-128k-instruct"),
    Model("phi-4-mini-reasoning", "microsoft/Phi-4-mini-reasoning"),
    Model("deepseek-v3", "deepseek-ai/DeepSeek-V3"),
    Model("deepseek-v3.1", "deepseek-ai/DeepSeek-V3.1"),
    Model("kimi-k2", "moonshotai/Kimi-K2-Instruct"),
    Model("gpt-oss-20b", "openai/gpt-oss-20b", "openai/gpt-oss-120b"),
    Model("gpt-oss-120b", "openai/gpt-oss-120b"),
    Model("minimax-m2.5", "MiniMaxAI/MiniMax-M2.5"),
    Model("glm-4.5v", "zai-org/GLM-4.5V"),
    Model("glm-5", "zai-org/GLM-5"),
    Model("nemotron-3-nano-30b-a3b", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"),
    Model("jamba-1.5-mini", "ai21labs/AI21-Jamba-1.5-Mini"),
    Model("granite-3.3-8b", "ibm-granite/granite-3.3-8b-instruct"),
    Model("smollm3-3b", "HuggingFaceTB/SmolLM3-3B"),
    Model("yi-34b", "01-ai/Yi-34B"),
    Model("whisper-large-v3", "openai/whisper-large-v3"),
)

CHANGES: dict[str, dict[str, JsonValue]] = {
    # https://huggingface.co/openai/gpt-oss-20b/blob/main/config.json: the 120b's config but for these three.
    "gpt-oss-20b": {
        "num_hidden_layers": 24,
        "num_local_experts": 32,
        "layer_types": [*["sliding_attention", "full_attention"] * 12],
    },
}

PARAMETERS = {
    # h=2880, V=201088, 24 layers, 32 experts: 2Vh + h + L(attention + experts + router + norms).
    "gpt-oss-20b": 20_914_757_184,
    # DeepSeek-V3's architecture with 64 heads, 384 experts, one dense layer and V=163840.
    "kimi-k2": 1_026_408_209_408,
}

FP8_BLOCKS = "one byte per element of the linear layers, one FP32 scale per 128x128 block, the rest bf16"
MXFP4_EXPERTS = "experts in MXFP4 (17 bytes per 32 elements), the rest bf16"
PUBLISHED = {
    "deepseek-v3": (673_150_611_808, "fp8", FP8_BLOCKS),
    "deepseek-v3.1": (673_150_611_808, "fp8", FP8_BLOCKS),
    "kimi-k2": (1_029_173_249_888, "fp8", FP8_BLOCKS),
    "minimax-m2.5": (230_024_113_152, "fp8", FP8_BLOCKS),
    "gpt-oss-20b": (13_761_264_768, "mxfp4", MXFP4_EXPERTS),
    "gpt-oss-120b": (65_248_815_744, "mxfp4", MXFP4_EXPERTS),
}
"""Bytes of checkpoints that are not published at two bytes per parameter."""

FP16 = frozenset({"whisper-large-v3", "llama-2-7b", "llama-2-13b", "llama-2-70b"})

# Keys that say nothing about the layers: tokens, training, generation, code and version.
_DROPPED_KEYS = frozenset(
    (
        "_name_or_path",
        "auto_map",
        "transformers_version",
        "use_cache",
        "initializer_range",
        "init_std",
        "hidden_act",
        "activation_function",
        "hidden_activation",
        "rms_norm_eps",
        "layer_norm_eps",
        "layer_norm_epsilon",
        "output_router_logits",
        "router_aux_loss_coef",
        "output_attentions",
        "output_hidden_states",
        "return_dict",
        "pretraining_tp",
        "id2label",
        "label2id",
        "begin_suppress_tokens",
        "suppress_tokens",
        "apply_spec_augment",
        "scale_embedding",
        "median_filter_width",
        "use_weighted_layer_sum",
        "max_length",
        "classifier_proj_size",
        "aux_loss_alpha",
        "seq_aux",
        "ep_size",
        "torchscript",
    )
)
_DROPPED_ENDINGS = ("_token_id", "_token_ids", "_token_index", "dropout", "layerdrop")
_DROPPED_STARTS = ("mask_time", "mask_feature")


def without_noise(config: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """A config without the keys that cannot change its geometry, at every depth."""
    kept = {key: value for key, value in config.items() if not dropped(key)}
    return {key: without_noise(value) if isinstance(value, dict) else value for key, value in kept.items()}


def dropped(key: str) -> bool:
    """Whether a key says nothing about the layers."""
    return key in _DROPPED_KEYS or key.endswith(_DROPPED_ENDINGS) or key.startswith(_DROPPED_STARTS)


def config_text(config: dict[str, JsonValue]) -> str:
    """A config as JSON with one top-level key per line."""
    lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in config.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


def table(model: Model, folder: Path, counts: dict[str, int]) -> str:
    """One model as a TOML table."""
    file = (model.file or model.hub_id).replace("/", "__") + ".json"
    config = without_noise(json.loads((folder / file).read_text(encoding="utf-8"))) | CHANGES.get(model.name, {})
    parameters = PARAMETERS.get(model.name) or counts[file]
    plain = (2 * parameters, "fp16" if model.name in FP16 else "bf16", "two bytes per parameter")
    size, dtype, source = PUBLISHED.get(model.name, plain)
    lines = [
        "[[model]]",
        f'name = "{model.name}"',
        f'hub_id = "{model.hub_id}"',
        *([f"also = {json.dumps(list(model.also))}"] if model.also else []),
        f"parameters = {parameters}",
        f"weights_bytes = {size}",
        f'weights_dtype = "{dtype}"',
        f'weights_source = "{source}"',
        f"config = '''\n{config_text(config)}\n'''",
    ]
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    """Read the folder and the counts, write the file."""
    rows = (json.loads(line) for line in Path(arguments[1]).read_text(encoding="utf-8").splitlines())
    counts = {row["config"]: row["parameters"] for row in rows}
    tables = [table(model, Path(arguments[0]), counts) for model in SELECTION]
    default = Path(__file__).resolve().parent.parent / "resources" / "models.toml"
    target = Path(arguments[2]) if len(arguments) > 2 else default
    target.write_text(HEADER + "\n" + "\n\n".join(tables) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
