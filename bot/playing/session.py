"""One run of play: arms the hot keys, finds the board, plays the games, and always gives everything back.

The commands `play` and `demo` are this with different surroundings. A dry run says what would be clicked on the board
as it is now, and clicks nothing.
"""

from __future__ import annotations

import _thread
import functools
import math
import signal
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import TIMEOUT_MAX, Timer
from typing import TYPE_CHECKING, Any

import platformdirs

from bot import signals
from bot.console import tell
from bot.desktop import this_platform
from bot.desktop.keys import label_key
from bot.errors import ScreenError
from bot.images import numbered, save_png
from bot.playing.actuator import has_chords
from bot.playing.board_view import BoardSearch, KnownBoard, watch_known
from bot.playing.decide import check_risk, decide_moves
from bot.playing.orders import OrderListener
from bot.playing.player import Player
from bot.playing.reporter import UnreadableError
from bot.playing.situation import Settings
from bot.playing.transitions import Change, classify_change
from solver import kernel
from solver.board import GameState, format_rows, known_risk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bot.desktop import Desktop, HotKey, Keyboard
    from bot.models import Frame, Pixel, Reading, Region
    from bot.playing.control import Control
    from bot.playing.reporter import Recorder, Watcher
    from bot.playing.results import GameResult, Tally
    from skins.skin import Skin, Sprite
    from solver.board import Move

    KeepSprites = Callable[[str, Sequence[Sprite]], str]


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """What a run of play was asked to do.

    Attributes:
        n_games: how many games.
        mines: the mine count, None to take it from the clone's counter, or else from the board's size.
        stop_on_loss: end after the first lost game.
        stop_on_win: end after the first won game.
        minutes: after which play stops.
        is_whole: whether all of the board is seen, whatever lies beside it.
        region: where to look for the board, None for everywhere.
        leaves_dialog: what the last game brings up is left there.
        settings: how to play.
    """

    n_games: int = 1
    mines: int | None = None
    is_whole: bool = False
    stop_on_loss: bool = False
    stop_on_win: bool = False
    minutes: float = math.inf
    region: Region | None = None
    leaves_dialog: bool = False
    settings: Settings = field(default_factory=Settings)

    def is_last(self, result: GameResult) -> bool:
        """Whether play ends with this game, however many were asked for."""
        stops_on = {GameState.LOST: self.stop_on_loss, GameState.WON: self.stop_on_win}
        return stops_on.get(result.result, False)


@contextmanager
def listening(
    control: Control,
    keyboard: Keyboard,
    minutes: float = math.inf,
    more_keys: Sequence[HotKey] = (),
    *,
    clicks: bool = True,
) -> Iterator[None]:
    """Hear the hot keys while the block runs, and mind the clock; Ctrl-C is as good as the abort key.

    Meanwhile no window gets those keys, where the system can do that. Orders of `minebot toggle` and `minebot stop` are
    obeyed, too: where no key is heard, by them alone.

    Args:
        control: what the keys steer.
        keyboard: keeps the keys from windows.
        minutes: after which play stops.
        more_keys: keys that do something else.
        clicks: whether the bot clicks meanwhile: then a person is told what is not kept of its promises.

    Raises:
        ScreenError: the keyboard cannot be listened to.
        UsageError: a key has no such name, or two are the same.
    """
    platform = this_platform()
    keys = platform.hot_keys([*control.hot_keys(), *more_keys], control)
    keys.start()
    for remark in filter(None, (keys.not_heard, platform.not_kept if clicks else "")):
        tell(remark)
    if keys.not_heard:
        control.note_unheard()
    clock = Timer(minutes * 60, control.end_in_time, [f"the time is up ({minutes:g} min)"])
    clock.daemon = True
    if minutes * 60 <= TIMEOUT_MAX:  # no machine waits for longer
        clock.start()
    try:
        with (
            _signals_abort(control),
            _taking_orders(control, is_only_way=bool(keys.not_heard)),
            keyboard.keeping(keys) as are_ours,
        ):
            if not are_ours:
                names = [control.start_name, control.abort_name, *(label_key(key.name) for key in more_keys)]
                tell(
                    f"another program listens to {', '.join(names[:-1])} or {names[-1]} as well, perhaps another "
                    "minebot: end it, or name other keys with --hotkey and --abort-key"
                )
            yield
    finally:
        clock.cancel()
        keys.stop()


@contextmanager
def _taking_orders(control: Control, *, is_only_way: bool) -> Iterator[None]:
    """While the block runs, `minebot toggle` and `minebot stop` steer it.

    Raises:
        ScreenError: they do not reach it, and no key does.
    """
    try:
        listener: OrderListener | None = OrderListener(control)
    except OSError as error:
        listener = None
        lost = f"'minebot toggle' and 'minebot stop' do not reach this minebot: {error}"
        if is_only_way:
            raise ScreenError(lost) from error
        tell(lost)
    try:
        yield
    finally:
        if listener is not None:
            listener.stop()


@contextmanager
def _signals_abort(control: Control) -> Iterator[None]:
    """While the block runs, a signal that ends us is the abort key: no button stays down.

    What only computes is ended by a signal, whoever stops it: Python looks for one between any two steps.
    """

    def stop(reason: str) -> None:
        control.abort(reason)
        control.stop_thinking()

    with signals.calling(stop):
        control.interrupt_by(functools.partial(_thread.interrupt_main, signal.SIGINT))
        try:
            yield
        finally:
            control.interrupt_by(None)


def play(
    desktop: Desktop,
    skins: Sequence[Skin],
    options: PlayOptions,
    control: Control,
    watcher: Watcher,
    *,
    tally: Tally,
    recorder: Recorder | None,
    keep_sprites: KeepSprites | None = None,
) -> None:
    """Wait for the start key, find the board, play the games.

    Args:
        desktop: screen, mouse and keyboard.
        skins: what the board may look like.
        options: what was asked for.
        control: start, pause, stop.
        watcher: told how it goes.
        tally: filled with every game that ends, so that a run that is stopped keeps what it had.
        recorder: keeps what is seen and decided, or None.
        keep_sprites: told of a skin's name and the sprites that play has proven of it; says what came of it.

    Raises:
        Aborted: the abort key was pressed, or (`TimeIsUp`) the minutes are over.
        BoardNotFoundError: there is no board, or it cannot be read.
        UsageError: the board's mine count is not known.
    """
    kernel.load()  # now, where nobody waits, and not in the middle of the first game
    if not control.is_running:
        watcher.entered(f"waiting for {control.start_name}")
    control.check()
    search = BoardSearch(
        desktop.screen, skins, control, region=options.region, mines=options.mines, is_whole=options.is_whole
    )
    place = search.first(desktop)
    if place.remark:
        watcher.remark(place.remark)
    player = Player(
        desktop,
        place,
        search,
        control,
        watcher,
        recorder=recorder,
        keep_picture=_keep_picture,
        settings=options.settings,
    )
    try:
        for result in player.iter_games(options.n_games):
            tally.games.append(result)
            if options.is_last(result):
                break
        if not options.leaves_dialog:
            player.close_last_dialogs()
    finally:
        tally.n_stray += player.n_stray
        _keep_learned(player, watcher, keep_sprites)


def _keep_learned(player: Player, watcher: Watcher, keep_sprites: KeepSprites | None) -> None:
    """Have what play has proven of its skin kept, and say what came of it."""
    if keep_sprites is not None and player.learned is not None:
        skin, sprites = player.learned
        remark = keep_sprites(skin.name, sprites)
        if remark:
            watcher.remark(remark)


def _keep_picture(frame: Frame) -> str:
    """Save the picture of a board that made play stop, where the platform keeps such things.

    Another one that stops in the same second has its own.
    """
    folder = Path(platformdirs.user_state_dir("minebot", appauthor=False)) / "unreadable"
    folder.mkdir(parents=True, exist_ok=True)
    for path in numbered(folder / time.strftime("%Y%m%d-%H%M%S.png")):
        with suppress(FileExistsError):
            path.touch(exist_ok=False)
            save_png(path, frame.pixels_bgr)
            return str(path)
    raise AssertionError


@dataclass(frozen=True, eq=False)
class DryRun:
    """What play would begin with.

    Attributes:
        reading: what is seen.
        clicks: the moves that would be made, each with the pixel it would be clicked at.
    """

    reading: Reading
    clicks: list[tuple[Move, Pixel]]

    def as_json(self) -> dict[str, Any]:
        """The form that `--json` prints."""
        return {
            "dry_run": True,
            "skin": self.reading.skin,
            "board": format_rows(self.reading.board.cells),
            "state": self.reading.state.value,
            "mines": self.reading.board.mines,
            "moves": [
                {
                    "action": move.action.value,
                    "cell": list(move.cell),
                    "pixel": list(pixel),
                    "p_mine": known_risk(move.p_mine),
                    "why": move.why,
                }
                for move, pixel in self.clicks
            ],
        }


def dry_run(
    desktop: Desktop, skins: Sequence[Skin], options: PlayOptions, control: Control, watcher: Watcher
) -> DryRun:
    """Find the board, read it, decide; nothing is clicked and no pointer moved.

    Raises:
        Aborted: the abort key was pressed.
        BoardNotFoundError: there is no board, or it cannot be read.
        InconsistentError: it contradicts itself.
        TooRiskyError: nothing would be clicked but a guess above the limit.
        UsageError: its mine count is not known.
    """
    control.check()
    place = BoardSearch(
        desktop.screen, skins, control, region=options.region, mines=options.mines, is_whole=options.is_whole
    ).first(desktop)
    if place.remark:
        watcher.remark(place.remark)
    observation = watch_known(desktop.screen, control, KnownBoard(place.board, place.mines), place.frame).settled()
    reading = observation.reading
    change = classify_change(reading, None, is_half_painted=observation.is_half_painted)
    if change in (Change.HIDDEN, Change.HALF_PAINTED):
        raise UnreadableError(f"the board would not be played as it is: {change.value}")
    style = options.settings.style.for_skin(place.board.skin)
    is_measured = not options.settings.saves_time  # no click was made yet
    chords = style.chords and has_chords(place.board.skin) and is_measured
    with control.thinking():
        moves = decide_moves(reading, replace(style, chords=chords)).moves
    if moves:
        check_risk(moves[0], reading, options.settings.risk_limit)
    return DryRun(reading, [(move, reading.grid.cell_region(move.cell).middle) for move in moves])
