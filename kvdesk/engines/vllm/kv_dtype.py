"""Which number format the cache gets, and which of them the engine refuses.

Sources (vLLM 0.33.0): `utils/torch_utils.py` `resolve_kv_cache_dtype_string`, `model_executor/models/config.py`
(GlmMoeDsa, DeepSeek-V3.2), `model_executor/layers/attention/mla_attention.py`
`_canonicalize_sparse_mla_kv_cache_dtype`, the `supported_kv_cache_dtypes` of the backends in `v1/attention/backends`.

Examples: DeepSeek-V3.2 with `fp8` is `fp8_ds_mla` (656 B per token) on Hopper and plain fp8 (576 B) on B200; GLM-5 with
`auto` is `fp8_e4m3` on B200 and bf16 on H100; DeepSeek-V4 is always `fp8_ds_mla` (584 B).
"""

from collections.abc import Callable

from kvdesk.core import number_formats
from kvdesk.core.device import Device
from kvdesk.core.findings import Finding, refusal
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.values import dataclass
from kvdesk.engines.vllm.model import AMPERE, Model, capability, is_nvidia

NAMES = (
    "bf16", "fp16", "fp8", "fp8_e4m3", "fp8_e5m2", "fp8_ds_mla", "nvfp4_ds_mla", "int8_per_token_head",
    "fp8_per_token_head", "int4_per_token_head", "nvfp4", "nvfp4_4over6", "turboquant_k8v4", "turboquant_4bit_nc",
    "turboquant_k3v4_nc", "turboquant_3bit_nc",
)  # fmt: skip
"""Formats of `config/cache.py` `CacheDType` that are sized; `octave_*` and `ultraquant_4bit` are ROCm's and are not."""

FP8 = ("fp8", "fp8_e4m3")
RECORDS = ("fp8_ds_mla", "nvfp4_ds_mla")
SIXTEEN_BITS = ("bf16", "fp16")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The format of the cache, and why the engine would not start with it, if so."""

    format: NumberFormat
    problem: Finding | None = None

    @property
    def is_quantized(self) -> bool:
        """Whether it is not a 16- or 32-bit format."""
        return self.format.name not in ("bf16", "fp16", "fp32")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A format that is asked for, on a model and a device."""

    format: NumberFormat
    model: Model
    device: Device

    @property
    def name(self) -> str:
        return self.format.name

    def kept(self) -> Resolved:
        return Resolved(format=self.format)

    def refused(self, reason: str, instead: str) -> Resolved:
        return Resolved(format=self.format, problem=_refused(self.name, reason, instead))


def resolve(asked: str, model: Model, device: Device) -> Resolved:
    """The format for `asked`, a format's name or `auto`; raises `RefusalError` for one that is not known at all."""
    name = "fp8" if asked.strip().lower() == "fp8_inc" else asked
    if name.strip().lower() == "auto":
        name = _automatic(model, device)
    case = _Case(format=number_formats.get(name), model=model, device=device)
    if case.name == "fp32" and model.format.name == "fp32":
        return case.kept()
    if case.name not in NAMES:
        return case.refused("it is not one of vLLM's formats", "fp8 or auto")
    if model.is_compressed:
        return _compressed(case)
    if model.is_sparse:
        return _sparse(case)
    return _dense_latent(case) if model.is_latent else _attention(case)


def _automatic(model: Model, device: Device) -> str:
    asked = model.geometry.checkpoint_kv_dtype
    if model.is_compressed:
        return "fp8_ds_mla"
    if asked is not None and asked.value != "auto":
        return asked.value
    if model.is_glm_sparse and is_nvidia(device) and capability(device)[0] == 10:
        return "fp8_e4m3"
    return model.format.name


def _compressed(case: _Case) -> Resolved:
    """DeepSeek-V4 keeps records whatever 8-bit format is named."""
    if case.name in (*FP8, "fp8_ds_mla"):
        return Resolved(format=number_formats.FORMATS["fp8_ds_mla"])
    return case.refused("its compressed streams are kept as fp8_ds_mla", "auto")


def _sparse(case: _Case) -> Resolved:
    major = capability(case.device)[0]
    if not is_nvidia(case.device):
        return case.kept()
    if major not in (9, 10, 12):
        return case.refused(f"no sparse-attention backend runs on {case.device.name}", "a Hopper or Blackwell GPU")
    if (case.name in FP8 and major != 10) or (case.name in SIXTEEN_BITS and major == 12):
        return Resolved(format=number_formats.FORMATS["fp8_ds_mla"])
    if case.name == "nvfp4_ds_mla" and major != 10:
        return case.refused("it needs a Blackwell data-centre GPU", "fp8_ds_mla")
    if case.name in (*SIXTEEN_BITS, *FP8, *RECORDS):
        return case.kept()
    return case.refused("no sparse-attention backend reads it", "bf16 or fp8")


def _dense_latent(case: _Case) -> Resolved:
    per_head = case.name.endswith("_per_token_head") and not is_nvidia(case.device)
    if case.name in (*SIXTEEN_BITS, *FP8) or per_head:
        return case.kept()
    return case.refused("no MLA backend reads it", "bf16 or fp8")


def _attention(case: _Case) -> Resolved:
    reason = next((why for applies, why in _REFUSALS if applies(case)), None)
    return case.refused(reason, "auto or fp8") if reason else case.kept()


def _is_too_old(case: _Case) -> bool:
    return is_nvidia(case.device) and capability(case.device) < AMPERE and case.name not in SIXTEEN_BITS


def _misreads_nvfp4(case: _Case) -> bool:
    """`v1/attention/backends/flashinfer.py` `supports_combination`."""
    narrow = any(part.key_dim == 64 for part in case.model.attention)
    return case.name.startswith("nvfp4") and narrow and capability(case.device)[0] in (8, 9, 12)


def _has_windows(case: _Case) -> bool:
    return any(part.kind in ("sliding", "chunked") for part in case.model.parts)


_REFUSALS: tuple[tuple[Callable[[_Case], bool], str], ...] = (
    (lambda c: c.name in RECORDS, "it lays out MLA latents, which this model does not have"),
    (lambda c: c.name.startswith("nvfp4") and not is_nvidia(c.device), "it needs an NVIDIA GPU"),
    (_misreads_nvfp4, "its kernels do not read heads of 64 in it on this GPU"),
    (_is_too_old, "the GPU is too old"),
    (
        lambda c: c.name == "fp8_e5m2" and c.model.geometry.quantization.startswith("fp8"),
        "the checkpoint's weights are fp8, with which vLLM does not take fp8_e5m2",
    ),
    (lambda c: c.name.startswith("turboquant") and _has_windows(c), "its backend has no sliding windows"),
    (lambda c: c.name.startswith("turboquant") and c.model.is_encoder_decoder, "its backend has no cross-attention"),
)


def _refused(name: str, reason: str, instead: str) -> Finding:
    return refusal(
        "unsupported-kv-dtype", f"vLLM would not start with a cache in {name}: {reason}.", f"Choose {instead}."
    )


def asked(flag: str, option: str | None) -> str:
    """The format asked for: the flag, else the engine's own option, else `auto`."""
    return flag if flag != "auto" or option is None else option
