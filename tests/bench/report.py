"""The PDF: first and next, beside bare typst setting the same texts, table cells and drawings without any design.

The bare document holds the report's own words, so that both are about equally long. What the ratio tells is the cost of
gathering the data and of the page's design: running heads, contents, captions, breaks.

Every report is of another scenario, and so is every bare document, in the same order in one process. typst keeps what
it laid out in its last ten compilations, and looks through it after each: so the next ones are counted from the
twelfth on, when that costs all it ever will, and over whole rounds of kvdesk's emptying of that cache.
"""

from collections.abc import Iterator
from statistics import median

from tests.bench.measure import Row, printed, row

_PREPARED = """
import json, re, statistics, tempfile, time
from pathlib import Path
from kvdesk.app import lookup, reporting
from kvdesk.app.derive import Deriver
from kvdesk.app.session import GpuChoice, Session
from kvdesk.report.data import document_data
model = lookup.load("llama-3.1-8b")
gpus = (GpuChoice(gpu="h100-sxm"), GpuChoice(gpu="l40s"))
sessions = [Session(model=model, context=4096 + 512 * n, gpus=gpus) for n in range(24)]
pairs = [(session, Deriver().derive(session)) for session in sessions]
details = reporting.ReportDetails()
file = Path(tempfile.mkdtemp()) / "r.pdf"
times = []
"""
_TOLD = """
pages = int(re.search(rb"/Count ([0-9]+)", file.read_bytes())[1])
print(times[0], statistics.fmean(times[12:]), pages)
"""
OURS = (
    _PREPARED
    + """
for session, sizing in pairs:
    begun = time.process_time()
    reporting.write(session, sizing, file, details)
    times.append(time.process_time() - begun)
"""
    + _TOLD
)
BARE = (
    _PREPARED
    + '''
source = b"""#set document(title: "t", date: datetime(year: 2026, month: 1, day: 1))
#set text(lang: "en", size: 10.5pt)
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
      table(columns: b.columns.len(), table.header(..b.columns.map(c => c.title)), ..b.rows.flatten())
      par(b.note)
    }
  }
}
"""
texts = [json.dumps(document_data(reporting.build(*pair, details), page=True)) for pair in pairs]
for text in texts:
    begun = time.process_time()
    import typst
    file.write_bytes(typst.compile(source, sys_inputs={"data": text}, pdf_standards=["a-2a", "ua-1"],
        ignore_system_fonts=True))
    times.append(time.process_time() - begun)
'''
    + _TOLD
)


def rows(runs: int) -> Iterator[Row]:
    """First and next, in processor time; processes in turns, so that a busy machine slows both alike."""
    turns = [(printed(OURS, runs=1), printed(BARE, runs=1)) for _ in range(min(runs, 5))]
    first, following, pages = map(median, zip(*(ours for ours, _ in turns), strict=True))
    bare_first, bare_following, bare_pages = map(median, zip(*(bare for _, bare in turns), strict=True))
    against = f"bare typst, the same content ({bare_pages:.0f} pages)"
    yield row(f"first PDF, {pages:.0f} pages, imports included, CPU", against, first, bare_first, 1.5)
    yield row("next PDFs, each of another scenario, CPU", against, following, bare_following, 1.5)
