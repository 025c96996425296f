from kvdesk.core.budget import BudgetLine, Lines, estimates
from kvdesk.core.sourced import Origin, Source


def line(key: str, low: int | None = None) -> BudgetLine:
    return BudgetLine(key=key, symbol="X", label=key, value=1, unit="B", source=Source(Origin.DERIVED), low=low)


def test_a_bounded_line_is_an_estimate() -> None:
    assert line("pool").exact
    assert not line("reserve", low=0).exact


def test_lines_are_written_once_and_only_when_looked_at() -> None:
    written: list[int] = []

    def write() -> tuple[BudgetLine, ...]:
        written.append(1)
        return line("device"), line("pool")

    lines = Lines(write)
    assert lines
    assert written == []
    assert [found.key for found in lines] == ["device", "pool"]
    assert (len(lines), lines[0].key, lines[-1].key) == (2, "device", "pool")
    assert lines[1:] == (line("pool"),)
    assert written == [1]


def test_lines_are_equal_to_what_they_hold() -> None:
    lines = Lines(lambda: (line("device"),))
    assert lines == (line("device"),)
    assert lines == Lines(lambda: (line("device"),))
    assert lines != (line("pool"),)
    assert lines != 7
    assert hash(lines) == hash((line("device"),))


def test_estimates_are_the_lines_with_a_band() -> None:
    lines = (line("device"), line("reserve", low=0))
    assert estimates(lines) == lines[1:]
    assert estimates(Lines(lambda: lines)) == lines[1:]


def test_estimates_that_are_known_need_no_writing() -> None:
    def write() -> tuple[BudgetLine, ...]:
        raise AssertionError

    assert estimates(Lines(write, (line("reserve", low=0),))) == (line("reserve", low=0),)
