"""Laws that hold for any model, pool and length."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvdesk.core.errors import KvdeskError
from kvdesk.core.geometry import Geometry, Layer
from kvdesk.core.layers import CachePart, Chunked, Cross, Full, Indexer, Mla, NoCache, Shared, Sliding
from kvdesk.core.layout import Layout
from kvdesk.core.number_formats import FORMATS
from kvdesk.core.states import GatedDelta, KimiDelta, LightningAttention, Mamba1, Mamba2, Rwkv, ShortConvolution
from kvdesk.core.workload import Workload
from kvdesk.engines.base import Question
from kvdesk.engines.vllm.kv_dtype import NAMES
from kvdesk.engines.vllm.profile import ENGINE
from kvdesk.engines.vllm.versions import VERSIONS
from tests.engines import samples

MIB = 2**20
BF16, FP32 = FORMATS["bf16"], FORMATS["fp32"]
HEADS = st.sampled_from([1, 2, 4, 8])
DIMS = st.sampled_from([64, 96, 128, 256])
PARTS: st.SearchStrategy[CachePart] = st.one_of(
    st.builds(Full, kv_heads=HEADS, key_dim=DIMS, value_dim=DIMS),
    st.builds(Sliding, kv_heads=HEADS, key_dim=DIMS, value_dim=DIMS, window=st.sampled_from([128, 1024, 4096])),
    st.builds(Chunked, kv_heads=HEADS, key_dim=DIMS, value_dim=DIMS, chunk=st.sampled_from([1024, 8192])),
    st.builds(Mla, latent_dim=st.just(512), rope_dim=st.just(64)),
    st.builds(Indexer, key_dim=st.just(128)),
    st.builds(Cross, kv_heads=HEADS, key_dim=DIMS, value_dim=DIMS, encoder_tokens=st.just(1500)),
    st.just(Shared()),
    st.just(NoCache()),
    st.just(
        GatedDelta(
            key_heads=16,
            value_heads=32,
            key_dim=128,
            value_dim=128,
            conv_kernel=4,
            conv_format=BF16,
            recurrent_format=FP32,
        )
    ),
    st.just(KimiDelta(heads=32, head_dim=128, conv_kernel=4, conv_format=BF16, recurrent_format=FP32)),
    st.just(Mamba1(inner=4096, state_size=16, conv_kernel=4, conv_format=BF16, recurrent_format=BF16)),
    st.just(
        Mamba2(
            inner=4096,
            heads=64,
            head_dim=64,
            state_size=128,
            groups=8,
            conv_kernel=4,
            conv_format=BF16,
            recurrent_format=BF16,
        )
    ),
    st.just(LightningAttention(heads=32, head_dim=128, conv_format=BF16, recurrent_format=BF16)),
    st.just(ShortConvolution(channels=2048, conv_kernel=3, conv_format=BF16, recurrent_format=BF16)),
    st.just(Rwkv(hidden=2048, heads=32, head_dim=64, conv_format=BF16, recurrent_format=FP32)),
)
LAYERS: st.SearchStrategy[Layer] = st.lists(PARTS, min_size=0, max_size=2).map(tuple)


@st.composite
def models(draw: st.DrawFn) -> Geometry:
    kinds = draw(st.lists(LAYERS, min_size=1, max_size=3))
    counts = [draw(st.integers(1, 12)) for _ in kinds]
    layers = tuple(layer for layer, count in zip(kinds, counts, strict=True) for _ in range(count))
    return samples.geometry(layers)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    return samples.question(
        draw(models()),
        context=draw(st.integers(1, 131_072)),
        sequences=2,
        pool=draw(st.integers(0, 40_000)) * MIB,
        layout=Layout(tp=draw(st.sampled_from([1, 2, 4, 8, 16])), pp=draw(st.sampled_from([1, 2, 3]))),
        kv_dtype=draw(st.sampled_from(["auto", *NAMES])),
        engine_version=draw(st.sampled_from(VERSIONS)),
        arguments={"disable_hybrid_kv_cache_manager": draw(st.booleans())},
    )


@settings(max_examples=150, deadline=None)
@given(questions())
def test_any_model_gives_an_answer_or_says_why_not(asked: Question) -> None:
    try:
        found = ENGINE.answer(asked)
    except KvdeskError:
        return
    assert found.fits == (found.limit is None and found.full_length_sequences >= 2)
    assert found.max_context >= 0
    assert found.findings or found.num_blocks is not None


@settings(max_examples=80, deadline=None)
@given(models(), st.integers(1, 20_000).map(lambda mib: mib * MIB), st.integers(1, 131_072))
def test_a_larger_pool_holds_no_less_and_what_is_said_to_fit_does(model: Geometry, pool: int, context: int) -> None:
    try:
        small = ENGINE.answer(samples.question(model, context=context, pool=pool))
        large = ENGINE.answer(samples.question(model, context=context, pool=2 * pool))
    except KvdeskError:
        return
    assert large.full_length_sequences >= small.full_length_sequences
    assert large.max_context >= small.max_context
    if small.fits and small.num_blocks:
        assert small.allocated.at(context) <= pool
    assert small.allocated.at(context) >= small.logical.at(context) or not small.fits


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 131_072), st.integers(200, 60_000).map(lambda mib: mib * MIB))
def test_the_longest_context_fits_and_one_more_token_does_not(context: int, pool: int) -> None:
    for model in (samples.LLAMA_8B, samples.GEMMA_3_27B, samples.QWEN3_NEXT, samples.DEEPSEEK_V3_2):
        found = ENGINE.answer(samples.question(model, context=context, pool=pool))
        longest = found.max_context
        if longest:
            assert ENGINE.answer(samples.question(model, context=longest, pool=pool)).fits
        if longest < 131_072:
            assert not ENGINE.answer(samples.question(model, context=longest + 1, pool=pool)).fits


@pytest.mark.parametrize("sequences", [1, 2, 7, 40])
def test_the_longest_context_of_several_sequences(sequences: int) -> None:
    asked = samples.question(samples.GEMMA_3_27B, context=8192, sequences=sequences)
    longest = ENGINE.answer(asked).max_context

    def fits(context: int) -> bool:
        return ENGINE.answer(replace(asked, workload=Workload(context=context, sequences=sequences))).fits

    assert fits(longest)
    assert longest == 131_072 or not fits(longest + 1)
