"""What the code never does, read off the code: run downloads, start programs, open pickles, leave its folder."""

import ast
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import kvdesk
from kvdesk.app import lookup
from kvdesk.gui.dialogs import about
from kvdesk.hub.client.repository import is_safe_name

ROOT = Path(kvdesk.__file__).parent
SOURCES = sorted(ROOT.rglob("*.py"))
CALLS = {"eval", "exec", "compile", "__import__", "breakpoint", "input"}
MODULES = {
    "pickle",
    "marshal",
    "shelve",
    "dill",
    "joblib",
    "yaml",
    "subprocess",
    "pty",
    "runpy",
    "code",
    "ctypes",
    "multiprocessing",
    "xmlrpc",
    "torch",
    "transformers",
    "numpy",
}
ATTRIBUTES = {"system", "popen", "execv", "execvp", "spawnl", "spawnv", "startfile", "fork", "forkpty", "posix_spawn"}
QT = {"QProcess", "QPluginLoader", "QJSEngine", "QWebEngineView", "QLibrary"}
EXCEPTIONS = {
    "gui/documents.py": {"ctypes"},  # asks Windows whether a process still runs
    **{
        path.relative_to(ROOT).as_posix(): {"numpy"} for path in (ROOT / "gui" / "plot").glob("*.py")
    },  # pyqtgraph's arrays
}


def names(tree: ast.AST) -> Iterator[str]:
    """What a file calls and imports of the above."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]
            yield from (alias.name for alias in node.names if alias.name in QT)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
            yield node.func.id
        elif isinstance(node, ast.Attribute) and node.attr in ATTRIBUTES:
            yield node.attr if isinstance(node.value, ast.Name) and node.value.id == "os" else ""


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_is_run_started_or_unpickled(path: Path) -> None:
    found = set(names(ast.parse(path.read_text(encoding="utf-8")))) & (CALLS | MODULES | ATTRIBUTES | QT)
    assert found <= EXCEPTIONS.get(path.relative_to(ROOT).as_posix(), set())


def test_modules_are_loaded_by_names_of_kvdesk_only() -> None:
    """`import_module` is used for the tables of families, engines and commands, never with text from a file."""
    calls = [
        (path, ast.unparse(node.args[0]))
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module")
    ]
    assert calls
    for path, argument in calls:
        fixed = argument.startswith(("f'kvdesk.", "'kvdesk.")) or path.name in {"main.py", "selftest.py"}
        assert fixed, f"{path}: {argument}"


NASTY = ("a", "1", "_", " ", "-", ".", "A", "=", "(", '"', "'", "a1", "a ", "x=", "1,", "_a", "A-", "[1;", "pid=", "/a")


def patterns(path: Path) -> set[str]:
    """The strings of a module with regular expressions that repeat something without a bound."""
    text = path.read_text(encoding="utf-8")
    if "import re\n" not in text:
        return set()
    strings = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    return {one for one in strings if isinstance(one, str) and "\n" not in one and re.search(r"[\])\w.][+*]", one)}


def test_regular_expressions_cannot_run_away() -> None:
    """On long monotonous texts the time grows with the length, at worst with its square, never as a power of two."""
    tried = 0
    for path in SOURCES:
        for text in patterns(path):
            try:
                pattern = re.compile(text)
            except re.error:
                continue
            tried += 1
            for piece in NASTY:
                start = time.process_time()
                pattern.search(piece * (1500 // len(piece)) + "!")
                assert time.process_time() - start < 0.5, f"{path}: {text} on {piece!r}"
    assert tried > 20


@pytest.mark.parametrize(
    "name", ["../x", "a/../../x", "/etc/passwd", "C:\\x", "a\\..\\x", "..", "", ".", "a/./b", "a//b", "x\0", "a\nb"]
)
def test_names_of_files_that_lead_out_of_a_repository_are_dropped(name: str) -> None:
    assert not is_safe_name(name)


def test_names_inside_a_repository_are_kept() -> None:
    assert all(map(is_safe_name, ("config.json", "a/b/model-00001-of-00002.safetensors", "..a/b..c")))


def test_links_in_the_window_open_only_the_web() -> None:
    """Whoever hands an address to the system checks its scheme; labels do not open links by themselves."""
    for path in (ROOT / "gui").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "openUrl" in text or "setOpenExternalLinks" in text:
            assert re.search(r"https?", text), path


def test_a_local_file_needs_no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked for")

    monkeypatch.setattr(lookup, "_from_hub", refuse)
    (tmp_path / "config.json").write_text('{"model_type": "llama"}', encoding="utf-8")
    for source in (tmp_path, tmp_path / "config.json"):
        assert lookup.load(str(source)).origin == "file"


def test_about_has_the_licences_of_what_runs() -> None:
    assert about.facts()
