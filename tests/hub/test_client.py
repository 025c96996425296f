"""Look-ups over real HTTP on loopback."""

import json
import threading
import time
from collections import Counter
from dataclasses import replace

import pytest

from kvdesk.core.errors import RefusalError, SourceError, UsageError
from kvdesk.core.sourced import Origin
from kvdesk.hub import client
from kvdesk.hub.client.settings import Settings
from kvdesk.hub.refs import HubRef
from tests.support.fake_hub import FakeHub, Reply, Request, safetensors
from tests.support.gguf_file import Value, gguf

LLAMA = "meta-llama/Llama-3.1-8B"
CONFIG = {"model_type": "llama", "num_hidden_layers": 2, "tie_word_embeddings": False}
GGUF_KEYS: dict[str, Value] = {
    "general.architecture": "llama",
    "llama.block_count": 32,
    "llama.embedding_length": 4096,
    "llama.attention.head_count": 32,
    "llama.attention.head_count_kv": 8,
}
HEADER, FILE_SIZE = safetensors(
    {
        "model.embed_tokens.weight": ("BF16", (1000, 64), 128_000),
        "model.layers.0.self_attn.q_proj.weight": ("BF16", (64, 64), 8_192),
        "model.layers.2.self_attn.q_proj.weight": ("BF16", (64, 64), 8_192),
        "lm_head.weight": ("BF16", (1000, 64), 128_000),
    }
)


def add_llama(hub: FakeHub, **options: object) -> str:
    """A small Llama; its commit."""
    files = {"config.json": CONFIG, "model.safetensors": HEADER, "README.md": "# Llama"}
    return hub.add(LLAMA, files, sizes={"model.safetensors": FILE_SIZE}, **options).commit


def test_a_look_up_brings_commit_config_files_and_weights(fake_hub: FakeHub, settings: Settings) -> None:
    commit = add_llama(fake_hub)
    found = client.look_up(HubRef(LLAMA), settings=settings)
    assert found.repo_id == LLAMA
    assert found.revision == commit
    assert json.loads(found.config) == CONFIG
    assert found.etag == fake_hub.repos[LLAMA].etag("config.json")
    assert {file.name: file.size for file in found.files}["model.safetensors"] == FILE_SIZE
    assert not found.gated
    assert not found.from_cache
    assert found.fetched == time.strftime("%Y-%m-%d", time.gmtime())
    assert found.findings == ()
    assert found.weights is not None
    # Layer 2 of a model of 2 layers is a draft layer: 128,000 + 8,192 + 128,000 bytes without it.
    assert found.weights.bytes.value == 264_192
    assert found.weights.draft_bytes == 8_192
    assert found.weights.bytes.source.origin is Origin.HEADER
    assert found.weights.parameters is not None
    assert found.weights.parameters.value == 132_096
    assert found.weights.by_format == {"bf16": 264_192}


def test_the_environment_alone_is_enough(fake_hub: FakeHub) -> None:
    commit = add_llama(fake_hub)
    assert client.look_up(HubRef(LLAMA)).revision == commit
    fake_hub.requests.clear()
    assert client.look_up(HubRef(LLAMA, commit)).from_cache
    assert fake_hub.requests == []


def test_two_round_trips(fake_hub: FakeHub, settings: Settings) -> None:
    add_llama(fake_hub)
    client.look_up(HubRef(LLAMA), settings=settings)  # imports and connections are paid for
    fake_hub.requests.clear()
    fake_hub.latency = 0.2
    start = time.monotonic()
    client.look_up(HubRef(LLAMA), settings=settings)
    took = time.monotonic() - start
    # Commit and config side by side, then the header, which the Hub redirects to its storage.
    assert took < 0.2 * 3 + 0.3
    first = [request for request in fake_hub.requests if request.at - fake_hub.requests[0].at < 0.15]
    assert sorted(request.path for request in first) == [f"/api/models/{LLAMA}", f"/{LLAMA}/resolve/main/config.json"]
    assert len(fake_hub.requests) == 4


def test_the_config_is_that_of_the_commit(fake_hub: FakeHub, settings: Settings) -> None:
    commit = add_llama(fake_hub)

    def branch_moved(request: Request) -> Reply | None:
        if request.path.endswith("/resolve/main/config.json"):
            return Reply(headers={"X-Repo-Commit": "f" * 40, "ETag": '"x"'}, body=b'{"model_type": "newer"}')
        return None

    fake_hub.fault = branch_moved
    found = client.look_up(HubRef(LLAMA), settings=settings)
    assert json.loads(found.config) == CONFIG
    assert f"/{LLAMA}/resolve/{commit}/config.json" in fake_hub.paths


def test_a_mirror_without_commits(fake_hub: FakeHub, settings: Settings) -> None:
    add_llama(fake_hub)

    def mirror(request: Request) -> Reply | None:
        if "/resolve/" not in request.path:
            return None
        return Reply(body=json.dumps(CONFIG).encode()) if "/main/config.json" in request.path else Reply(status=404)

    fake_hub.fault = mirror
    assert json.loads(client.look_up(HubRef(LLAMA), settings=settings).config) == CONFIG


def test_redirects_of_small_files_and_renamed_models(fake_hub: FakeHub, settings: Settings) -> None:
    commit = add_llama(fake_hub)
    fake_hub.redirects_small = True
    fake_hub.add("old/name", {}, renamed_to=LLAMA)
    found = client.look_up(HubRef("old/name"), settings=settings)
    assert found.repo_id == LLAMA
    assert found.revision == commit


def test_branches_commits_and_old_ids(fake_hub: FakeHub, settings: Settings) -> None:
    commit = add_llama(fake_hub)
    fake_hub.repos[LLAMA].revisions["refs/pr/7"] = commit
    assert client.look_up(HubRef(LLAMA, "refs/pr/7"), settings=settings).revision == commit
    assert client.look_up(HubRef(LLAMA, commit), settings=settings).revision == commit
    fake_hub.add("gpt2", {"config.json": {"model_type": "gpt2"}})
    assert client.look_up(HubRef("gpt2"), settings=settings).repo_id == "gpt2"


def test_side_files_only_where_they_are_called_for(fake_hub: FakeHub, settings: Settings) -> None:
    side = {"quantization": {"kv_cache_quant_algo": "FP8"}}
    files = {"config.json": CONFIG, "hf_quant_config.json": side}
    fake_hub.add("nvidia/a", files)
    fake_hub.add("nvidia/b", files | {"config.json": CONFIG | {"quantization_config": {"quant_method": "fp8"}}})
    found = client.look_up(HubRef("nvidia/a"), settings=settings)
    assert json.loads(found.side_files["hf_quant_config.json"]) == side
    assert client.look_up(HubRef("nvidia/b"), settings=settings).side_files == {}
    assert sum("hf_quant_config" in path for path in fake_hub.paths) == 1


def test_headers_that_cannot_be_read_leave_the_sizes_of_files(fake_hub: FakeHub, settings: Settings) -> None:
    add_llama(fake_hub)
    fake_hub.fault = lambda request: Reply(body=b"all of it") if request.path.startswith("/storage/") else None
    found = client.look_up(HubRef(LLAMA), settings=settings)
    assert found.weights is not None
    assert found.weights.bytes.value == FILE_SIZE
    assert found.weights.bytes.source.origin is Origin.FILES
    assert [finding.code for finding in found.findings] == ["headers-unread"]


def test_a_long_header_takes_a_second_range(fake_hub: FakeHub, settings: Settings) -> None:
    tensors = {f"model.layers.0.a{i:05}.weight": ("F32", (2,), 8) for i in range(5_000)}
    header, size = safetensors(tensors)
    assert len(header) > 1 << 16
    fake_hub.add("a/b", {"config.json": CONFIG, "model.safetensors": header}, sizes={"model.safetensors": size})
    found = client.look_up(HubRef("a/b"), settings=settings)
    assert found.weights is not None
    assert found.weights.bytes.value == 40_000
    spans = [request.headers["range"] for request in fake_hub.requests if request.path.startswith("/storage/")]
    assert spans == ["bytes=0-65535", f"bytes=65536-{len(header) - 1}"]


def test_the_index_tells_how_long_headers_are(fake_hub: FakeHub, settings: Settings) -> None:
    names = [f"model-{number:05}-of-00009.safetensors" for number in range(1, 10)]
    places: dict[str, str] = {}
    headers: dict[str, bytes] = {}
    sizes: dict[str, int] = {}
    for number, name in enumerate(names):
        # The first file has twice as many tensors as the others, as a checkpoint's embedding and head make uneven ones.
        tensors = {
            f"model.layers.0.a{number}b{i}.weight": ("F32", (1024,), 4096) for i in range(400 if number else 800)
        }
        headers[name], sizes[name] = safetensors(tensors)
        places |= dict.fromkeys(tensors, name)
    index = json.dumps({"metadata": {}, "weight_map": places}, indent=2)
    fake_hub.add("a/b", {"config.json": CONFIG, "model.safetensors.index.json": index, **headers}, sizes=sizes)
    found = client.look_up(HubRef("a/b"), settings=settings)
    assert found.weights is not None
    assert found.weights.bytes.value == 4096 * (8 * 400 + 800)
    spans = [request.headers["range"] for request in fake_hub.requests if request.path.startswith("/storage/")]
    first = 8 + 2 * len(index) // 9
    # One range each, and the rest of the long one.
    assert Counter(spans) == {f"bytes=0-{first - 1}": 9, f"bytes={first}-{len(headers[names[0]]) - 1}": 1}


# ----------------------------------------------------------------------------------------------- what is no plain model


def test_an_adapter_leads_to_its_base(fake_hub: FakeHub, settings: Settings) -> None:
    add_llama(fake_hub)
    adapter = {"base_model_name_or_path": LLAMA, "peft_type": "LORA"}
    fake_hub.add("me/lora", {"adapter_config.json": adapter, "adapter_model.safetensors": b"x" * 100})
    found = client.look_up(HubRef("me/lora"), settings=settings)
    assert found.repo_id == LLAMA
    assert found.findings[0].code == "adapter"
    assert "100 bytes" in found.findings[0].remedy


@pytest.mark.parametrize("base", [None, 7, "", "/home/me/model", "../x", "a b"])
def test_an_adapter_without_a_base(fake_hub: FakeHub, settings: Settings, base: object) -> None:
    fake_hub.add("me/lora", {"adapter_config.json": {"base_model_name_or_path": base}})
    with pytest.raises(SourceError) as caught:
        client.look_up(HubRef("me/lora"), settings=settings)
    assert caught.value.code == "no-config"


def test_an_adapter_whose_base_is_gone(fake_hub: FakeHub, settings: Settings) -> None:
    fake_hub.add("me/lora", {"adapter_config.json": {"base_model_name_or_path": "gone/base"}})
    with pytest.raises(SourceError, match="gone/base") as caught:
        client.look_up(HubRef("me/lora"), settings=settings)
    assert caught.value.code == "adapter-base"
    assert "Did you mean" not in caught.value.detail


def test_an_adapter_of_itself_ends(fake_hub: FakeHub, settings: Settings) -> None:
    fake_hub.add("me/lora", {"adapter_config.json": {"base_model_name_or_path": "me/lora"}})
    with pytest.raises(SourceError) as caught:
        client.look_up(HubRef("me/lora"), settings=settings)
    assert caught.value.code == "no-config"


def test_a_diffusion_pipeline_is_refused(fake_hub: FakeHub, settings: Settings) -> None:
    fake_hub.add("me/flux", {"model_index.json": {}, "unet/config.json": {}})
    with pytest.raises(RefusalError) as caught:
        client.look_up(HubRef("me/flux"), settings=settings)
    assert caught.value.code == "diffusion-model"


@pytest.mark.parametrize("files", [{"README.md": "x"}, {"params.json": {}}, {"text/config.json": {}}])
def test_without_a_config(fake_hub: FakeHub, settings: Settings, files: dict[str, object]) -> None:
    fake_hub.add("me/none", files)
    with pytest.raises(SourceError) as caught:
        client.look_up(HubRef("me/none"), settings=settings)
    assert caught.value.code == "no-config"


def test_a_config_in_a_folder_can_be_named(fake_hub: FakeHub, settings: Settings) -> None:
    fake_hub.add("me/none", {"text/config.json": CONFIG})
    found = client.look_up(HubRef("me/none", "main", "text/config.json"), settings=settings)
    assert json.loads(found.config) == CONFIG
    assert found.config_name == "text/config.json"


def test_a_gguf_repository_without_a_config(fake_hub: FakeHub, settings: Settings) -> None:
    header = gguf(GGUF_KEYS)
    files = {"m-Q4_K_M.gguf": header, "m-Q8_0.gguf": header, "README.md": "x"}
    fake_hub.add("me/GGUF", files, sizes={"m-Q4_K_M.gguf": 5_000_000_000, "m-Q8_0.gguf": 9_000_000_000})
    found = client.look_up(HubRef("me/GGUF", None, "Q4_K_M"), settings=settings)
    assert json.loads(found.config)["num_key_value_heads"] == 8
    assert found.config_name == "m-Q4_K_M.gguf"
    assert found.weights is not None
    assert found.weights.bytes.value == 5_000_000_000
    assert found.findings == ()
    largest = client.look_up(HubRef("me/GGUF"), settings=settings)
    assert largest.config_name == "m-Q8_0.gguf"
    assert "Q4_K_M 5.00 GB, Q8_0 9.00 GB" in largest.findings[0].text
    by_file = client.look_up(HubRef("me/GGUF", "main", "m-Q4_K_M.gguf"), settings=settings)
    assert by_file.config_name == "m-Q4_K_M.gguf"
    # Of each file only its beginning was asked for.
    spans = {request.headers["range"] for request in fake_hub.requests if request.path.startswith("/storage/")}
    assert spans == {"bytes=0-262143"}


def test_an_unknown_quantisation_names_those_that_are_there(fake_hub: FakeHub, settings: Settings) -> None:
    fake_hub.add("me/gguf", {"config.json": CONFIG, "m-Q4_K_M.gguf": b"G", "m-Q8_0.gguf": b"GG"})
    found = client.look_up(HubRef("me/gguf"), settings=settings)
    assert [(offer.name, offer.bytes) for offer in found.quantisations] == [("Q4_K_M", 1), ("Q8_0", 2)]
    assert found.weights is not None
    assert found.weights.bytes.value == 2
    assert [finding.code for finding in found.findings] == ["several-quantisations"]
    named = client.look_up(HubRef("me/gguf", None, "q4_k_m"), settings=settings)
    assert named.weights is not None
    assert named.weights.bytes.value == 1
    with pytest.raises(UsageError) as caught:
        client.look_up(HubRef("me/gguf", None, "Q2_K"), settings=settings)
    assert "Q4_K_M, Q8_0" in caught.value.detail


# -------------------------------------------------------------------------------------------------------------- offline


def test_offline_afterwards(fake_hub: FakeHub, settings: Settings) -> None:
    add_llama(fake_hub)
    online = client.look_up(HubRef(LLAMA), settings=settings)
    asked = len(fake_hub.requests)
    offline = client.look_up(HubRef(LLAMA), settings=replace(settings, offline=True))
    assert offline == replace(online, from_cache=True)
    assert len(fake_hub.requests) == asked


def test_offline_before(fake_hub: FakeHub, settings: Settings) -> None:
    with pytest.raises(SourceError) as caught:
        client.look_up(HubRef(LLAMA), settings=replace(settings, offline=True))
    assert caught.value.code == "offline-not-cached"
    assert client.search("llama", settings=replace(settings, offline=True)) == ()
    assert fake_hub.requests == []


def test_the_environment_says_offline(fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    add_llama(fake_hub)
    client.look_up(HubRef(LLAMA))
    asked = len(fake_hub.requests)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert client.look_up(HubRef(LLAMA)).from_cache
    assert len(fake_hub.requests) == asked


# --------------------------------------------------------------------------------------------------------------- search


def test_search(fake_hub: FakeHub, settings: Settings) -> None:
    add_llama(fake_hub)
    fake_hub.add("other/llama-x", {})
    fake_hub.add("other/qwen", {})
    assert client.search("llama", settings=settings) == (LLAMA, "other/llama-x")
    assert client.search("llama", 1, settings=settings) == (LLAMA,)
    assert client.search("l", settings=settings) == ()


def test_a_mistyped_id_offers_close_ones(fake_hub: FakeHub, settings: Settings) -> None:
    fake_hub.add("meta-llama/Llama-3.1-8B-Instruct-X", {})
    with pytest.raises(SourceError) as caught:
        client.look_up(HubRef("meta-lama/Llama-3.1-8B"), settings=settings)
    assert caught.value.code == "model-not-found"
    assert "Did you mean" in caught.value.detail
    assert "meta-llama/Llama-3.1-8B" in caught.value.detail
    assert len(caught.value.suggestions) == 3
    assert all(name in caught.value.detail for name in caught.value.suggestions)


# ------------------------------------------------------------------------------------------------------------ long use


def test_many_look_ups_leave_no_threads(fake_hub: FakeHub, settings: Settings) -> None:
    add_llama(fake_hub)
    client.look_up(HubRef(LLAMA), settings=settings)
    before = threading.active_count()
    for _ in range(20):
        client.look_up(HubRef(LLAMA), settings=settings)
    time.sleep(0.1)
    assert threading.active_count() <= before + 4
