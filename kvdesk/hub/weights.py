"""From a checkpoint's files or headers to `core.weights.Weights`. Pure.

Packed formats are recognised by what lies beside a tensor: int32 `qweight` of GPTQ and AWQ, `weight_packed` of
compressed-tensors, uint8 `weight` with `weight_scale` of ModelOpt's NVFP4, `*_blocks` with `*_scales` of MXFP4, uint8
`weight` with `weight.absmax` of bitsandbytes, uint32 `weight` with `scales` of MLX.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from kvdesk.core.findings import Finding, info
from kvdesk.core.json_value import JsonValue
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.units import gb
from kvdesk.core.values import dataclass
from kvdesk.core.weights import Weights
from kvdesk.hub.checkpoint_files import Checkpoint, total
from kvdesk.hub.safetensors import Tensor
from kvdesk.hub.snapshot import Quantisation

_FORMATS = {"BF16": "bf16", "F16": "fp16", "F32": "fp32", "F64": "fp64", "I8": "int8", "U8": "uint8", "BOOL": "bool"}

# Scales, zero points and the like: bytes, but no parameters. Buffers that transformers does not count either.
_NO_PARAMETERS = re.compile(
    r"(?:_|\.|^)(?:scales?|scale_inv|scale_2|zeros?|qzeros|zero_point|g_idx|absmax|nested_absmax|quant_map|nested_quant_map"
    r"|quant_state.*|weight_shape|input_global_scale|weight_global_scale|input_amax|biases|inv_freq|position_ids"
    r"|num_batches_tracked|e_score_correction_bias|masked_bias|SCB|weight_format|smooth_scale|expert_bias)$"
)
_DRAFT = re.compile(r"(?:^|\.)(?:mtp|nextn|eagle|draft)(?:[._]|$)|(?:^|[._])(?:mtp|nextn)_")
_LAYER = re.compile(r"(?:^|\.)(?:model|language_model|transformer)\.(?:layers|h|blocks)\.(\d{1,6})\.")
_ENCODER = re.compile(
    r"(?:^|\.)(?:visual|vision|vit|vision_(?:tower|model|encoder|backbone|embed_tokens)|visual_encoder|image_encoder"
    r"|multi_modal_projector|mm_projector|embed_vision|image_newline|aligner|resampler|vpm|mlp1|gen_(?:vision_model|aligner)"
    r"|audio|audio_(?:tower|encoder|projector|projection_layer)|embed_audio|apm)(?:\.|$)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What a config says about its tensors: decoder layers, tied embeddings, and bits of integer packing."""

    layers: int | None = None
    tied: bool = False
    bits: int | None = None


def hints(config: Mapping[str, JsonValue]) -> Hints:
    """The hints of a config.json; whatever is malformed is left out."""
    inner = next((config[key] for key in ("text_config", "llm_config", "language_config") if key in config), config)
    text = inner if isinstance(inner, dict) else config
    quantisation = config.get("quantization_config") or config.get("quantization") or text.get("quantization_config")
    bits = _first(quantisation, ("bits", "w_bit", "num_bits")) if isinstance(quantisation, dict) else None
    tied = config.get("tie_word_embeddings", text.get("tie_word_embeddings"))
    return Hints(
        layers=_first(text, ("num_hidden_layers", "n_layer", "num_layers", "n_layers")), tied=tied is True, bits=bits
    )


def _first(values: Mapping[str, JsonValue], keys: Iterable[str]) -> int | None:
    for key in keys:
        value = values.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 32:
            return value
    return None


def from_files(checkpoint: Checkpoint) -> Weights | None:
    """Weights as large as their files; None where a size is not known or there are no files."""
    if not checkpoint.files or any(file.size is None for file in checkpoint.files):
        return None
    return _by_files(
        total(checkpoint.files), len(checkpoint.files), "safetensors" if checkpoint.kind == "safetensors" else ""
    )


def from_quantisation(offer: Quantisation) -> Weights | None:
    """Weights as large as the files of a GGUF quantisation."""
    return None if offer.bytes is None else _by_files(offer.bytes, len(offer.files), f"GGUF {offer.name}")


def _by_files(size: int, count: int, what: str) -> Weights:
    files = f"{count} {what} files" if count > 1 else f"one {what} file"
    source = Source(Origin.FILES, f"size of {' '.join(files.split())}, headers included")
    return Weights(bytes=Sourced(size, source), exact=False)


def from_tensors(tensors: Sequence[Tensor], hint: Hints, where: str) -> Weights:
    """Weights to the byte, from the headers of all files. `where` names them in the source."""
    names = {tensor.name: tensor for tensor in tensors}
    tied = hint.tied and any(name.endswith(("embed_tokens.weight", "wte.weight")) for name in names)
    kept = [tensor for tensor in tensors if not (tied and tensor.name.rpartition("lm_head")[2] == ".weight")]
    draft = [tensor for tensor in kept if is_draft(tensor.name, hint.layers)]
    drafted = {tensor.name for tensor in draft}
    main = [tensor for tensor in kept if tensor.name not in drafted]
    formats: dict[str, int] = {}
    for tensor in main:
        label = stored_format(tensor, names, hint)
        formats[label] = formats.get(label, 0) + tensor.bytes
    source = Source(Origin.HEADER, where)
    return Weights(
        bytes=Sourced(sum(tensor.bytes for tensor in main), source),
        parameters=Sourced(sum(parameters(tensor, names, hint) for tensor in main), source),
        draft_bytes=sum(tensor.bytes for tensor in draft),
        encoder_bytes=sum(tensor.bytes for tensor in main if _ENCODER.search(tensor.name)),
        by_format=dict(sorted(formats.items(), key=lambda item: -item[1])),
    )


def remarks(found: Weights) -> tuple[Finding, ...]:
    """What the user should know of weights whose headers were read."""
    full = found.by_format.get("fp32", 0)
    if 2 * full <= found.bytes.value:
        return ()
    return (
        info(
            "stored-in-fp32",
            f"The checkpoint holds {gb(full)} in FP32; engines load such weights in 16 bits, at half of that.",
            "Use --weights-dtype bf16 to count them so.",
        ),
    )


def is_draft(name: str, layers: int | None) -> bool:
    """Whether a tensor belongs to a draft (MTP) layer: by its name, or a decoder layer past the model's own."""
    if _DRAFT.search(name):
        return True
    match = _LAYER.search(name)
    return layers is not None and match is not None and int(match[1]) >= layers and not _ENCODER.search(name)


def parameters(tensor: Tensor, names: Mapping[str, Tensor], hint: Hints) -> int:
    """Parameters that a tensor stands for: none for scales and buffers, several per element where packed."""
    if _NO_PARAMETERS.search(tensor.name):
        return 0
    bits = packed_bits(tensor, names, hint)
    return tensor.bytes * 8 // bits if bits else tensor.elements


def packed_bits(tensor: Tensor, names: Mapping[str, Tensor], hint: Hints) -> int | None:
    """Bits per parameter of a tensor that packs several into one element, None for a plain one."""
    stem = tensor.name.rpartition(".")[0]
    if tensor.dtype == "F4":
        return 4
    if tensor.name.endswith((".qweight", ".weight_packed")) and tensor.dtype in {"I32", "U32"}:
        return hint.bits or 4
    if tensor.name.endswith(".weight_packed") or (
        tensor.name.endswith("_blocks") and f"{tensor.name[:-7]}_scales" in names
    ):
        return 4
    if tensor.dtype == "U32" and f"{stem}.scales" in names:
        return hint.bits or 4
    if tensor.dtype == "U8" and (f"{tensor.name}_scale" in names or f"{tensor.name}.absmax" in names):
        return 4
    if tensor.dtype in {"I8", "U8"} and _has_mx_scale(tensor, stem, names):
        return 4
    return None


def _has_mx_scale(tensor: Tensor, stem: str, names: Mapping[str, Tensor]) -> bool:
    """One E8M0 scale to 16 bytes, that is to 32 elements of four bits."""
    scale = names.get(f"{stem}.scale") or names.get(f"{tensor.name}_scale_inv")
    return scale is not None and scale.dtype == "F8_E8M0" and scale.elements * 16 == tensor.elements


def stored_format(tensor: Tensor, names: Mapping[str, Tensor], hint: Hints) -> str:
    """What to call the number format of a tensor."""
    bits = packed_bits(tensor, names, hint)
    if bits:
        return f"int{bits}" if tensor.dtype in {"I32", "U32"} else f"fp{bits}"
    return _FORMATS.get(tensor.dtype, tensor.dtype.lower().replace("f8_", "fp8_"))
