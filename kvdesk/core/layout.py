"""Parallel layouts: how a model is spread over GPUs."""

from collections.abc import Mapping
from math import prod

from kvdesk.core.errors import UsageError
from kvdesk.core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """tp x pp x dp GPUs; `dcp` splits the cache's tokens inside a tensor-parallel group (decode context parallel)."""

    tp: int = 1
    pp: int = 1
    dp: int = 1
    dcp: int = 1

    @property
    def gpus(self) -> int:
        """GPUs in the whole layout."""
        return self.tp * self.pp * self.dp

    def __str__(self) -> str:
        parts = [f"TP {self.tp}"]
        parts += [f"{name} {n}" for name, n in (("PP", self.pp), ("DP", self.dp), ("DCP", self.dcp)) if n > 1]
        return ", ".join(parts)


def for_gpus(
    count: int, *, tp: int | None = None, pp: int | None = None, dp: int | None = None, dcp: int | None = None
) -> Layout:
    """The layout of `count` GPUs: given degrees stay, one that is not takes what they leave, others are 1.

    What is left goes to `tp`, else to `dp`, else to `pp`, whichever is the first that is not given.

    >>> str(for_gpus(8)), str(for_gpus(8, pp=2)), str(for_gpus(8, tp=2)), str(for_gpus(8, tp=2, dp=2))
    ('TP 8', 'TP 4, PP 2', 'TP 2, DP 4', 'TP 2, PP 2, DP 2')

    Raises `UsageError` (`bad-layout`) where the degrees do not come to `count`, or dcp does not divide tp.
    """
    for name, value in (("The number of GPUs", count), ("TP", tp), ("PP", pp), ("DP", dp), ("DCP", dcp)):
        if value is not None and value < 1:
            raise UsageError("bad-layout", f"{name} must be at least 1, not {value}.")
    given = {name: value for name, value in (("tp", tp), ("dp", dp), ("pp", pp)) if value is not None}
    used = prod(given.values())
    left = next((name for name in ("tp", "dp", "pp") if name not in given), None)
    if left is None and used != count:
        raise UsageError(
            "bad-layout",
            f"TP {tp} × PP {pp} × DP {dp} is {used} GPUs, not {count}.",
            "N GPUs are TP × PP × DP.",
            f"Make it {used} GPUs, or change the layout.",
        )
    if left is not None:
        if count % used:
            raise UsageError("bad-layout", *_not_shared(count, given, used))
        given[left] = count // used
    layout = Layout(tp=given["tp"], pp=given.get("pp", 1), dp=given.get("dp", 1), dcp=dcp or 1)
    if layout.tp % layout.dcp:
        raise UsageError(
            "bad-layout", f"DCP {layout.dcp} does not divide TP {layout.tp}.", "", "Choose a DCP that divides TP."
        )
    return layout


def _not_shared(count: int, given: Mapping[str, int], used: int) -> tuple[str, str, str]:
    """Why `count` GPUs cannot be laid out with the degrees given, which are `used` GPUs together."""
    named = " × ".join(f"{name.upper()} {given[name]}" for name in ("tp", "pp", "dp") if name in given)
    remedy = f"Choose a number of GPUs that {used} divides, or another layout."
    if used > count:
        return f"{named} needs {used} GPUs, not {count}.", "", remedy
    return f"{count} GPUs cannot be shared out evenly: {named} takes {used} at a time.", "", remedy


def pipeline_stages(layers: int, stages: int) -> tuple[slice, ...]:
    """The layers of each pipeline stage.

    Equal shares; left-over layers go one each to the stages just before the last one, so that the last stage never gets
    one. 80 layers on 3 stages: 27, 27, 26. Source: vLLM 0.33.0 `vllm/distributed/utils.py` `get_pp_indices`.

    Raises `UsageError` (`bad-layout`) where there are more stages than layers.
    """
    if stages > layers:
        raise UsageError("bad-layout", f"{stages} pipeline stages are more than the {layers} layers.")
    share, rest = divmod(layers, stages)
    sizes = [share] * stages
    for offset in range(rest):
        sizes[stages - 2 - offset] += 1
    slices, start = [], 0
    for size in sizes:
        slices.append(slice(start, start + size))
        start += size
    return tuple(slices)
