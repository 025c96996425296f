"""Attention backends: the block sizes that their kernels take, and which one vLLM would pick.

Sources (vLLM 0.33.0): `platforms/cuda.py` `_get_backend_priorities`; `get_supported_kernel_block_sizes` and
`get_preferred_block_size` of the classes in `v1/attention/backends`, `models/minimax_m3` and `models/deepseek_v4`.
"""

from kvdesk.core.device import Device
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.values import dataclass
from kvdesk.engines.vllm.model import Model, capability, is_nvidia


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """A backend's name, the smallest block its kernels take, and the block vLLM starts from with it."""

    name: str
    kernel: int = 16
    preferred: int = 16
    fixed: tuple[int, ...] = ()
    """Block sizes it takes where it does not take every multiple of `kernel`."""

    def takes(self, block: int) -> bool:
        """Whether blocks of `block` tokens can be used, split into kernel blocks where need be."""
        return any(block % size == 0 for size in self.fixed) if self.fixed else block % self.kernel == 0


BACKENDS = {
    b.name: b
    for b in (
        Backend(name="FLASH_ATTN"),
        Backend(name="TRITON_ATTN"),
        Backend(name="FLEX_ATTENTION"),
        Backend(name="FLASHINFER", fixed=(16, 32, 64)),
        Backend(name="TURBOQUANT", fixed=(16, 32, 64, 128)),
        Backend(name="FLASH_ATTN_MLA"),
        Backend(name="TRITON_MLA"),
        Backend(name="FLASHMLA", kernel=64, preferred=64, fixed=(64,)),
        Backend(name="FLASHINFER_MLA", kernel=32, preferred=32, fixed=(32, 64)),
        Backend(name="TOKENSPEED_MLA", kernel=32, preferred=32, fixed=(32, 64)),
        Backend(name="CUTLASS_MLA", kernel=128, preferred=128, fixed=(128,)),
        Backend(name="SPARSE_MLA", kernel=64, preferred=64, fixed=(64,)),
        Backend(name="ROCM_SPARSE_MLA"),
        Backend(name="MINIMAX_M3_SPARSE", kernel=128, preferred=128, fixed=(128,)),
        Backend(name="DEEPSEEK_V4", kernel=256, preferred=256, fixed=(256,)),
        Backend(name="FLASH_ATTN_4_FP8_512", kernel=64, preferred=64, fixed=(64,)),
    )
}
"""`SPARSE_MLA` stands for every sparse MLA backend together with its indexer, which takes 64 tokens only;
`FLASH_ATTN_4_FP8_512` for FlashAttention with heads of 512 and an fp8 cache on Hopper."""

WIDEST_FLASH_ATTENTION_3 = 256


def pick(model: Model, fmt: NumberFormat, device: Device, asked: str | None, block: int | None) -> Backend | None:
    """The backend of the model's first attention layer, None where none takes blocks of `block` tokens."""
    chosen = _chosen(model, fmt, device, asked)
    if block is None or chosen.takes(block):
        return chosen
    # vLLM then takes the next backend that takes such blocks.
    wide = model.is_compressed or model.is_sparse or model.is_block_sparse
    return None if wide or block % BACKENDS["TRITON_MLA"].kernel else BACKENDS["TRITON_MLA"]


def _chosen(model: Model, fmt: NumberFormat, device: Device, asked: str | None) -> Backend:
    if asked in BACKENDS and not (model.is_compressed or model.is_sparse or model.is_block_sparse):
        return BACKENDS[asked]
    return BACKENDS[_name(model, fmt, device)]


def _name(model: Model, fmt: NumberFormat, device: Device) -> str:
    major = capability(device)[0]
    fp8 = fmt.name.startswith("fp8")
    if model.is_compressed:
        return "DEEPSEEK_V4"
    if model.is_sparse:
        return "SPARSE_MLA" if is_nvidia(device) else "ROCM_SPARSE_MLA"
    if model.is_block_sparse:
        return "MINIMAX_M3_SPARSE"
    if model.is_latent:
        if major == 9:
            return "FLASHMLA" if fp8 else "FLASH_ATTN_MLA"
        return "FLASHINFER_MLA" if major == 10 else "TRITON_MLA"
    if fmt.name.startswith("turboquant"):
        return "TURBOQUANT"
    if major == 9 and fmt.name in ("fp8", "fp8_e4m3") and widest_head(model) == 512:
        return "FLASH_ATTN_4_FP8_512"
    return "FLASHINFER" if major == 10 else "FLASH_ATTN"


def widest_head(model: Model) -> int:
    """The widest key of the model, in elements."""
    return max((part.key_dim for part in model.attention), default=0)
