from dataclasses import replace

from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.weights import Weights, typed

READ = Source(Origin.HEADER, "model.safetensors")


def test_a_share_of_doubtful_weights_grows_as_they_do() -> None:
    # 100 B that may be 130: a share of 40 may be 52; of 33, 42.9, rounded up to whole bytes.
    doubtful = Weights(bytes=Sourced(100, READ), most_bytes=130)
    assert doubtful.most_of(40) == 52
    assert doubtful.most_of(33) == 43


def test_never_less_than_the_share_itself() -> None:
    assert Weights(bytes=Sourced(100, READ), most_bytes=90).most_of(40) == 40


def test_without_doubt_or_without_weights_there_is_nothing_to_say() -> None:
    assert typed(100).most_of(40) is None
    assert replace(typed(0), most_bytes=10).most_of(0) is None


def test_replicated_parts_are_on_every_rank() -> None:
    # 10 of 110 B whole on each rank: 10 / 1 + 100 / 4 = 35; over two stages 5 + 12.5, rounded up to 13.
    weights = Weights(bytes=Sourced(110, READ), replicated_bytes=10)
    assert weights.on_rank(4, 1) == 35
    assert weights.on_rank(4, 2) == 18
