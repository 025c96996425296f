"""What is kept from one question to the next changes no answer."""

from itertools import permutations

from kvdesk.core.budget import estimates
from kvdesk.core.layout import Layout
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.values import replace
from kvdesk.core.weights import Weights
from kvdesk.core.workload import Workload
from kvdesk.engines.base import Answer, Question
from kvdesk.engines.vllm import budget, start
from kvdesk.engines.vllm.profile import ENGINE
from tests.engines.samples import DEEPSEEK_V3_2, GEMMA_3_27B, H100, LLAMA_8B

WEIGHTS = Weights(bytes=Sourced(16_060_522_496, Source(Origin.HEADER)))
PLAIN = Question(geometry=LLAMA_8B, weights=WEIGHTS, workload=Workload(context=8192), device=H100, layout=Layout(tp=1))
QUESTIONS = (
    PLAIN,
    replace(PLAIN, workload=Workload(context=40_000, sequences=3, shared_prefix=100)),
    replace(PLAIN, geometry=GEMMA_3_27B),
    replace(PLAIN, geometry=DEEPSEEK_V3_2, layout=Layout(tp=8)),
    replace(PLAIN, geometry=DEEPSEEK_V3_2, layout=Layout(tp=8), workload=Workload(context=100_000)),
    replace(PLAIN, arguments={"enable_chunked_prefill": False}),
    replace(PLAIN, arguments={"enable_chunked_prefill": False}, workload=Workload(context=100_000)),
    replace(PLAIN, engine_version="0.19.0"),
    replace(PLAIN, overrides={"weights": 10**9}),
    replace(PLAIN, utilization=0.5),
    replace(PLAIN, weights=replace(WEIGHTS, embedding_bytes=10**9)),
    replace(PLAIN, device=replace(H100, compute_capability=(8, 0))),
)


def told(answer: Answer) -> tuple[object, ...]:
    return tuple(list(v) if k == "budget" else v for k, v in vars(answer).items())


def forget() -> None:
    for kept in (start._started, start.allocation, budget._kept):
        kept.cache_clear()


def test_answers_are_those_of_a_fresh_process_in_any_order() -> None:
    fresh = []
    for question in QUESTIONS:
        forget()
        fresh.append(told(ENGINE.answer(question)))
    forget()
    for first, second in permutations(range(len(QUESTIONS)), 2):
        assert told(ENGINE.answer(QUESTIONS[first])) == fresh[first]
        assert told(ENGINE.answer(QUESTIONS[second])) == fresh[second]


def test_the_estimates_are_known_before_all_lines_are_written() -> None:
    for question in QUESTIONS:
        lines = ENGINE.answer(question).budget
        assert estimates(lines) == tuple(line for line in lines if not line.exact)


def test_a_step_of_the_workload_starts_nothing_anew() -> None:
    forget()
    for step in range(5):
        ENGINE.answer(replace(PLAIN, workload=Workload(context=8192 + step, sequences=1 + step)))
    assert [kept.cache_info().misses for kept in (start._started, start.allocation, budget._kept)] == [1, 1, 1]


def test_what_is_kept_is_bounded() -> None:
    forget()
    for step in range(2 * start.KEPT):
        ENGINE.answer(replace(PLAIN, utilization=0.5 + step / 1000, arguments={"max_num_seqs": 8 + step}))
    assert all(kept.cache_info().currsize <= start.KEPT for kept in (start._started, start.allocation, budget._kept))
