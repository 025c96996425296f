"""The decision table: how many GPUs, in which layout, on how many nodes, with the arithmetic written out."""

from pathlib import Path

import pytest

from kvdesk.app import lookup
from kvdesk.app.derive import Deriver
from kvdesk.app.plan import PlanRow, plan
from kvdesk.app.plan_layouts import Replica, replicas
from kvdesk.app.session import GpuChoice, Session
from kvdesk.core.values import replace

CONFIGS = Path(__file__).parents[1] / "fixtures" / "configs"
LLAMA_8B = Session(model=lookup.from_card("llama-3.1-8b"), gpus=(GpuChoice(gpu="h100-sxm"),), context=8192)


def session(
    name: str, gpu: str, *, engine: str = "plain", sequences: int = 1, weights_bytes: int | None = None
) -> Session:
    return Session(
        model=lookup.load_path(CONFIGS / f"{name}.json"),
        context=8192,
        gpus=(GpuChoice(gpu=gpu),),
        engine=engine,
        sequences=sequences,
        weights_bytes=weights_bytes,
    )


def row_of(asked: Session) -> PlanRow:
    _, (row,) = plan(asked, Deriver())
    return row


LLAMA_70B = session("meta-llama__Llama-3.1-70B-Instruct", "h100-sxm", weights_bytes=141_107_412_992)
"""80 GB x 0.92 - 3 GB = 70.6 GB for weights and cache of one GPU; a sequence is 8,192 x 327,680 B = 2,684,354,560 B."""


def test_the_fewest_gpus_that_hold_the_sequences() -> None:
    """TP 2 leaves a pool of 46 MB; TP 4: (70.6e9 - 35,276,853,248) / 671,088,640 = 52.6 sequences."""
    row = row_of(replace(LLAMA_70B, sequences=50))
    assert (row.gpus, row.replicas, row.replica) == (4, 1, Replica(tp=4))
    assert (row.per_replica, row.holds, row.gpus_n_plus_1) == (52, 52, 8)
    assert row.headroom == 2 / 52
    assert row.limit == "kv"


def test_of_as_many_gpus_the_layout_with_more_room() -> None:
    """100 sequences: two of TP 4 hold 104, one TP 8 holds (70.6e9 - 17,638,426,624) / 335,544,320 = 157.8."""
    row = row_of(replace(LLAMA_70B, sequences=100))
    assert (row.gpus, row.replica, row.holds) == (8, Replica(tp=8), 157)
    assert row.limit == "kv"


def test_a_degree_that_is_set_stays() -> None:
    row = row_of(replace(LLAMA_70B, sequences=100, gpus=(GpuChoice(gpu="h100-sxm", tp=4),)))
    assert (row.gpus, row.replicas, row.replica, row.holds) == (8, 2, Replica(tp=4), 104)


def test_the_low_end_needs_more() -> None:
    """With 8 GB held back TP 4 holds (65.6e9 - 35,276,853,248) / 671,088,640 = 45.2: 50 sequences need eight GPUs."""
    row = row_of(replace(LLAMA_70B, sequences=50))
    assert (row.gpus, row.holds_low, row.gpus_low) == (4, 45, 8)


@pytest.mark.parametrize(
    ("replica", "copies", "node", "nodes"),
    [
        (Replica(tp=2), 5, 8, 2),  # four on a node
        (Replica(tp=8, pp=2), 3, 8, 6),
        (Replica(tp=4, pp=3), 1, 4, 3),
        (Replica(tp=1, dp=16), 2, 8, 4),
        (Replica(tp=8), 1, 4, 2),
        (Replica(tp=3, pp=3), 1, 8, 2),  # two groups of three on one node, one on the next
    ],
)
def test_nodes(replica: Replica, copies: int, node: int, nodes: int) -> None:
    assert replica.nodes(copies, node) == nodes


def test_tensor_parallelism_stays_inside_a_node() -> None:
    """T4: 16 GB x 0.92 - 3 GB = 11.72 GB; 60 GB of weights over four are 15 GB each, over eight 7.5 GB."""
    row = row_of(session("meta-llama__Llama-3.1-70B-Instruct", "t4", weights_bytes=60_000_000_000))
    assert (row.gpus, row.replica, row.nodes, row.per_node) == (8, Replica(tp=4, pp=2), 2, 4)
    assert any("spans 2 nodes of 4" in note for note in row.notes)


def test_a_wider_group_is_said() -> None:
    asked = session("meta-llama__Llama-3.1-70B-Instruct", "t4", weights_bytes=60_000_000_000)
    row = row_of(replace(asked, gpus=(GpuChoice(gpu="t4", tp=8),)))
    assert (row.gpus, row.replica) == (8, Replica(tp=8))
    assert any("wider than a node of 4" in note for note in row.notes)


def test_weights_of_many_gpus() -> None:
    """1.4 TB of weights: 16 x 70.6 GB are too few, 24 leave 12.3 GB each."""
    row = row_of(session("meta-llama__Llama-3.1-405B-Instruct-FP8", "h100-sxm", weights_bytes=1_400_000_000_000))
    assert row.gpus == 24
    assert row.replica == Replica(tp=8, pp=3)
    assert row.nodes == 3


def test_latents_are_not_copied_where_attention_is_data_parallel() -> None:
    """DeepSeek-V3: TP 8 keeps eight copies of every latent, eight attention replicas keep one."""
    asked = session("deepseek-ai__DeepSeek-V3", "h200-sxm", engine="vllm", sequences=200)
    row = row_of(asked)
    assert row.replica is not None
    assert (row.gpus, row.replica.pp) == (8, 1)
    assert row.replica.dp > 1
    eight = replace(asked, gpus=(GpuChoice(gpu="h200-sxm", count=8, tp=8),))
    copied = Deriver().derive(eight).options[0].answer
    assert copied is not None
    assert copied.full_length_sequences < row.holds


def test_the_textbook_knows_whole_replicas_only() -> None:
    row = row_of(session("deepseek-ai__DeepSeek-V3", "h200-sxm", sequences=2))
    assert row.replica is not None
    assert row.replica.dp == 1


@pytest.mark.parametrize("engine", ["plain", "vllm", "sglang", "tensorrt_llm", "llama_cpp"])
@pytest.mark.parametrize("model", ["meta-llama__Llama-3.1-8B-Instruct", "Qwen__Qwen3-Next-80B-A3B-Instruct"])
def test_each_replica_holds_its_share(engine: str, model: str) -> None:
    """What the table promises is what a sizing of one replica with its share of the sequences says."""
    asked = session(model, "h100-sxm", engine=engine, sequences=700)
    row = row_of(asked)
    assert row.replica is not None
    assert row.gpus == row.replicas * row.replica.gpus
    one = GpuChoice(gpu="h100-sxm", count=row.replica.gpus, tp=row.replica.tp, pp=row.replica.pp, dp=row.replica.dp)
    share = -(-700 // row.replicas)
    option = Deriver().derive(replace(asked, gpus=(one,), sequences=share)).options[0]
    assert option.fits
    assert option.answer is not None
    assert option.answer.full_length_sequences == row.per_replica
    assert row.holds >= 700
    if row.replicas > 1:
        fewer = -(-700 // (row.replicas - 1))
        assert not Deriver().derive(replace(asked, gpus=(one,), sequences=fewer)).options[0].fits


def test_two_nodes_a_replica_where_one_holds_next_to_nothing() -> None:
    """Kimi K2 fills eight H200 but for a sequence or two; replicas of 16 hold hundreds."""
    row = row_of(session("moonshotai__Kimi-K2-Instruct", "h200-sxm", engine="vllm", sequences=500))
    assert (row.gpus, row.nodes) == (16, 2)


def test_any_number_of_sequences() -> None:
    """TP 8 of Llama 3.1 8B: (70.6e9 - 2,007,565,312) / 134,217,728 = 511.05 a replica, 63.9 a GPU; TP 1 holds 50."""
    row = row_of(replace(LLAMA_8B, sequences=1 << 53))
    assert row.replica == Replica(tp=8)
    assert row.gpus == -(-(1 << 53) // 511) * 8


def test_replicas_fill_nodes_evenly() -> None:
    tried = list(replicas(GpuChoice(gpu="x"), 8, attention=False))
    assert {one.gpus for one in tried} == {1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64}
    assert {one.tp for one in tried if one.tp > 8} == {16}
    assert tried[-1].tp == 16
    near = [one for one in tried if one.gpus <= 8]
    assert tried[: len(near)] == near == sorted(near, key=lambda one: (one.gpus, one.pp))


@pytest.mark.parametrize("engine", ["plain", "vllm"])
def test_a_layout_that_is_no_layout(engine: str) -> None:
    row = row_of(replace(LLAMA_8B, engine=engine, gpus=(GpuChoice(gpu="h100-sxm", tp=3),)))
    assert (row.gpus, row.limit) == (None, "layout")
    assert "TP 3 does not divide the 32 query heads" in row.reason


def test_a_pool_of_one_layout_is_said_to_be_taken_for_all() -> None:
    row = row_of(replace(LLAMA_8B, pool_bytes=10 << 30))
    assert any("KV pool that was given" in note for note in row.notes)
