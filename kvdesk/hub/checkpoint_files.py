"""Which files of a repository an engine loads: one copy of the weights, however many are published side by side.

As vLLM 0.33 does it (`model_executor/model_loader/default_loader.py`, `weight_utils.py`): safetensors of the top folder
before .bin before .pt, only those that the index names, no consolidated files beside sharded ones.
"""

import re
from collections.abc import Iterable, Sequence

from kvdesk.core.findings import Finding, warning
from kvdesk.core.values import dataclass
from kvdesk.hub.snapshot import Quantisation, RepoFile

INDEX = "model.safetensors.index.json"

_SHARD = re.compile(r"(?P<stem>.+?)[-_.]?(?P<number>\d{1,6})-of-(?P<count>\d{1,6})\.(?:safetensors|bin|gguf|pth|pt)")
_NOT_WEIGHTS = re.compile(
    r"(?:training_args|optimizer|scheduler|rng_state|random_states|scaler|trainer_state)", re.IGNORECASE
)
_QUANTISATION = re.compile(
    r"(?:^|[-._/ ])((?:UD[-_])?(?:I?Q[1-8](?:_[0-9A-Z]+)*|TQ[12]_0|MXFP4(?:_MOE)?|NVFP4|BF16|FP?16|FP?32))"
    r"(?=[-._/ ]|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The files to load, all of one `kind`: "safetensors", "bin" or "none". `ambiguous` asks for the index.

    `findings` say what is missing or was chosen.
    """

    kind: str
    files: tuple[RepoFile, ...] = ()
    ambiguous: bool = False
    findings: tuple[Finding, ...] = ()


def choose(files: Sequence[RepoFile], indexed: frozenset[str] | None = None) -> Checkpoint:
    """The files of the one checkpoint that an engine loads.

    `indexed` are the files that the repository's index names, where it was read.
    """
    top = [file for file in files if "/" not in file.name and not _NOT_WEIGHTS.search(file.name)]
    safe = [file for file in top if file.name.endswith(".safetensors") and not file.name.startswith("adapter_")]
    if indexed is not None and (named := tuple(file for file in safe if file.name in indexed)):
        return Checkpoint(kind="safetensors", files=named, findings=_missing(named, indexed))
    if safe:
        has_index = any(file.name == INDEX for file in top)
        return _one_of(safe, "safetensors", ambiguous=has_index and indexed is None)
    pickled = [file for file in top if file.name.endswith((".bin", ".pth", ".pt"))]
    return _one_of(pickled, "bin", ambiguous=False) if pickled else Checkpoint(kind="none")


def _one_of(files: Sequence[RepoFile], kind: str, *, ambiguous: bool) -> Checkpoint:
    """What is loaded out of `files`: every set of them that is no copy or variant of another."""
    sets = _sets(files)
    main = {stem: found for stem, found in sets.items() if not _is_copy(stem, sets)} or dict(list(sets.items())[:1])
    chosen = tuple(file for found in main.values() for file in found)
    findings = [note for stem, found in main.items() for note in _incomplete(stem, found)]
    unknown = sorted(stem for stem in main if not _PARTS.search(stem))
    if len(unknown) > 1 and not ambiguous:
        findings.append(_several(unknown))
    return Checkpoint(kind=kind, files=chosen, ambiguous=ambiguous and len(main) > 1, findings=tuple(findings))


def _sets(files: Sequence[RepoFile]) -> dict[str, list[RepoFile]]:
    """Sharded files by what their names have in common, and single files by themselves; the larger where both exist."""
    found: dict[tuple[str, int], list[RepoFile]] = {}
    for file in files:
        match = _SHARD.fullmatch(file.name)
        stem = match["stem"].removesuffix(".safetensors") if match else file.name.rpartition(".")[0]
        found.setdefault((stem, int(match["count"]) if match else 0), []).append(file)
    sets: dict[str, list[RepoFile]] = {}
    for (stem, _), members in found.items():
        if stem not in sets or total(members) > total(sets[stem]):
            sets[stem] = members
    return sets


def total(files: Iterable[RepoFile]) -> int:
    """Bytes of `files` together, unknown sizes as 0."""
    return sum(file.size or 0 for file in files)


# Parts of one checkpoint that are published in files of their own.
_PARTS = re.compile(r"mtp|nextn|draft|visual|vision|audio|projector|embed|non_lora|layer|tensor", re.IGNORECASE)
_VARIANT = re.compile(r"[._-](?:fp16|bf16|fp32|non_ema|ema|int8|fp8)$", re.IGNORECASE)


def _is_copy(stem: str, sets: dict[str, list[RepoFile]]) -> bool:
    """Whether a set holds the same weights as another: Mistral's consolidated files, a variant beside the plain set."""
    if stem.startswith("consolidated"):
        return len(sets) > 1 and any(not other.startswith("consolidated") for other in sets)
    plain = _VARIANT.sub("", stem)
    return plain != stem and plain in sets


def _incomplete(stem: str, files: Sequence[RepoFile]) -> list[Finding]:
    match = _SHARD.fullmatch(files[0].name)
    expected = int(match["count"]) if match else len(files)
    return [] if len(files) >= expected else [_missing_note(stem, len(files), expected)]


def _missing(found: Sequence[RepoFile], indexed: frozenset[str]) -> tuple[Finding, ...]:
    return () if len(found) >= len(indexed) else (_missing_note("the index", len(found), len(indexed)),)


def _missing_note(stem: str, found: int, expected: int) -> Finding:
    return warning(
        "missing-shards",
        f"Of the {expected} files of weights that {stem[:60]} consists of, the repository holds {found}.",
        "The size of the weights is too low: give it with --weights-bytes.",
    )


def _several(stems: Sequence[str]) -> Finding:
    return warning(
        "several-checkpoints",
        f"The repository has several sets of weights ({', '.join(stems[:4])[:160]}); all were counted.",
        "Give the size of the right one with --weights-bytes.",
    )


# ----------------------------------------------------------------------------------------------------------------- GGUF


def quantisations(files: Sequence[RepoFile]) -> tuple[Quantisation, ...]:
    """Every quantisation that the repository offers as GGUF, smallest first; split files make one offer."""
    found: dict[str, list[RepoFile]] = {}
    for file in files:
        base = file.name.rpartition("/")[2].lower()
        if base.endswith(".gguf") and "mmproj" not in base and "imatrix" not in base:
            match = _SHARD.fullmatch(file.name)
            found.setdefault(match["stem"] if match else file.name[:-5], []).append(file)
    labels = [_label(stem) for stem in found]
    offers = [
        Quantisation(
            name=label if labels.count(label) == 1 else stem,
            files=tuple(file.name for file in sorted(members, key=lambda file: file.name)),
            bytes=None if any(file.size is None for file in members) else total(members),
        )
        for (stem, members), label in zip(found.items(), labels, strict=True)
    ]
    return tuple(sorted(offers, key=lambda offer: (offer.bytes or 0, offer.name)))


def _label(stem: str) -> str:
    """`Q4_K_M` out of `model-Q4_K_M` or `Q4_K_M/model`; the file's name where none is found."""
    found = _QUANTISATION.findall(stem)
    return str(found[-1]).upper() if found else stem.rpartition("/")[2]


def pick(offers: Sequence[Quantisation], named: str) -> Quantisation | None:
    """The offer that `named` means (a file or a quantisation), the largest for "", None where there is none such."""
    if not named:
        return offers[-1] if offers else None
    key = named.lower()
    exact = [offer for offer in offers if key == offer.name.lower() or key in {name.lower() for name in offer.files}]
    return exact[0] if exact else None
