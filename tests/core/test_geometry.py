from kvdesk.core.geometry import Geometry, distinct, shared
from kvdesk.core.layers import CachePart, Cross, Full, Mla, Sliding
from kvdesk.core.number_formats import FORMATS
from kvdesk.core.sourced import Origin, Source, Sourced

BF16 = FORMATS["bf16"]
DTYPE = Sourced("bf16", Source(Origin.CONFIG, "torch_dtype"))
FULL = Full(kv_heads=8, key_dim=128, value_dim=128)
WINDOW = Sliding(kv_heads=8, key_dim=128, value_dim=128, window=1024)


def geometry(*layers: tuple[CachePart, ...]) -> Geometry:
    return Geometry(model_type="t", architecture="T", layers=layers, model_dtype=DTYPE)


def test_llama_3_1_8b() -> None:
    # 32 layers x 8 heads x 256 x 2 B = 131,072 B per token
    model = geometry(*[(FULL,)] * 32)
    assert model.counted() == ((FULL, 32),)
    assert model.logical(BF16).at(131_072) == 17_179_869_184
    assert not model.is_latent


def test_ranks_past_the_heads_keep_the_same() -> None:
    # the same KV bytes per GPU at TP 8 and TP 16
    model = geometry(*[(FULL,)] * 32)
    assert model.logical_on_rank(BF16, 8).at(1) == model.logical_on_rank(BF16, 16).at(1) == 16_384


def test_a_pipeline_stage_keeps_its_own_layers() -> None:
    model = geometry((FULL,), (WINDOW,), (WINDOW,), (FULL,))
    assert model.logical_on_rank(BF16, 1, slice(0, 3)).at(2000) == (2000 + 2 * 1024) * 4096


def test_draft_layers_count_only_when_asked_for() -> None:
    model = Geometry(model_type="t", architecture="T", layers=((FULL,),), draft_layers=((WINDOW,),), model_dtype=DTYPE)
    assert tuple(model.parts()) == (FULL,)
    assert tuple(model.parts(draft=True)) == (FULL, WINDOW)


def test_other_encoder_lengths() -> None:
    # Whisper: 20 heads x 128 x 2 B per encoder token
    cross = Cross(kv_heads=20, key_dim=64, value_dim=64, encoder_tokens=1500)
    model = geometry((FULL, cross)).with_encoder_tokens(3000)
    assert model.encoder_tokens == 3000
    assert model.logical(BF16).fixed == 3000 * 5120


def test_latent_models() -> None:
    assert geometry((Mla(latent_dim=512, rope_dim=64),)).is_latent


def test_equal_layers_become_one_object() -> None:
    layers: list[tuple[CachePart, ...]] = [(FULL,), (Full(kv_heads=8, key_dim=128, value_dim=128),), (WINDOW,), (FULL,)]
    assert len({id(layer) for layer in layers}) == 4
    same = shared(layers)
    assert same == tuple(layers)
    assert len({id(layer) for layer in same}) == 2
    full, window = layers[0], layers[2]
    assert distinct(same) == [(full, 3), (window, 1)]
    # Equal layers that are objects of their own are told apart, and counted all the same.
    assert sum(count for _, count in distinct(layers)) == 4
    assert geometry(*layers).counted() == geometry(*same).counted() == ((FULL, 3), (WINDOW, 1))
