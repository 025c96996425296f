"""Number formats of a cache or of weights, as exact block sizes.

A format packs `block` elements into `block_bytes` bytes, so that every size is an integer: q8_0 stores 32 elements in
34 bytes, NVFP4 16 elements in 9 (eight bytes of digits and one FP8 scale). Some formats add `vector_bytes` for each
head's key or value vector (a scale per token and head). *Record* formats lay out the whole latent of one token and are
known only for the shapes in `records`.

Sources: vLLM 0.33.0 `utils/torch_utils.py` (NVFP4: head_dim/2 + head_dim/16), `v1/attention/backends/triton_attn.py`
(per-token-head scales, 4 B for K and 4 B for V), `model_executor/layers/attention/mla_attention.py` (records 656 and
352), `models/deepseek_v4` (record 584); ggml block types: llama.cpp `ggml/src/ggml-common.h` at 0c1e57098.
"""

from collections.abc import Mapping

from kvdesk.core.errors import RefusalError
from kvdesk.core.values import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberFormat:
    """How elements become bytes."""

    name: str
    block: int = 1
    block_bytes: int
    vector_bytes: int = 0
    records: Mapping[tuple[int, int], int] = field(default_factory=dict, hash=False)
    """Bytes of one token's record by (latent width, rope width); empty for formats that are not records."""
    values: "NumberFormat | None" = None
    """How values are packed where they differ from keys (TurboQuant), else None."""
    pair_multiple: int = 1
    """A head's key and value together are rounded up to a multiple of so many bytes."""

    def vector(self, elements: int) -> int:
        """Bytes of one vector of `elements` numbers (one head's key or value at one token), scales included."""
        return -(-elements // self.block) * self.block_bytes + (self.vector_bytes if elements else 0)

    def pair(self, key_dim: int, value_dim: int) -> int:
        """Bytes of one head's key and value at one token."""
        size = self.vector(key_dim) + (self.values or self).vector(value_dim)
        return -(-size // self.pair_multiple) * self.pair_multiple

    def latent(self, latent_dim: int, rope_dim: int) -> int:
        """Bytes of one MLA latent with its rotary part at one token.

        Raises `RefusalError` (`unknown-record`) for a record format whose layout at this shape is not known.
        """
        if not self.records:
            # Formats with a scale per vector keep a pair of them for a latent too (vLLM `MLACommonBackend`).
            return self.vector(latent_dim + rope_dim) + self.vector_bytes
        record = self.records.get((latent_dim, rope_dim))
        if record is None:
            known = ", ".join(f"{a}+{b}" for a, b in self.records)
            raise RefusalError(
                "unknown-record",
                f"The record format {self.name} is not known for a latent of {latent_dim}+{rope_dim} elements.",
                f"Its layout is known for {known}.",
                "Choose bf16 or fp8 for this model.",
            )
        return record

    @property
    def bits_per_element(self) -> str:
        """For people: `"4.5 bits"`, without per-vector scales."""
        bits = self.block_bytes * 8 / self.block
        return f"{bits:g} bits"


def _plain(name: str, size: int) -> NumberFormat:
    return NumberFormat(name=name, block_bytes=size)


def _turboquant(name: str, key_bits: int, value_bits: int) -> NumberFormat:
    """TurboQuant: ceil(dim x bits / 8) bytes, keys with a 2-byte norm (none at 8 bits), values with scale and zero.

    Source: vLLM 0.33.0 `model_executor/layers/quantization/turboquant/config.py`.
    """
    values = NumberFormat(name=f"{name}_values", block=8, block_bytes=value_bits, vector_bytes=4)
    return NumberFormat(
        name=name,
        block=8,
        block_bytes=key_bits,
        vector_bytes=0 if key_bits == 8 else 2,
        values=values,
        pair_multiple=2,
    )


FORMATS: Mapping[str, NumberFormat] = {
    f.name: f
    for f in (
        _plain("fp32", 4),
        _plain("bf16", 2),
        _plain("fp16", 2),
        _plain("fp8", 1),
        _plain("fp8_e4m3", 1),
        _plain("fp8_e5m2", 1),
        _plain("int8", 1),
        NumberFormat(name="int4", block=2, block_bytes=1),
        NumberFormat(name="fp8_per_token_head", block_bytes=1, vector_bytes=4),
        NumberFormat(name="int8_per_token_head", block_bytes=1, vector_bytes=4),
        NumberFormat(name="int4_per_token_head", block=2, block_bytes=1, vector_bytes=4),
        NumberFormat(name="nvfp4", block=16, block_bytes=9),
        NumberFormat(name="nvfp4_4over6", block=16, block_bytes=9),
        _turboquant("turboquant_k8v4", 8, 4),
        _turboquant("turboquant_4bit_nc", 4, 4),
        _turboquant("turboquant_k3v4_nc", 3, 4),
        _turboquant("turboquant_3bit_nc", 3, 3),
        NumberFormat(name="mxfp4", block=32, block_bytes=17),
        NumberFormat(name="mxfp8", block=32, block_bytes=33),
        NumberFormat(name="q8_0", block=32, block_bytes=34),
        NumberFormat(name="q5_1", block=32, block_bytes=24),
        NumberFormat(name="q5_0", block=32, block_bytes=22),
        NumberFormat(name="q4_1", block=32, block_bytes=20),
        NumberFormat(name="q4_0", block=32, block_bytes=18),
        NumberFormat(name="iq4_nl", block=32, block_bytes=18),
        NumberFormat(name="fp8_ds_mla", block_bytes=1, records={(512, 64): 656, (448, 64): 584}),
        NumberFormat(name="nvfp4_ds_mla", block=16, block_bytes=9, records={(512, 64): 352}),
    )
}
"""Every number format kvdesk knows, by its name."""

ALIASES: Mapping[str, str] = {
    "float32": "fp32",
    "f32": "fp32",
    "bfloat16": "bf16",
    "float16": "fp16",
    "f16": "fp16",
    "half": "fp16",
    "float": "fp32",
    "float8_e4m3fn": "fp8_e4m3",
    "float8_e5m2": "fp8_e5m2",
}
"""Other spellings: torch's and ggml's."""


def find(name: str) -> NumberFormat | None:
    """The format of that name or alias (`torch.bfloat16` too), or None."""
    key = name.strip().lower().removeprefix("torch.")
    return FORMATS.get(ALIASES.get(key, key))


def get(name: str) -> NumberFormat:
    """The format of that name; raises `RefusalError` (`unknown-number-format`) naming those that are known."""
    found = find(name)
    if found is None:
        raise RefusalError(
            "unknown-number-format",
            f"The number format “{name[:60]}” is not known.",
            "Its bytes per element cannot be guessed.",
            f"Choose one of {', '.join(FORMATS)}.",
        )
    return found
