"""Parallel layouts: how a model is spread over GPUs."""

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
    """The layout of `count` GPUs: what is not given is 1, but `tp` takes what the others leave.

    Raises `UsageError` (`bad-layout`) where tp x pp x dp is not `count` or dcp does not divide tp.
    """
    for name, value in (("GPU count", count), ("tp", tp), ("pp", pp), ("dp", dp), ("dcp", dcp)):
        if value is not None and value < 1:
            raise UsageError("bad-layout", f"{name} must be at least 1, not {value}.")
    pp, dp, dcp = pp or 1, dp or 1, dcp or 1
    if tp is None:
        tp, rest = divmod(count, pp * dp)
        if rest or not tp:
            raise UsageError("bad-layout", f"{count} GPUs cannot be split into pp {pp} x dp {dp}.")
    layout = Layout(tp=tp, pp=pp, dp=dp, dcp=dcp)
    if layout.gpus != count:
        raise UsageError(
            "bad-layout",
            f"tp {tp} x pp {pp} x dp {dp} is {layout.gpus} GPUs, not {count}.",
            "N GPUs are tp x pp x dp.",
            f"Write --gpu ID x{layout.gpus}, or change the layout.",
        )
    if tp % dcp:
        raise UsageError("bad-layout", f"dcp {dcp} does not divide tp {tp}.", "", "Choose a dcp that divides tp.")
    return layout


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
