"""Grouping and page sizes, by hand. Rules: vLLM 0.33.0 `v1/core/kv_cache_planning.py`."""

import pytest

from kvdesk.core.errors import RefusalError
from kvdesk.engines.vllm import groups, versions
from kvdesk.engines.vllm.groups import Group, Specs
from kvdesk.engines.vllm.pages import CHUNKED, FULL, LATENT, LATENT_WINDOW, SLIDING, STATE, Spec

NEWEST = versions.rules(None)


def specs(*kinds: tuple[int, Spec]) -> Specs:
    """`count` layers of each spec, one after the other."""
    layers = [spec for count, spec in kinds for _ in range(count)]
    return {(number, 0): spec for number, spec in enumerate(layers)}


def full(page: int = 64, block: int = 16) -> Spec:
    return Spec(kind=FULL, block=block, page=page)


def window(page: int = 64, block: int = 16, size: int = 128) -> Spec:
    return Spec(kind=SLIDING, block=block, page=page, window=size)


def latent(page: int = 64) -> Spec:
    return Spec(kind=LATENT, block=16, page=page, shape=(page,))


def sizes(found: tuple[Group, ...]) -> list[tuple[int, int]]:
    return [(len(group.members), group.page()) for group in found]


def test_nothing_to_group() -> None:
    assert groups.group({}, NEWEST) == ()


def test_equal_layers_are_one_group() -> None:
    assert sizes(groups.group(specs((32, full())), NEWEST)) == [(32, 32 * 64)]


def test_pages_that_keep_the_same_tokens_are_summed() -> None:
    assert sizes(groups.group(specs((3, latent(64)), (2, full(16))), NEWEST)) == [(5, 3 * 64 + 2 * 16)]


def test_windows_of_one_size_with_different_pages_are_one_group() -> None:
    assert sizes(groups.group(specs((2, window(64)), (2, window(32))), NEWEST)) == [(4, 192)]


def test_windows_of_two_sizes_are_two_groups() -> None:
    assert sizes(groups.group(specs((2, window(size=128)), (2, window(size=256))), NEWEST)) == [(2, 128), (2, 128)]


def test_a_smaller_page_gets_a_larger_block() -> None:
    found = groups.group(specs((5, window(64)), (5, full(32))), NEWEST)
    assert [(g.first.block, g.first.page) for g in found] == [(16, 64), (32, 64)]


def test_a_page_that_does_not_divide_is_padded() -> None:
    found = groups.group(specs((5, window(64)), (5, full(48))), NEWEST)
    assert [(g.first.block, g.first.page) for g in found] == [(16, 64), (16, 64)]


def test_before_0_25_it_was_not() -> None:
    with pytest.raises(RefusalError, match="would not start") as caught:
        groups.group(specs((5, window(64)), (5, full(48))), versions.rules("0.22.0"))
    assert caught.value.code == "ungroupable"


def test_states_are_padded_to_the_attention_page() -> None:
    state = Spec(kind=STATE, block=16, page=40, held=3)
    found = groups.group(specs((9, state), (3, full(64))), NEWEST)
    assert sizes(found) == [(3, 192)] * 4


def test_latents_beside_windows_that_do_not_divide_take_all_in_full() -> None:
    found = groups.group(specs((4, latent(64)), (4, window(96))), NEWEST)
    assert sizes(found) == [(8, 4 * 64 + 4 * 96)]
    assert all(spec.kind in (LATENT, FULL) for spec in found[0].members.values())


@pytest.mark.parametrize(
    "other",
    [
        Spec(kind=CHUNKED, block=16, page=96, window=128),
        Spec(kind=STATE, block=16, page=96, held=1),
    ],
)
def test_latents_beside_what_cannot_be_allocated_in_full(other: Spec) -> None:
    with pytest.raises(RefusalError):
        groups.group(specs((4, latent(64)), (4, other)), NEWEST)


def test_without_the_hybrid_manager_windows_and_chunks_become_full() -> None:
    chunk = Spec(kind=CHUNKED, block=16, page=64, window=128)
    found = groups.group(specs((3, chunk), (1, full())), NEWEST, hybrid_manager=False)
    assert sizes(found) == [(4, 256)]


def test_without_the_hybrid_manager_states_cannot_be() -> None:
    state = Spec(kind=STATE, block=16, page=64, held=1)
    with pytest.raises(RefusalError):
        groups.group(specs((3, state), (3, window()), (1, full())), NEWEST, hybrid_manager=False)


def test_windows_alone_stay_windows() -> None:
    found = groups.group(specs((4, window())), NEWEST, hybrid_manager=False)
    assert found[0].first.kind == SLIDING


def test_packed_pages_of_one_size_are_grouped_as_usual() -> None:
    assert sizes(groups.group(specs((4, window()), (4, full())), NEWEST, packed=True)) == [(4, 256), (4, 256)]


def test_packed_pages_without_a_repeating_pattern_stay_whole() -> None:
    narrow = Spec(kind=LATENT_WINDOW, block=64, page=32, window=128)
    assert sizes(groups.group(specs((3, narrow), (2, latent(64))), NEWEST, packed=True)) == [(3, 96), (2, 128)]


def test_packed_states_are_refused() -> None:
    with pytest.raises(RefusalError):
        groups.group(specs((3, window(32)), (2, latent(64))), NEWEST, packed=True)


def test_stages_without_a_group_s_layers() -> None:
    found = groups.group(specs((2, window()), (2, full())), NEWEST)
    plan = groups.plan(found, (frozenset({0, 1}), frozenset({2, 3}), frozenset()), in_flight=0)
    assert plan.bytes_per_block == (128, 128, 0)
    assert plan.layers_by_kind == {SLIDING: 2, FULL: 2}
