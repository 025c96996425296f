"""Formats of quantised weights with the scales that lie beside them.

Sources: NVFP4, one FP8 scale for 16 (NVIDIA Model Optimizer, `modelopt/torch/quantization`); MXFP4 and MXFP8, one
exponent byte for 32 (OCP Microscaling 1.0); AWQ and GPTQ, a 16-bit scale and a zero point of the same bits for each
group (vLLM 0.33 `model_executor/layers/quantization/awq.py`, `gptq.py`); FP8 with one fp32 scale for a block of weights
(`fp8.py`, `weight_scale_inv`); bitsandbytes NF4, an fp32 maximum for 64, itself in 8 bits with a maximum for 256 of
them where doubly quantised; MLX, a 16-bit scale and bias for each group.
"""

from kvdesk.core.number_formats import FORMATS, NumberFormat

MAX_BLOCK = 2**20


def floating(bits: int, group: int | None) -> NumberFormat:
    """Floating-point weights of `bits` bits: NVFP4 and MXFP4 by their group, FP8 without."""
    if bits == 8:
        return FORMATS["fp8"] if group != 32 else FORMATS["mxfp8"]
    if bits == 4:
        return FORMATS["mxfp4"] if group == 32 else FORMATS["nvfp4"]
    return FORMATS["bf16"]


def fp8_blocks(rows: int, columns: int) -> NumberFormat:
    """FP8 with one fp32 scale for each block of rows x columns."""
    block = max(1, min(rows * columns, MAX_BLOCK))
    return NumberFormat(name=f"fp8 {rows}x{columns}", block=block, block_bytes=block + 4)


def integers(bits: int, group: int | None, *, zeros: bool = False, scale_bytes: int = 2) -> NumberFormat:
    """Integers of `bits` bits with a scale, and a zero point where `zeros`, for each group; none for whole channels.

    The block is eight groups long, so that packed bits fill whole bytes.
    """
    if not group or group < 0:
        return NumberFormat(name=f"int{bits}", block=8, block_bytes=bits)
    group = min(group, MAX_BLOCK)
    size = bits * group + 8 * scale_bytes + (bits if zeros else 0)
    return NumberFormat(name=f"int{bits} g{group}", block=8 * group, block_bytes=size)


def normal_float(*, double: bool) -> NumberFormat:
    """NF4 or FP4 of bitsandbytes."""
    if double:
        return NumberFormat(name="nf4 double", block=64 * 256, block_bytes=32 * 256 + 256 + 4)
    return NumberFormat(name="nf4", block=64, block_bytes=36)


def mlx(bits: int, group: int) -> NumberFormat:
    """MLX's affine quantisation."""
    return integers(bits, group, scale_bytes=4)
