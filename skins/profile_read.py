"""Reads skin profiles from disk: a folder with `skin.toml`, which a person can read, and one sprite image.

The profile, key by key; lengths are whole pixels at the profile's own pitch, colours are red, green, blue:

    name = "classic"                     how commands call it; the folder has the same name
    title = "..."                        what it is
    pitch_px = [16, 16]                  cell width and height
    closed_rgb = [192, 192, 192]         the colour most of a closed cell is painted in
    retry_s = 0.25                       optional: wait before a click that had no effect is made again
    chord = "middle"                     optional: "middle", "both", "left" or "none"; left out where not known
    has_question_marks = true            optional: whether a right click on a flag may make a question mark of it
    verified = true                      optional; of a learned skin, whether two games agreed on it
    blurred = true                       optional; learned from scaled or compressed pictures: found by its colours only
    win_needs_flags = true               optional: whether a game is won only when every mine has a flag
    floods = false                       optional: a 0 that is opened leaves its neighbours closed
    first_click = "safe"                 optional: "any", "safe", "zero" or "moved-to-corner"; left out where not known

    [sprites]
    file = "sprites.png"                 sprites side by side, each one cell large, in the image's first row
    states = ["0", "1", "closed", ...]   what each shows, left to right; a state may come more than once. "pressed" and
                                         "pressed_question" are cells held down: known, but part of no board

    levels = [[8, 10, 10], ...]          optional; rows, columns and mines of levels that only this clone has

    [tolerance]                          optional; see `skins.skin.Tolerance`
    [new_game]                           optional; see `skins.skin.NewGame`; keys as "n" or "ctrl+r"
    [border]                             optional; see `skins.skin.Border`; left_rgb = [[128, 128, 128], ...] and so on

    [counter]                            optional; the mine counter, see `skins.skin.Counter`
    digits = ["0", ..., "9", "-"]        side by side in the image's second row, from its left edge
    digit_px = [11, 21]                  width and height of one digit
    spots_px = [[6, -38], ...]           the first digit's top left pixel, from the board's top left corner
    stride_px = 13                       from digit to digit
    is_right, n_digits, accept, margin, pitch_px    optional
    [counter.exact]                      optional; digit = [fingerprints in hexadecimal]

    [faces]                              optional; the new-game button in its moods
    moods = ["happy", ...]               side by side in the image's next row, from its left edge
    face_px = [26, 26]

    [tiles]                              optional; cells with gaps between them, at any size; see `skins.skin.Tiles`
    gap_rgb = [246, 245, 244]            between the cells of the sprites
    grounds_rgb = [[186, 189, 182], ...]    every colour of a cell

    [alike]                              optional; cells that are alike and never equal; see `skins.skin.Alike`
    step_px = [37.5, 37.5]               from cell to cell
    inset_px = 2                         how much of a cell's edge does not count
    slack = 10.0                         how far insides of one sprite may be apart
    [fields]                             optional; fields of two colours in turn, at any size; see `skins.skin.Fields`
    closed_rgb = [[170, 215, 81], ...]   of closed cells, pair by pair; likewise open_rgb
    flag_rgb = [242, 54, 7]              the ink of a flag
    mines_rgb = [[219, 50, 54], ...]     optional; fields with the disc of a mine
    header_rgb = [74, 117, 44]           optional; what the page has right above a board

    [signs]                              optional; numbers that a font draws; see `skins.skin.Signs`
    says = ["1", ..., "open", "any"]     what an ink on a ground means: three lists of one length
    grounds_rgb = [[222, 222, 220], ...]
    inks_rgb = [[75, 105, 131], ...]
    shapes = ["1", "1", "2", ...]        optional; forms of digits: black on white, side by side in the image's next row
    shape_px = [10, 14]

    [tints]                              optional; numbers on tinted grounds, in blocks; see `skins.skin.Tints`
    zero_rgb = [[255, 255, 255], ...]    the ground of an open 0, in the light and dimmed
    step_rgb = [[0, 17.85, 17.85], ...]  how much darker it is for every mine around
    most = 80                            the highest number; sprites of 1 to this are made of the tints and the digits
    digit_px = [15, 28]                  of the digits 0 to 9: black on white, side by side in the image's last row
    known_px = [2, 2, 23, 23]            left, top, width, height of the part of a cell that is known

    [exact]                              optional; state = [fingerprints in hexadecimal] of pixels that real clones draw

    [sizes]                              optional; a clone that draws its cells anew at every size: `skins.skin.Sizes`
    least_px = 10                        the smallest and the largest square cells that are known
    most_px = 64
    open_rims = [fingerprints]           of the outermost pixels of open cells, at all sizes
    [sizes.exact]                        state = [fingerprints] at all sizes, the corner pixels taken for black

A key or table that is not listed here is an error: a misspelt tolerance must not be a silent default.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from skins.errors import FileError, SkinError
from skins.files import load_picture, name_inside, read_file
from skins.pixels import fingerprint
from skins.skin import (
    DIGITS,
    MOST_NUMBER,
    PASSING,
    Alike,
    Border,
    Counter,
    Drawing,
    Fields,
    Ink,
    NewGame,
    OwnPixels,
    Ramp,
    Signs,
    Sizes,
    Skin,
    Sprite,
    Tiles,
    Tints,
    Tolerance,
    is_state,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.resources.abc import Traversable

    from skins.skin import Bgr


PROFILE = "skin.toml"
KEYS = (
    *("name", "title", "pitch_px", "closed_rgb", "retry_s", "chord"),
    *("has_question_marks", "win_needs_flags", "floods", "first_click", "verified", "blurred", "levels"),
    *("sprites", "tolerance", "new_game", "border", "counter", "faces", "tiles", "fields", "alike", "signs", "tints"),
    *("exact", "sizes"),
)
_MOST_PROFILE_BYTES = 2**20  # the longest shipped one has 25,000
_MOST_SPRITE_PIXELS = 2**24  # most pixels of the picture, and of all sprites made of tints: 16 of the largest cells
_MOST_SIDE_PX, _MOST_PLACE_PX = 1024, 10_000
"""Largest side of a cell or whatever else has a size, and largest distance from the board."""
_MOST_TOLERANCE, _MOST_WAIT_S = 255, 60
_MOST_LETTERS = 300  # of what is said of a broken profile
_PRINT = re.compile(r"[0-9a-fA-F]{1,16}")
_COUNTER_KEYS = (
    *("digits", "digit_px", "spots_px", "stride_px", "is_right", "n_digits"),
    *("accept", "margin", "pitch_px", "exact"),
)


def shipped_skin_names() -> list[str]:
    """The names of the skins that come with the program, in alphabetical order."""
    data = resources.files("skins") / "data"
    return sorted(entry.name for entry in data.iterdir() if (entry / PROFILE).is_file())


@cache
def load_shipped_skin(name: str) -> Skin:
    """One shipped skin. It is loaded once, so that all that was worked out of it serves the whole program.

    Raises:
        SkinError: there is no skin of that name, or its profile is broken.
    """
    names = shipped_skin_names()
    if name not in names:
        raise SkinError(f"expected one of the skins {', '.join(names)}, got {name!r}")
    return load_skin(resources.files("skins") / "data" / name)


def load_shipped_skins() -> list[Skin]:
    """Load every shipped skin."""
    return [load_shipped_skin(name) for name in shipped_skin_names()]


def load_skin(folder: Traversable) -> Skin:
    """Load the skin in `folder` (a path, or a folder inside a package).

    Raises:
        SkinError: a file is missing, the text is not TOML, a key is missing, unknown or of the wrong kind, the sprite
            image does not fit the list of states; the message names file and key.
    """
    profile = folder / PROFILE
    content = read_file(profile, _MOST_PROFILE_BYTES)
    try:
        return _skin_of(tomllib.loads(content.decode("utf-8")), folder)
    except FileError:
        raise
    except tomllib.TOMLDecodeError as error:
        raise SkinError(f"{profile}: not TOML ({_shortened(error)})") from error
    except UnicodeDecodeError as error:
        raise SkinError(f"{profile}: not UTF-8 text ({error})") from error
    except RecursionError as error:
        raise SkinError(f"{profile}: expected tables and lists a few levels deep, got many more") from error
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, SkinError) as error:
        raise SkinError(f"{profile}: {_shortened(error)}") from error


def _shortened(error: Exception) -> str:
    """What an error says, in one line: a profile may have been quoted in it, of any length."""
    words = " ".join(str(error).split())
    return words if len(words) <= _MOST_LETTERS else f"{words[:_MOST_LETTERS]} ..."


def _drawing(table: dict[str, Any], tints: Tints | None) -> Drawing:
    """How the clone draws cells: by one table at most, and tints with the digits that go with them."""
    kinds: dict[str, Callable[[dict[str, Any]], Drawing]] = {
        "alike": _alike,
        "tiles": _tiles,
        "fields": _fields,
        "sizes": _sizes,
        "tints": lambda _: tints or OwnPixels(),
    }
    given = [name for name in kinds if name in table]
    if len(given) > 1:
        raise SkinError(f"expected at most one of [{'], ['.join(kinds)}], got [{'] and ['.join(given)}]")
    return kinds[given[0]](table[given[0]]) if given else OwnPixels()


def _skin_of(table: dict[str, Any], folder: Traversable) -> Skin:
    _expect_keys(table, KEYS, "the profile")
    pitch_px = _size(_required(table, "pitch_px"))
    listed = _required(table, "sprites")
    _expect_keys(listed, ("file", "states"), "[sprites]")
    strips = [(list(listed["states"]), pitch_px)]
    if "counter" in table:
        strips.append((list(_required(table["counter"], "digits")), _size(_required(table["counter"], "digit_px"))))
    if "faces" in table:
        _expect_keys(table["faces"], ("moods", "face_px"), "[faces]")
        strips.append((list(_required(table["faces"], "moods")), _size(_required(table["faces"], "face_px"))))
    if "shapes" in table.get("signs", {}):
        strips.append((list(table["signs"]["shapes"]), _size(_required(table["signs"], "shape_px"))))
    if "tints" in table:
        strips.append((list("0123456789"), _size(_required(table["tints"], "digit_px"))))
    cells, *others = _cut(folder / name_inside(_required(listed, "file")), strips)
    tints = _tints(table["tints"], others.pop(), pitch_px) if "tints" in table else None
    shapes = others.pop() if "shapes" in table.get("signs", {}) else ()
    sprites = tuple(sprite for sprite in cells if sprite.state not in PASSING)
    if tints is not None:
        width, height = tints.most * len(tints.ramps) * pitch_px[0], pitch_px[1]
        if width * height > _MOST_SPRITE_PIXELS:
            raise ValueError(
                f"expected looks of at most {_MOST_SPRITE_PIXELS:,} pixels together, got {width} x {height}"
            )
        sprites += tints.sprites(pitch_px[0])
    return Skin(
        name=str(_required(table, "name")),
        title=str(_required(table, "title")),
        pitch_px=pitch_px,
        closed_bgr=_bgr(_required(table, "closed_rgb")),
        sprites=sprites,
        exact=_fingerprints(table.get("exact", {}), sprites, is_state),
        tolerance=Tolerance(**_numbers(table.get("tolerance", {}), _MOST_TOLERANCE)),
        new_game=_new_game(table.get("new_game", {})),
        border=_border(table["border"]) if "border" in table else None,
        retry_s=_seconds(table, "retry_s", 0.25),
        counter=_counter(table["counter"], others[0], pitch_px) if "counter" in table else None,
        passing=tuple(sprite for sprite in cells if sprite.state in PASSING),
        faces=others[-1] if "faces" in table else (),
        chord=_optional(table, "chord", str),
        has_question_marks=_optional(table, "has_question_marks", bool),
        win_needs_flags=bool(_optional(table, "win_needs_flags", bool)),
        floods=_optional(table, "floods", bool) is not False,
        first_click=_optional(table, "first_click", str),
        drawing=_drawing(table, tints),
        signs=_signs(table["signs"], shapes) if "signs" in table else None,
        is_verified=_optional(table, "verified", bool),
        is_blurred=bool(_optional(table, "blurred", bool)),
        levels=_levels(_optional(table, "levels", list) or []),
    )


def _required(table: dict[str, Any], key: str) -> Any:
    if key not in table:
        raise KeyError(f"expected the key {key}, got none")
    return table[key]


def _optional(table: dict[str, Any], key: str, kind: type) -> Any:
    """The value of a key, None where it is left out."""
    value = table.get(key)
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"expected {key} = a {kind.__name__}, got {value!r}")
    return value


def _numbers(table: dict[str, Any], most: float) -> dict[str, Any]:
    """The table, every value of which is a number of pixels, of channel steps or of seconds: 0 or more."""
    for key, value in table.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= most:
            raise ValueError(f"expected {key} = a number from 0 to {most:g}, got {value!r}")
    return table


def _seconds(table: dict[str, Any], key: str, otherwise: float) -> float:
    return float(_numbers({key: table.get(key, otherwise)}, _MOST_WAIT_S)[key])


def _whole(value: Any, least: int, most: int) -> int:
    """A whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"expected a whole number from {least} to {most}, got {value!r}")
    return value


def _expect_keys(table: dict[str, Any], known: Sequence[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise ValueError(f"expected in {where} only the keys {', '.join(known)}, got {key}")


def _size(numbers: list[int]) -> tuple[int, int]:
    width, height = _pair(numbers)
    if min(width, height) < 1 or max(width, height) > _MOST_SIDE_PX:
        raise ValueError(f"expected a pitch or size of at least 1 pixel and at most {_MOST_SIDE_PX}, got {numbers}")
    return width, height


def _pair(numbers: list[int]) -> tuple[int, int]:
    first, second = (_whole(number, -_MOST_PLACE_PX, _MOST_PLACE_PX) for number in numbers)
    return first, second


def _bgr(rgb: list[int]) -> tuple[int, int, int]:
    red, green, blue = (_whole(channel, 0, 255) for channel in rgb)
    return blue, green, red


def _cut(file: Traversable, strips: list[tuple[list[str], tuple[int, int]]]) -> list[tuple[Sprite, ...]]:
    """Cut the image into its strips, one below the other: what each sprite shows, and (width, height) of them."""
    image = load_picture(file, _MOST_SPRITE_PIXELS)
    if image is None:
        raise SkinError(f"{file.name} is not a picture")
    n_wide = max(len(states) * width for states, (width, _) in strips)
    n_high = sum(height for _, (_, height) in strips)
    if image.shape[:2] != (n_high, n_wide):
        n_sprites = " + ".join(str(len(states)) for states, _ in strips)
        raise SkinError(
            f"{file.name}: expected {n_wide} x {n_high} pixels for {n_sprites} sprites, "
            f"got {image.shape[1]} x {image.shape[0]}"
        )
    cut = []
    top = 0
    for states, (width, height) in strips:
        strip = image[top : top + height]
        pieces = [np.ascontiguousarray(strip[:, i * width : (i + 1) * width]) for i in range(len(states))]
        for piece in pieces:
            piece.setflags(write=False)
        cut.append(tuple(Sprite(str(state), piece) for state, piece in zip(states, pieces, strict=True)))
        top += height
    return cut


def _fingerprints(
    table: dict[str, list[str]], sprites: tuple[Sprite, ...], is_known: Callable[[str], bool]
) -> dict[int, str]:
    exact = _prints(table, is_known)
    prints = fingerprint(np.stack([sprite.pixels_bgr for sprite in sprites]))
    return exact | {int(value): sprite.state for value, sprite in zip(prints, sprites, strict=True)}


def _prints(table: dict[str, list[str]], is_known: Callable[[str], bool]) -> dict[int, str]:
    for state in table:
        if not is_known(state):
            raise ValueError(f"expected fingerprints of what sprites show, got some of {state!r}")
    return {_print(word): state for state, words in table.items() for word in words}


def _print(word: str) -> int:
    if not _PRINT.fullmatch(word):
        raise ValueError(f"expected fingerprints, each up to 16 hexadecimal digits, got {word!r}")
    return int(word, 16)


def _new_game(table: dict[str, Any]) -> NewGame:
    _expect_keys(table, ("spot_px", "spot_from", "key", "dialog_keys", "dialog_key", "pause_s"), "[new_game]")
    spot = table.get("spot_px")
    return NewGame(
        spot_px=None if spot is None else _pair(spot),
        spot_from=_optional(table, "spot_from", str) or "top",
        key=_optional(table, "key", str),
        dialog_keys=_dialog_keys(table),
        pause_s=_seconds(table, "pause_s", 0.0),
    )


def _dialog_keys(table: dict[str, Any]) -> tuple[str, ...]:
    """The list `dialog_keys`, or the one `dialog_key` that older profiles have."""
    keys = _optional(table, "dialog_keys", list)
    if keys is None:
        key = _optional(table, "dialog_key", str)
        return () if key is None else (key,)
    if "dialog_key" in table:
        raise ValueError("expected dialog_keys or dialog_key, got both")
    if not all(isinstance(key, str) for key in keys):
        raise TypeError(f"expected dialog_keys = a list of keys, got {keys!r}")
    return tuple(keys)


def _border(table: dict[str, Any]) -> Border:
    sides = ("left", "top", "right", "bottom")
    _expect_keys(table, ("depth_px", *(f"{side}_rgb" for side in sides), "blends"), "[border]")
    left, top, right, bottom = (tuple(_bgr(rgb) for rgb in _required(table, f"{side}_rgb")) for side in sides)
    _numbers({"depth_px": _required(table, "depth_px")}, _MOST_SIDE_PX)
    blends = table.get("blends", [])
    if not isinstance(blends, list) or not set(map(str, blends)) <= set(sides):
        raise ValueError(f"expected blends = a list of {', '.join(sides)}, got {blends!r}")
    return Border(_whole(table["depth_px"], 0, _MOST_SIDE_PX), left, top, right, bottom, tuple(blends))


def _alike(table: dict[str, Any]) -> Alike:
    _expect_keys(table, ("step_px", "inset_px", "slack"), "[alike]")
    step = _required(table, "step_px")
    if not isinstance(step, list) or len(step) != 2:
        raise ValueError(f"expected step_px = [width, height], got {step!r}")
    _numbers({"step_px": step[0]}, _MOST_SIDE_PX)
    _numbers({"step_px": step[1]}, _MOST_SIDE_PX)
    slack = _numbers({"slack": _required(table, "slack")}, _MOST_TOLERANCE)["slack"]
    return Alike((step[0], step[1]), _whole(_required(table, "inset_px"), 0, _MOST_SIDE_PX), float(slack))


def _tiles(table: dict[str, Any]) -> Tiles:
    _expect_keys(table, ("gap_rgb", "grounds_rgb"), "[tiles]")
    return Tiles(_bgr(_required(table, "gap_rgb")), tuple(_bgr(rgb) for rgb in _required(table, "grounds_rgb")))


def _fields(table: dict[str, Any]) -> Fields:
    _expect_keys(table, ("closed_rgb", "open_rgb", "flag_rgb", "mines_rgb", "header_rgb"), "[fields]")
    mines = tuple(_bgr(rgb) for rgb in table.get("mines_rgb", []))
    closed, opened = (_pairs(_required(table, key), key) for key in ("closed_rgb", "open_rgb"))
    header = _bgr(table["header_rgb"]) if "header_rgb" in table else None
    return Fields(closed, opened, _bgr(_required(table, "flag_rgb")), mines, header)


def _pairs(colours: list[list[int]], key: str) -> tuple[tuple[Bgr, Bgr], ...]:
    if len(colours) % 2:
        raise ValueError(f"expected {key} = colours in pairs, got {len(colours)} of them")
    return tuple((_bgr(one), _bgr(other)) for one, other in zip(colours[::2], colours[1::2], strict=True))


def _levels(levels: list[list[int]]) -> dict[tuple[int, int], int]:
    found = {}
    for level in levels:
        rows, cols, mines = (_whole(number, 1, _MOST_PLACE_PX) for number in level)
        if mines >= rows * cols:
            raise ValueError(f"expected levels of rows, columns and mines, got {mines} mines on {rows} x {cols} cells")
        found[rows, cols] = mines
    return found


def _signs(table: dict[str, Any], shapes: tuple[Sprite, ...]) -> Signs:
    _expect_keys(table, ("says", "grounds_rgb", "inks_rgb", "shapes", "shape_px"), "[signs]")
    says, grounds, inks = (_required(table, key) for key in ("says", "grounds_rgb", "inks_rgb"))
    return Signs(
        tuple(Ink(str(word), _bgr(ground), _bgr(ink)) for word, ground, ink in zip(says, grounds, inks, strict=True)),
        tuple((int(sprite.state), 1.0 - sprite.pixels_bgr[:, :, 0] / 255.0) for sprite in shapes),
    )


def _sizes(table: dict[str, Any]) -> Sizes:
    _expect_keys(table, ("least_px", "most_px", "open_rims", "exact"), "[sizes]")
    least, most = _size([_required(table, "least_px"), _required(table, "most_px")])
    rims = frozenset(map(_print, table.get("open_rims", [])))
    return Sizes(least, most, _prints(_required(table, "exact"), is_state), rims)


def _tints(table: dict[str, Any], digits: tuple[Sprite, ...], pitch_px: tuple[int, int]) -> Tints:
    _expect_keys(table, ("zero_rgb", "step_rgb", "most", "digit_px", "known_px"), "[tints]")
    zeros, steps = (_required(table, key) for key in ("zero_rgb", "step_rgb"))
    ramps = tuple(Ramp(_tint(zero), _tint(step)) for zero, step in zip(zeros, steps, strict=True))
    known_px = tuple(_whole(length, 0, _MOST_SIDE_PX) for length in table.get("known_px", (0, 0, *pitch_px)))
    left, top, width, height = known_px
    if min(width, height) < 1 or left + width > pitch_px[0] or top + height > pitch_px[1]:
        raise ValueError(f"expected known_px = left, top, width, height inside a cell of {pitch_px}, got {known_px}")
    ink = 1.0 - np.stack([sprite.pixels_bgr[:, :, 0] for sprite in digits]) / 255.0
    return Tints(ramps, _whole(_required(table, "most"), 1, MOST_NUMBER), ink, (left, top, width, height))


def _tint(rgb: list[float]) -> tuple[float, float, float]:
    red, green, blue = (float(_numbers({"a tint": channel}, 255)["a tint"]) for channel in rgb)
    return blue, green, red


def _counter(table: dict[str, Any], digits: tuple[Sprite, ...], pitch_px: tuple[int, int]) -> Counter:
    _expect_keys(table, _COUNTER_KEYS, "[counter]")
    numbers = _numbers({key: table[key] for key in ("accept", "margin", "n_digits") if key in table}, _MOST_TOLERANCE)
    _optional(table, "n_digits", int)
    return Counter(
        pitch_px=_size(table.get("pitch_px", pitch_px)),
        spots_px=tuple(_pair(spot) for spot in _required(table, "spots_px")),
        digits=digits,
        stride_px=_whole(_required(table, "stride_px"), 0, _MOST_SIDE_PX),
        exact=_fingerprints(table.get("exact", {}), digits, lambda digit: digit in DIGITS),
        is_right=bool(_optional(table, "is_right", bool)),
        **numbers,
    )
