"""How layers are grouped so that one pool of blocks serves them all.

Source: vLLM 0.33.0 `v1/core/kv_cache_planning.py` `get_kv_cache_groups` and what it calls. A block is as wide as the
widest group; every group takes its own blocks, so a sequence takes the sum over groups.

Gemma-3-27B by hand: 52 windows and 10 full layers with equal pages of 131,072 B. The smaller kind sets the group
size, 10, since 52 is not below 1.5 x 10; the windows become ceil(52 / 10) = 6 groups of 9, 9, 9, 9, 8, 8 layers and
the full layers one of 10: a block is 10 x 131,072 = 1,310,720 B. gpt-oss-120b: 18 + 18 layers are two groups.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from kvdesk.core.errors import RefusalError
from kvdesk.core.growth import Growth
from kvdesk.core.values import dataclass, replace
from kvdesk.engines.vllm.pages import CHUNKED, FULL, LATENT, LATENT_WINDOW, SLIDING, STATE, TOKEN_KINDS, Spec
from kvdesk.engines.vllm.versions import Rules

Name = tuple[int, int]
"""A layer's number and a part's number in it."""
Specs = Mapping[Name, Spec]


@dataclass(frozen=True, slots=True)
class Group:
    """Parts that share a block table; pages may differ only where all keep the same tokens."""

    members: Specs

    @property
    def first(self) -> Spec:
        """The spec of the first part, whose block and window hold for all."""
        return next(iter(self.members.values()))

    def page(self) -> int:
        """Bytes of one block of the group."""
        return sum(spec.page for spec in self.members.values())


def group(specs: Specs, rules: Rules, *, hybrid_manager: bool = True, packed: bool = False) -> tuple[Group, ...]:
    """The groups of `specs`, in the order of the model.

    `packed` is the block-outermost layout of DeepSeek-V4. Raises `RefusalError` (`ungroupable`) where vLLM would not
    start.
    """
    if not hybrid_manager:
        specs = promoted(specs)
    if not specs:
        return ()
    if len(set(specs.values())) == 1 or is_uniform(specs):
        return (Group(specs),)
    if packed and len({spec.page for spec in specs.values()}) > 1:
        return _packed(specs)
    unified = unify_pages(specs, pads=rules.pads_attention)
    if unified is None:
        return _full_allocation(specs)
    return _even_groups(unified, rules.uneven)


def is_uniform(specs: Specs) -> bool:
    """Whether all need the same number of blocks: all keep every token, or windows of one size (`is_uniform_type`)."""
    values = list(specs.values())
    if len({(spec.block, spec.shards) for spec in values}) > 1:
        return False
    kinds = {spec.kind for spec in values}
    if kinds <= set(TOKEN_KINDS):
        return True
    if len(kinds) > 1:
        return False
    kind = values[0].kind
    if kind == STATE:
        return len({(spec.page, spec.held) for spec in values}) == 1
    return len({spec.window for spec in values}) == 1 if kind in (SLIDING, CHUNKED, LATENT_WINDOW) else False


def promoted(specs: Specs) -> Specs:
    """Windows and chunks allocated like full attention, where there is some (`_promote_local_kv_cache_specs`)."""
    if is_uniform(specs) or not any(spec.kind in TOKEN_KINDS for spec in specs.values()):
        return specs
    full = {spec.block for spec in specs.values() if spec.kind in TOKEN_KINDS}
    result: dict[Name, Spec] = {}
    for name, spec in specs.items():
        block = next(iter(full)) if len(full) == 1 else spec.block
        if spec.kind in (SLIDING, CHUNKED, LATENT_WINDOW):
            kind = LATENT if spec.kind == LATENT_WINDOW else FULL
            page = spec.page * block // spec.block
            result[name] = replace(spec, kind=kind, window=None, block=block, page=page)
        else:
            result[name] = spec
    if len(set(result.values())) > 1 and not is_uniform(result):
        raise _ungroupable("its layers cannot be allocated alike, which a disabled hybrid cache manager needs")
    return result


def unify_pages(specs: Specs, *, pads: bool) -> Specs | None:
    """All pages of the largest size: smaller ones get a larger block where that divides, else padding.

    States are always padded, latents never (`unify_kv_cache_spec_page_size`); None where a latent would have to be.
    """
    largest = max(spec.page for spec in specs.values())
    result: dict[Name, Spec] = {}
    for name, spec in specs.items():
        if spec.page == largest or spec.kind == STATE:
            result[name] = replace(spec, page=largest)
        elif largest % spec.page == 0:
            result[name] = replace(spec, page=largest, block=spec.block * (largest // spec.page))
        elif spec.kind in (LATENT, LATENT_WINDOW):
            return None
        elif pads:
            result[name] = replace(spec, page=largest)
        else:
            raise _ungroupable("this version does not pad pages of attention to one size")
    return result


def _full_allocation(specs: Specs) -> tuple[Group, ...]:
    """Latents beside windows whose pages do not divide: the windows are allocated in full."""
    kinds = {spec.kind for spec in specs.values()}
    if LATENT not in kinds or SLIDING not in kinds or kinds & {LATENT_WINDOW, CHUNKED}:
        raise _ungroupable("the pages of its layers cannot be brought to one size")
    wide = promoted(specs)
    if not is_uniform(wide):
        raise _ungroupable("the pages of its layers cannot be brought to one size")
    return (Group(wide),)


def _even_groups(specs: Specs, uneven: Fraction) -> tuple[Group, ...]:
    buckets: dict[Spec, list[Name]] = {}
    for name, spec in specs.items():
        buckets.setdefault(spec, []).append(name)
    counts = [len(names) for names in buckets.values()]
    size = max(counts) if max(counts) < min(counts) * uneven else min(counts)
    found = []
    for spec, names in buckets.items():
        number = -(-len(names) // size)
        found += [Group(dict.fromkeys(names[i::number], spec)) for i in range(number)]
    return tuple(found)


def _packed(specs: Specs) -> tuple[Group, ...]:
    """Pages of different sizes side by side in one block (`_get_packed_kv_cache_groups`).

    DeepSeek-V4-Flash: 43 windows, 62 streams and indexers, 42 ratio-4 states (two page sizes, 21 each), 20 ratio-128
    states. The balanced kind with two page sizes repeats 21 times, which splits the 43 windows into 22 + 21.
    """
    buckets: list[dict[Name, Spec]] = []
    for name, spec in specs.items():
        home = next((b for b in buckets if is_uniform({**b, name: spec})), None)
        if home is None:
            buckets.append({name: spec})
        else:
            home[name] = spec
    repeats = _repeats(buckets)
    if repeats is None and any(b[next(iter(b))].kind in (STATE, SLIDING) for b in buckets):
        raise _ungroupable("states or windows beside packed pages are not modelled")
    found: list[Group] = []
    for bucket in buckets:
        pages = _by_page(bucket)
        number = -(-max(map(len, pages.values())) // repeats) if repeats and _is_balanced(pages) else 1
        patterns = list(zip(*pages.values(), strict=False))
        if number == 1:
            found.append(Group(bucket))
        else:
            parts = (patterns[i::number] for i in range(number))
            found += [Group({name: bucket[name] for pattern in part for name in pattern}) for part in parts]
    return tuple(found)


def _by_page(bucket: Specs) -> dict[int, list[Name]]:
    pages: dict[int, list[Name]] = {}
    for name, spec in bucket.items():
        pages.setdefault(spec.page, []).append(name)
    return pages


def _is_balanced(pages: Mapping[int, list[Name]]) -> bool:
    return len({len(names) for names in pages.values()}) == 1


def _repeats(buckets: Sequence[Specs]) -> int | None:
    """Layers per group: at least as many as the balanced kinds with several page sizes repeat, with least padding."""
    balanced = [pages for pages in map(_by_page, buckets) if _is_balanced(pages)]
    floor = max((len(next(iter(pages.values()))) for pages in balanced if len(pages) > 1), default=0)
    if not floor:
        return None
    counts = [len(next(iter(pages.values()))) for pages in balanced]
    return min(range(floor, max(counts) + 1), key=lambda d: (sum(-count % d for count in counts), -d))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The groups of a model with the blocks one sequence takes, and the bytes of a block on each pipeline stage."""

    groups: tuple[Group, ...]
    bytes_per_block: tuple[int, ...]
    blocks: Growth
    """Blocks of one sequence by its tokens, over all groups."""
    pages: tuple[tuple[int, ...], ...]
    """For each stage the pages of its widest group, in bytes, which add up to the bytes of a block."""

    @property
    def widest(self) -> int:
        """The stage with the widest block: it has the fewest blocks, which all then use."""
        return max(range(len(self.bytes_per_block)), key=lambda stage: self.bytes_per_block[stage])

    @property
    def layers_by_kind(self) -> Counter[str]:
        """Parts of each kind."""
        return Counter(spec.kind for group in self.groups for spec in group.members.values())


def plan(groups: tuple[Group, ...], stages: Sequence[frozenset[int]], in_flight: int) -> Plan:
    """The plan of `groups` on pipeline stages that hold the layers with these numbers."""
    pages = []
    for layers in stages:
        held = (tuple(spec.page for name, spec in g.members.items() if name[0] in layers) for g in groups)
        pages.append(max(held, key=sum, default=()))
    return Plan(
        groups=groups,
        bytes_per_block=tuple(map(sum, pages)),
        pages=tuple(pages),
        blocks=Growth.of(g.first.blocks(in_flight) for g in groups),
    )


def _ungroupable(why: str) -> RefusalError:
    return RefusalError(
        "ungroupable",
        "vLLM would not start with this model.",
        f"It cannot plan the cache: {why}.",
        "Try other options.",
    )
