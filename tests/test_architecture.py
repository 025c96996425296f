"""What import-linter cannot say about the tree: single functions, sizes, and what a fresh process loads."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "kvdesk"
SOURCES = sorted(PACKAGE.rglob("*.py"))
CORE = sorted((PACKAGE / "core").rglob("*.py"))

# Packages that `kvdesk size` of a local file has no use for: a display, a plot, the network, the PDF.
HEAVY = {"PySide6", "shiboken6", "pyqtgraph", "numpy", "typst", "huggingface_hub", "httpx2", "socket", "ssl", "asyncio"}
# Parts of the standard library that would slow its start: value classes are those of
# core.values, help asks the terminal itself for its width, of the catalogue one table is cut out.
SLOW = {"dataclasses", "inspect", "shutil", "tomllib", "tempfile", "subprocess", "logging"}

# Llama 3.1 8B's own config.json, the keys that decide: 131,072 B for a token (CONTRACT: 32 x 8 x 128 x 2 x 2).
LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "max_position_embeddings": 131072,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "vocab_size": 128256,
}


TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(path: Path) -> Iterator[str]:
    """Full names of the modules that a file imports, wherever in it."""
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def importers(modules: set[str], paths: list[Path]) -> dict[str, set[str]]:
    """By file, which of `modules` it imports; files that import none are left out."""
    found = {name(path): modules & set(imported(path)) for path in paths}
    return {file: names for file, names in found.items() if names}


def test_core_knows_only_the_standard_library() -> None:
    allowed = {"kvdesk", *sys.stdlib_module_names}
    foreign = {name(path): {module.partition(".")[0] for module in imported(path)} - allowed for path in CORE}
    assert not {file: modules for file, modules in foreign.items() if modules}


def test_core_has_no_clock() -> None:
    assert not importers({"datetime.datetime", "datetime.date", "time.time"}, CORE)


def test_only_the_hub_client_opens_connections() -> None:
    # urllib.parse is fine anywhere; its sisters are not, and import-linter sees only "urllib".
    elsewhere = [path for path in SOURCES if PACKAGE / "hub" / "client" not in path.parents]
    assert not importers({"urllib.request", "http.client", "socketserver", "ftplib", "smtplib"}, elsewhere)


def test_files_stay_readable() -> None:
    lengths = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert not {file: lines for file, lines in lengths.items() if lines > 400}


def test_nothing_pumps_the_event_loop_or_swallows_everything() -> None:
    for path in SOURCES:
        assert "processEvents" not in path.read_text(encoding="utf-8"), name(path)
        for node in ast.walk(TREES[path]):
            if isinstance(node, ast.ExceptHandler):
                assert node.type is not None, f"bare except in {name(path)}, line {node.lineno}"


def loaded_by(code: str) -> set[str]:
    """Top-level modules in a fresh interpreter after `code`."""
    script = f"{code}\nimport sys, json\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return {module.partition(".")[0] for module in json.loads(done.stdout.splitlines()[-1])}


def test_sizing_a_local_config_loads_nothing_heavy(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps(LLAMA), encoding="utf-8")
    call = ["size", str(config), "--gpu", "h100-sxm", "--json"]
    loaded = loaded_by(f"from kvdesk.cli.main import main\nassert main({call!r}) == 0")
    assert not loaded & (HEAVY | SLOW)


def test_the_engines_and_the_catalogue_load_nothing_heavy() -> None:
    loaded = loaded_by("import kvdesk.engines.registry, kvdesk.catalogue, kvdesk.app, kvdesk.hub")
    assert not loaded & HEAVY
