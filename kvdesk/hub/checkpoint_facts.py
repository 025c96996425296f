"""What a config says beside the layers: number formats, quantisation, experts, the longest context."""

from collections.abc import Mapping

from kvdesk.core import number_formats
from kvdesk.core.errors import KvdeskError
from kvdesk.core.findings import refusal, warning
from kvdesk.core.json_value import JsonValue
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.hub import config_file
from kvdesk.hub.config_view import LIMIT, ConfigView, unknown_format

DTYPES = ("dtype", "torch_dtype", "model_dtype")
RUNNABLE = ("bf16", "fp16")
CONTEXTS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "model_max_length",
    "max_target_positions",
    "max_sequence_length",
    "max_seq_length",
    "seq_len",
    "n_ctx",
    "context_length",
    "max_context_length",
)
"""Where configs keep the longest context; the smallest counts (vLLM `config/model.py`, `_get_and_verify_max_len`)."""
COMMAND_R = "model_max_length"
"""This key wins where a file has it (Command R; vLLM `transformers_utils/model_arch_config_convertor.py`)."""
EXTENDING = ("linear", "dynamic", "ntk")
"""Rope scalings whose factor multiplies the given length; YaRN, Llama 3's and LongRoPE's lengths have it in already."""
EXPERTS = ("n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts")
SIDE_FILE = "hf_quant_config.json"
KV_FORMATS = {
    "fp8": "fp8",
    "fp8_e4m3": "fp8",
    "float8": "fp8",
    "fp8_e5m2": "fp8_e5m2",
    "int8": "int8",
    "int4": "int4",
    "nvfp4": "nvfp4",
    "none": "",
    "": "",
}
"""Spellings of the cache's format in quantisation configs."""


def model_dtype(text: ConfigView, root: ConfigView) -> Sourced[str]:
    """The format the engines would run the model in: 16 bits, bf16 where the file says 32 or nothing.

    Source: vLLM `config/model.py` (`_resolve_auto_dtype`). Refuses a format that is not known.
    """
    for view in (text, root):
        for key in DTYPES:
            found = view.find(key) if view.gives(key) else None
            if found is None or found.value == "auto":
                continue
            named = number_formats.find(found.value) if isinstance(found.value, str) else None
            if named is None:
                raise unknown_format(found.path, found.value)
            if named.name in RUNNABLE:
                return Sourced(named.name, found.source)
            return Sourced(
                "bf16", Source(Origin.DERIVED, f"{found.path} is {found.value}; engines run such models in bf16")
            )
    return Sourced("bf16", Source(Origin.DERIVED, "no dtype in the file; engines take bf16"))


def cache_format(root: ConfigView, side_files: Mapping[str, bytes]) -> Sourced[str] | None:
    """The cache's format that the checkpoint asks for, never guessed from the weights' format.

    Refuses a format that the config names and that is not known; in the side file, which nobody can correct by hand,
    it is a finding, and the model's own wider format counts.
    """
    section = root.section("quantization_config") if isinstance(root.raw("quantization_config"), dict) else None
    if section is not None:
        for key in ("kv_cache_scheme", "kv_cache_quant_algo"):
            value = section.raw(key)
            named = _scheme(value) if isinstance(value, dict) else value
            if named is None or named is False:
                continue
            section.ignore(key)
            known = KV_FORMATS.get(named.strip().lower()) if isinstance(named, str) else None
            if known is None:
                raise unknown_format(section.prefix + key, named)
            return Sourced(known, root.reading.source(section.prefix + key)) if known else None
    value = _side_file(root, side_files).get("kv_cache_quant_algo")
    if not isinstance(value, str):
        return None
    known = KV_FORMATS.get(value.strip().lower())
    if known is None:
        text = f"{SIDE_FILE} asks for the cache format “{value[:40]}”, which is not known: the model's format counts."
        root.add(refusal("unknown-kv-format", text, "Choose the cache format by hand."))
    return Sourced(known, Source(Origin.SIDE_FILE, f"{SIDE_FILE}: quantization.kv_cache_quant_algo")) if known else None


def quantization(root: ConfigView, side_files: Mapping[str, bytes]) -> str:
    """The weights' quantisation method as the checkpoint names it, "" for none."""
    given = root.raw("quantization_config")
    if isinstance(given, dict):
        for key in ("quant_method", "quant_algo"):
            value = given.get(key)
            if isinstance(value, str) and value:
                return value[:60]
        return "mlx" if "group_size" in given and "bits" in given else "unknown"
    if isinstance(root.raw("quantization"), dict):
        return "mlx"
    algorithm = _side_file(root, side_files).get("quant_algo")
    return f"modelopt {algorithm}"[:60] if isinstance(algorithm, str) else ""


def experts(text: ConfigView) -> int:
    """Routed experts per MoE layer; the most of a list, 0 for dense models."""
    for view in (text, text.section("ffn_config") if isinstance(text.raw("ffn_config"), dict) else None):
        for key in EXPERTS:
            found = view.find(key) if view is not None else None
            value = found.value if found is not None else None
            counts = [n for n in (value if isinstance(value, list) else [value]) if isinstance(n, int)]
            if counts and not isinstance(value, bool) and 1 < max(counts) <= 2**20:
                return max(counts)
    return 0


def max_context(text: ConfigView) -> Sourced[int] | None:
    """The longest context in tokens, with rope scaling as vLLM applies it; None where nothing says it."""
    given = [
        (value, found.source, found.path)
        for key in CONTEXTS
        if (found := text.find(key)) is not None and found.value is not None
        for value in (text.integer_or_none(key, maximum=LIMIT),)
        if value is not None
    ]
    if not given:
        return None
    ruling = [item for item in given if item[2] == text.prefix + COMMAND_R]
    value, source, path = min(ruling or given, key=lambda item: item[0])
    factor = _factor(text)
    if factor == 1:
        return Sourced(value, source)
    return Sourced(int(value * factor), Source(Origin.DERIVED, f"{path} {value:,} x {factor:g} by its rope scaling"))


def _factor(text: ConfigView) -> float:
    """What rope scaling multiplies the longest context by; 1 for kinds whose given length has it in already."""
    for key in ("rope_parameters", "rope_scaling"):
        rope = text.raw(key)
        if not isinstance(rope, dict) or "gemma3" in text.model_type:
            continue
        kind = rope.get("rope_type", rope.get("type"))
        factor = rope.get("factor")
        if kind not in EXTENDING or isinstance(factor, bool) or not isinstance(factor, (int, float)):
            continue
        if 1 <= factor <= 4096:
            return float(factor)
    return 1.0


def _scheme(scheme: dict[str, JsonValue]) -> str:
    bits, kind = scheme.get("num_bits"), scheme.get("type")
    return f"{'fp' if kind == 'float' else kind}{bits}"


def _side_file(root: ConfigView, side_files: Mapping[str, bytes]) -> dict[str, JsonValue]:
    data = side_files.get(SIDE_FILE)
    if data is None:
        return {}
    try:
        found = config_file.parse(data, SIDE_FILE).get("quantization")
    except KvdeskError as error:
        root.add(
            warning("side-file", f"{SIDE_FILE} could not be read: {error.detail}", "Choose the cache format by hand.")
        )
        return {}
    return found if isinstance(found, dict) else {}
