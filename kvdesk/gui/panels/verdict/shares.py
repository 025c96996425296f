"""How one GPU's memory is shared out: the numbers behind the budget bar."""

from kvdesk.app.results import OptionResult, Sizing
from kvdesk.app.sweep import curve
from kvdesk.core.values import dataclass
from kvdesk.gui import numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Bytes of one GPU: what weights, reserve and the workload's cache take of `budget`, and the `device` as a whole.

    A budget that was given as a pool only has a `device` of 0.
    """

    weights: int
    reserve: int
    cache: int
    budget: int
    device: int

    @property
    def needed(self) -> int:
        """What the workload needs in all."""
        return self.weights + self.reserve + self.cache

    @property
    def whole(self) -> int:
        """What the bar stands for."""
        return max(self.needed, self.budget, self.device, 1)


def of(sizing: Sizing, option: OptionResult) -> Shares | None:
    """The shares of an option, None where it has no answer."""
    answer = option.answer
    at = curve(sizing, option, (sizing.workload.context,))
    if answer is None or at is None or not answer.budget_bytes + answer.pool_bytes:
        return None
    return Shares(
        weights=answer.weights_bytes,
        reserve=answer.reserve_bytes,
        cache=at.total[0] - at.base,
        budget=at.capacity,
        device=answer.device_bytes,
    )


def told(shares: Shares, unit: str) -> str:
    """The bar in a sentence, for tooltips and screen readers."""
    parts = (
        ("weights", shares.weights),
        ("reserve", shares.reserve),
        ("KV cache of the workload", shares.cache),
    )
    words = ", ".join(f"{name} {numbers.size(value, unit)}" for name, value in parts)
    left = shares.budget - shares.needed
    rest = f"{numbers.size(abs(left), unit)} {'free' if left >= 0 else 'too much'}"
    return f"{words}: {numbers.size(shares.needed, unit)} of a budget of {numbers.size(shares.budget, unit)}, {rest}"
