"""What a person wants of every game: `settings.toml` in the folder for configuration.

The options of `play` and `coach` say it for one run, and go before. A file with a mistake is refused, not half obeyed.
"""

from __future__ import annotations

import dataclasses
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs

from bot.console import did_you_mean
from bot.errors import UsageError
from bot.images import save_bytes
from bot.playing.speeds import SPEEDS
from skins import load_skins
from skins.errors import FileError
from skins.files import read_file
from skins.skin import FIRST_CLICKS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from skins import Skin

VARIABLE = "MINEBOT_SETTINGS"  # set in the environment, this names another file
_MOST_BYTES = 2**20
_AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Preferences:
    """How `play` and `coach` behave where no option says otherwise.

    Attributes:
        hotkey: starts and pauses `play`, hides what `coach` draws.
        abort_key: stops both.
        games: how many games `play` plays.
        speed: how fast it clicks, a name of `SPEEDS`.
        flags: whether it flags proven mines.
        chord: whether it clicks numbers where that saves clicks; None for where it saves time, at the speed `max`.
        skins: the skins that are tried first, in this order.
        first_click: the rule for the first click by skin, where it is not the skin's own.
    """

    hotkey: str = "f10"
    abort_key: str = "esc"
    games: int = 1
    speed: str = "max"
    flags: bool = False
    chord: bool | None = None
    skins: tuple[str, ...] = ()
    first_click: Mapping[str, str] = field(default_factory=dict)

    def fill_in(self, args: argparse.Namespace) -> None:
        """Give the options of a command that were not given what is preferred."""
        for each in dataclasses.fields(self):
            if getattr(args, each.name, "") is None:
                setattr(args, each.name, getattr(self, each.name))

    def load_skins(self, word: str, tell: Callable[[str], None], first_click: str | None = None) -> list[Skin]:
        """The skins that a command was asked to use, those that are preferred first.

        Args:
            word: a skin's name, or `auto` for all.
            tell: told of every skin that cannot be used.
            first_click: the rule for the first click of all of them; None for what settings or skins say.

        Raises:
            SkinError: there is no skin of that name, or it cannot be used.
            UsageError: there is no skin of a name that the settings prefer.
        """
        found = [self._with_rule(skin, first_click) for skin in load_skins(word, tell=tell)]
        if word != _AUTO:
            return found
        names = [skin.name for skin in found]
        for setting, wanted in (("skins", self.skins), ("first_click", self.first_click)):
            for name in wanted:
                if name not in names:
                    hint = did_you_mean(name, names)
                    raise UsageError(f"{settings_path()}: {setting}: there is no skin {name!r}{hint}")
        return sorted(found, key=lambda skin: self.skins.index(skin.name) if skin.name in self.skins else len(names))

    def _with_rule(self, skin: Skin, first_click: str | None) -> Skin:
        rule = first_click or self.first_click.get(skin.name)
        return skin if rule is None else dataclasses.replace(skin, first_click=rule)


def settings_path() -> Path:
    """Where the settings are read from; the file need not be there."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else platformdirs.user_config_path("minebot", appauthor=False) / "settings.toml"


def load_preferences() -> Preferences:
    """Read the settings; all is as usual where there is no file.

    Raises:
        UsageError: it cannot be read, is no TOML, or says something that no setting can be; names file and setting.
    """
    path = settings_path()
    if not os.path.lexists(path):
        return Preferences()
    try:
        said = tomllib.loads(read_file(path, _MOST_BYTES).decode("utf-8-sig"))
    except FileError as error:
        raise UsageError(str(error)) from error
    except (ValueError, RecursionError) as error:  # of UTF-8, of TOML
        raise UsageError(f'{path}: expected settings in TOML, such as speed = "fast" ({error})') from error
    return Preferences(**{name: _checked(path, name, value) for name, value in said.items()})


def save_preferences(changed: Mapping[str, str | int | bool | None]) -> None:
    """Change some settings in their file; all else in it stays, remarks too. None takes a setting out.

    Raises:
        UsageError: a value is none that its setting can have, or the file cannot be read or written.
    """
    import tomlkit  # noqa: PLC0415 - who only reads settings does not wait for it

    path = settings_path()
    load_preferences()  # a file with a mistake is not touched
    if not changed:
        return
    wanted = {name: _checked(path, name, value) for name, value in changed.items() if value is not None}
    try:
        document = tomlkit.parse(path.read_bytes().decode("utf-8-sig")) if path.exists() else tomlkit.document()
        for name in changed.keys() & document.keys() - wanted.keys():
            document.remove(name)
        for name, value in wanted.items():
            document[name] = value
        path.parent.mkdir(parents=True, exist_ok=True)
        save_bytes(path, tomlkit.dumps(document).encode())
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def describe_settings() -> str:
    """Which file was read, and what it sets.

    Raises:
        UsageError: as `load_preferences`.
    """
    path = settings_path()
    if not os.path.lexists(path):
        return f"none: {path} would be read"
    usual, own = dataclasses.asdict(Preferences()), dataclasses.asdict(load_preferences())
    changed = [f"{name} = {own[name]}" for name in usual if own[name] != usual[name]]
    return f"{path}: {', '.join(changed) or 'all as usual'}"


def _checked(path: Path, name: str, value: Any) -> Any:
    """The value of a setting, as `Preferences` holds it."""
    if name not in _WANTED:
        raise UsageError(f"{path}: there is no setting {name[:40]!r}{did_you_mean(name, _WANTED) or _known_ones()}")
    wanted, is_good = _WANTED[name]
    if not is_good(value):
        raise UsageError(f"{path}: expected {name} = {wanted}, got {str(value)[:40]!r}")
    return tuple(value) if isinstance(value, list) else value


def _known_ones() -> str:
    return f": expected {', '.join(_WANTED)}"


def _is_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def _are_rules(value: object) -> bool:
    return isinstance(value, dict) and all(rule in FIRST_CLICKS for rule in value.values())


def _is_speed(value: object) -> bool:
    return isinstance(value, str) and value in SPEEDS


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_key(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _is_switch(value: object) -> bool:
    return isinstance(value, bool)


_WANTED: dict[str, tuple[str, Callable[[object], bool]]] = {
    "hotkey": ('a key such as "f9"', _is_key),
    "abort_key": ('a key such as "esc"', _is_key),
    "games": ("1 or more", _is_count),
    "speed": (" or ".join(f'"{name}"' for name in SPEEDS), _is_speed),
    "flags": ("true or false", _is_switch),
    "chord": ("true or false", _is_switch),
    "first_click": (f'rules by skin such as {{ classic = "safe" }}, of {", ".join(FIRST_CLICKS)}', _are_rules),
    "skins": ('skins in a list such as ["classic", "winemine"]', _is_words),
}
"""What each setting may be, in words and as a check."""
