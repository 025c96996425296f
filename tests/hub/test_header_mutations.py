"""A short run of the header fuzzer; tests/fuzz/header_mutations.py is the long one."""

from tests.fuzz.header_mutations import KINDS, SLOW, run


def test_mutations_are_read_or_refused() -> None:
    tally, slowest = run(3_000, seed=20261129)
    assert sum(tally.values()) == 3_000
    assert {name.partition(":")[0] for name in tally} == {kind for kind, _, _ in KINDS}
    assert slowest < SLOW
