"""A look-up of a sharded 100-file model with exact weights over the loopback Hub, 40 ms of latency per request."""

import sys
import tempfile
from collections.abc import Iterator

from tests.bench import peers
from tests.bench.measure import Row, environment, milliseconds, once, processes
from tests.bench.start import CONFIG
from tests.support.fake_hub import FakeHub, Reply, Repo, Request, as_json, safetensors, serve

REPO = "bench/llama-100-shards"
SHARDS = 100
LATENCY = 0.040
# hf-mem 0.5.6 names the Hub's host itself; here its requests go where HF_ENDPOINT says, and nothing else is changed.
HF_MEM = """
import os, sys, httpx2
real = httpx2.AsyncClient.build_request
def build(self, method, url, **more):
    return real(self, method, str(url).replace("https://huggingface.co", os.environ["HF_ENDPOINT"]), **more)
httpx2.AsyncClient.build_request = build
from hf_mem.cli import main
sys.argv = ["hf-mem", *sys.argv[1:]]
sys.exit(main())
"""


def hub() -> FakeHub:
    """A Hub with one model of 100 shards, headers only."""
    found = FakeHub()
    files: dict[str, object] = {"config.json": CONFIG.read_bytes()}
    sizes: dict[str, int] = {}
    places: dict[str, str] = {}
    for number in range(SHARDS):
        name = f"model-{number + 1:05d}-of-{SHARDS:05d}.safetensors"
        tensors = {f"model.layers.{number}.mlp.w{i}.weight": ("BF16", (4096, 1024), 2 * 4096 * 1024) for i in range(8)}
        files[name], sizes[name] = safetensors(tensors)
        places.update(dict.fromkeys(tensors, name))
    files["model.safetensors.index.json"] = {"metadata": {"total_size": sum(sizes.values())}, "weight_map": places}
    found.add(REPO, files, sizes=sizes)
    found.latency = LATENCY
    found.fault = lambda request: _tree(found, request)
    return found


def _tree(hub: FakeHub, request: Request) -> Reply | None:
    """The list of files that hf-mem asks for."""
    if "/tree/" not in request.path:
        return None
    repo = hub.repos[REPO]
    return as_json([{"type": "file", "path": name, "size": repo.size(name)} for name in repo.files])


def rows(runs: int) -> Iterator[Row]:
    """Time on the clock against hf-mem; bytes of headers moved against the headers' own."""
    installed = peers.commands()
    with serve(hub()) as server, tempfile.TemporaryDirectory() as home:
        commands = {"kvdesk": _cold(home, sys.executable, "-m", "kvdesk", "size", REPO, "--json")}
        if "hf-mem" in installed:
            peer = installed["hf-mem"].with_name("python")
            commands["hf-mem"] = _cold(home, str(peer), "-c", HF_MEM, "--model-id", REPO, "--json-output")
        found = processes(commands, runs=runs, env=environment(HF_ENDPOINT=server.url))
        asked = {name: _asked(server, command) for name, command in commands.items()}
    ours, theirs = found["kvdesk"].wall, found["hf-mem"].wall if "hf-mem" in found else None
    yield Row(
        what=f"look-up of {SHARDS} shards, 40 ms latency ({len(asked['kvdesk'])} requests)",
        against="hf-mem" if theirs else "hf-mem (not installed)",
        ours=milliseconds(ours),
        theirs=milliseconds(theirs) if theirs else "-",
        ratio=ours / theirs if theirs else None,
        goal="≤ 0.5 ×",
        met=ours <= 0.5 * theirs if theirs else None,
    )
    yield from _moved(server.repos[REPO], asked)


def _cold(home: str, *command: str) -> list[str]:
    """`command` with a new cache for every process, so that each look-up is a first one."""
    return [
        "sh",
        "-c",
        'HF_HOME=$(mktemp -d -p "$0") && XDG_CACHE_HOME=$HF_HOME && export HF_HOME XDG_CACHE_HOME && exec "$@"',
        home,
        *command,
    ]


def _asked(server: FakeHub, command: list[str]) -> list[Request]:
    """The requests of one look-up."""
    before = len(server.requests)
    once(command, environment(HF_ENDPOINT=server.url))
    return server.requests[before:]


def _moved(repo: Repo, asked: dict[str, list[Request]]) -> Iterator[Row]:
    """Bytes of the shards that each program asked for, beside the headers' own bytes."""
    own = sum(len(data) for name, data in repo.files.items() if name.endswith(".safetensors"))
    for program, requests in asked.items():
        spans = [r.headers["range"].removeprefix("bytes=").split("-") for r in requests if "/storage/" in r.path]
        moved = sum(int(last) - int(first) + 1 for first, last in spans)
        yield Row(
            what=f"bytes of shards moved by {program}",
            against="the headers themselves",
            ours=f"{moved:,} B",
            theirs=f"{own:,} B",
            ratio=moved / own,
            goal="≤ 2 ×" if program == "kvdesk" else "-",
            met=moved <= 2 * own if program == "kvdesk" else None,
        )
