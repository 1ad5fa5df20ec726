"""What commands are given: boards, texts and pictures, from files, standard input, the screen and the clipboard."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import UsageError
from skins.files import read_up_to
from solver import Board, SolverError
from solver.errors import AmbiguousFormError, UnreadableFormError
from solver.formats import AUTO, LINK, MOST_BYTES, OURS, decode, is_address, parse_as, parse_detected, view_of

if TYPE_CHECKING:
    import argparse

    from bot.models import Frame, Reading
    from bot.reviewing.replay_files import Replay
    from bot.vision.mine_counter import MineCount
    from solver.formats import Document

_PICTURES = (b"\x89PNG", b"BM", b"\xff\xd8")  # how files of PNG, BMP and JPEG begin


def load_document(source: str, form: str | None) -> tuple[str, Document]:
    """Read a board or a full map from a file or standard input, or from an address that holds it.

    Args:
        source: a path, `-`, or the address of a page.
        form: the name of its text form, or `auto`; None: ours, or if it is not in that the only one that it is in.

    Returns:
        The name of the form, and the document.

    Raises:
        UsageError: it cannot be read, or its text is not in that form.
    """
    try:
        text = load_text(source)
    except SolverError as error:
        raise UsageError(f"{name_source(source)}: {error}{_hint_of_picture(source)}") from error
    return _parse_document(text, name_source(source), form)


def _parse_document(text: str, name: str, form: str | None) -> tuple[str, Document]:
    try:
        if form == AUTO:
            return parse_detected(text)
        try:
            return form or OURS, parse_as(text, form or OURS)
        except SolverError:
            if form is None and (found := _detect(text)) is not None:
                return found
            raise
    except AmbiguousFormError as error:
        raise UsageError(f"{name}: {error} (--format NAME; of convert --from NAME)") from error
    except SolverError as error:
        raise UsageError(f"{name}: {error}{_hint_of(text, form)}") from error


def load_text(source: str) -> str:
    """Read a text from a file or standard input, UTF-8 and no more of it than a board can have; an address is the text.

    Args:
        source: a path, `-`, or the address of a page.

    Raises:
        UsageError: it cannot be read.
        BoardTextError: it is too long, or not UTF-8.
    """
    if is_address(source):
        return source
    if source == "-" and not hasattr(sys.stdin, "buffer"):  # a stand-in for standard input that is text already
        return sys.stdin.read(MOST_BYTES)
    try:
        if source == "-":
            return decode(read_up_to(sys.stdin.buffer, MOST_BYTES + 1))
        with Path(source).open("rb") as file:
            return decode(read_up_to(file, MOST_BYTES + 1))
    except OSError as error:
        raise UsageError(f"cannot read {name_source(source)}: {error.strerror}") from error
    except ValueError as error:
        if isinstance(error, SolverError):
            raise
        raise UsageError(f"cannot read {source!r}: {error}") from error  # a NUL in the path


def _detect(text: str) -> tuple[str, Document] | None:
    """The only form that a text is in, and what it says there.

    Raises:
        UnreadableFormError, AmbiguousFormError: what is wrong with it is known.
    """
    try:
        return parse_detected(text)
    except (UnreadableFormError, AmbiguousFormError):
        raise
    except SolverError:
        return None


def _hint_of_picture(source: str) -> str:
    """What to say of a file that is no text because it is a picture."""
    with suppress(OSError, ValueError):
        with Path(source).open("rb") as file:
            begin = file.read(4)
        if source != "-" and begin.startswith(_PICTURES):
            return "; it is a picture, as 'minebot read' and 'minebot advise' take them"
    return ""


def _hint_of(text: str, form: str | None) -> str:
    """What to say of a text that is not in a form, but in another."""
    with suppress(UnreadableFormError, AmbiguousFormError):
        found = None if form == AUTO else _detect(text)
        return "" if found is None else f" (it reads as {found[0]}: name that form)"
    return ""


def names_file(source: str) -> bool:
    """Whether a source is a path: not standard input, and no address, which holds its board itself."""
    return source != "-" and not is_address(source)


def name_source(source: str) -> str:
    """What a message calls a source: a path, `-`, or an address."""
    if is_address(source):
        return "the address"
    return "standard input" if source == "-" else source


def load_board(source: str, form: str | None, *, mines: int | None, wrap: bool) -> Board:
    """Read a board from a file, standard input or an address; what is given besides replaces what its text says.

    Raises:
        UsageError: it cannot be read, is no board, or the mine count is none that it can have.
    """
    return _board_of(load_document(source, form), name_source(source), form, mines=mines, wrap=wrap)


def parse_given_board(text: str, name: str, form: str | None, *, mines: int | None) -> Board:
    """A board of a text that is there already.

    Args:
        text: the board.
        name: where it comes from, for messages.
        form: as in `load_document`.
        mines: the mine count, instead of the text's.

    Raises:
        UsageError: as `load_board`.
    """
    return _board_of(_parse_document(text, name, form), name, form, mines=mines, wrap=False)


def _board_of(found: tuple[str, Document], source: str, form: str | None, *, mines: int | None, wrap: bool) -> Board:
    name, document = found
    if form is None and name not in (OURS, LINK):
        print(f"minebot: read as {name}; --format names another form", file=sys.stderr)
    board = view_of(document)
    try:
        return replace(board, mines=board.mines if mines is None else mines, wrap=wrap or board.wrap)
    except SolverError as error:
        raise UsageError(f"{source}: {error}") from error


def load_games(path: Path) -> tuple[Replay, ...]:
    """Read the games of a replay or recording, and say what of them was left out.

    Raises:
        UsageError: it cannot be read, or is none.
    """
    from bot.console import tell
    from bot.reviewing.replay_files import load_replays

    replays = load_replays(path)
    for replay in replays:
        if replay.remark:
            tell(f"{replay.source}: {replay.remark}")
    return replays


def add_source(parser: argparse.ArgumentParser, metavar: str, summary: str, *, is_required: bool = True) -> None:
    """Declare where a picture, or a board, comes from: `source`, `screen` or `clipboard`."""
    where = parser.add_mutually_exclusive_group(required=is_required)
    where.add_argument("source", nargs="?", metavar=metavar, help=summary)
    where.add_argument("--screen", action="store_true", help="look at the screen, once")
    where.add_argument("--clipboard", action="store_true", help="take what was copied to the clipboard")


def look_around(args: argparse.Namespace) -> tuple[str, Frame | str] | None:
    """What the screen or the clipboard shows, and what messages call it; None where a file was named.

    Raises:
        ScreenError: there is no screen, or no clipboard.
        UsageError: the clipboard holds no picture and no text.
    """
    if args.screen:
        from contextlib import closing

        from bot.desktop import this_platform

        with closing(this_platform().screen()) as screen:
            return "the screen", screen.grab()
    if args.clipboard:
        from bot.clipboard import read_clipboard

        return "the clipboard", read_clipboard()
    return None


def read_frame(
    frame: Frame, source: Path | str, skin: str, mines: int | None, *, is_whole: bool = False
) -> list[tuple[Reading, MineCount]]:
    """Read every board on a frame, from top to bottom.

    Args:
        frame: the picture.
        source: where it comes from, for messages.
        skin: a skin's name, or "auto".
        mines: the mine count; None to take it from each board's counter or size.
        is_whole: whether the picture shows all of a board, whatever lies beside it; else it may go on there.

    Returns:
        What each says, and where its mine count comes from.

    Raises:
        BoardNotFoundError: there is none.
        SkinError: there is no such skin.
    """
    from bot.console import tell
    from bot.errors import BoardNotFoundError
    from bot.vision.finding import explain_not_found, find_boards, say_clipped
    from bot.vision.mine_counter import count_on
    from bot.vision.other_colours import find_in_other_colours, say_shift
    from bot.vision.reading import doubt_pressed, read_board
    from skins import load_skins

    skins = load_skins(skin, tell=tell)
    find = partial(find_boards, every_scale=True, is_whole=is_whole)
    found = find(frame, skins)
    seen = [(frame, board.skin, doubt_pressed(read_board(frame, board.grid, board.skin))) for board in found]
    if not seen:
        others = find_in_other_colours(frame, skins, partial(find, zooms=False))
        seen = [(one.frame, one.skin, one.reading) for one in others if one.is_known]
        if not seen:
            raise BoardNotFoundError(f"{source}: {explain_not_found(frame, skins, others)}")
    boards = [count_on(shown, reading, skin, mines) for shown, skin, reading in seen]
    for reading, count in boards:
        if shift := say_shift(reading):
            tell(f"{reading.skin}'s look in other colours, {shift}")
        if reading.board.cut:
            past = say_clipped(reading.grid, frame, "picture")
            tell(f"{past}. Numbers there prove little (--whole if this is all of it)")
        if count.remark:
            tell(count.remark)
    return boards


def new_skin_folder(name: str, *, replaces: bool) -> Path:
    """Where a new skin of the user's goes.

    Args:
        name: what it is called.
        replaces: whether it may take the place of one that is there.

    Raises:
        SkinError: no skin may be called so.
        UsageError: a shipped skin is, or one is there.
    """
    from skins import shipped_skin_names, user_skins_folder
    from skins.profile_write import check_name

    check_name(name)
    if name in shipped_skin_names():
        raise UsageError(f"a skin named {name} comes with the program: expected another --name")
    folder = user_skins_folder() / name
    if folder.exists() and not replaces:
        raise UsageError(f"{folder}: is there already; --force replaces it, or choose another --name")
    return folder
