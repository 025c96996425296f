"""The number format of the pool.

Source: SGLang 0.5.23 `arg_groups/fields/model.py` (choices), `mem_cache/kv_cache_configurator.py`
`calculate_mla_kv_cache_dim` (records). `auto` is the checkpoint's own wish, else the model's format; sparse latent
attention (an indexer) takes bf16 on Hopper and fp8 on Blackwell, and knows no other.
"""

from kvdesk.core import number_formats
from kvdesk.core.errors import RefusalError
from kvdesk.engines.arguments import Arguments
from kvdesk.engines.base import Question

_CHOICES = {
    "bf16": "bf16",
    "fp16": "fp16",
    "fp32": "fp32",
    "fp8": "fp8_e4m3",
    "fp8_e4m3": "fp8_e4m3",
    "fp8_e5m2": "fp8_e5m2",
    "mxfp8": "mxfp8",
    "nvfp4": "nvfp4",
    "fp8_ds_mla": "fp8_ds_mla",
}


def resolve(question: Question, arguments: Arguments) -> str:
    """The format's name; raises `RefusalError` (`unsupported-kv-dtype`) for what SGLang does not store."""
    geometry = question.geometry
    sparse = any(part.kind == "indexer" for part in geometry.parts())
    asked = arguments.text("kv_cache_dtype", question.kv_dtype)
    if asked == "auto":
        wish = geometry.checkpoint_kv_dtype or geometry.model_dtype
        asked = _sparse_default(question) if sparse and not geometry.checkpoint_kv_dtype else wish.value
    known = number_formats.find(asked)
    name = _CHOICES.get(known.name if known else asked)
    if name is None or (name == "fp8_ds_mla" and not sparse):
        raise _refused(asked, ", ".join(sorted(_CHOICES)))
    if not sparse:
        return name
    if name not in ("bf16", "fp16", "fp8_e4m3", "fp8_ds_mla"):
        raise _refused(asked, "bf16 and fp8 (sparse attention)")
    # 512 B of fp8 latent, 16 B of scales, 128 B of bf16 rotary key: the record of 656 B.
    return "fp8_ds_mla" if name.startswith("fp8") else name


def check_device(name: str, question: Question) -> None:
    """Raise `RefusalError` for a format that the GPU does not keep.

    Source: `arg_groups/kv_cache_hook.py` `handle_kv4_compatibility`: NVFP4 needs SM 10.x or 12.x.
    """
    capability = question.device.compute_capability
    if name == "nvfp4" and capability is not None and capability[0] not in (10, 12):
        raise RefusalError(
            "unsupported-kv-dtype",
            f"SGLang keeps a cache in nvfp4 only on Blackwell GPUs, not on {question.device.name}.",
            "",
            "Choose fp8.",
        )


def _sparse_default(question: Question) -> str:
    capability = question.device.compute_capability
    return "fp8_e4m3" if capability is not None and capability[0] >= 10 else "bf16"


def _refused(asked: str, known: str) -> RefusalError:
    return RefusalError(
        "unsupported-kv-dtype", f"SGLang does not keep a cache in “{asked[:40]}”.", f"It knows {known}.", "Choose one."
    )
