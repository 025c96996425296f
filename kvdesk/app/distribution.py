"""Expected load: lengths as a distribution instead of every slot at its limit.

The worst case (every sequence at the context, `Answer.full_length_sequences`) and this estimate stand apart. Here a
sequence in flight has a prompt and part of its answer: its mean size over its life is that at prompt + half the answer,
weighted by how long it runs, since long answers are in flight longer. That gives the number of sequences that are live
on average when the pool is full, and, from the spread of their sizes, the number at which one in twenty moments would
overflow the pool: preemption starts there.
"""

import csv
import io
import math
from collections import Counter
from collections.abc import Sequence

from kvdesk.core.errors import UsageError
from kvdesk.core.values import dataclass
from kvdesk.engines.base import Answer

MOST_ROWS = 200_000
MOST_TOKENS = 1 << 40
_Z95 = 1.6448536269514722
"""The 95th percentile of the standard normal distribution."""
_QUANTILES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Prompt and output tokens of typical requests, equally likely.

    `moments` are mean and 95th percentile of prompts, then of outputs, where those were given and no list.
    """

    pairs: tuple[tuple[int, int], ...]
    moments: tuple[float, float, float, float] | None = None

    @property
    def mean_prompt(self) -> float:
        """Mean prompt tokens."""
        return sum(prompt for prompt, _ in self.pairs) / len(self.pairs)

    @property
    def mean_output(self) -> float:
        """Mean output tokens."""
        return sum(output for _, output in self.pairs) / len(self.pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The expected load of one GPU option, all replicas together.

    `mean_bytes` is one live sequence's mean on one GPU beside the shared prefix; `live` how many are live on average
    with the pool just full, `preemption` how many can be live before one moment in twenty overflows it. `mean_tokens`
    are tokens held by a live sequence, `longest` the longest request in tokens, `too_long` the share of requests that
    do not fit even alone.
    """

    mean_bytes: int
    mean_tokens: float
    live: int
    preemption: int
    longest: int
    too_long: float


def from_moments(prompt_mean: float, prompt_p95: float, output_mean: float, output_p95: float) -> Lengths:
    """Lengths of a mean and a 95th percentile each, taken as log-normal and independent.

    Raises `UsageError` (`bad-lengths`) unless 0 < mean <= p95, or where no log-normal distribution has both.
    """
    prompts = _quantiles("prompt", prompt_mean, prompt_p95)
    outputs = _quantiles("output", output_mean, output_p95)
    # Every prompt length meets outputs from all over their range: a fixed stride that shares no factor with the count.
    stride = _QUANTILES // 2 + 5
    pairs = tuple((p, outputs[i * stride % _QUANTILES]) for i, p in enumerate(prompts))
    return Lengths(pairs=pairs, moments=(prompt_mean, prompt_p95, output_mean, output_p95))


def from_csv(text: str) -> Lengths:
    """Lengths of a CSV: two columns, prompt and output tokens, or one column of both together; a header is skipped.

    Raises `UsageError` (`bad-lengths`) naming the first bad line.
    """
    pairs: list[tuple[int, int]] = []
    try:
        rows = enumerate(csv.reader(io.StringIO(text)), 1)
        for number, cells in rows:
            pair = _pair([cell.strip() for cell in cells if cell.strip()], number)
            if pair is not None:
                pairs.append(pair)
            if len(pairs) > MOST_ROWS:
                raise _bad(f"There are more than {MOST_ROWS:,} lengths.")
    except csv.Error as error:
        raise _bad(f"The list of lengths is not a CSV: {error}.") from error
    if not pairs:
        raise _bad("The list of lengths is empty.")
    return Lengths(pairs=tuple(pairs))


def expect(answer: Answer, lengths: Lengths, *, shared_prefix: int = 0) -> Expected:
    """The expected load of an answered option.

    The first `shared_prefix` tokens of every prompt are held once, in whole blocks. Sizes are the engine's allocated
    bytes of one GPU.
    """
    block = answer.block_size or 1
    prefix = shared_prefix // block * block
    allocated, sharing = answer.allocated, answer.allocated.uncapped()
    room = answer.pool_bytes - sharing.at(prefix)
    moments = _Moments()
    alone = 0
    for (prompt, output), count in Counter(lengths.pairs).items():
        sizes = [
            allocated.at(tokens) - sharing.at(min(prefix, tokens))
            for tokens in (prompt + output * step // 8 for step in (1, 3, 5, 7, 8))
        ]
        moments.add(sizes[:-1], prompt + output / 2, count * max(1, output))
        alone += count * (sizes[-1] > room)
    mean, replicas = moments.mean, answer.layout.dp
    return Expected(
        mean_bytes=math.ceil(mean),
        mean_tokens=moments.tokens / moments.weight,
        live=max(0, int(room // mean)) * replicas if mean else 0,
        preemption=_before_overflow(room, mean, moments.deviation) * replicas,
        longest=max(prompt + output for prompt, output in lengths.pairs),
        too_long=alone / len(lengths.pairs),
    )


@dataclass(slots=True)
class _Moments:
    """Sums over the lives of sequences."""

    weight: float = 0.0
    sizes: float = 0.0
    squares: float = 0.0
    tokens: float = 0.0

    def add(self, sizes: Sequence[int], tokens: float, life: int) -> None:
        self.weight += life
        self.sizes += life * sum(sizes) / len(sizes)
        self.squares += life * sum(size * size for size in sizes) / len(sizes)
        self.tokens += life * tokens

    @property
    def mean(self) -> float:
        return self.sizes / self.weight

    @property
    def deviation(self) -> float:
        return math.sqrt(max(0.0, self.squares / self.weight - self.mean**2))


def _before_overflow(room: int, mean: float, deviation: float) -> int:
    """The largest n with n x mean + 1.645 x sqrt(n) x deviation <= room: a quadratic in sqrt(n)."""
    if room <= 0 or mean <= 0:
        return 0
    slope = _Z95 * deviation
    root = (-slope + math.sqrt(slope * slope + 4 * mean * room)) / (2 * mean)
    return max(0, int(root * root + 1e-9))


def _quantiles(name: str, mean: float, p95: float) -> Sequence[int]:
    """Values at the middles of equal parts of a log-normal distribution, rounded up to whole tokens.

    exp(m + s^2 / 2) is the mean and exp(m + 1.645 s) the 95th percentile; s is the smaller solution.
    """
    if not (math.isfinite(mean) and math.isfinite(p95) and 0 < mean <= p95 <= MOST_TOKENS):
        raise _bad(f"The {name}'s mean must be above 0 and at most its 95th percentile.")
    ratio = math.log(p95 / mean)
    root = _Z95 * _Z95 - 2 * ratio
    if root < 0:
        most = mean * math.exp(_Z95 * _Z95 / 2)
        raise _bad(f"A 95th percentile of {p95:,.0f} is too far from a mean of {mean:,.0f} (at most {most:,.0f}).")
    sigma = _Z95 - math.sqrt(root)
    mu = math.log(mean) - sigma * sigma / 2
    points = [math.exp(mu + sigma * _normal((i + 0.5) / _QUANTILES)) for i in range(_QUANTILES)]
    # Cutting the tail into quantiles loses a little of the mean, which would be too few tokens.
    scale = mean * _QUANTILES / sum(points)
    return [max(1, math.ceil(point * scale - 1e-6)) for point in points]


def _normal(p: float) -> float:
    """The inverse of the standard normal distribution by bisection of the error function."""
    low, high = -8.0, 8.0
    for _ in range(60):
        middle = (low + high) / 2
        if (1 + math.erf(middle / math.sqrt(2))) / 2 < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _pair(cells: list[str], number: int) -> tuple[int, int] | None:
    if not cells:
        return None
    numbers = [_tokens(cell) for cell in cells[:2]]
    if any(value is None for value in numbers):
        if number == 1:
            return None
        raise _bad(f"Line {number} is not one or two whole numbers of tokens.")
    prompt, output = numbers[0] or 0, (numbers[1] or 0) if len(numbers) > 1 else 0
    if prompt + output < 1:
        raise _bad(f"Line {number} is a request without tokens.")
    return prompt, output


def _tokens(cell: str) -> int | None:
    plain = cell.replace("_", "")
    if not (plain.isascii() and plain.isdigit()) or len(plain) > 13:
        return None
    return int(plain) if int(plain) <= MOST_TOKENS else None


def _bad(text: str) -> UsageError:
    return UsageError(
        "bad-lengths",
        text,
        "",
        "Give mean and 95th percentile, or a CSV of prompt and output tokens, one request a line.",
    )
