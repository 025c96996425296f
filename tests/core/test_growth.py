import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdesk.core.growth import Growth, Term

terms = st.builds(
    Term,
    fixed=st.integers(0, 100),
    unit=st.integers(0, 60),
    step=st.sampled_from([1, 1, 4, 16, 128]),
    cap=st.sampled_from([None, None, 7, 100, 1000]),
    ahead=st.sampled_from([0, 0, 5, 200]),
    up=st.booleans(),
)
growths = st.builds(Growth.of, st.lists(terms, max_size=6))


def test_a_line() -> None:
    # Llama 3.1 8B: 2 x 32 layers x 8 heads x 128 x 2 B = 131,072 B per token; 131,072 tokens = 16 GiB.
    assert Growth.of([Term(unit=4096)] * 32).at(131_072) == 17_179_869_184


def test_a_window_stops_growing_at_its_cap() -> None:
    window = Term(unit=4096, cap=1024)
    assert [window.at(t) for t in (1023, 1024, 1025)] == [1023 * 4096, 1024 * 4096, 1024 * 4096]


def test_blocks_round_up_and_compression_rounds_down() -> None:
    # 8,193 tokens in blocks of 16: 513 blocks. 8,193 tokens at one latent per 4: 2,048 latents.
    assert Term(unit=1, step=16, up=True).at(8193) == 513
    assert Term(unit=1, step=4).at(8193) == 2048


def test_tokens_in_flight_come_on_top_of_those_held() -> None:
    # vLLM, window 1024 with 16,384 tokens in flight: min(1023 + T... , cap) in blocks of 16, worked for T = 100:
    # ceil((100 + 16,384) / 16) = 1,031.
    assert Term(unit=1, step=16, ahead=16_384, cap=131_072, up=True).at(100) == 1031


def test_nothing_is_held_for_no_tokens() -> None:
    assert Term(unit=5, ahead=100, up=True).at(0) == 0
    assert Growth().at(1000) == 0


def test_fixed_parts_add_up() -> None:
    growth = Growth.of([Term(fixed=10), Term(fixed=5, unit=2)])
    assert (growth.fixed, growth.at(3)) == (15, 21)
    assert growth.uncapped().at(3) == 6


def test_marginal_is_the_next_token_or_the_mean_over_a_period() -> None:
    assert Growth.of([Term(unit=131_072)]).marginal(8192) == 131_072
    # One latent of 584 B for every 4 tokens: 146 B per token on average.
    assert Growth.of([Term(unit=584, step=4)]).marginal(8193) == 146
    assert Growth.of([Term(unit=7, cap=10)]).marginal(10) == 0


def test_the_largest_context_of_the_worked_example() -> None:
    # 54,539,477,504 B / 131,072 B = 416,103.2 tokens.
    assert Growth.of([Term(unit=131_072)]).largest(54_539_477_504, 10**7) == 416_103


@pytest.mark.parametrize(("budget", "expected"), [(0, 0), (5, 0), (6, 1), (10**9, 500)])
def test_the_ends_of_the_range(budget: int, expected: int) -> None:
    assert Growth.of([Term(fixed=5, unit=1)]).largest(budget, 500) == expected


def test_no_context_without_a_ceiling() -> None:
    assert Growth.of([Term(unit=1)]).largest(100, 0) == 0


@pytest.mark.parametrize(("budget", "expected"), [(150, 50), (350, 125), (600, 300)])
def test_windows_that_fill_up_one_after_the_other(budget: int, expected: int) -> None:
    # 3 B a token up to 100 tokens, 2 B up to 200, then 1 B: 150 = 3 x 50; 350 = 300 + 2 x 25; 600 = 300 + 200 + 100.
    growth = Growth.of([Term(unit=1), Term(unit=1, cap=100), Term(unit=1, cap=200)])
    assert growth.largest(budget, 1000) == expected


def test_a_flat_stretch_fits_up_to_the_ceiling() -> None:
    assert Growth.of([Term(unit=1, cap=10)]).largest(10, 1000) == 1000


@given(growths, st.integers(0, 200_000), st.integers(1, 5_000))
def test_the_inverse_is_exact(growth: Growth, budget: int, ceiling: int) -> None:
    found = growth.largest(budget, ceiling)
    assert 0 <= found <= ceiling
    assert found == 0 or growth.at(found) <= budget
    assert found == ceiling or growth.at(found + 1) > budget


@given(growths, growths, st.integers(0, 100_000), st.integers(0, 9))
def test_sums_and_multiples(a: Growth, b: Growth, tokens: int, factor: int) -> None:
    assert a.plus(b).at(tokens) == a.at(tokens) + b.at(tokens)
    assert a.times(factor).at(tokens) == factor * a.at(tokens)


@given(growths, st.integers(0, 5000))
def test_more_tokens_never_take_less(growth: Growth, tokens: int) -> None:
    assert growth.at(tokens + 1) >= growth.at(tokens)


def test_values_at_many_points() -> None:
    growth = Growth.of([Term(fixed=5), Term(unit=3, step=16, up=True)])
    # 5 + 3 blocks of 16: 0 tokens none, 16 one, 17 two.
    assert growth.over((0, 16, 17)) == (5, 8, 11)
