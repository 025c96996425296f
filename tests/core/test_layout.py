import pytest

from kvdesk.core.errors import UsageError
from kvdesk.core.layout import Layout, for_gpus, pipeline_stages


def test_tensor_parallelism_takes_what_the_others_leave() -> None:
    assert for_gpus(8) == Layout(tp=8)
    assert for_gpus(8, pp=2) == Layout(tp=4, pp=2)
    assert for_gpus(16, tp=4, pp=2, dp=2).gpus == 16
    assert for_gpus(8, dcp=2) == Layout(tp=8, dcp=2)


@pytest.mark.parametrize(
    "degrees", [{"tp": 3}, {"pp": 3}, {"tp": 16}, {"tp": 4, "pp": 4}, {"dcp": 3}, {"tp": 0}, {"dp": 16}, {"pp": -1}]
)
def test_impossible_layouts(degrees: dict[str, int]) -> None:
    with pytest.raises(UsageError) as caught:
        for_gpus(8, **degrees)
    assert caught.value.code == "bad-layout"


def test_a_count_of_nothing() -> None:
    with pytest.raises(UsageError):
        for_gpus(0)


def test_left_over_layers_go_before_the_last_stage() -> None:
    # Llama 3.1 70B on 3 stages in vLLM: 27, 27, 26; get_pp_indices of 0.33.0
    def sizes(layers: int, stages: int) -> list[int]:
        return [s.stop - s.start for s in pipeline_stages(layers, stages)]

    assert sizes(80, 3) == [27, 27, 26]
    assert sizes(61, 2) == [31, 30]
    assert sizes(62, 4) == [15, 16, 16, 15]
    assert sizes(8, 8) == [1] * 8


def test_more_stages_than_layers() -> None:
    with pytest.raises(UsageError):
        pipeline_stages(4, 5)


def test_a_layout_in_words() -> None:
    assert str(Layout(tp=8)) == "TP 8"
    assert str(Layout(tp=8, pp=2, dp=3, dcp=4)) == "TP 8, PP 2, DP 3, DCP 4"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tp": 2}, "TP 2, DP 4"),
        ({"dp": 4}, "TP 2, DP 4"),
        ({"pp": 8}, "TP 1, PP 8"),
        ({"tp": 2, "pp": 2}, "TP 2, PP 2, DP 2"),
        ({"tp": 2, "dp": 2}, "TP 2, PP 2, DP 2"),
        ({"pp": 2, "dp": 2}, "TP 2, PP 2, DP 2"),
        ({"tp": 2, "pp": 2, "dp": 2, "dcp": 2}, "TP 2, PP 2, DP 2, DCP 2"),
    ],
)
def test_what_is_not_given_takes_what_is_left(given: dict[str, int], words: str) -> None:
    assert str(for_gpus(8, **given)) == words


def test_why_a_layout_is_not_possible() -> None:
    with pytest.raises(UsageError, match="4 GPUs cannot be shared out evenly: TP 3 takes 3 at a time"):
        for_gpus(4, tp=3)
    with pytest.raises(UsageError, match="PP 2 × DP 4 needs 8 GPUs, not 4"):
        for_gpus(4, pp=2, dp=4)
    with pytest.raises(UsageError, match="TP 2 × PP 1 × DP 1 is 2 GPUs, not 4"):
        for_gpus(4, tp=2, pp=1, dp=1)
