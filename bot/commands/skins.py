"""`minebot skins`: what clones may look like: lists, shows, checks and imports skins."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.console import emit

if TYPE_CHECKING:
    import argparse

    from bot.vision.skin_check import SkinCheck
    from skins import Counter, KnownSkin, NewGame, Skin

_CHORDS_IN_WORDS = {
    "middle": "by the middle button",
    "both": "by left and right together",
    "left": "by a left click on the number",
    "none": "not at all",
    None: "not known",
}
_FIRST_CLICKS_IN_WORDS = {
    "any": "may be a mine",
    "safe": "is never a mine",
    "zero": "is a zero",
    "moved-to-corner": "is never a mine: one that is hit moves to the first free cell from the top left",
    None: "not known",
}
EXAMPLE = "minebot skins import-sheet my-skin.bmp --name my-skin"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def add_action(name: str, summary: str, example: str = "") -> argparse.ArgumentParser:
        description = f"{summary[0].upper()}{summary[1:]}."
        epilog = f"example:\n  {f'minebot skins {name} {example}'.rstrip()}"
        return actions.add_parser(name, help=summary, description=description, epilog=epilog)

    list_parser = add_action("list", "every skin there is, shipped and your own")
    show_parser = add_action("show", "one skin's profile in words", "winemine")
    check_parser = add_action("check", "paint boards with a skin and read them back", "winemine")
    for subparser in (show_parser, check_parser):
        subparser.add_argument("name", metavar="NAME", help="a skin's name")
    import_parser = add_action(
        "import-sheet", "make a skin of a sprite sheet (Minesweeper X layout)", "my-skin.bmp --name my-skin"
    )
    import_parser.add_argument("sheet", type=Path, metavar="FILE", help="a BMP or PNG: 144 x 122, or that scaled")
    import_parser.add_argument("--name", required=True, metavar="N", help="how the skin will be called")
    import_parser.add_argument("--force", action="store_true", help="replace your own skin of that name")
    for subparser in (list_parser, show_parser, check_parser, import_parser):
        subparser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Do what was asked; the exit code is 1 when a check finds fault."""
    actions = {"list": _list, "show": _show, "check": _check, "import-sheet": _import_sheet}
    return actions[args.action](args)


def _list(args: argparse.Namespace) -> int:
    from bot.console import fold, tell
    from skins import known_skins

    known = known_skins()
    if args.json:
        emit({"skins": [_known_as_json(entry) for entry in known]}, as_json=True)
        return 0
    width = max(len(entry.name) for entry in known)
    for entry in known:
        if entry.skin is None:
            tell(f"skin {entry.name} cannot be used: {entry.trouble}")
        else:
            pitch = " x ".join(map(str, entry.skin.pitch_px))
            line = f"{entry.name:<{width}}  {pitch:>7} px  {_source(entry)}  {entry.skin.title}"
            print(fold(line, sys.stdout))
    return 0


def _show(args: argparse.Namespace) -> int:
    entry = _find(args.name)
    assert entry.skin is not None, "found means usable"
    emit(_known_as_json(entry) | _details(entry.skin), _in_words(entry, entry.skin), as_json=args.json)
    return 0


def _check(args: argparse.Namespace) -> int:
    from bot.vision.skin_check import check_skin

    entry = _find(args.name)
    assert entry.skin is not None, "found means usable"
    check = check_skin(entry.skin)
    emit(_known_as_json(entry) | _check_as_json(check), _check_in_words(entry.skin, check), as_json=args.json)
    return 0 if check.is_good else 1


def _import_sheet(args: argparse.Namespace) -> int:
    from bot.commands.loading import new_skin_folder
    from bot.errors import UsageError
    from bot.vision.skin_check import check_skin
    from skins import KnownSkin, load_skin, save_skin
    from skins.sprite_sheet import load_sheet

    folder = new_skin_folder(args.name, replaces=args.force)
    skin = load_sheet(args.sheet, args.name)
    check = check_skin(skin)
    if not check.is_good:
        raise UsageError(f"{args.sheet}: not imported: {'; '.join(check.remarks())}")
    save_skin(skin, folder)
    entry = KnownSkin(args.name, folder, load_skin(folder))
    lines = [*_check_in_words(skin, check), f"saved in {folder}"]
    emit(_known_as_json(entry) | _check_as_json(check), lines, as_json=args.json)
    return 0


def _find(name: str) -> KnownSkin:
    from skins import find_skin, known_skins

    find_skin(name)  # says what is wrong with the name or the skin
    return next(entry for entry in known_skins() if entry.name == name and entry.skin is not None)


def _source(entry: KnownSkin) -> str:
    return "shipped" if entry.folder is None else str(entry.folder)


def _states(skin: Skin) -> list[str]:
    return list(dict.fromkeys(sprite.state for sprite in skin.sprites + skin.passing))


def _known_as_json(entry: KnownSkin) -> dict[str, Any]:
    skin = entry.skin
    return {
        "name": entry.name,
        "source": _source(entry),
        "pitch": None if skin is None else list(skin.pitch_px),
        "states": [] if skin is None else _states(skin),
        "same": [] if skin is None else [list(states) for states in skin.same_states()],
        "trouble": entry.trouble or None,
    }


def _details(skin: Skin) -> dict[str, Any]:
    return {
        "title": skin.title,
        "closed_rgb": list(skin.closed_bgr[::-1]),
        "tolerance": {
            "colour": skin.tolerance.colour,
            "accept": skin.tolerance.accept,
            "margin": skin.tolerance.margin,
        },
        "exact": len(skin.exact),
        "border": skin.border is not None,
        "counter": None if skin.counter is None else "".join(sprite.state for sprite in skin.counter.digits),
        "faces": [sprite.state for sprite in skin.faces],
        "new_game": {
            "spot": None if skin.new_game.spot_px is None else list(skin.new_game.spot_px),
            "spot_from": skin.new_game.spot_from,
            "key": skin.new_game.key,
            "dialog_key": next(iter(skin.new_game.dialog_keys), None),
            "dialog_keys": list(skin.new_game.dialog_keys),
            "pause_s": skin.new_game.pause_s,
        },
        "retry_s": skin.retry_s,
        "chord": skin.chord,
        "has_question_marks": skin.has_question_marks,
        "win_needs_flags": skin.win_needs_flags,
        "first_click": skin.first_click,
        "verified": skin.is_verified,
    }


def _in_words(entry: KnownSkin, skin: Skin) -> list[str]:
    new_game = skin.new_game
    lines = [
        f"{skin.name}: {skin.title}",
        f"source: {_source(entry)}",
        f"cells: {skin.pitch_px[0]} x {skin.pitch_px[1]} pixels, closed in rgb{skin.closed_bgr[::-1]}",
        f"states: {' '.join(_states(skin))}",
        *(f"drawn alike: {' '.join(states)}" for states in skin.same_states()),
        f"tolerance: {skin.tolerance.accept:g} of 255, and the next state {skin.tolerance.margin:g} times as far",
        f"board's border: {'not known' if skin.border is None else f'{skin.border.depth_px} pixels'}",
        f"mine counter: {'not known' if skin.counter is None else _counter_in_words(skin.counter)}",
        f"new game: {_new_game_in_words(new_game)}",
        f"after a game: waits {new_game.pause_s:g} s, "
        + (f"closes dialogs with {' or '.join(new_game.dialog_keys)}" if new_game.dialog_keys else "no dialog comes"),
        f"chords: {_CHORDS_IN_WORDS[skin.chord]}",
        f"first click: {_FIRST_CLICKS_IN_WORDS[skin.first_click]}",
    ]
    if skin.is_verified is not None:
        lines.append(f"learned: {'verified, two games agree' if skin.is_verified else 'not verified yet'}")
    if skin.win_needs_flags:
        lines.append("a game is won only when every mine has a flag")
    if not skin.floods:
        lines.append("a 0 leaves its neighbours closed")
    if skin.has_question_marks is not None:
        lines.append(f"question marks: {'may be on' if skin.has_question_marks else 'never'}")
    return lines


def _counter_in_words(counter: Counter) -> str:
    width, height = counter.digit_px
    return f"{counter.n_digits} digits of {width} x {height} pixels, on the {'right' if counter.is_right else 'left'}"


def _new_game_in_words(new_game: NewGame) -> str:
    spot = [] if new_game.spot_px is None else [f"a click {new_game.spot_in_words}"]
    key = [] if new_game.key is None else [f"the key {new_game.key}"]
    return ", or ".join(spot + key) or "not known"


def _check_as_json(check: SkinCheck) -> dict[str, Any]:
    return {
        "good": check.is_good,
        "boards": check.n_boards,
        "cells": check.n_cells,
        "wrong": list(check.wrong),
        "unfound": check.n_unfound,
        "nearest": {"states": list(check.nearest.states), "apart": round(check.nearest.apart, 2)},
        "accept": check.accept,
        "too_near": check.is_too_near,
    }


def _check_in_words(skin: Skin, check: SkinCheck) -> list[str]:
    a, b = check.nearest.states
    verdict = "all found and read back" if check.is_good else "not all read back"
    tolerated = f"{check.accept:g} is tolerated"
    if check.is_told_twice:
        tolerated = f"told by their digits, which must be {skin.tolerance.margin:g} times nearer to one"
    return [
        f"{skin.name}: {check.n_boards} boards, {check.n_cells} cells painted: {verdict}",
        f"nearest states: {a} and {b}, {check.nearest.apart:.1f} apart; {tolerated}",
        *check.remarks(),
    ]
