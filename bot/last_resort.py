"""How a process of ours ends: every failure gets its line and its exit code, wherever it comes from.

`run` is a whole process, from before the imports that take time to after the last flush; `finish` is what maps a
failure to its exit code, also for who calls a `main` as a function.

    as the error says       BotError, SolverError, SkinError
    2                       a file, or the output, cannot be read or written; there is not enough memory
    5                       the X server is gone
    FAULT                   whatever nobody foresaw: its traceback is kept in a file
    CLOSED_PIPE             nobody reads the output any more; without a word, as of a program that SIGPIPE ends
    signals.STOPPED         by Ctrl-C, by a polite end of the process (SIGTERM), or as its terminal was closed (SIGHUP)

Imports nothing that takes time, so that Ctrl-C is heard from the first moment on.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
import threading
from typing import TYPE_CHECKING, NoReturn

from bot import signals

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

CLOSED_PIPE = 128 + 13
FAULT = 70
SHOW = "MINEBOT_TRACEBACK"  # set in the environment, this shows the traceback of a fault instead of keeping it

_BAD_INPUT, _NO_SCREEN = 2, 5
_CODES = (
    ("solver.errors", "InconsistentError", 3),
    ("solver.errors", "SolverError", 2),
    ("skins.errors", "SkinError", 2),
)
_OF_LIBRARIES = {
    "OPENCV_LOG_LEVEL": "OFF",  # what a picture lacks is said by us
    "OPENBLAS_NUM_THREADS": "1",  # numpy's threads wait busily, which slows busy machines down
}
"""What libraries read in the environment when they are imported."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_HAS_SIGPIPE = os.name != "nt"
"""Whether the system knows of pipes that nobody reads; Windows, which does not, says EINVAL of them."""


class ErrorNote(str):
    """A note that a person is told with an error. The notes that Python itself adds are left out."""

    __slots__ = ()


def run(program: str, module: str) -> int:
    """Run the `main` of a module as this process; return the exit code.

    Args:
        program: what a person calls it.
        module: where `main` is; not imported yet.
    """
    _open_what_is_closed()

    def whole() -> int:
        signals.hear()
        _watch_what_nobody_can_catch(program)
        _leave_the_current_folder()
        _log_in_lines(program)
        for name, value in _OF_LIBRARIES.items():
            os.environ.setdefault(name, value)
        return int(importlib.import_module(module).main())

    try:
        code = finish(program, whole)
    except KeyboardInterrupt:  # once more, while the first one was dealt with
        code = signals.STOPPED
    signals.note_end()
    # CPython notes when Ctrl-C ends an `exec` of source text (namedtuple has one), and then ends by SIGINT, whatever
    # the exit code; the next `exec` that ends well clears the note.
    exec("")  # noqa: S102 - an empty text: it runs nothing
    return code


def finish(program: str, do: Callable[[], int]) -> int:
    """Do it; return its exit code, or that of its failure after telling of it in a line."""
    try:
        code = _until_it_ends(do)
        _flush()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the last resort
        signals.note_stop()
        code, message = _judge(error)
        if message:
            remarks = (note for note in getattr(error, "__notes__", ()) if isinstance(note, ErrorNote))
            _say(program, "\n".join([message, *remarks]))
    _forget_dead_streams()
    return code


def leave(error: Exception) -> NoReturn:
    """End the process at once with the line and the exit code of an error: for where no exception can go.

    Such as a handler that C code calls, and ends the process after.
    """
    code, message = _judge(error)
    _say("minebot", message)
    _forget_dead_streams()
    os._exit(code)


def _until_it_ends(do: Callable[[], int]) -> int:
    try:
        return do()
    except SystemExit as end:
        closed = next(filter(_is_closed_pipe, signals.iter_chain(end)), None)
        if closed is not None:  # rich ends the process so
            raise closed from None
        _flush()
        return end.code if isinstance(end.code, int) else 0 if end.code is None else FAULT


def _judge(error: BaseException) -> tuple[int, str]:
    """The exit code, and what to say: nothing of a closed pipe."""
    why = signals.why_stopped(error)
    if why is not None:
        return signals.STOPPED, why
    known = _code_of_known(error)
    if known is not None:
        return known, str(error)
    return _judge_the_system(error) or (FAULT, _fault(error))


def _judge_the_system(error: BaseException) -> tuple[int, str] | None:
    """The exit code and the words for an error that is the machine's fault; None where it is not."""
    if _is_closed_pipe(error):
        return CLOSED_PIPE, ""
    if _is_of_x_server(error):
        return _NO_SCREEN, f"the X server is gone, or refuses: {str(error).strip() or type(error).__name__}"
    if isinstance(error, OSError):
        return _BAD_INPUT, _in_words(error)
    if isinstance(error, MemoryError):
        return _BAD_INPUT, f"there is not enough memory for this{f' ({error})' if str(error) else ''}"
    return None


def _code_of_known(error: BaseException) -> int | None:
    """The exit code of an error that is raised on purpose: one whose module is not loaded was not raised."""
    from bot.errors import BotError  # noqa: PLC0415 - not before Ctrl-C is heard

    if isinstance(error, BotError):
        return error.exit_code
    for module, name, code in _CODES:
        if isinstance(error, getattr(sys.modules.get(module), name, ())):
            return code
    return None


def _is_closed_pipe(error: BaseException) -> bool:
    """Whether this is about our own output, and nobody reads it any more."""
    if isinstance(error, BrokenPipeError):
        return True
    return isinstance(error, OSError) and error.errno == errno.EINVAL and error.filename is None and not _HAS_SIGPIPE


def _is_of_x_server(error: BaseException) -> bool:
    return type(error).__module__ == "Xlib.error"


def _in_words(error: OSError) -> str:
    what = "the output, or a file," if error.filename is None else f"{error.filename}:"
    why = error.strerror or str(error) or type(error).__name__
    return f"{what} cannot be read or written ({why}){': make room there' if error.errno in _FULL else ''}"


def _fault(error: BaseException) -> str:
    """Keep the traceback of what nobody foresaw; say where it is."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, ImportError):
        what += " (is minebot installed completely? Installing it again may help)"
    return f"this is a fault of minebot itself: {what}\nplease report it{_keep_traceback(error)}"


def _keep_traceback(error: BaseException) -> str:
    """Returns where it is, as the end of a sentence."""
    import traceback  # noqa: PLC0415 - not before Ctrl-C is heard

    told = "".join(traceback.format_exception(error))
    if os.environ.get(SHOW):
        return f", with this:\n{told}"
    try:
        import platformdirs  # noqa: PLC0415 - not before Ctrl-C is heard

        path = platformdirs.user_log_path("minebot", appauthor=False) / "fault.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{sys.argv}\n{told}", encoding="utf-8", errors="backslashreplace")
    except (OSError, ImportError):
        return f", with what is shown when the same is done with {SHOW}=1 in the environment"
    return f", with the file {path}"


def _say(program: str, message: str) -> None:
    from bot.console import fold  # noqa: PLC0415 - not before Ctrl-C is heard

    try:
        message = fold(f"{program}: {message}", sys.stderr)
        print(message, file=sys.stderr, flush=True)  # noqa: T201 - the one place errors reach a person
    except (OSError, ValueError):
        return  # nobody hears it: the exit code is left


def _streams() -> list[IO[str]]:
    return [stream for stream in (sys.stdout, sys.stderr) if stream is not None and not stream.closed]


def _flush() -> None:
    """Write now what was printed, while a failure can still be told of.

    Raises:
        OSError: it cannot be written.
    """
    for stream in _streams():
        stream.flush()


def _forget_dead_streams() -> None:
    """Let what cannot be written go nowhere: else Python prints a traceback when it ends."""
    for stream in _streams():
        try:
            stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def _open_what_is_closed() -> None:
    """Have standard input at its end, and output go nowhere, where a shell closed them (`<&-`).

    Else the next file that anybody opens, a picture to be written or a screen, gets their number; and Python has None.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free
            os.set_inheritable(opened, True)
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - a number


def _leave_the_current_folder() -> None:
    """Import nothing from the folder that a person happens to be in, where it has nothing to do with us.

    `python -m` puts it first. Programs that we start inherit the rule; all of ours that are Python's obey it.
    """
    os.environ["PYTHONSAFEPATH"] = "1"
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib takes time
    try:
        here = os.getcwd()  # noqa: PTH109 - pathlib takes time
    except OSError:  # it was removed
        here = ""
    if here != ours and sys.path[:1] in ([""], [here]):
        del sys.path[0]


def _log_in_lines(program: str) -> None:
    """Have warnings of libraries, which nobody else handles, told in lines like ours and without tracebacks."""
    import logging  # noqa: PLC0415 - not before Ctrl-C is heard

    class OneLine(logging.Formatter):
        def formatException(self, ei: object) -> str:  # noqa: ARG002, N802 - logging calls it
            return ""

        def format(self, record: logging.LogRecord) -> str:
            return super().format(record).rstrip("\n")

    if logging.lastResort is not None:
        logging.lastResort.setFormatter(OneLine(f"{program}: %(message)s"))
    logging.raiseExceptions = False  # of a standard error that is closed


def _watch_what_nobody_can_catch(program: str) -> None:
    """Have what ends a thread, or is raised where nothing can be, told of in a line too."""

    def unraisable(lost: sys.UnraisableHookArgs) -> None:
        if isinstance(lost.exc_value, KeyboardInterrupt):
            signals.stop_again()
        elif lost.exc_value is None or isinstance(lost.exc_value, OSError) or signals.is_stopping(lost.exc_value):
            return  # after a signal: things that were half made when it came
        else:
            _say(program, _fault(lost.exc_value))

    def in_thread(lost: threading.ExceptHookArgs) -> None:
        if lost.exc_value is None or isinstance(lost.exc_value, (SystemExit, OSError)):
            return
        if not _is_of_x_server(lost.exc_value):  # the main thread finds that as well
            _say(program, _fault(lost.exc_value))

    sys.unraisablehook, threading.excepthook = unraisable, in_thread
