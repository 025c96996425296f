"""A look-up of a sharded 100-file model with exact weights over the loopback Hub, 40 ms of latency per request."""

import sys
import tempfile
from collections.abc import Iterator

from tests.bench import peers
from tests.bench.measure import Row, environment, milliseconds, once, processes
from tests.bench.start import CONFIG
from tests.support.fake_hub import FakeHub, Reply, Request, as_json, safetensors, serve

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
    """Time on the clock against hf-mem; bytes moved against headers and config."""
    installed = peers.commands()
    with serve(hub()) as server, tempfile.TemporaryDirectory() as home:
        # A new cache for every process, so that each look-up is a first one.
        program = (
            "import os, sys, tempfile; os.environ['HF_HOME'] = tempfile.mkdtemp(dir=sys.argv[1]);"
            "os.environ['XDG_CACHE_HOME'] = os.environ['HF_HOME'];"
            "os.execv(sys.argv[2], sys.argv[2:])"
        )
        cold = [sys.executable, "-c", program, home]
        commands = {"kvdesk": [*cold, sys.executable, "-m", "kvdesk", "size", REPO, "--json"]}
        if "hf-mem" in installed:
            peer = installed["hf-mem"].with_name("python")
            commands["hf-mem"] = [*cold, str(peer), "-c", HF_MEM, "--model-id", REPO, "--json-output"]
        found = processes(commands, runs=runs, env=environment(HF_ENDPOINT=server.url))
        before = len(server.requests)
        once(commands["kvdesk"], environment(HF_ENDPOINT=server.url))
        requests = len(server.requests) - before
    ours = found["kvdesk"].wall
    theirs = found["hf-mem"].wall if "hf-mem" in found else None
    yield Row(
        what=f"look-up of {SHARDS} shards, 40 ms latency ({requests} requests)",
        against="hf-mem" if theirs else "hf-mem (not installed)",
        ours=milliseconds(ours),
        theirs=milliseconds(theirs) if theirs else "-",
        ratio=ours / theirs if theirs else None,
        goal="≤ 0.5 ×",
        met=ours <= 0.5 * theirs if theirs else None,
    )
