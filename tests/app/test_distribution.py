"""Expected load, apart from the worst case."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvdesk.app.distribution import Lengths, expect, from_csv, from_moments
from kvdesk.core.errors import UsageError
from kvdesk.engines.base import Answer
from kvdesk.engines.registry import engine
from tests.engines.samples import LLAMA_8B, POOL, question


def answer(context: int = 8192, pool: int = POOL) -> Answer:
    return engine("plain").answer(question(LLAMA_8B, context=context, pool=pool))


class TestLengths:
    def test_moments_are_met(self) -> None:
        lengths = from_moments(1000, 3000, 200, 600)
        assert lengths.mean_prompt == pytest.approx(1000, rel=0.01)
        assert lengths.mean_output == pytest.approx(200, rel=0.01)
        prompts = sorted(prompt for prompt, _ in lengths.pairs)
        assert prompts[math.ceil(0.95 * len(prompts)) - 1] == pytest.approx(3000, rel=0.1)

    def test_a_constant_length(self) -> None:
        assert set(from_moments(500, 500, 100, 100).pairs) == {(500, 100)}

    def test_prompt_and_output_are_independent(self) -> None:
        pairs = from_moments(1000, 3000, 200, 600).pairs
        products = sum(p * o for p, o in pairs) / len(pairs)
        means = sum(p for p, _ in pairs) * sum(o for _, o in pairs) / len(pairs) ** 2
        assert products == pytest.approx(means, rel=0.1)

    @pytest.mark.parametrize(
        "moments", [(0, 1, 1, 1), (2, 1, 1, 1), (1, 100, 1, 1), (math.nan, 1, 1, 1), (1, math.inf, 1, 1)]
    )
    def test_impossible_moments(self, moments: tuple[float, float, float, float]) -> None:
        with pytest.raises(UsageError):
            from_moments(*moments)

    def test_csv_with_header_and_blank_lines(self) -> None:
        text = "prompt,output\n100, 20\n\n300,40\r\n1_000\n"
        assert from_csv(text).pairs == ((100, 20), (300, 40), (1000, 0))

    @pytest.mark.parametrize("text", ["", "a,b\n", "1,2\nx,y\n", "-1,2\n-3,4", "0,0", "99999999999999,1", "1\n\x00"])
    def test_bad_csv(self, text: str) -> None:
        with pytest.raises(UsageError):
            from_csv(text)


class TestExpected:
    def test_equal_requests_by_hand(self) -> None:
        # Prompt 1,024, answer 1,024: 1,152 1,408 1,664 1,920 tokens at an eighth, three, five, seven; mean 1,536;
        # x 131,072 B = 201,326,592 B; 58,518,929,408 / 201,326,592 = 290.67
        found = expect(answer(), Lengths(pairs=((1024, 1024),)))
        assert (found.mean_bytes, found.mean_tokens, found.live) == (201_326_592, 1536.0, 290)
        assert found.longest == 2048
        assert found.too_long == 0

    def test_preemption_starts_before_the_mean_is_full(self) -> None:
        # Sizes 1,152 to 1,920 tokens: deviation 286.2; n x 1,536 + 1.645 x sqrt(n) x 286.2 = 446,464 -> 285.5
        found = expect(answer(), Lengths(pairs=((1024, 1024),)))
        assert found.preemption == 285

    def test_prompts_alone_have_no_spread(self) -> None:
        found = expect(answer(), Lengths(pairs=((1024, 0),)))
        assert found.live == found.preemption == 436

    def test_long_answers_are_in_flight_longer(self) -> None:
        # Lives of 100 and 900 tokens: (100 x 50 + 900 x 450) / 1,000 = 410 tokens beside the prompt
        found = expect(answer(), Lengths(pairs=((0, 100), (0, 900))))
        assert found.mean_tokens == 410.0

    def test_the_shared_prefix_is_held_once(self) -> None:
        # 1,000 tokens in blocks of 16: 992 x 131,072 B once; each keeps 1,024 - 992 = 32 tokens.
        found = expect(answer(), Lengths(pairs=((1024, 0),)), shared_prefix=1000)
        assert found.live == (POOL - 992 * 131_072) // (32 * 131_072)

    def test_requests_that_never_fit(self) -> None:
        found = expect(answer(pool=10**9), Lengths(pairs=((100, 0), (10_000, 0))))
        assert found.too_long == 0.5

    def test_an_empty_pool(self) -> None:
        found = expect(answer(pool=0), Lengths(pairs=((100, 10),)))
        assert (found.live, found.preemption, found.too_long) == (0, 0, 1.0)

    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.tuples(st.integers(1, 5000), st.integers(0, 5000)), min_size=1, max_size=20))
    def test_preemption_never_exceeds_the_mean(self, pairs: list[tuple[int, int]]) -> None:
        found = expect(answer(), Lengths(pairs=tuple(pairs)))
        assert 0 <= found.preemption <= found.live + 1
        assert found.mean_tokens <= found.longest
