"""What is refused by name: encoders, adapters, diffusion models, and other things that are not text generators."""

from collections.abc import Mapping

from kvdesk.core.errors import RefusalError
from kvdesk.core.json_value import JsonValue

_ENCODERS_TABLE = """
    albert bert big_bird bros camembert canine clip convbert data2vec-text deberta deberta-v2 distilbert dpr electra
    ernie esm eurobert flaubert flava fnet funnel gte ibert jina_embeddings_v3 layoutlm layoutlmv2 layoutlmv3 lilt
    longformer luke lxmert mega megatron-bert mobilebert modernbert mpnet mra new nezha nomic_bert nystromformer
    perceiver qdqbert rembert roberta roberta-prelayernorm roc_bert roformer siglip splinter squeezebert tapas
    ultrabert visual_bert xlm xlm-roberta xlm-roberta-xl xlnet xmod yoso
"""
ENCODERS = frozenset(_ENCODERS_TABLE.split())
"""Model types that read a whole text at once and keep no cache between tokens."""
ENCODER_NAMES = ("Bert", "Roberta", "Electra", "MPNet", "NomicBert", "Deberta", "NewModel", "JinaEmbeddings")
"""How architectures of encoders without a known model type begin or contain."""
DIFFUSION = frozenset(
    {"llada", "LLaDA", "llada2_moe", "dream", "Dream", "diffusion_gemma", "diffusion_gemma_text", "sdar", "sdar_moe"}
)
"""Language models that denoise whole blocks instead of appending tokens."""

_TOKENIZER = "a tokenizer's file"
_WEIGHTS = "the index of a checkpoint's weights"
OTHER_FILES: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"tokenizer_class"}), _TOKENIZER),
    (frozenset({"added_tokens_decoder"}), _TOKENIZER),
    (frozenset({"added_tokens", "pre_tokenizer"}), _TOKENIZER),
    (frozenset({"weight_map"}), _WEIGHTS),
    (frozenset({"image_processor_type"}), "an image processor's file"),
    (frozenset({"feature_extractor_type"}), "a feature extractor's file"),
    (frozenset({"processor_class"}), "a processor's file"),
    (frozenset({"_from_model_config"}), "a file of generation settings"),
    (frozenset({"temperature", "transformers_version"}), "a file of generation settings"),
    (frozenset({"producer", "quantization"}), "a file about quantisation (hf_quant_config.json)"),
    (frozenset({"bits", "group_size"}), "a file about quantisation"),
    (frozenset({"dim", "n_layers", "n_heads"}), "a checkpoint's params.json"),
    (frozenset({"architecture", "num_features"}), "the config of a timm vision model"),
)
"""Keys by which files are known that lie beside a `config.json`, or look like one, and what they are."""
PACKED = ("model_config", "context_window_size")
"""Keys of an MLC-LLM chat config, which wraps the model's own."""
HIDDEN = ("hidden_size", "d_model", "n_embd", "num_hidden_layers", "n_layer", "num_layers")


def check(config: Mapping[str, JsonValue]) -> None:
    """Raise `RefusalError` where `config` is plainly not that of a model with a KV cache."""
    base = config.get("base_model_name_or_path")
    if "peft_type" in config or (base is not None and "model_type" not in config):
        raise _adapter(base)
    if "_class_name" in config or "_diffusers_version" in config:
        raise _diffusion("This is a component of a diffusion pipeline.")
    if all(key in config for key in PACKED) and isinstance(config["model_config"], dict):
        raise _other_file("an MLC-LLM chat config")
    named = config.get("model_type")
    if not named and not any(key in config for key in (*HIDDEN, "architectures")):
        for keys, what in OTHER_FILES:
            if keys <= config.keys():
                raise _other_file(what)
    model_type = named if isinstance(named, str) else None
    if model_type in DIFFUSION:
        raise _diffusion("It denoises blocks of text instead of appending tokens one by one.")
    if model_type in ENCODERS or (model_type is None and _names_encoder(config)):
        raise encoder(str(model_type or _architecture(config)))


def _names_encoder(config: Mapping[str, JsonValue]) -> bool:
    name = _architecture(config)
    return any(part in name for part in ENCODER_NAMES)


def _architecture(config: Mapping[str, JsonValue]) -> str:
    names = config.get("architectures")
    return names[0] if isinstance(names, list) and names and isinstance(names[0], str) else ""


def _other_file(what: str) -> RefusalError:
    return RefusalError(
        "other-file",
        f"This is {what}, not a model's config.json.",
        "Layers and KV heads are read from a config.json in the format of transformers.",
        "Open the config.json of a language model, often beside it.",
    )


def _adapter(base: JsonValue) -> RefusalError:
    named = f"“{base[:120]}”" if isinstance(base, str) and base else "its base model"
    return RefusalError(
        "adapter",
        f"This is an adapter for {named}, not a model.",
        "An adapter adds weights to its base model and keeps no cache of its own.",
        f"Look up {named} instead.",
    )


def _diffusion(why: str) -> RefusalError:
    return RefusalError(
        "diffusion",
        "This is a diffusion model, which has no KV cache to size.",
        why,
        "Choose a language model that generates token by token.",
    )


def encoder(name: str) -> RefusalError:
    """The refusal of an encoder-only model."""
    return RefusalError(
        "encoder-only",
        f"“{name[:60]}” is an encoder-only model, such as embedding and ranking models are.",
        "It reads a whole text at once and keeps no KV cache.",
        "Only its weights need memory; choose a model that generates text.",
    )
