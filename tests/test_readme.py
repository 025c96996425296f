"""README is true: its figures are those that kvdesk prints, its commands, options and files are there."""

import re
from pathlib import Path

import pytest

from kvdesk.cli.main import COMMANDS, main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def test_the_real_result_is_real(capsys: pytest.CaptureFixture[str]) -> None:
    """Every figure of the block below the comment is printed by the command in it."""
    found = re.search(r"<!-- from: kvdesk (.*?) -->\n\n((?:    .*\n)+)", README)
    assert found
    assert main(found[1].split()) == 0
    printed = set(NUMBER.findall(capsys.readouterr().out))
    shown = NUMBER.findall(found[2])
    assert {"54,539,477,504", "416,103", "50"} <= set(shown)
    assert [figure for figure in shown if figure not in printed] == []


def test_its_commands_and_options_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    lines = re.findall(r"^    kvdesk (\w+)(.*)$", README, re.MULTILINE)
    assert {command for command, _ in lines} >= {"size", "plan", "report", "reconcile", "gpus"}
    for command, rest in lines:
        assert command in COMMANDS
        with pytest.raises(SystemExit):
            main([command, "--help"])
        text = capsys.readouterr().out
        for option in re.findall(r"--[a-z-]+", rest):
            assert option in text, (command, option)


def test_its_files_are_there() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in link]
    paths = re.findall(r"`((?:kvdesk|packaging|resources|tests|docs)/[\w./-]+)`", README)
    assert len(links) >= 4
    assert [name for name in (*links, *paths) if not (ROOT / name).exists()] == []
