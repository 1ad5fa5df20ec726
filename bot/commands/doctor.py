"""`minebot doctor`: whether the bot can work here, and what to do where it cannot.

Nothing is clicked. To see that the mouse and the hot keys really work, the pointer is moved by one pixel and back, and
the Shift key is tapped, three times at most. A check never raises: what goes wrong is what it finds.
"""

from __future__ import annotations

import platform
import sys
import time
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.commands.arguments import add_desktop
from bot.console import emit
from bot.desktop import this_platform
from bot.errors import BotError, UsageError
from bot.models import Pixel
from bot.playing.control import Control
from bot.preferences import describe_settings
from skins import load_skins
from solver import analyse, confirm, kernel, parse_board
from solver.words import name_shape

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from bot.desktop import Platform
    from bot.desktop.protocols import MachineScreen
    from bot.models import Frame, Region


EXAMPLE = "minebot doctor"

_UNUSABLE = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    manners = "Nothing is clicked: the pointer is moved by one pixel and back, and Shift is tapped."
    parser.description = f"{parser.description} {manners}"
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_desktop(parser)
    parser.add_argument("--ask", action="store_true", help="try also what the desktop asks you for first")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Run every check; 5 when the bot cannot play here."""
    checks: list[_Check] = []
    with Console(stderr=True).status("checking") as status:
        for check in _run_checks(may_ask=args.ask):
            checks.append(check)
            status.update(f"checked: {check.name}")
    if args.json:
        emit({"checks": [check.as_json() for check in checks]}, as_json=True)
    else:
        Console().print(_as_table(checks))
    return 0 if all(check.ok for check in checks if check.essential) else _UNUSABLE


def _as_table(checks: Sequence[_Check]) -> Table:
    """The checks for a person; what to do stands below what was found."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        word, style = ("ok", "green") if check.ok else ("FAILED", "bold red") if check.essential else ("note", "yellow")
        text = Text(check.detail)
        if check.fix:
            text.append("\nto do: ", style="bold")
            text.append(check.fix)
        table.add_row(Text(word, style=style), check.name, text)
    return table


_KEY_TO_TAP = "shift"  # no window gets it on X11 and on Windows; elsewhere it does nothing alone
_LEFT_SHIFT = "shiftleft"
"""The name of the left Shift for the library that taps: its "shift" is a third key, which some systems do not know."""
_HEARD_WITHIN_S = 0.7
_MOST_TAPS = 3  # five in a row would make Windows offer its sticky keys
_TRIES_OF_POINTER = 3
_PACKAGES = ("minebot", "numpy", "opencv-python", "mss", "pyautogui", "pynput", "python-sat", "numba", "rich")
_PROVABLE = "01#\n02#\n01#"


@dataclass(frozen=True, slots=True)
class _Check:
    """What one check found.

    Attributes:
        name: what was checked.
        ok: whether it is as it should be.
        detail: what was found.
        fix: what to do about it; empty when it is ok.
        essential: whether the bot cannot play without.
    """

    name: str
    ok: bool
    detail: str
    fix: str = ""
    essential: bool = True

    def as_json(self) -> dict[str, Any]:
        """For one JSON object."""
        return asdict(self)


class _Trouble(Exception):  # noqa: N818 - what a check finds, not an error of the program
    """Something is not as it should be."""

    def __init__(self, detail: str, fix: str) -> None:
        super().__init__(detail)
        self.fix = fix


def _run_checks(*, may_ask: bool) -> Iterator[_Check]:
    """_Check everything, one after the other; the checks are generated as they are done."""
    yield _check("versions", _say_versions, essential=False)
    yield _check("settings", _read_settings, essential=False)
    yield _check("skins", _load_skins, essential=False)
    yield _check("python-sat", _prove)
    yield _check("kernel", _load_kernel, essential=False)
    here = this_platform()
    session = _check("session", lambda: here.machine().describe())
    yield session
    is_asked = session.ok and here.machine().asks_person
    with ExitStack() as stack:
        desktop = _Desktop(stack, here)
        for name, find, essential in (
            ("permissions", lambda: _describe_permissions(here, may_ask=is_asked and may_ask), True),
            ("displays", desktop.describe_monitors, True),
            ("capture", desktop.capture, True),
            ("picture", desktop.look, session.ok and here.machine().shows_colours),
            ("mouse", desktop.nudge_pointer, True),
            ("hot keys", lambda: (_ask_for_keys if is_asked else _hear_key)(here), True),
            ("search", desktop.search, False),
        ):
            if is_asked and not may_ask and name != "permissions":
                yield _Check(name, True, "not tried: the desktop asks you first (minebot doctor --ask)", "", essential)
            elif session.ok:
                yield _check(name, find, essential=essential)
            else:
                yield _Check(name, False, "not tried", "see to the session first", essential)


def _check(name: str, find: Callable[[], str], *, essential: bool = True) -> _Check:
    try:
        return _Check(name, True, find(), "", essential)
    except _Trouble as trouble:
        return _Check(name, False, str(trouble), trouble.fix, essential)
    except BotError as error:
        detail, _, fix = str(error).partition("\n")
        return _Check(name, False, detail, fix or "see what is said of it", essential)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a check raises is reported as its finding
        return _Check(
            name, False, f"{type(error).__name__}: {error}", "this was not foreseen: please report it", essential
        )


def _say_versions() -> str:
    versions = []
    for package in _PACKAGES:
        try:
            versions.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            versions.append(f"{package} not installed")
    return f"{', '.join(versions)}; Python {platform.python_version()} on {platform.platform()}"


def _read_settings() -> str:
    try:
        return describe_settings()
    except UsageError as error:
        raise _Trouble(str(error), "mend or remove that file: play and coach do not begin before") from error


def _load_skins() -> str:
    remarks: list[str] = []
    names = ", ".join(skin.name for skin in load_skins(tell=remarks.append))
    if remarks:
        raise _Trouble(f"{names}; {'; '.join(remarks)}", "mend or remove the skins that are left out")
    return names


def _prove() -> str:
    confirm(analyse(parse_board(_PROVABLE)))
    return "proves what the solver counts"


def _load_kernel() -> str:
    fix = f"{sys.executable} -m solver.kernel"
    try:
        compiler = import_module("solver.kernel.compiler")
    except ImportError as error:
        raise _Trouble(f"not there, so the solver is slow: {error}", "install numba, where there is one") from error
    if not compiler.is_ready():
        raise _Trouble("not compiled, so the solver is slow", fix)
    if not kernel.load():
        raise _Trouble("compiled, but it cannot be loaded, so the solver is slow", fix)
    return f"compiled, in {compiler.cache_folder()}"


class _Desktop:
    """The checks that share the screen and a picture of it."""

    def __init__(self, stack: ExitStack, here: Platform) -> None:
        self._stack = stack
        self._here = here
        self._open_screen: MachineScreen | None = None
        self._frame: Frame | None = None

    @property
    def _screen(self) -> MachineScreen:
        if self._open_screen is None:
            self._open_screen = self._here.screen()
            self._stack.callback(self._open_screen.close)
        return self._open_screen

    def describe_monitors(self) -> str:
        machine = self._here.machine()
        monitors = machine.monitors() or self._screen.monitors
        if not monitors:
            raise _Trouble("no monitor", "switch one on")
        places = ", ".join(_describe_monitor(monitor, machine.scale_of(monitor)) for monitor in monitors)
        return "; ".join(part for part in (places, ", ".join(machine.scale_settings())) if part)

    def capture(self) -> str:
        self._screen.grab()  # the first takes longer
        start = time.perf_counter()
        self._frame = self._screen.grab()
        took_s = time.perf_counter() - start
        region = self._frame.region
        return f"{region.width} x {region.height} pixels from ({region.left},{region.top}) in {took_s * 1e3:.1f} ms"

    def look(self) -> str:
        pixels = self._seen().pixels_bgr
        if (pixels == pixels[0, 0]).all():
            raise _Trouble(
                f"all pixels have the colour {tuple(pixels[0, 0, ::-1].tolist())} (red, green, blue)",
                "nothing is open, the screen is locked, or captures are not allowed: open the game and look again",
            )
        return "captures show more than one colour"

    def nudge_pointer(self) -> str:
        everything = self._seen().region
        machine = self._here.machine()
        machine.check_mouse()
        if not machine.tells_pointer:
            return "not tried: nothing tells here where the pointer is"
        mouse = self._here.mouse()
        for _ in range(_TRIES_OF_POINTER):  # a person may be moving it just then
            before = mouse.position()
            step = 1 if everything.has_pixel(Pixel(before.x + 1, before.y)) else -1
            mouse.move(Pixel(before.x + step, before.y))
            there = mouse.position()
            mouse.move(before)
            if there == (before.x + step, before.y) and mouse.position() == before:
                return f"the pointer at ({before.x},{before.y}) was moved by a pixel and back"
        raise _Trouble(
            f"the pointer at ({before.x},{before.y}) does not go where it is sent",
            "leave the mouse alone meanwhile; else see the permissions",
        )

    def search(self) -> str:
        from bot.vision.finding import explain_not_found, find_boards

        frame, skins = self._seen(), load_skins()
        boards = find_boards(frame, skins)
        if not boards:
            detail, _, fix = explain_not_found(frame, skins).rpartition("\n")
            raise _Trouble(detail, fix)
        places = [
            f"{board.skin.name} {name_shape(board.grid.shape)} at ({board.grid.origin.x},{board.grid.origin.y})"
            for board in boards
        ]
        return f"found {', '.join(places)}"

    def _seen(self) -> Frame:
        if self._frame is None:
            raise _Trouble("not tried: there is no picture of the screen", "see to the capture first")
        return self._frame


def _describe_monitor(monitor: Region, scale: float | None) -> str:
    place = f"{monitor.width} x {monitor.height} at ({monitor.left},{monitor.top})"
    return place if scale is None else f"{place}, {scale:.0%}"


def _hear_key(here: Platform) -> str:
    control = Control(start_key=_KEY_TO_TAP, abort_key="f10")
    keys = here.hot_keys(control.hot_keys(), control)
    if keys.not_heard:
        return f"not tried: {keys.not_heard}"
    with closing(here.keyboard()) as keyboard:
        keys.start()
        try:
            for n_taps in range(1, _MOST_TAPS + 1):  # a person may be typing
                start = time.perf_counter()
                keyboard.tap_unseen(_LEFT_SHIFT)
                while (took_s := time.perf_counter() - start) < _HEARD_WITHIN_S:
                    if control.is_running or control.n_pauses:
                        return f"tap {n_taps} of {_KEY_TO_TAP} was heard after {took_s * 1e3:.0f} ms"
                    time.sleep(0.002)
        finally:
            keys.stop()
    raise _Trouble(
        f"{_MOST_TAPS} taps of {_KEY_TO_TAP} were not heard",
        "see the permissions; until the hot keys are heard, only Ctrl-C stops the bot",
    )


def _describe_permissions(here: Platform, *, may_ask: bool) -> str:
    if may_ask:
        here.mouse()  # the desktop asks for the screen and the mouse at once
    return here.machine().describe_permissions()


def _ask_for_keys(here: Platform) -> str:
    """Have the desktop ask the person for the usual keys: it would forget these for others, which could be tapped."""
    control = Control()
    keys = here.hot_keys(control.hot_keys(), control)
    keys.start()
    keys.stop()
    return f"the desktop gives {control.start_name}, and {control.abort_name} while the bot plays"
