"""The PDF: first and next, beside bare typst setting the same texts, table cells and drawings without any design.

The bare document holds the report's own words, so that both are equally long. What the ratio tells is the cost of
gathering the data and of the page's design: running heads, contents, captions, breaks.
"""

from collections.abc import Iterator

from tests.bench.measure import Row, printed, row

_PREPARED = """
import time, tempfile, json, re; from pathlib import Path
from kvdesk.app import lookup, reporting
from kvdesk.app.derive import Deriver
from kvdesk.app.session import GpuChoice, Session
session = Session(model=lookup.load("llama-3.1-8b"), gpus=(GpuChoice(gpu="h100-sxm"), GpuChoice(gpu="l40s")))
sizing = Deriver().derive(session)
folder = Path(tempfile.mkdtemp())
times = []
"""
OURS = (
    _PREPARED
    + """
for _ in range(8):
    t = time.process_time(); reporting.write(session, sizing, folder / "r.pdf", reporting.ReportDetails())
    times.append(time.process_time() - t)
data = (folder / "r.pdf").read_bytes()
print(times[0], sorted(times[1:])[3], int(re.search(rb"/Count ([0-9]+)", data)[1]))
"""
)
BARE = (
    _PREPARED
    + '''
from kvdesk.report.data import document_data
data = json.dumps(document_data(reporting.build(session, sizing, reporting.ReportDetails())))
source = """#set document(title: "t", date: datetime(year: 2026, month: 1, day: 1))
#set text(lang: "en", size: 10.5pt)
#let words(cell) = if cell == none { "" } else if type(cell) == dictionary { cell.text } else { cell }
#let d = json(bytes(sys.inputs.data))
#for s in d.sections {
  heading(s.title)
  for b in s.blocks {
    if b.type == "paragraph" { par(b.text) }
    else if b.type == "heading" { heading(level: 2, b.title) }
    else if b.type == "statement" { par(strong(b.label) + " " + b.title + " " + b.text + " " + b.remedy) }
    else if b.type == "figure" { image(bytes(b.svg), format: "svg", width: 100%, alt: b.alt); par(b.caption) }
    else {
      par(b.caption)
      table(columns: b.columns.len(), table.header(..b.columns.map(c => c.title)), ..b.rows.flatten().map(words))
      par(b.note)
    }
  }
}
"""
begun = time.process_time()
import typst
for n in range(8):
    t = begun if n == 0 else time.process_time()
    # A comment that differs: what typst remembers of the last time counts for neither.
    inputs = {"data": data.replace("sequences", f"sequences{n}")}
    found = typst.compile((source + f"// {n}").encode(), sys_inputs=inputs, pdf_standards=["a-2a", "ua-1"],
        ignore_system_fonts=True)
    times.append(time.process_time() - t)
print(times[0], sorted(times[1:])[3], int(re.search(rb"/Count ([0-9]+)", found)[1]))
'''
)


def rows(runs: int) -> Iterator[Row]:
    """First and next, in processor time."""
    first, following, pages = printed(OURS, runs=min(runs, 3))
    bare_first, bare_following, bare_pages = printed(BARE, runs=min(runs, 3))
    bare = f"bare typst, the same content ({bare_pages:.0f} pages)"
    yield row(f"first PDF, {pages:.0f} pages, imports included, CPU", bare, first, bare_first, 1.5)
    yield row("next PDFs, CPU", bare, following, bare_following, 1.5)
