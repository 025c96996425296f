"""The PDF: first and next, beside bare typst with as many pages."""

from collections.abc import Iterator

from tests.bench.measure import Row, printed, row

OURS = """
import time, tempfile; from pathlib import Path
from kvdesk.app import lookup, reporting
from kvdesk.app.derive import Deriver
from kvdesk.app.session import GpuChoice, Session
session = Session(model=lookup.load("llama-3.1-8b"), gpus=(GpuChoice(gpu="h100-sxm"), GpuChoice(gpu="l40s")))
sizing = Deriver().derive(session)
path = Path(tempfile.mkdtemp()) / "r.pdf"
times = []
for _ in range(6):
    t = time.perf_counter(); reporting.write(session, sizing, path, reporting.ReportDetails())
    times.append(time.perf_counter() - t)
print(times[0], sorted(times[1:])[2])
"""
BARE = """
import time, typst
page = '= Heading\\n' + 'Some words of text in a line of a page. ' * 60 + '''
#table(columns: 5, table.header[a][b][c][d][e], ..range(60).map(n => [#n text]))
#pagebreak()
'''
head = '#set document(title: "t", date: datetime(year: 2026, month: 1, day: 1))\\n#set text(lang: "en")\\n'
source = (head + page * 9).encode()
times = []
for n in range(6):
    t = time.perf_counter(); typst.compile(source + str(n).encode(), pdf_standards=["a-2a", "ua-1"])
    times.append(time.perf_counter() - t)
print(times[0], sorted(times[1:])[2])
"""


def rows(runs: int) -> Iterator[Row]:
    """First and next."""
    first, following = printed(OURS, runs=min(runs, 3))
    bare_first, bare_following = printed(BARE, runs=min(runs, 3))
    yield row("first PDF, imports included", "bare typst, nine pages", first, bare_first, 1.5)
    yield row("next PDFs", "bare typst, nine pages", following, bare_following, 1.5)
