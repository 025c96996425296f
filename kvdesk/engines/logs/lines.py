"""From messy text to logical lines: no colour codes, progress bars folded, wrapped lines joined, all within bounds."""

import re
from collections.abc import Iterator

from kvdesk.core.values import dataclass

MOST_CHARACTERS = 64 * 1024 * 1024
"""Text past this is not read."""

MOST_LINE = 40_000
"""Characters of one logical line; argument dumps of engines reach some ten thousand."""

_ESCAPE = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]|\x1b[()][A-Z0-9]|\x1b")
_PASTED_ESCAPE = re.compile(r"\[[0-9]{1,3}(?:;[0-9]{1,3}){0,3}m")
_CONTROL = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127), " ")
_START = re.compile(
    r"\s{0,8}(?:"
    r"\((?:[A-Za-z]+[^()\n]{0,60}pid=\d{1,10}[^()\n]{0,20}|\w{1,40})\)"  # (Worker_TP1 pid=123)
    r"|(?:INFO|DEBUG|WARNING|ERROR|WARN|CRITICAL)\b"
    r"|\[[^\]\n]{1,60}\]"  # [2026-01-31 13:50:39 TP2], [TensorRT-LLM][INFO]
    r"|\d{4}-\d\d-\d\d|\d{1,2}[-/ ]\w{2,3}[-/ ]|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d"
    r"|time=\d|[IWE]\d{4} \d\d:\d\d"  # Ollama, Triton
    r"|\d{1,3}\.\d\d\.\d{3}\.\d{3}"  # 0.00.612.795 I
    r"|(?:llama|llm|load|print|ggml|common|main|server|srv|slot|set|create|system|build|init|sched|graph)_?\w{0,40}: "
    r"|[^\s:|]{1,40}\s{1,4}\|"  # container | line
    r"|(?:ValueError|RuntimeError|Traceback)\b"
    r")"
)


@dataclass(frozen=True, slots=True)
class Line:
    """One logical line: the number of its first physical line, counted from 1, its text, and the rank that printed it.

    `tight` is the text with wrapped pieces joined without a space, for terminals that break inside a word; "" where
    nothing was wrapped.
    """

    number: int
    text: str
    rank: str
    tight: str = ""


_RANK = re.compile(r"\bpid[=: ](\d{1,10})|\b((?:(?:DP|PP|TP|EP)\d{1,4}[ _]?){1,4})")


def logical_lines(text: str) -> Iterator[Line]:
    """The lines of `text` that begin like a log line, each with the wrapped lines that follow it."""
    start, parts, size = 0, [""], 0
    for number, line in enumerate(_physical(text), 1):
        if not line.strip():
            continue
        if size and not _START.match(line) and size + len(line) < MOST_LINE:
            parts.append(line.strip())
            size += len(line)
            continue
        if size:
            yield _line(start, parts)
        start, parts, size = number, [line[:MOST_LINE].rstrip()], max(1, min(len(line), MOST_LINE))
    if size:
        yield _line(start, parts)


def cut(text: str) -> bool:
    """Whether the text is longer than what is read."""
    return len(text) > MOST_CHARACTERS


def _physical(text: str) -> Iterator[str]:
    """Physical lines without escapes; of a line overwritten with carriage returns, the last version."""
    for raw in text[:MOST_CHARACTERS].split("\n"):
        line = raw.rstrip("\r")
        if "\r" in line:
            line = line.rpartition("\r")[2]
        if len(line) > MOST_LINE:
            line = line[:MOST_LINE]
        if "\x1b" in line:
            line = _ESCAPE.sub("", line)
        if "m" in line and "[" in line:
            line = _PASTED_ESCAPE.sub("", line)
        yield line.translate(_CONTROL)


def _line(number: int, parts: list[str]) -> Line:
    whole = " ".join(parts)
    match = _RANK.search(whole[:160])
    rank = (match.group(1) or match.group(2) or "").strip(" _") if match else ""
    return Line(number, whole, rank, "".join(parts) if len(parts) > 1 else "")
