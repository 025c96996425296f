"""Read many mutations of checkpoint headers and of the Hub's answers: no traceback, no hang, no size that cannot be.

    python tests/fuzz/header_mutations.py [N] [SEED]

Prints how many of each kind were read and how many refused, and the slowest reading; exit status 1 at the first fault.
"""

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kvdesk.core.errors import KvdeskError
from kvdesk.hub import checkpoint_files, gguf, gguf_config, refs, safetensors, weights
from kvdesk.hub.client import repository, store_json
from kvdesk.hub.client.settings import Settings
from kvdesk.hub.snapshot import RepoFile, Snapshot
from tests.support.fake_hub import safetensors as written
from tests.support.gguf_file import gguf as gguf_bytes

SLOW = 1.0
"""Seconds that one reading may take on any machine that runs tests."""

_HEADER, _SIZE = written(
    {
        "model.embed_tokens.weight": ("BF16", (100, 8), 1600),
        "model.layers.0.mlp.down_proj.weight": ("U8", (8, 4), 32),
        "model.layers.0.mlp.down_proj.weight_scale": ("F8_E4M3", (8, 1), 8),
        "model.layers.0.self_attn.q_proj.qweight": ("I32", (4, 8), 128),
        "mtp.fc.weight": ("F32", (2, 2), 16),
    }
)
_GGUF = gguf_bytes(
    {
        "general.architecture": "llama",
        "llama.block_count": 32,
        "llama.embedding_length": 4096,
        "llama.attention.head_count": 32,
        "llama.attention.head_count_kv": [8, 8, 8],
        "llama.rope.freq_base": 1e4,
        "tokenizer.ggml.tokens": ["a", "b"],
    }
)
_INFO = json.dumps(
    {
        "id": "org/name",
        "sha": "a" * 40,
        "gated": "manual",
        "siblings": [
            {"rfilename": "model-00001-of-00002.safetensors", "size": 10, "lfs": {"sha256": "x", "size": 10}},
            {"rfilename": "m-Q4_K_M.gguf", "size": 10, "blobId": "x"},
        ],
    }
).encode()
_KEPT = store_json.dump(
    Snapshot(repo_id="a/b", revision="c", config=b"{}", files=(RepoFile(name="x", size=1),), fetched="2026-01-01")
)
_TEXT = b"https://huggingface.co/org/name@main/tree/refs%2Fpr%2F1/config.json:Q4_K_M"


def _safetensors(data: bytes) -> None:
    length = safetensors.header_length(data, _SIZE, "m")
    tensors = safetensors.parse_header(data[8 : 8 + length], _SIZE, "m")
    found = weights.from_tensors(tensors, weights.Hints(layers=1, bits=4), "m")
    assert found.bytes.value >= 0
    assert all(0 <= tensor.bytes <= _SIZE for tensor in tensors)


def _gguf(data: bytes) -> None:
    gguf_config.to_config(gguf.read_header(lambda first, count: data[first : first + count], "m"))


def _info(data: bytes) -> None:
    found = repository.read_info(data, "org/name", Settings())
    checkpoint_files.choose(found.files)
    checkpoint_files.quantisations(found.files)
    assert all(".." not in file.name.split("/") for file in found.files)


def _kept(data: bytes) -> None:
    found = store_json.load(data)
    assert found is None or found.repo_id == "a/b"


def _ref(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    found = refs.parse(text, endpoint=refs.HUB, exists=lambda _: False, catalogue=lambda _: False)
    assert isinstance(found, refs.HubRef)
    assert ".." not in found.repo_id


KINDS: tuple[tuple[str, bytes, Callable[[bytes], None]], ...] = (
    ("safetensors", _HEADER, _safetensors),
    ("gguf", _GGUF, _gguf),
    ("list of files", _INFO, _info),
    ("kept look-up", _KEPT, _kept),
    ("reference", _TEXT, _ref),
)

_BITS = (
    b"",
    b"\0",
    b"\xff" * 8,
    b"-1",
    b"1e999",
    b"99999999999999999999",
    b"NaN",
    b"[",
    b"{",
    b'"',
    b"null",
    b"..",
    b"/",
)


def mutate(data: bytes, rng: random.Random) -> bytes:
    """One to four cuts, changed bytes, doubled parts or inserted pieces."""
    for _ in range(rng.randint(1, 4)):
        first = rng.randrange(len(data) + 1)
        last = min(len(data), first + rng.choice((0, 1, 1, 4, 8, 40)))
        piece = rng.choice((rng.choice(_BITS), rng.randbytes(rng.randint(1, 8)), data[first:last] * 2))
        data = data[:first] + piece + data[last:]
    return data


def run(count: int, seed: int) -> tuple[Counter[str], float]:
    """`count` mutations; how many of each kind were read or refused, and the slowest in seconds."""
    rng = random.Random(seed)  # noqa: S311  # a repeatable sequence is wanted
    tally: Counter[str] = Counter()
    slowest = 0.0
    for _ in range(count):
        kind, good, read = rng.choice(KINDS)
        data = mutate(good, rng)
        start = time.perf_counter()
        try:
            read(data)
            tally[f"{kind}: read"] += 1
        except KvdeskError as error:
            tally[f"{kind}: {error.code}"] += 1
        except BaseException:
            print(f"{kind}: {data!r}", file=sys.stderr)  # noqa: T201  # the case to keep
            raise
        slowest = max(slowest, time.perf_counter() - start)
    return tally, slowest


def main() -> None:
    """Run and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    tally, slowest = run(count, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    for name, number in sorted(tally.items()):
        print(f"{number:>9,} {name}")  # noqa: T201  # a report
    print(f"slowest {slowest * 1000:.1f} ms")  # noqa: T201  # a report
    if slowest > SLOW:
        sys.exit(1)


if __name__ == "__main__":
    main()
