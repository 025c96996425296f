"""Numbers put in come to the value that they explain, whatever the size and the pool."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvdesk.core.growth import Growth, Term
from kvdesk.core.workload import Workload
from kvdesk.engines import writing
from kvdesk.engines.common import Holding
from kvdesk.report.arithmetic import recompute

TERMS = st.builds(
    Term,
    fixed=st.integers(0, 5000),
    unit=st.integers(0, 1 << 20),
    step=st.integers(1, 256),
    cap=st.none() | st.integers(1, 4096),
    ahead=st.integers(0, 9),
    up=st.booleans(),
)
GROWTHS = st.lists(TERMS, max_size=4).map(Growth.of)
TOKENS = st.integers(0, 1 << 20)


def worth(text: str) -> int:
    node = recompute(text, {})
    assert node is not None, text
    assert node.value.denominator == 1, text
    return int(node.value)


@settings(max_examples=150, deadline=None)
@given(GROWTHS, TOKENS)
def test_a_size_at_some_tokens(size: Growth, tokens: int) -> None:
    assert worth(writing.growth(size, tokens)) == size.at(tokens)


@settings(max_examples=150, deadline=None)
@given(GROWTHS, st.integers(0, 1 << 40), st.integers(1, 9000), st.integers(0, 9000), st.integers(1, 64))
def test_whole_sequences(size: Growth, pool: int, context: int, shared: int, block: int) -> None:
    workload = Workload(context=context, sequences=3, shared_prefix=min(shared, context))
    holding = Holding(allocated=size, pool=pool, workload=workload, replicas=2, block=block)
    assert worth(writing.sequences([holding], 2)) == holding.full_length_sequences
    assert worth(f"{writing.per_replica(holding, f'{pool + 1:,} − 1')} × 2") == holding.full_length_sequences


@pytest.mark.parametrize(
    ("value", "text"),
    [(1024, "1,024"), (0.92, "0.92"), (1e-05, "0.00001"), (13904.0, "13,904"), (0.8712345, "0.8712345")],
)
def test_every_digit(value: float, text: str) -> None:
    assert writing.number(value) == text


def test_the_least_of_all_pools_and_of_what_runs_at_once() -> None:
    tokens = Holding(allocated=Growth.of([Term(unit=1)]), pool=1000, workload=Workload(context=100))
    slots = Holding(allocated=Growth.of([Term(fixed=3)]), pool=20, workload=Workload(context=100))
    text = writing.sequences([tokens, slots], 2, 9)
    assert text == "min(floor(1,000 / 100); floor(20 / 3); 9) × 2"
    assert worth(text) == 12  # six requests of three slots each, in two replicas
