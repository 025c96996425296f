"""Older versions: figures printed in public logs, and refusals of what is not worked out."""

import pytest

from kvdesk.core.errors import UsageError
from kvdesk.core.geometry import Geometry
from kvdesk.core.layout import Layout
from kvdesk.core.number_formats import FORMATS
from kvdesk.core.states import Mamba1
from kvdesk.engines.vllm import versions
from kvdesk.engines.vllm.profile import ENGINE
from tests.engines import samples

GIB = 2**30
MAMBA = Mamba1(inner=4096, state_size=16, conv_kernel=4, conv_format=FORMATS["bf16"], recurrent_format=FORMATS["bf16"])
MAMBA_HYBRID = samples.geometry(((MAMBA,),) * 7 + samples.full(1))


def pool(gib: str) -> int:
    whole, cents = gib.split(".")
    return (int(whole) * 100 + int(cents)) * GIB // 100


def test_gemma_3_27b_on_0_11() -> None:
    # A log of 0.11.0rc2 on 192 GB, 109.86 GiB: 205,696 tokens, 50.05x at 4,096 tokens, 8,192 batched tokens.
    found = ENGINE.answer(
        samples.question(
            samples.GEMMA_3_27B,
            context=4096,
            pool=89_994 * 1_310_720,
            engine_version="0.11.0rc2.dev98",
            arguments={"max_num_batched_tokens": 8192},
        )
    )
    # 89,994 // 7 groups x 16 = 205,696; 89,994 / (6 x 257 + 256) = 50.05
    assert (found.num_blocks, found.pool_tokens) == (89_994, 205_696)
    assert f"{found.max_concurrency:.2f}" == "50.05"


def test_qwen3_next_on_0_10_without_prefix_caching() -> None:
    # A log of 0.10.2 on two H200, 44.59 GiB: 973,760 tokens, 14.77x at 262,144 tokens, 7,162 blocks.
    model = samples.QWEN3_NEXT
    found = ENGINE.answer(
        samples.question(model, context=131_072, pool=pool("44.59"), engine_version="0.10.2", layout=Layout(tp=2))
    )
    assert (found.block_size, found.num_blocks, found.pool_tokens) == (544, 7_162, 973_760)


def test_gemma_4_31b_on_0_22() -> None:
    # A log of 0.21 to 0.24, 28.41 GiB: 97,541 tokens, 2.98x at 32,768 tokens, 8,192 batched tokens.
    model = samples.geometry(samples.sliding(50, 1024, 16, 256) + samples.full(10, 4, 512), query_heads=32)
    found = ENGINE.answer(
        samples.question(
            model,
            context=32_768,
            pool=pool("28.41"),
            engine_version="0.22.0",
            arguments={"max_num_batched_tokens": 8192},
        )
    )
    # 5 x (ceil(9,215 / 16) + 1) + 1,024 = 3,909 blocks of 2,621,440 B
    assert found.allocated_bytes_per_sequence == 3_909 * 2_621_440
    assert (found.pool_tokens, f"{found.max_concurrency:.2f}") == (97_541, "2.98")


def test_qwen3_5_on_0_19() -> None:
    # vllm-project/vllm#40691, 0.19.0: 1,487 blocks of 784 tokens, 290,864 tokens, 33.04x at 32,768.
    found = ENGINE.answer(
        samples.question(
            samples.QWEN3_NEXT, context=32_768, engine_version="0.19.0", arguments={"num_gpu_blocks_override": 1487}
        )
    )
    # Here blocks have 544 tokens: 1,487 // 4 x 544; ceil(32,768 / 544) + 3 x 1 = 64 blocks per sequence.
    assert (found.pool_tokens, found.max_concurrency) == (1487 // 4 * 544, 1487 / 64)


def test_the_first_engine_on_an_rtx_3090() -> None:
    # vllm-project/vllm#10517, 0.6.4: 1,952 blocks of 16 tokens, 1.56x at 20,000 tokens.
    found = ENGINE.answer(
        samples.question(samples.LLAMA_8B, context=20_000, pool=1_952 * 2_097_152, engine_version="0.6.4")
    )
    assert (found.num_blocks, found.pool_tokens, f"{found.max_concurrency:.2f}") == (1_952, 31_232, "1.56")


def test_the_start_up_check_counted_every_block_before_0_29() -> None:
    # 131,072 tokens need 8,192 blocks, which is all there are.
    codes = {
        version: [
            f.code
            for f in ENGINE.answer(
                samples.question(samples.LLAMA_8B, context=131_072, pool=8_192 * 2_097_152, engine_version=version)
            ).findings
        ]
        for version in ("0.28.0", "0.29.0")
    }
    assert codes == {"0.28.0": [], "0.29.0": ["one-sequence-does-not-fit"]}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("v0.20.1rc2.dev3+g1234", (0, 20, 1)), ("0.33", (0, 33, 0)), ("0.6.4.post1", (0, 6, 4)), ("1.0.0", (1, 0, 0))],
)
def test_versions_are_read(text: str, wanted: tuple[int, int, int]) -> None:
    assert versions.parse(text) == wanted


@pytest.mark.parametrize("text", ["", "latest", "0", "x.1", "0.", "9" * 40])
def test_what_is_not_a_version(text: str) -> None:
    with pytest.raises(UsageError, match="not a version"):
        versions.parse(text)


def test_older_than_the_oldest() -> None:
    with pytest.raises(UsageError) as caught:
        versions.rules("0.5.4")
    assert caught.value.code == "unknown-engine-version"


def test_the_newest_is_the_default_and_newer_ones_are_said_to_be() -> None:
    assert versions.rules(None).version == versions.VERSIONS[0]
    found = ENGINE.answer(samples.question(samples.LLAMA_8B, engine_version="9.0.0"))
    assert "newer-engine-version" in [f.code for f in found.findings]


def test_versions_are_listed_newest_first() -> None:
    parsed = [versions.parse(version) for version in versions.VERSIONS]
    assert parsed == sorted(parsed, reverse=True)


@pytest.mark.parametrize(("model", "version"), [(samples.QWEN3_NEXT, "0.8.5"), (samples.DEEPSEEK_V3, "0.6.6")])
def test_what_older_versions_kept_otherwise_is_refused(model: Geometry, version: str) -> None:
    found = ENGINE.answer(samples.question(model, engine_version=version))
    assert [f.code for f in found.findings] == ["version-not-modelled"]
