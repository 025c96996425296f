"""Window and report call the same things by the same names and paint them alike."""

import pytest
from PySide6.QtGui import QColor

from kvdesk.app import actions, lookup, reporting
from kvdesk.app.session import GpuChoice
from kvdesk.core.layers import CachePart
from kvdesk.gui.main_window import MainWindow
from kvdesk.gui.panels.model import strip
from kvdesk.gui.theme import LIGHT
from kvdesk.report.blocks import Document, Figure
from kvdesk.report.charts import colours, stacked
from kvdesk.report.inputs import ReportDetails

MODELS = ("llama-3.1-8b", "qwen3-next-80b-a3b", "gemma-3-27b", "deepseek-v3", "gpt-oss-120b")


def kinds(cls: type[object]) -> set[str]:
    found: set[str] = {str(cls.kind)} if hasattr(cls, "kind") else set()
    for narrower in cls.__subclasses__():
        found |= kinds(narrower)
    return found


def figures(document: Document) -> dict[str, Figure]:
    blocks = [block for section in document.sections for block in section.blocks]
    return {block.key: block for block in blocks if isinstance(block, Figure)}


def test_every_kind_has_its_place_and_its_colour() -> None:
    assert kinds(CachePart) <= set(colours.ORDER)
    light = strip.colours(LIGHT)
    assert {kind: colours.of_kind(kind) for kind in colours.ORDER} == {kind: light[kind] for kind in colours.ORDER}


def test_parts_of_memory_have_the_colours_of_the_light_theme() -> None:
    assert (LIGHT.weights, LIGHT.reserve, LIGHT.cache) == (colours.WEIGHTS, colours.RESERVE, colours.CACHE)
    assert LIGHT.series == colours.SERIES
    assert stacked._FILLS[:3] == (LIGHT.weights, LIGHT.reserve, LIGHT.cache)


@pytest.mark.parametrize("name", MODELS)
def test_layers_and_memory_in_both(window: MainWindow, name: str) -> None:
    model = lookup.from_card(name)
    window.bridge.edit("", lambda session: actions.set_model(session, model))
    window.bridge.edit("", lambda session: actions.set_gpu(session, 0, GpuChoice(gpu="h200-sxm", count=8)))
    window.actions_by_id["view.layers"].trigger()
    window.bridge.flush()
    sizing = window.bridge.view.sizing
    assert sizing is not None
    found = figures(reporting.build(window.bridge.store.session, sizing, ReportDetails()))
    legend = window.parts.model.legend
    cells = window.parts.layers.table.cells
    for at, kind in enumerate(strip.kinds(sizing)):
        assert kind.title in found["layers"].alt
        assert cells.index(at, 0).data() == kind.title
        swatch, words, _ = legend._rows[at]
        assert words.text() == f"{kind.count} × {kind.title}"
        fill = swatch.property("colour")
        assert QColor(fill).isValid()
        assert fill == colours.of_kind(kind.name)
        assert fill in found["layers"].svg
    told = window.parts.verdict.rows[0]._bar.accessibleDescription()
    for part in stacked._NAMES[:3]:
        assert part in told
        assert part in found["stacked_A"].alt
