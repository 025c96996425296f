"""A start-up log's text -> what it tells, whichever engine wrote it."""

import re
from types import ModuleType

from kvdesk.core.errors import SourceError
from kvdesk.core.findings import Finding, info, warning
from kvdesk.core.units import gib
from kvdesk.engines.logs import lines, llama_cpp, sglang, tensorrt_llm, vllm
from kvdesk.engines.logs.lines import Line
from kvdesk.engines.logs.record import FIGURES, EngineLog, Figure, unit_of
from kvdesk.engines.logs.rules import SHOWN, Collected, apply, option_figures

ENGINES: tuple[ModuleType, ...] = (vllm, sglang, tensorrt_llm, llama_cpp)

_GPU = re.compile(
    r"(?:device_name=|[Dd]evice \d{1,2}: |GPU \d{1,2}: |\d{1,2} {1,4}|using device \w{1,12} \()"
    r"((?:NVIDIA|AMD|Intel|Tesla)[ _][\w.+-]{1,24}(?:[ _][\w.+-]{1,24}){0,5})"
)


def read(text: str) -> EngineLog:
    """What the log tells; raises `SourceError` (`no-log`) where no line of a known engine is found.

    Time and memory grow with the length of the text, which is read up to 64 MiB.
    """
    found = [_Reading(module) for module in ENGINES]
    gpu, count = None, 0
    for line in lines.logical_lines(text):
        count = line.number
        for reading in found:
            reading.take(line)
        if gpu is None:
            gpu = _gpu(line)
    best = max(found, key=lambda reading: reading.hits)
    if not best.hits:
        raise SourceError(
            "no-log",
            "No line of a start-up log was recognised.",
            "Known are logs of vLLM, SGLang, TensorRT-LLM and llama.cpp.",
            "Paste the whole start-up output, from the command to “ready”.",
        )
    return best.log(gpu, count, cut=lines.cut(text))


class _Reading:
    """What one engine's rules have found so far."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.collected = Collected()
        self.options: dict[str, tuple[int, Figure]] = {}
        self.hits = 0

    def take(self, line: Line) -> None:
        self.hits += apply(self.module.RULES, line, self.collected)
        weight, pairs = self.module.options(line)
        if not weight:
            return
        self.hits += 1
        for key, figure in option_figures(pairs, line).items():
            if weight >= self.options.get(key, (0, figure))[0]:
                self.options[key] = (weight, figure)

    def log(self, gpu: Figure | None, count: int, *, cut: bool) -> EngineLog:
        figures = self.collected.figures()
        options = {key: figure for key, (_, figure) in self.options.items()}
        for key in self.module.OPTION_KEYS:
            if key in figures:
                options[key] = figures[key]
        version, model = figures.pop("version", None), figures.pop("model", None)
        return EngineLog(
            engine=self.module.NAME,
            version=version,
            model=options.get("model", model),
            gpu=gpu,
            options=options,
            figures={key: figures[key] for key in (*FIGURES, *sorted(set(figures) - set(FIGURES))) if key in figures},
            lines=count,
            findings=tuple(self._findings(cut=cut)),
        )

    def _findings(self, *, cut: bool) -> list[Finding]:
        found = []
        if cut:
            found.append(warning("log-cut", "The log is longer than 64 MiB; the rest was not read."))
        for key, figures in self.collected.differing():
            if key in FIGURES:
                values = sorted({figure.number for figure in figures})
                low, high = (_told(key, value) for value in (values[0], values[-1]))
                found.append(
                    info(
                        "ranks-differ",
                        f"{FIGURES[key]}: printed with {len(values)} values, from {low} to {high}; "
                        "the one that decides is used.",
                    )
                )
        return found


def _told(key: str, value: float) -> str:
    return gib(int(value)) if unit_of(key) == "B" else f"{value:,} {unit_of(key)}".rstrip()


def _gpu(line: Line) -> Figure | None:
    match = _GPU.search(line.text)
    if match is None:
        return None
    return Figure(value=match.group(1).replace("_", " ").strip(), line=line.number, text=line.text[:SHOWN])
