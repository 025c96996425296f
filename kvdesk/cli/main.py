"""`kvdesk`: the command line. Each command is a thin call into `app`; errors are one object or one paragraph."""

import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module

from kvdesk import __version__
from kvdesk.cli.output import prepare_streams, print_json, say, silence
from kvdesk.core.errors import KvdeskError

COMMANDS = {
    "size": ("size_command", "one sizing as a table, or as JSON with --json"),
    "report": ("report_command", "the PDF report of a sizing"),
    "plan": ("plan_command", "how many GPUs of each type hold N sequences"),
    "reconcile": ("reconcile_command", "an engine's start-up log beside kvdesk's figures"),
    "gpus": ("gpus_command", "the accelerator catalogue"),
    "models": ("models_command", "the models that work without a network"),
}
SHORT = frozenset({"size", "plan", "gpus", "models"})
"""Commands that give one answer; the others may work through files of any length."""

_HELP = """\
kvdesk says whether a language model will serve: cache, weights, and how many sequences fit on which GPUs.

usage: kvdesk                         open the window
       kvdesk SOURCE                  open the window with a model id, config.json or scenario file
       kvdesk COMMAND [options]       answer on the command line

commands:
{commands}

Every command has --help. 1 GB = 1e9 B, 1 GiB = 2^30 B."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status. Nothing but a defect ends in a traceback."""
    prepare_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    first = arguments[0] if arguments else ""
    if first in ("-h", "--help", "help"):
        say(help_text())
        return 0
    if first in ("-V", "--version"):
        say(f"kvdesk {__version__}")
        return 0
    if first == "--selftest":
        return _module("kvdesk.selftest").main(arguments[1:])
    if argv is None and first in SHORT:
        with _unswept():
            return _run(COMMANDS[first][0], arguments[1:])
    if first in COMMANDS:
        return _run(COMMANDS[first][0], arguments[1:])
    return _guarded(lambda: _module("kvdesk.cli.window_command").main(arguments), json=False)


def help_text() -> str:
    """The text of `kvdesk --help`."""
    return _HELP.format(commands="\n".join(f"  {name:<10} {text}" for name, (_, text) in COMMANDS.items()))


def _run(module: str, arguments: list[str]) -> int:
    return _guarded(lambda: _module(f"kvdesk.cli.{module}").main(arguments), json="--json" in arguments)


@contextmanager
def _unswept() -> Iterator[None]:
    """No search for reference cycles in a process that ends at once: a seventh of the processor time of a sizing."""
    gc.disable()
    yield
    gc.freeze()  # or they would be looked for at the end


def _guarded(command: Callable[[], int], *, json: bool) -> int:
    try:
        return command()
    except KvdeskError as error:
        return _complain(error, json=json)
    except BrokenPipeError:  # the reader of our output has gone (kvdesk size ... | head)
        silence()
        return 0
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001  # the last resort: a defect is told in a sentence, never as a traceback
        return _complain(_defect(error), json=json)


def _defect(error: Exception) -> KvdeskError:
    """A defect of kvdesk as something to tell and to report: where it happened, without local values."""
    frame = error.__traceback__
    while frame and frame.tb_next:
        frame = frame.tb_next
    place = f"{frame.tb_frame.f_globals.get('__name__')}:{frame.tb_lineno}" if frame else "an unknown place"
    return KvdeskError(
        "internal-error",
        f"kvdesk {__version__} met a defect of its own ({type(error).__name__} in {place}).",
        "No number was computed.",
        "Please report this with the command that you ran.",
    )


def _complain(error: KvdeskError, *, json: bool) -> int:
    """Print the error as the contract says: one object on standard output, or a paragraph on standard error."""
    if json and error.code != "cannot-print":
        from kvdesk.app.sizing_json import error_json

        print_json(error_json(error))
    else:
        with suppress(KvdeskError):  # standard error has no room either; the exit status still tells
            say(f"kvdesk: {error}", error=True)
    return int(error.exit_status)


class _Command:
    """What a command's module offers."""

    main: Callable[[list[str]], int]


def _module(name: str) -> _Command:
    module: _Command = import_module(name)  # type: ignore[assignment]  # a module seen as the protocol it fulfils
    return module
